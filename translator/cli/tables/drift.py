"""Compare a vLLM installation with the tables."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from translator.cli.exits import BAD_USAGE, OK, UsageError
from translator.cli.options import DIRECTORY, FORMAT
from translator.cli.streams import emit, emit_json, log
from translator.findings import one_line
from translator.text.options import Option
from translator.text.quoting import show

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.authoring.drift import Change, Part, Report
    from translator.authoring.sources import Problem

DRIFTED = 1

# Longer values of facts are truncated in the text; --format json includes them in full.
_LONGEST = 100

EXAMPLE = "  translate tables drift --python /venv/bin/python"
OPTIONS = (
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
    FORMAT,
    DIRECTORY,
)


def run(args: Namespace) -> int:
    """Compare the harvest with the catalogs; return 1 if a catalog differs from the harvest or the
    version has no catalog, and 2 if nothing could be compared.
    """
    from pathlib import Path

    from translator.authoring.drift import Committed, report
    from translator.authoring.harvest.collect import HarvestError
    from translator.authoring.sources import TablesError

    try:
        committed = Committed(Path(args.directory) if args.directory else None)
    except TablesError as error:
        for problem in error.problems:
            log(("error", "error:"), f" {problem}")
        return BAD_USAGE
    if args.against is not None and args.against not in committed.facts:
        raise UsageError(
            f"--against {show(args.against)}: there is no catalog of it, but of"
            f" {', '.join(committed.facts)}"
        )
    try:
        harvested = list(_harvested(args))
    except HarvestError as error:
        raise UsageError(f"{error.place}: {error.problem}") from None
    reports: list[Report] = []
    broken: list[Problem] = []
    for catalog in harvested:
        try:
            reports.append(report(catalog, committed, args.against))
        except TablesError as error:
            broken += error.problems
    drifted = any(item.drifted for item in reports)
    if args.format == "json":
        emit_json({"drift": drifted, "versions": list(map(_json, reports))})
    else:
        emit("\n".join(differences_text(item) + _advice(item) for item in reports))
    if broken:
        # The schema must be extended first.
        raise TablesError(broken)
    return DRIFTED if drifted else OK


def _harvested(args: Namespace) -> Iterator[dict[str, Any]]:
    from translator.authoring.harvest.collect import from_files, from_python

    found = from_files(args.harvested)
    if args.vllm is not None and args.harvested:
        found = [catalog for catalog in found if catalog["version"] == args.vllm]
        if not found and not args.python:
            raise UsageError(f"--vllm {show(args.vllm)}: none of the files is about it")
    yield from found
    for interpreter in args.python or ([] if args.harvested else [sys.executable]):
        yield from_python(interpreter, args.vllm or "")


def _json(report: Report) -> dict[str, Any]:
    from attrs import asdict

    found = asdict(report)
    return {
        "version": report.version,
        "against": report.against,
        "drift": report.drifted,
        **found["differences"],
        "needed": found["needed"],
        "lint": found["problems"],
    }


def differences_text(report: Report) -> str:
    """Return in what two catalogs differ, for people."""
    found = report.differences
    if report.known:
        verdict = "is not what was harvested" if found else "is what was harvested"
        lines = [f"vLLM {report.version}: the committed catalog {verdict}"]
    else:
        lines = [f"vLLM {report.version}, compared with {report.against}"]
    parts = {
        "flags": _part(found.flags),
        "keys of JSON flags": _part(found.keys),
        "variables": _part(found.variables),
        "the command line as a whole": [
            f"  ~ {name}: {_change(change)}" for name, change in found.grammar.items()
        ],
    }
    for title, told in parts.items():
        if told:
            lines += ["", title, *told]
    return "".join(f"{line}\n" for line in lines)


def _advice(report: Report) -> str:
    """Return what is to be done about it, for people."""
    lines = []
    if report.needed:
        names = f"{len(report.needed)} name{'s' if len(report.needed) != 1 else ''}"
        lines += ["", f"# --- for changes.toml: {names} that lint wants accounted for"]
        lines += [line for item in report.needed for line in ("", item.toml)]
    others = [item for item in report.problems if "no entry says what became of" not in item.text]
    if others:
        lines += ["", "lint would also say"]
        lines += [f"  {item.severity}: {one_line(str(item))}" for item in others]
    if not report.known:
        lines += ["", f"`translate tables add {report.version}` adds it"]
    return "".join(f"{line}\n" for line in lines)


def _part(part: Part) -> list[str]:
    return [
        *(f"  + {name}: {_facts(facts)}" for name, facts in part.new.items()),
        *(f"  - {name}: {_facts(facts)}" for name, facts in part.gone.items()),
        *(
            f"  ~ {name}: {'; '.join(f'{field}: {_change(it)}' for field, it in fields.items())}"
            for name, fields in part.changed.items()
        ),
    ]


def _facts(facts: Mapping[str, Any]) -> str:
    """Return the most important facts of a flag, a key or a variable."""
    told = [str(facts.get("kind", ""))]
    spellings = [*facts.get("aliases", ()), *facts.get("negations", ())]
    if spellings:
        told.append(f"also {' '.join(spellings)}")
    if facts.get("choices"):
        told.append(f"one of {_short(facts['choices'])}")
    if "default" in facts:
        told.append(f"default {_short(facts['default'])}")
    told += [word for word in ("deprecated", "required") if facts.get(word)]
    return ", ".join(told)


def _change(change: Change) -> str:
    """Return what was added to and removed from a list; of another value, the old and the new."""
    before, after = change.before, change.after
    if isinstance(before, list) and isinstance(after, list):
        parts = [f"-{_short(item)}" for item in before if item not in after]
        parts += [f"+{_short(item)}" for item in after if item not in before]
        return " ".join(parts) if parts else f"another order: {_short(after)}"
    return f"{_short(before)} -> {_short(after)}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
