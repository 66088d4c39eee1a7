"""The chart of docs/performance.md, made from the record of a run."""

import json
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("record.json")
PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
BEGIN, END = (
    "<!-- begin: python -m tests.bench --keep -->",
    "<!-- end: python -m tests.bench --keep -->",
)
WIDTH = 10  # characters for what a bare interpreter takes


def chart(record: dict[str, Any]) -> str:
    """Whole processes as bars, in times of a bare interpreter; library calls in microseconds."""
    rows = []
    for row in record["processes"]:
        times, more = row["to_bare"]["median"], row["kilobytes_above_bare"] / 1024
        rows.append(
            f"{row['command']:31} {'█' * round(times * WIDTH):48} {times:4.1f} times  "
            f" {more:+4.1f} MB"
        )
    for row in record["calls"]:
        rows.append(f"{row['call']:80} {row['microseconds']:8.0f} µs")
    head = (
        f"Python {record['python']}, {record['cores']} cores; medians of {record['runs']} runs,"
        " each command in turn with the bare interpreter"
    )
    return "\n".join([head, "", *rows])


def keep(record: dict[str, Any]) -> None:
    """Write the record beside this module, and its chart into the page."""
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(within(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")


def within(text: str, record: dict[str, Any]) -> str:
    """A page with the chart of this record in its place."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n```text\n{chart(record)}\n```\n{END}{after}"
