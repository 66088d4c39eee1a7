"""Ask the installed vLLM for its flags, and remember the answer.

The answer is kept under $XDG_CACHE_HOME (else ~/.cache), so that only the first start waits for it.
Where nothing may be written there, every start asks.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from pathlib import Path

from translator.cli.process import log
from translator.core.findings import Finding, finding, one_line
from translator.core.tables.catalog import FACTS, Tables
from translator.core.tables.versions import VARIABLE
from translator.formats import files as writing
from translator.installed import Build, program

SECONDS = 300.0
"""How long an answer may take; it takes 10 to 60 seconds on two cores."""


def asked(build: Build, tables: Tables) -> tuple[Tables, str] | Finding:
    """Return the tables with those of an installed vLLM over them, and its version in them; or the
    finding that says why it could not be asked.
    """
    python = interpreter(build)
    if python is None:
        return refusal(build, "no Python beside `vllm` on PATH")
    kept = _kept(build, python, tables)
    answer = _read(kept) if kept else None
    if answer is None:
        log(f"translate: asking vLLM {build.version} for its flags, which may take a minute")
        try:
            answer = _ask(build, python, tables)
        except Exception as error:  # a vLLM of another time may fail in any way
            return refusal(build, str(error))
        if kept:
            _write(kept, answer)
    version, files = answer
    return tables.over(files), version


def refusal(build: Build, reason: str) -> Finding:
    """Return the finding that says why a vLLM could not be asked."""
    facts = {"given": build.version, "reason": one_line(reason).rstrip(".")}
    return finding("not-asked", "vllm", **facts, variable=VARIABLE)


def _ask(build: Build, python: str, tables: Tables) -> tuple[str, dict[str, str]]:
    # An image that has none of our dependencies starts all the same.
    from translator.maintain.compile import compile_build
    from translator.maintain.harvest import from_python

    catalog = from_python(python, "0.0", SECONDS)
    return compile_build(catalog, tables, build.version)


# pip writes `#!/path/python`; of a path that is too long or has spaces, `#!/bin/sh` and a second
# line `'''exec' "/path/python" "$0" "$@"`.
_PYTHON = re.compile(rb"#!(?:/bin/sh\n'''exec' \")?(/[^\"\n]*/python[\w.]*)")


def interpreter(build: Build) -> str | None:
    """Return the Python that the first line of `vllm` on PATH names, or one beside it."""
    if build.own:
        return sys.executable
    path = program()
    if path is None:
        return None
    with open(path, "rb") as file:
        named = _PYTHON.match(file.read(2048))
    beside = os.path.dirname(os.path.realpath(path))
    pythons = [os.fsdecode(named[1])] if named else []
    pythons += [f"{beside}/python3", f"{beside}/python"]
    return next((python for python in pythons if os.access(python, os.X_OK)), None)


# --- the answers that are kept --------------------------------------------------------------------


def _kept(build: Build, python: str, tables: Tables) -> Path | None:
    """Return the file of an answer; None for a user without a home. Its name is a digest of
    everything that the answer depends on: pip's list of the files with their hashes; of sources,
    which may be edited, the times of the files.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # as the XDG specification has it
        base = os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(base):
        return None
    record, origin = (_text(Path(build.place, name)) for name in ("RECORD", "direct_url.json"))
    parts = [build.version, build.place, python, tables.text(FACTS) or "", record, origin]
    folders = [build.place]
    try:
        folders.append(str(json.loads(origin)["url"]).removeprefix("file://"))
    except (ValueError, KeyError, TypeError):
        pass
    for folder in folders:
        for path in sorted(Path(folder, "vllm").rglob("*.py")):
            if path.is_file():
                status = path.stat()
                parts.append(f"{path.name} {status.st_size} {status.st_mtime_ns}")
    digest = hashlib.sha256(os.fsencode("\0".join(parts))).hexdigest()
    return Path(base, "translate-vllm", f"{digest[:32]}.json")


def _text(path: Path) -> str:
    """Return a file of an installation, or ""."""
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def _read(path: Path) -> tuple[str, dict[str, str]] | None:
    """Return an answer that this user, or root, has kept."""
    try:
        status = path.stat()
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & stat.S_IWOTH:
            return None
        kept = json.loads(path.read_text("utf-8"))
        return str(kept["version"]), {str(name): str(text) for name, text in kept["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(path: Path, answer: tuple[str, dict[str, str]]) -> None:
    version, files = answer
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        content = json.dumps({"version": version, "files": files}).encode()
        writing.write({path.name: content}, str(path.parent))
    except OSError:
        return
