"""Maintain tables: lint, compile and harvest them; add a vLLM release to them."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

from translator.cli.process import BAD_INPUT, OK, emit, log, put
from translator.cli.tables.show import write_docs
from translator.core.findings import UsageError, one_line
from translator.core.tables.catalog import Tables, shipped
from translator.core.tables.versions import Version, parse
from translator.core.text.words import show
from translator.formats import files
from translator.installed import find
from translator.maintain import compile as compiling
from translator.maintain import lint as linting
from translator.maintain.adding import addition
from translator.maintain.harvest import from_file, from_python
from translator.maintain.lint.changes import nothing_left_to_do
from translator.maintain.load import TablesError, home, is_shipped, load, mappings
from translator.maintain.model import Tables as Mappings
from translator.options import Option

COMPILE = (
    Option("--output", "DIR", "where the compiled files go (default: into the checkout)"),
    Option("--check", "", "write nothing; exit 1 when compiled files are out of date"),
)
OUTPUT = Option("--output", "FILE", "the file (default: stdout)")
RELEASE = (
    Option("version", "VERSION", "the release"),
    Option("--python", "PYTHON", "a Python that has this vLLM (default: this one)"),
    Option("--harvested", "FILE", "what `translate tables harvest` wrote where this vLLM is"),
    Option("--published", "DAY", "when it was published, as 2026-11-02 (default: today)"),
)

_COMPILED = Path("translator", "core", "_compiled")  # in a checkout


def lint(args: Namespace) -> int:
    """Check tables for mistakes; exit 1 if there are any."""
    own = _own(args)
    try:
        problems = linting.lint(load(own), None if own is None else _base())
    except TablesError as error:
        problems = list(error.problems)
    errors = sum(problem.severity == "error" for problem in problems)
    for problem in problems:
        put([[(problem.severity, f"{problem.severity}:"), f" {problem}"]])
    log(
        f"{len(problems)} problem{'s' if len(problems) != 1 else ''}, {errors} of them"
        f" error{'s' if errors != 1 else ''}"
    )
    return BAD_INPUT if errors else OK


def _own(args: Namespace) -> Path | None:
    """Return the folder of a user's tables; None for those of the project."""
    folder = Path(args.directory) if args.directory else None
    return None if folder is None or is_shipped(folder) else folder


def _base() -> Mappings:
    """Return the project's own tables: from the checkout, or from the compiled files."""
    try:
        return load()
    except TablesError:
        return compiling.tables_in(shipped())


def compile_tables(args: Namespace) -> int:
    """Compile tables into the package."""
    own = _own(args)
    if own is not None and not args.output:
        raise UsageError(
            "with tables of your own, --output says where the compiled files go (running takes the"
            " tables themselves: --tables DIR)"
        )
    checkout = home()
    target = (
        compiling.COMPILED if checkout is None else checkout / "translator" / "core" / "_compiled"
    )
    target = Path(args.output) if args.output else target
    compiled = compiling.files_of(load(own), target)
    stale = (compiling.compare if args.check else compiling.write)(compiled, target)
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return BAD_INPUT if args.check and stale else OK


def harvest(args: Namespace) -> int:
    """Record what the installed vLLM accepts."""
    build = find()
    if build is None:
        raise UsageError("no vLLM is installed in this Python")
    version = build.version
    from translator.maintain.harvest import catalog

    try:
        text = json.dumps(catalog.harvest(version.partition("+")[0]), indent=1) + "\n"
    except Exception as error:  # a vLLM from another time may fail in any way
        if os.environ.get("TRANSLATE_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {one_line(str(error))[:300]}"
        log(("error", "error:"), f" vLLM {version} cannot be harvested: {reason}")
        return BAD_INPUT
    if args.output is None:
        emit(text)
        return OK
    files.write({os.path.realpath(args.output): text.encode()})
    log(f"vLLM {version}: written to {args.output}")
    return OK


def add(args: Namespace) -> int:
    """Add a vLLM release to the tables of a checkout; exit 1 if something is left to decide."""
    folder = mappings()
    tables = load(folder)
    day = _day(args, tables)
    changed, needed = addition(folder, _release(args), day)
    before = {name: (folder / name).read_text("utf-8").splitlines() for name in changed}
    files.write({name: text.encode() for name, text in changed.items()}, str(folder))
    for name, text in changed.items():
        put([f"written: {folder / name}"])
        for line in unified_diff(before[name], text.splitlines(), n=0, lineterm=""):
            if line[:3] not in ("---", "+++", "@@ "):
                put([f"  {line[:120]}"])
    compiled = folder.parent / _COMPILED
    tables = load(folder)
    written = compiling.write(compiling.files_of(tables, compiled), compiled)
    put([f"written: {len(written)} compiled file{'s' if len(written) != 1 else ''}"])
    write_docs(Tables(compiling.compile_loaded(tables)), folder.parent / "docs")
    # Of the entries to finish, this command has more to say.
    rules = [rule for rule in linting.RULES if rule is not nothing_left_to_do]
    left = []
    if needed:
        left += [f"to decide: what became of {', '.join(needed)}"]
        left += ["  each has an entry with a TODO at the end of mappings/changes.toml"]
    for problem in linting.lint(tables, rules=rules):
        left.append(f"to decide: {problem.severity}: {one_line(str(problem))}")
    if left:
        left.append("then run `translate tables lint` and `translate tables compile`")
    put(["", *(left or ["nothing is left to decide"])])
    return BAD_INPUT if left else OK


def _day(args: Namespace, tables: Mappings) -> str:
    """Return the day on which the release was published."""
    version, known = parse(args.version), [item.version for item in tables.catalogs]
    if version is None or not version.released or version.local:
        raise UsageError(f"{show(args.version)} is no release, such as 0.34.0")
    if args.version in known:
        raise UsageError(f"vLLM {args.version} is in the tables")
    if args.published is not None:
        return str(args.published)
    if version < Version(known[-1]):
        raise UsageError(f"vLLM {args.version} is not the newest: --published DAY says its day")
    return time.strftime("%Y-%m-%d", time.gmtime())


def _release(args: Namespace) -> Mapping[str, Any]:
    """Return the catalog of the release."""
    if args.harvested is None:
        return from_python(args.python or sys.executable, args.version, release=True)
    found = from_file(args.harvested)
    if found["version"] != args.version:
        raise UsageError(f"{args.harvested}: is the catalog of vLLM {show(found['version'])}")
    return found
