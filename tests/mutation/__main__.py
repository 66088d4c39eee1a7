"""The one command: see the package's docstring."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mutation import CHECKOUT, Mutation, mutations

QUICK = ("tests", "--ignore=tests/real", "--ignore=tests/test_mutation.py")
LONGEST = 900
"""seconds for the quick suite; a mutant that hangs is noticed, too."""


def copied(folder: Path) -> Path:
    """The checkout as it is now, in another place."""
    made = folder / "checkout"
    shutil.copytree(CHECKOUT, made, ignore=shutil.ignore_patterns(".git", "__pycache__", ".venv*", ".*_cache", ".hypothesis", ".real", "dist", "build"))
    return made


def passes(checkout: Path, tests: tuple[str, ...]) -> tuple[bool, str]:
    """Whether tests pass in a copy, and what failed first."""
    env = {**os.environ, "PYTHONPATH": str(checkout), "HYPOTHESIS_STORAGE_DIRECTORY": str(checkout.parent / "hypothesis")}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", *tests]
    try:
        done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, timeout=LONGEST, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False, f"no end in {LONGEST} s"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, failed[0][:150] if failed else done.stdout.strip()[-150:]


def _forget(checkout: Path, file: str) -> None:
    """The compiled form of a module counts as fresh when its source changes within a second and stays as long."""
    path = checkout / file
    for old in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        old.unlink()


def survives(mutation: Mutation, checkout: Path, likely: bool) -> tuple[bool, str]:
    """Whether the quick suite of a copy (or only what is likely to) notices nothing, and else what noticed."""
    path = checkout / mutation.file
    before = path.read_bytes()
    tables = {item: item.read_bytes() for item in (checkout / "translator/_compiled").iterdir()} if mutation.compile else {}
    try:
        mutation.apply(checkout)
        _forget(checkout, mutation.file)
        if mutation.compile:
            done = subprocess.run([sys.executable, "-m", "translator", "tables", "compile"], cwd=checkout, capture_output=True, text=True, check=False)
            if done.returncode:
                return False, f"tables compile: {done.stderr.strip()[-150:]}"
        passed, said = passes(checkout, tuple(mutation.tests))
        if passed and not likely:
            passed, said = passes(checkout, QUICK)
        return passed, said
    finally:
        path.write_bytes(before)
        _forget(checkout, mutation.file)
        for item, content in tables.items():
            item.write_bytes(content)


def main() -> int:
    """The exit status is 1 when a mutant survived, 2 when one no longer fits or the suite fails without any."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", help="mutations whose file or line holds this text")
    parser.add_argument("--list", action="store_true", help="show them, and break nothing")
    parser.add_argument("--likely", action="store_true", help="run only the tests that each names, not all of them: a few seconds each")
    parser.add_argument("--no-baseline", action="store_true", help="do not run the suite without a mutation first")
    args = parser.parse_args()
    chosen = [item for item in mutations() if not args.only or args.only in item.file or args.only in item.old]
    stale = [f"{item.title}: {problem}" for item in chosen if (problem := item.problem())]
    if stale:
        print("no longer fitting:", *stale, sep="\n  ")
        return 2
    if args.list:
        print(*(f"{item.title}\n    {item.why}" for item in chosen), sep="\n")
        return 0
    survivors: list[Mutation] = []
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        checkout = copied(Path(folder))
        if not args.no_baseline:
            passed, said = passes(checkout, QUICK)
            if not passed:
                print(f"the quick suite fails without a mutation: {said}")
                return 2
        for number, item in enumerate(chosen, 1):
            started = time.monotonic()
            survived, said = survives(item, checkout, args.likely)
            if survived:
                survivors.append(item)
            print(
                f"{number:3}/{len(chosen)} {'SURVIVED' if survived else 'caught  '} {time.monotonic() - started:5.0f} s  {item.title}\n      {said}", flush=True
            )
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} caught", *(f"survived: {item.title}\n    {item.why}" for item in survivors), sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
