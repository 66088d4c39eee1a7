"""Maintain tables: lint, compile and harvest them; compare a vLLM release with them, and add it."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import asdict

from translator.api.options import Option
from translator.authoring import compile as compiling
from translator.authoring import lint as linting
from translator.authoring.drift import Committed, Report, addition, report
from translator.authoring.harvest import from_files, from_python
from translator.authoring.lint.changes import nothing_left_to_do
from translator.authoring.load import Problem, TablesError, home, is_shipped, load, mappings
from translator.cli.process import BAD_INPUT, OK, emit, emit_json, log, put
from translator.cli.tables.show import write_docs
from translator.findings import UsageError, one_line
from translator.model import Tables as Mappings
from translator.tables.catalog import Tables, shipped
from translator.tables.installed import find
from translator.tables.versions import Version, parse
from translator.text.words import show

COMPILE = (
    Option("--output", "DIR", "where the compiled files go (default: into the checkout)"),
    Option("--check", "", "write nothing; exit 1 when compiled files are out of date"),
)
OUTPUT = Option("--output", "FILE", "the file (default: stdout)")
# Longer values of facts are truncated in the text; --format json includes them in full.
_LONGEST = 100

HARVESTED = (
    Option(
        "--harvested",
        "FILE",
        "a file of `translate tables harvest`, or a directory of them; repeatable",
        repeatable=True,
    ),
    Option(
        "--python",
        "PYTHON",
        "a Python whose vLLM is harvested (default: this one); repeatable",
        repeatable=True,
    ),
    Option(
        "--vllm", "V", "the only version of a directory to compare; the name of --python's vLLM"
    ),
    Option("--against", "V", "version to compare with (default: the same, else the one before)"),
)
RELEASE = (
    Option("version", "VERSION", "the release"),
    Option("--python", "PYTHON", "a Python that has this vLLM (default: this one)"),
    Option("--harvested", "FILE", "what `translate tables harvest` wrote where this vLLM is"),
    Option("--published", "DAY", "when it was published, as 2026-11-02 (default: today)"),
)


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
    target = compiling.COMPILED if checkout is None else checkout / "translator" / "_compiled"
    target = Path(args.output) if args.output else target
    files = compiling.files_of(load(own), target)
    stale = (compiling.compare if args.check else compiling.write)(files, target)
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return BAD_INPUT if args.check and stale else OK


def harvest(args: Namespace) -> int:
    """Record what the installed vLLM accepts."""
    build = find()
    if build is None:
        raise UsageError("no vLLM is installed in this Python")
    version = build.version
    from translator.authoring.harvest import catalog
    from translator.authoring.load import dump

    try:
        text = dump(catalog.harvest(version.partition("+")[0]))
    except Exception as error:  # a vLLM from another time may fail in any way
        if os.environ.get("TRANSLATE_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {one_line(str(error))[:300]}"
        log(("error", "error:"), f" vLLM {version} cannot be harvested: {reason}")
        return BAD_INPUT
    if args.output is None:
        emit(text)
        return OK
    path = Path(args.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    log(f"vLLM {version}: written to {args.output}")
    return OK


def drift(args: Namespace) -> int:
    """Compare the harvest with the catalogs; return 1 if a catalog differs from the harvest or the
    version has no catalog, and 2 if nothing could be compared.
    """
    try:
        committed = Committed(_own(args))
    except TablesError as error:
        raise UsageError("; ".join(map(str, error.problems))) from None
    if args.against is not None and args.against not in committed.facts:
        raise UsageError(
            f"--against {show(args.against)}: there is no catalog of it, but of"
            f" {', '.join(committed.facts)}"
        )
    reports: list[Report] = []
    broken: list[Problem] = []
    for catalog in list(_harvested(args)):
        try:
            reports.append(report(catalog, committed, args.against))
        except TablesError as error:
            broken += error.problems
    drifted = any(item.drifted for item in reports)
    if args.format == "json":
        versions = [
            {
                "version": one.version,
                "against": one.against,
                "drift": one.drifted,
                **one.differences,
                "needed": [{"name": name, "toml": entry} for name, entry in one.needed.items()],
                "lint": list(map(asdict, one.problems)),
            }
            for one in reports
        ]
        emit_json({"drift": drifted, "versions": versions})
    else:
        emit("\n".join(_text(item, advice=True) for item in reports))
    if broken:
        # The schema must be extended first.
        raise TablesError(broken)
    return BAD_INPUT if drifted else OK


def _harvested(args: Namespace) -> Iterator[dict[str, Any]]:
    found = from_files(args.harvested)
    if args.vllm is not None and args.harvested:
        found = [catalog for catalog in found if catalog["version"] == args.vllm]
        if not found and not args.python:
            raise UsageError(f"--vllm {show(args.vllm)}: none of the files is about it")
    yield from found
    for interpreter in args.python or ([] if args.harvested else [sys.executable]):
        yield from_python(interpreter, args.vllm or "")


def _text(report: Report, *, advice: bool) -> str:
    """Return in what two catalogs differ, for people, and what is to be done about it."""
    found = report.differences
    if report.known:
        verdict = "is not what was harvested" if report.drifted else "is what was harvested"
        lines = [f"vLLM {report.version}: the committed catalog {verdict}"]
    else:
        lines = [f"vLLM {report.version}, compared with {report.against}"]
    grammar = [f"  ~ {name}: {_change(change)}" for name, change in found["grammar"].items()]
    for title, told in {
        "flags": _part(found["flags"]),
        "keys of JSON flags": _part(found["keys"]),
        "variables": _part(found["variables"]),
        "the command line as a whole": grammar,
    }.items():
        lines += ["", title, *told] if told else []
    if advice and report.needed:
        names = f"{len(report.needed)} name{'s' if len(report.needed) != 1 else ''}"
        lines += ["", f"# --- for changes.toml: {names} that lint wants accounted for"]
        lines += [line for entry in report.needed.values() for line in ("", entry)]
    others = [item for item in report.problems if "no entry says what became of" not in item.text]
    if advice and others:
        lines += ["", "lint would also say"]
        lines += [f"  {item.severity}: {one_line(str(item))}" for item in others]
    if advice and not report.known:
        lines += ["", f"`translate tables add {report.version}` adds it"]
    return "".join(f"{line}\n" for line in lines)


def _part(part: Mapping[str, Any]) -> list[str]:
    return [
        *(f"  + {name}: {_facts(facts)}" for name, facts in part["new"].items()),
        *(f"  - {name}: {_facts(facts)}" for name, facts in part["gone"].items()),
        *(
            f"  ~ {name}: {'; '.join(f'{field}: {_change(it)}' for field, it in fields.items())}"
            for name, fields in part["changed"].items()
        ),
    ]


def _facts(facts: Mapping[str, Any]) -> str:
    """Return the most important facts of a flag, a key or a variable."""
    told = [str(facts.get("kind", ""))]
    for name in ("aliases", "negations", "choices", "default", "deprecated", "required"):
        if facts.get(name) not in (None, [], False):
            told.append(f"{name} {_short(facts[name])}")
    return ", ".join(told)


def _change(change: Mapping[str, Any]) -> str:
    """Return what was added to and removed from a list; of another value, the old and the new."""
    before, after = change["before"], change["after"]
    if isinstance(before, list) and isinstance(after, list):
        parts = [f"-{_short(item)}" for item in before if item not in after]
        parts += [f"+{_short(item)}" for item in after if item not in before]
        return " ".join(parts) if parts else f"another order: {_short(after)}"
    return f"{_short(before)} -> {_short(after)}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


# --- a release for the tables ---------------------------------------------------------------------


def add(args: Namespace) -> int:
    """Add a vLLM release to the tables of a checkout; exit 1 if something is left to decide."""
    folder = mappings()
    committed = Committed(folder)
    day = _day(args, committed)
    fresh = _release(args)
    found = report(fresh, committed)
    for name, text in addition(fresh, day, found, committed).items():
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\n")
        put([f"written: {path}"])
    compiled = folder.parent / "translator" / "_compiled"
    tables = load(folder)
    changed = compiling.write(compiling.files_of(tables, compiled), compiled)
    put([f"written: {len(changed)} compiled file{'s' if len(changed) != 1 else ''}"])
    write_docs(Tables(compiling.compile_loaded(tables)), folder.parent / "docs")
    # Of the entries to finish, this command has more to say.
    rules = [rule for rule in linting.RULES if rule is not nothing_left_to_do]
    left = []
    if found.needed:
        names = ", ".join(found.needed)
        left += [f"to decide: what became of {names}"]
        left += ["  each has an entry with a TODO at the end of mappings/changes.toml"]
    for problem in linting.lint(tables, rules=rules):
        left.append(f"to decide: {problem.severity}: {one_line(str(problem))}")
    if left:
        left.append("then run `translate tables lint` and `translate tables compile`")
    emit("\n" + _text(found, advice=False))
    put(["", *(left or ["nothing is left to decide"])])
    return BAD_INPUT if left else OK


def _day(args: Namespace, committed: Committed) -> str:
    """Return the day on which the release was published."""
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


def _release(args: Namespace) -> Mapping[str, Any]:
    """Return the catalog of the release."""
    if args.harvested is None:
        return from_python(args.python or sys.executable, args.version, release=True)
    found = from_files([args.harvested])
    if len(found) != 1:
        raise UsageError(f"{args.harvested}: holds several catalogs")
    if found[0]["version"] != args.version:
        raise UsageError(f"{args.harvested}: is the catalog of vLLM {show(found[0]['version'])}")
    return found[0]
