"""The one command: see the package's docstring."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from fuzz import drive  # noqa: E402
from fuzz.targets import TARGETS  # noqa: E402


def main() -> int:
    """Runs a campaign, a process a target; the exit status is 1 when something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of each target (default: 60)")
    parser.add_argument(
        "--target",
        choices=TARGETS,
        action="append",
        help="may be given several times; else all of them",
    )
    parser.add_argument(
        "--work",
        type=Path,
        help="a folder for what grows: the inputs, and what was found (default: a new one)",
    )
    parser.add_argument(
        "--keep",
        type=int,
        metavar="N",
        help="afterwards, bring the committed inputs up to date: at most N files a target",
    )
    parser.add_argument(
        "--file",
        type=Path,
        action="append",
        default=[],
        help="run these inputs, and show the first mistake",
    )
    args = parser.parse_args()
    chosen = args.target or list(TARGETS)
    if args.file:
        for path in args.file:
            for name in chosen:
                TARGETS[name](path.read_bytes())
        return 0
    if importlib.util.find_spec("atheris") is None:
        parser.error("a campaign needs atheris: pip install atheris (CPython up to 3.13 on Linux)")
    work = args.work or Path(tempfile.mkdtemp(prefix="fuzz-"))
    found = 0
    for name in chosen:
        print(f"=== {name}: {args.seconds} s, in {work / name}", flush=True)
        done = subprocess.run(
            [sys.executable, str(Path(drive.__file__)), name, str(args.seconds), str(work / name)],
            check=False,
        )
        if args.keep:
            subprocess.run(
                [
                    sys.executable,
                    str(Path(drive.__file__)),
                    name,
                    "merge",
                    str(work / name),
                    str(args.keep),
                ],
                check=False,
            )
        for path in sorted((work / name / "found").glob("*")):
            if path.suffix != ".bin":
                found += 1
                print(
                    f"found: {path}\n{path.read_text(encoding='utf-8', errors='backslashreplace')}"
                )
        if done.returncode:
            found += 1
            print(
                f"{name} ended with status {done.returncode}: a hang, too much memory, or a mistake"
                " in the target itself"
            )
    print(f"{found} mistakes" if found else "no mistake")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
