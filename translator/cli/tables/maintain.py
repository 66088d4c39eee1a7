"""Make tables: `tables lint`, `tables compile` and `tables harvest`."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path

from translator.authoring import compile as compiling
from translator.authoring.lint import lint_directory
from translator.authoring.load import TablesError, home, is_shipped, load
from translator.cli.process import OK, UsageError, emit, log, put
from translator.findings import one_line
from translator.model.tables import Tables
from translator.tables.catalog import shipped
from translator.tables.installed import installed
from translator.text.options import Option

FAILED = 1
COMPILE = (
    Option("--output", "DIR", "where the compiled files go (default: into the checkout)"),
    Option("--check", "", "write nothing; exit 1 when compiled files are out of date"),
)
OUTPUT = Option("--output", "FILE", "the file (default: stdout)")


def lint(args: Namespace) -> int:
    """Check tables for mistakes; exit 1 if there are any."""
    try:
        if not args.directory or is_shipped(Path(args.directory)):
            problems = list(lint_directory())
        else:
            problems = list(lint_directory(Path(args.directory), _base()))
    except TablesError as error:
        problems = list(error.problems)
    errors = sum(problem.severity == "error" for problem in problems)
    for problem in problems:
        put([[(problem.severity, f"{problem.severity}:"), f" {problem}"]])
    log(
        f"{len(problems)} problem{'s' if len(problems) != 1 else ''}, {errors} of them"
        f" error{'s' if errors != 1 else ''}"
    )
    return FAILED if errors else OK


def _base() -> Tables:
    """Return the project's own tables, to check a user's against: from the checkout, or from the
    compiled files of an installation.
    """
    try:
        return load()
    except TablesError:
        return compiling.tables_in(shipped())


def compile_tables(args: Namespace) -> int:
    """Compile tables into the package."""
    of_project = not args.directory or is_shipped(Path(args.directory))
    if not of_project and not args.output:
        raise UsageError(
            "with tables of your own, --output says where the compiled files go (running takes the"
            " tables themselves: --tables DIR)"
        )
    checkout = home()
    target = compiling.COMPILED if checkout is None else checkout / "translator" / "_compiled"
    if args.output:
        target = Path(args.output)
    files = compiling.files_of(load(None if of_project else Path(args.directory)), target)
    stale = (compiling.compare if args.check else compiling.write)(files, target)
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return FAILED if args.check and stale else OK


def harvest(args: Namespace) -> int:
    """Record what the installed vLLM accepts."""
    version = installed()
    if version is None:
        raise UsageError("no vLLM is installed in this Python: run it where there is one")
    from translator.authoring.harvest import catalog
    from translator.authoring.stored import dump

    try:
        text = dump(catalog.harvest(version.partition("+")[0]))
    except Exception as error:  # a vLLM from another time may fail in any way
        if os.environ.get("TRANSLATE_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {one_line(str(error))[:300]}"
        log(("error", "error:"), f" vLLM {version} cannot be harvested: {reason}")
        return FAILED
    if args.output is None:
        emit(text)
        return OK
    path = Path(args.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    log(f"vLLM {version}: written to {args.output}")
    return OK
