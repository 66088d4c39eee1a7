"""Every surface with every input, and what does not grow as it should: see the package."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from growth import inputs, surfaces  # noqa: E402
from growth.measure import RATIO, TooLong, growth  # noqa: E402

KINDS: dict[
    str, tuple[Mapping[str, Callable[[Any], object]], Mapping[str, Callable[[int], Any]], int]
] = {
    "texts": (surfaces.TEXTS, inputs.TEXTS, 1 << 17),
    "variables": (surfaces.ENVIRONMENTS, inputs.ENVIRONMENTS, 1 << 13),
    "tokens": (surfaces.LINES, inputs.LINES, 1 << 13),
    "commands": (surfaces.COMMANDS, inputs.TEXTS, 1 << 16),
}


def main() -> int:
    """Measure; the exit status is 1 when something grows too fast or raises."""
    parser = argparse.ArgumentParser(prog="python -m tests.growth", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only of these")
    parser.add_argument("--surface", help="only those whose name contains this")
    parser.add_argument("--input", help="only those whose name contains this")
    parser.add_argument("--part", default="0/1", help="I/N: every Nth input, from the Ith on")
    parser.add_argument("--least", type=float, default=0.01, help="seconds of half an input")
    parser.add_argument("--seconds", type=float, default=3.0, help="that a call may take")
    args = parser.parse_args()
    first, step = map(int, args.part.split("/"))
    found = 0
    for kind in args.kind or KINDS:
        surfaces_, inputs_, most = KINDS[kind]
        for surface, run in surfaces_.items():
            if args.surface and args.surface not in surface:
                continue
            started, count = time.monotonic(), 0
            for name, make in list(inputs_.items())[first::step]:
                if args.input and args.input not in name:
                    continue
                count += 1
                try:
                    grown = growth(
                        make,
                        _refused(run),
                        start=most >> 7,
                        least=args.least,
                        most=most,
                        most_seconds=args.seconds,
                    )
                except TooLong:
                    line = "too long"
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    line = f"{type(error).__name__} {where.filename}:{where.lineno} {str(error)[:150]!a}"
                else:
                    if grown.ratio < RATIO or grown.whole < 0.005:
                        continue
                    line = (
                        f"{grown.ratio:.2f} ({grown.size}: {grown.half:.4f} s, {grown.whole:.4f} s)"
                    )
                found += 1
                print(f"{surface} | {name} | {line}", flush=True)
            print(f"# {surface}: {count} inputs, {time.monotonic() - started:.0f} s", flush=True)
    return 1 if found else 0


def _refused(run: Callable[[Any], object]) -> Callable[[Any], object]:
    """A surface, for which a refusal is an answer."""

    def call(given: Any) -> None:
        try:
            run(given)
        except surfaces.REFUSALS as error:
            str(error)

    return call


if __name__ == "__main__":
    sys.exit(main())
