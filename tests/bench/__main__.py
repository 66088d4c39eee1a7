"""Measure everything, and print it as a table or as JSON.

python -m tests.bench                  twenty paired runs; about a minute
python -m tests.bench --runs 50 --json > record.json
python -m tests.bench --keep           writes record.json and the chart of docs/performance.md
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from typing import Any

from . import calls, chart, processes


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--runs", type=int, default=20, help="paired runs of every command (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=1.0,
        help="time for every library call (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one object, for keeping records")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write record.json, and the chart of docs/performance.md",
    )
    options = parser.parse_args()
    if options.runs < 2:
        parser.error("at least two runs")
    record: dict[str, Any] = {
        "python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count(), "runs": options.runs,
        "processes": processes.run(options.runs),
        "calls": calls.run(options.seconds),
        "growth": calls.growth(options.seconds / 2),
    }  # fmt: skip
    if options.keep:
        chart.keep(record)
    if options.json:
        json.dump(record, sys.stdout, indent=1)
        print()
    else:
        print("\n".join(table(record)))
    return 0


def table(record: dict[str, Any]) -> list[str]:
    """The record for a person."""
    lines = [
        (
            f"Python {record['python']}, {record['cores']} cores, {record['runs']} paired runs:"
            " medians, and the middle half of the ratios"
        ),
        "",
    ]
    lines.append(
        f"{'whole process':30} {'ms':>7} {'to bare interpreter':>24} {'to the rival':>24}"
        f" {'MB above bare':>14}"
    )
    for row in record["processes"]:
        passed, more = row["milliseconds"]["median"], row["kilobytes_above_bare"] / 1024
        lines.append(
            f"{row['command']:30} {passed:7.1f} {ratio(row['to_bare']):>24}"
            f" {ratio(row['to_rival']):>24} {more:14.1f}"
        )
    lines += [
        "",
        f"{'library call, warm':50} {'µs':>9} {'per second':>12}",
    ]
    lines += [
        f"{row['call']:50} {row['microseconds']:9.1f} {row['per_second']:12.0f}"
        for row in record["calls"]
    ]
    lines += [
        "",
        f"{'versions in the tables (58 variables)':50} {'µs':>9}",
        *(f"{row['tables']:<50} {row['microseconds']:9.1f}" for row in record["growth"]),
    ]
    return lines


def ratio(found: dict[str, float]) -> str:
    return f"{found['median']:.2f}  ({found['low']:.2f} to {found['high']:.2f})"


if __name__ == "__main__":
    sys.exit(main())
