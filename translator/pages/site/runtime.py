"""What the page check.html runs: Python for browsers (Pyodide), and this package."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import attr
import attrs
import yaml

PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
"""The files of the npm package `pyodide` that a page needs."""
SHELL = ("check.html", "assets/style.css", "assets/icon.svg")
"""What else the page loads: files of the site."""
SCRIPTS = Path(__file__).with_name("check")
_PACKAGES = {
    **{module.__name__: Path(module.__path__[0]) for module in (attr, attrs, yaml)},
    "translator": Path(__file__).parents[2],
}
# What no check imports: it is for those who maintain the tables, and for the site.
_WITHOUT = ("authoring", "model", "site", "json_schema.py", "__pycache__")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_KINDS = (".py", ".json", ".pack")


def runtime(pyodide: Path, shell: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the page beside its HTML: their paths below the site's folder.

    Args:
        pyodide: the unpacked npm package.
        shell: the other files that the page loads, by their paths; the name of its cache in a
            browser depends on all of them.

    Raises:
        OSError: a file of it is not there.
    """
    made = {f"check/{name}": (pyodide / name).read_bytes() for name in PYODIDE}
    made["check/package.zip"] = package()
    for script in ("check.css", "check.js", "engine.js"):
        made[f"check/{script}"] = (SCRIPTS / script).read_bytes()
    yield from made.items()
    digest = hashlib.sha256()
    for name, content in sorted({**shell, **made}.items()):
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    # It has to lie above all that it answers for.
    worker = (SCRIPTS / "offline.js").read_text("utf-8")
    yield "offline.js", worker.replace("VERSION", digest.hexdigest()[:16]).encode()


def package() -> bytes:
    """Return this package and those that it needs, as a zip with the same bytes every time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in _modules():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


def _modules() -> Iterator[tuple[str, bytes]]:
    for name, folder in _PACKAGES.items():
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.suffix in _KINDS and not set(inside.parts).intersection(_WITHOUT):
                yield f"{name}/{inside.as_posix()}", path.read_bytes()
