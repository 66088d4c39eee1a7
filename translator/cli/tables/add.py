"""Add a vLLM release to the tables of a checkout; exit 1 if something is left to decide."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from translator.authoring import compile as compiling
from translator.authoring import sources
from translator.authoring.drift import Committed, Report, addition, report
from translator.authoring.harvest import collect
from translator.authoring.lint.changes import nothing_left_to_do
from translator.authoring.lint.lint import RULES, lint
from translator.authoring.load import load
from translator.authoring.sources import Problem
from translator.cli.exits import OK, UsageError
from translator.cli.streams import emit, put
from translator.cli.tables import drift, publish
from translator.findings import one_line
from translator.tables.catalog import Tables
from translator.tables.versions import Version, parse
from translator.text.options import Option
from translator.text.quoting import show

UNDECIDED = 1
EXAMPLE = "  translate tables add 0.34.0 --python /opt/vllm/bin/python"
OPTIONS = (
    Option("version", "VERSION", "the release"),
    Option("--python", "PYTHON", "a Python that has this vLLM (default: this one)"),
    Option("--harvested", "FILE", "what `translate tables harvest` wrote where this vLLM is"),
    Option("--published", "DAY", "when it was published, as 2026-11-02 (default: today)"),
)


def run(args: Namespace) -> int:
    """Add a vLLM release to the tables of a checkout; exit 1 if something is left to decide.

    Raises:
        TablesError: the tables cannot be used, or the catalog holds what the schema does not know.
    """
    mappings = sources.shipped()
    committed = Committed(mappings)
    day = _day(args, committed)
    fresh = _harvested(args)
    found = report(fresh, committed)
    _write(mappings, addition(fresh, day, found, committed))
    compiled = mappings.parent / "translator" / "_compiled"
    tables = load(mappings)
    changed = compiling.write(compiling.files_of(tables, compiled), compiled)
    put([f"written: {len(changed)} compiled file{'s' if len(changed) != 1 else ''}"])
    publish.write_docs(Tables(compiling.compile_loaded(tables)), mappings.parent / "docs")
    # Of the entries to finish, this command has more to say.
    rules = [rule for rule in RULES if rule is not nothing_left_to_do]
    problems = lint(tables, rules=rules)
    emit("\n" + drift.differences_text(found))
    left = list(_left(found, problems))
    put(["", *left] if left else ["", "nothing is left to decide"])
    return UNDECIDED if left else OK


def _day(args: Namespace, committed: Committed) -> str:
    """Return the day on which the release was published.

    Raises:
        UsageError: it cannot be added, or its day has to be named.
    """
    version = parse(args.version)
    if version is None or not version.released or version.local:
        raise UsageError(f"{show(args.version)} is no release, such as 0.34.0")
    if args.version in committed.facts:
        raise UsageError(
            f"vLLM {args.version} is in the tables: `translate tables drift` compares it"
        )
    if args.published is not None:
        return str(args.published)
    if version < Version(list(committed.facts)[-1]):
        raise UsageError(f"vLLM {args.version} is not the newest: --published DAY says its day")
    return time.strftime("%Y-%m-%d", time.gmtime())


def _harvested(args: Namespace) -> Mapping[str, Any]:
    try:
        if args.harvested is None:
            return collect.from_python(args.python or sys.executable, args.version, release=True)
        (fresh,) = collect.from_files([args.harvested])
    except collect.HarvestError as error:
        raise UsageError(f"{error.place}: {error.problem}") from None
    except ValueError:
        raise UsageError(f"{args.harvested}: holds several catalogs") from None
    if fresh["version"] != args.version:
        raise UsageError(f"{args.harvested}: is the catalog of vLLM {show(fresh['version'])}")
    return fresh


def _write(mappings: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = mappings / name
        path.write_text(text, encoding="utf-8", newline="\n")
        put([f"written: {path}"])


def _left(report: Report, problems: Sequence[Problem]) -> Iterator[str]:
    """Yield what a person has to decide, and what to run then."""
    if report.needed:
        names = ", ".join(item.name for item in report.needed)
        yield f"to decide: what became of {names}"
        yield "  each has an entry with a TODO at the end of mappings/changes.toml"
    for problem in problems:
        yield f"to decide: {problem.severity}: {one_line(str(problem))}"
    if report.needed or problems:
        yield "then run `translate tables lint` and `translate tables compile`"
