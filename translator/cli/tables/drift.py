"""Compare a vLLM installation with the tables."""

from __future__ import annotations

import json
import sys

from translator.cli.exits import BAD_USAGE, OK, UsageError
from translator.cli.files import shown_file
from translator.cli.options import DIRECTORY, FORMAT
from translator.cli.streams import emit, emit_json, log
from translator.findings import one_line
from translator.tables.versions import shown
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.authoring.drift.differences import Part
    from translator.authoring.drift.report import Report
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
    """Compare a vLLM installation with the tables.

    Returns:
        1 if a catalog differs from the harvest or the version has no catalog, 2 if nothing could be
        compared.
    """
    from pathlib import Path

    from translator.authoring.drift.report import Committed, report
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
            f"--against {shown(args.against)}: there is no catalog of it, but of"
            f" {', '.join(committed.facts)}"
        )
    try:
        harvested = list(_harvested(args))
    except HarvestError as error:
        raise UsageError(f"{shown_file(error.place)}: {error.problem}") from None
    reports: list[Report] = []
    broken: list[Problem] = []
    for catalog in harvested:
        try:
            reports.append(report(catalog, committed, args.against))
        except TablesError as error:
            broken += error.problems
    if args.format == "json":
        drifted = any(item.drifted for item in reports)
        emit_json({"drift": drifted, "versions": [_report(item) for item in reports]})
    else:
        emit("\n".join(map(_text, reports)))
    if broken:
        # The schema must be extended first.
        raise TablesError(broken)
    return DRIFTED if any(item.drifted for item in reports) else OK


def _harvested(args: Namespace) -> Iterator[dict[str, Any]]:
    from translator.authoring.harvest import collect as fresh

    found = fresh.from_files(args.harvested)
    if args.vllm is not None and args.harvested:
        found = [catalog for catalog in found if catalog["version"] == args.vllm]
        if not found and not args.python:
            raise UsageError(f"--vllm {shown(args.vllm)}: none of the files is about it")
    yield from found
    for interpreter in args.python or ([] if args.harvested else [sys.executable]):
        yield fresh.from_python(interpreter, args.vllm or "")


def _report(report: Report) -> dict[str, Any]:
    found = report.differences
    return {
        "version": report.version,
        "against": report.against,
        "drift": report.drifted,
        "flags": _part(found.flags),
        "keys": _part(found.keys),
        "variables": _part(found.variables),
        "grammar": _fields(found.grammar),
        "needed": [{"name": item.name, "toml": item.toml} for item in report.needed],
        "lint": [
            {"file": item.file, "path": item.path, "severity": item.severity, "text": item.text}
            for item in report.problems
        ],
    }


def _fields(fields: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    return {name: {"before": before, "after": after} for name, (before, after) in fields.items()}


def _part(part: Part) -> dict[str, Any]:
    changed = {item.name: _fields(item.fields) for item in part.changed}
    return {"new": dict(part.new), "gone": dict(part.gone), "changed": changed}


def differences_text(report: Report) -> str:
    """Return in what two catalogs differ, for people."""
    found = report.differences
    if report.known:
        lines = [
            f"vLLM {report.version}: the committed catalog"
            f" {'is not what was harvested' if found else 'is what was harvested'}"
        ]
    else:
        lines = [f"vLLM {report.version}, compared with {report.against}"]
    for title, part in (
        ("flags", found.flags),
        ("keys of JSON flags", found.keys),
        ("variables", found.variables),
    ):
        if part:
            lines += ["", title, *_part_text(part)]
    if found.grammar:
        lines += [
            "",
            "the command line as a whole",
            *(f"  ~ {name}: {_change(*pair)}" for name, pair in found.grammar.items()),
        ]
    return "\n".join(lines) + "\n"


def _text(report: Report) -> str:
    lines = []
    others = [
        problem for problem in report.problems if "no entry says what became of" not in problem.text
    ]
    if report.needed:
        count = len(report.needed)
        lines += [
            "",
            (
                f"# --- for changes.toml: {count} name{'s' if count != 1 else ''} that lint wants"
                " accounted for"
            ),
        ]
        lines += [line for item in report.needed for line in ("", item.toml)]
    if others:
        lines += [
            "",
            "lint would also say",
            *(f"  {problem.severity}: {one_line(str(problem))}" for problem in others),
        ]
    if not report.known:
        lines += ["", f"`translate tables add {report.version}` adds it"]
    return differences_text(report) + "".join(f"{line}\n" for line in lines)


def _part_text(part: Part) -> Iterator[str]:
    for name, facts in part.new.items():
        yield f"  + {name}: {_facts(facts)}"
    for name, facts in part.gone.items():
        yield f"  - {name}: {_facts(facts)}"
    for item in part.changed:
        yield (
            f"  ~ {item.name}:"
            f" {'; '.join(f'{field}: {_change(*pair)}' for field, pair in item.fields.items())}"
        )


def _facts(facts: Mapping[str, Any]) -> str:
    """Return the most important facts of a flag, a key or a variable."""
    shown = [str(facts.get("kind", ""))]
    spellings = [*facts.get("aliases", ()), *facts.get("negations", ())]
    if spellings:
        shown.append(f"also {' '.join(spellings)}")
    if facts.get("choices"):
        shown.append(f"one of {_short(facts['choices'])}")
    if "default" in facts:
        shown.append(f"default {_short(facts['default'])}")
    shown += [word for word in ("deprecated", "required") if facts.get(word)]
    return ", ".join(shown)


def _change(before: Any, after: Any) -> str:
    """Return what was added to and removed from a list; for other values, the old and the new
    value.
    """
    if isinstance(before, list) and isinstance(after, list):
        parts = [f"-{_short(item)}" for item in before if item not in after] + [
            f"+{_short(item)}" for item in after if item not in before
        ]
        return " ".join(parts) if parts else f"another order: {_short(after)}"
    return f"{_short(before)} -> {_short(after)}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
