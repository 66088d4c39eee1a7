"""Measure everything, and print it as a chart.

python -m tests.bench                  twenty paired runs; about a minute
python -m tests.bench --keep           writes record.json and the chart of docs/performance.md
"""

import argparse
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
        "calls": calls.run(),
    }  # fmt: skip
    if options.keep:
        chart.keep(record)
    print(chart.chart(record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
