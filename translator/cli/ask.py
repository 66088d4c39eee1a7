"""Ask the installed vLLM for its flags, and remember the answer.

The answer is kept under $XDG_CACHE_HOME (else ~/.cache), so that only the first start waits for it.
Where nothing may be written there, every start asks.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from pathlib import Path

from translator.cli.streams import log
from translator.findings import Finding, finding, one_line
from translator.tables.catalog import Tables
from translator.tables.installed import Build, program
from translator.tables.versions import VARIABLE, parse

SECONDS = 300.0
"""How long an answer may take; it takes 10 to 60 seconds on two cores."""

_INDEX = "index.json"
_NOTED = ("RECORD", "direct_url.json")  # what pip wrote about an installation


def asked(build: Build, tables: Tables) -> tuple[Tables, str] | Finding:
    """Return the tables with those of an installed vLLM over them, and its version in them; or the
    finding that says why it could not be asked.
    """
    python = interpreter(build)
    if python is None:
        return refusal(build, "no Python beside `vllm` on PATH")
    folder = _folder()
    path = os.path.join(folder or "", f"{_key(build, python, tables)}.json")
    found = _read(path) if folder else None
    if found is None:
        log(f"translate: reading the flags of vLLM {build.version}, which may take a minute")
        try:
            found = _ask(build, python, tables)
        except Exception as error:  # a vLLM of another time may fail in any way
            return refusal(build, str(error))
        if folder:
            _write(path, found)
    version, files = found
    return tables.over(files), version


def refusal(build: Build, reason: str) -> Finding:
    """Return the finding that says why a vLLM could not be asked."""
    facts = {"given": build.version, "reason": one_line(reason).rstrip(".")}
    return finding("not-asked", "vllm", **facts, variable=VARIABLE)


def _ask(build: Build, python: str, tables: Tables) -> tuple[str, dict[str, str]]:
    # An image that has none of our dependencies starts all the same.
    from translator.authoring.compile import compile_build
    from translator.authoring.harvest.collect import from_python

    def name(like: str) -> str:
        """A build with a number of its own keeps it; any other is named after the release that it
        is most like, so that its place among the versions is right.
        """
        own = parse(build.version)
        if own is None or not own.numbered:
            local = own.local if own is not None else ""
            return f"{like}+{''.join(c if c.isalnum() else '.' for c in local) or 'own'}"
        return str(own)

    catalog = from_python(python, "0.0", SECONDS)
    return compile_build(catalog, tables, name)


def interpreter(build: Build) -> str | None:
    """Return the Python that runs the installed vLLM: that of the first line of `vllm` on PATH."""
    if build.own:
        return sys.executable
    path = program()
    if path is None:
        return None
    named = _first_line_names(path)
    here = os.path.dirname(os.path.realpath(path))
    for found in (*([named] if named else []), *(os.path.join(here, name) for name in _PYTHONS)):
        if os.access(found, os.X_OK):
            return found
    return None


_PYTHONS = ("python3", "python")


def _first_line_names(path: str) -> str | None:
    """Return the Python that a script's `#!` line names.

    pip writes `#!/path/python`; of a path that is too long or has spaces, `#!/bin/sh` and a second
    line `'''exec' "/path/python" "$0" "$@"`.
    """
    try:
        with open(path, "rb") as file:
            lines = file.read(2048).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    if not lines or not lines[0].startswith("#!"):
        return None
    words = lines[0][2:].split()
    if words and os.path.basename(words[0]) == "env":
        name = next((word for word in words[1:] if not word.startswith("-")), "")
        return program(name) if name.startswith("python") else None
    if len(lines) > 1 and lines[1].startswith("'''exec' "):
        return lines[1].removeprefix("'''exec' ").partition(' "$0"')[0].strip('"')
    if words and os.path.basename(words[0]).startswith("python"):
        return words[0]
    return None


# --- the answers that are kept --------------------------------------------------------------------


def _folder() -> str | None:
    """Return the folder of the answers; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # as the XDG specification has it
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "translate-vllm") if os.path.isabs(base) else None


def _key(build: Build, python: str, tables: Tables) -> str:
    """Return a digest of everything that the answer depends on: pip's list of the files with their
    hashes; of sources, which may be edited, the times of the files.
    """
    record, origin = (_text(os.path.join(build.place, name)) for name in _NOTED)
    parts = [build.version, build.place, python, tables.text(_INDEX) or "", record, origin]
    folders = [build.place]
    try:
        folders.append(str(json.loads(origin)["url"]).removeprefix("file://"))
    except (ValueError, KeyError, TypeError):
        pass
    for folder in folders:
        for path in sorted(Path(folder, "vllm").rglob("*.py")):
            try:
                status = path.stat()
            except OSError:
                continue
            parts.append(f"{path.name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256(os.fsencode("\0".join(parts))).hexdigest()[:32]


def _text(path: str) -> str:
    """Return a file of an installation, or ""."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _read(path: str) -> tuple[str, dict[str, str]] | None:
    """Return an answer that this user, or root, has kept."""
    try:
        with open(path, encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if status.st_uid not in (0, os.geteuid()) or status.st_mode & stat.S_IWOTH:
                return None
            kept = json.load(file)
        return str(kept["version"]), {str(name): str(text) for name, text in kept["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(path: str, answer: tuple[str, dict[str, str]]) -> None:
    version, files = answer
    beside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with open(beside, "w", encoding="utf-8") as file:
            json.dump({"version": version, "files": files}, file)
        os.replace(beside, path)
    except OSError:
        return
