"""The one command: see the package's docstring."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import pkgutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

CORPUS = Path(__file__).parent / "corpus"
NAMES = sorted(path.name for path in CORPUS.iterdir())
LONGEST = 4096
"""Bytes of an input: larger ones find no more. Megabytes are tests/robustness and tests/growth."""


def _guarded(run: Callable[[bytes], None], found: Path) -> Callable[[bytes], None]:
    """The target; what it raises does not end the campaign, but is kept, once for each place."""
    found.mkdir(parents=True, exist_ok=True)

    def one(data: bytes) -> None:
        try:
            run(data)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            name = found / f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"
            if not name.with_suffix(".txt").exists():
                name.with_suffix(".bin").write_bytes(data)
                text = f"{data!r}\n{''.join(traceback.format_exception(error))[-6000:]}"
                name.with_suffix(".txt").write_bytes(text.encode("utf-8", "backslashreplace"))

    return one


def campaign(target: str, folder: Path, options: list[str]) -> None:
    """Run one target under atheris, with libFuzzer's options; does not return."""
    import atheris

    with atheris.instrument_imports(include=["translator", "yaml"]):
        for module in pkgutil.walk_packages([str(TESTS.parent / "translator")], "translator."):
            if not module.name.startswith(("translator.authoring.harvest", "translator.__main__")):
                importlib.import_module(module.name)
        from fuzz import inputs, targets

    words = folder / "dictionary"
    folder.mkdir(parents=True, exist_ok=True)
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in inputs.dictionary()))
    options = [*options, f"-dict={words}", f"-max_len={LONGEST}", "-timeout=20", "-reload=0"]
    atheris.Setup([target, *options], _guarded(targets.TARGETS[target], folder / "found"))
    atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogateescape"))


def main() -> int:
    """Run campaigns, a process each; the exit status is 1 when something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of each target (default: 60)")
    parser.add_argument("--target", choices=NAMES, action="append", help="may be repeated")
    parser.add_argument("--work", type=Path, help="a folder for what grows (default: a new one)")
    parser.add_argument("--keep", action="store_true", help="bring the committed inputs up to date")
    parser.add_argument("--file", type=Path, help="run one input, and show the mistake")
    parser.add_argument("--campaign", help=argparse.SUPPRESS)
    args, options = parser.parse_known_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="fuzz-"))
    if args.campaign:
        campaign(args.campaign, work, options)
    if args.file:
        from fuzz.targets import TARGETS

        for target in args.target or NAMES:
            TARGETS[target](args.file.read_bytes())
        return 0
    found = 0
    for target in args.target or NAMES:
        folder = work / target
        (folder / "inputs").mkdir(parents=True, exist_ok=True)
        program = [sys.executable, __file__, "--work", str(folder), "--campaign", target]
        places = [str(folder / "inputs"), str(CORPUS / target)]
        done = subprocess.run(
            [*program, f"-max_total_time={args.seconds}", f"-artifact_prefix={folder}/", *places],
            check=False,
        )
        if args.keep:  # libFuzzer's own choice of the fewest that reach everything
            fewest = folder / "fewest"
            fewest.mkdir()
            subprocess.run([*program, "-merge=1", str(fewest), *places], check=True)
            for path in (CORPUS / target).iterdir():
                path.unlink()
            for path in fewest.iterdir():
                name = hashlib.sha1(path.read_bytes()).hexdigest()[:12]
                (CORPUS / target / name).write_bytes(path.read_bytes())
        told = sorted((folder / "found").glob("*.txt"))
        for path in told:
            print(f"found: {path}\n{path.read_text(errors='replace')}")
        found += len(told) + bool(done.returncode)
        if done.returncode:
            print(f"{target} ended with status {done.returncode}: a hang, or too much memory")
    print(f"{found} mistakes" if found else "no mistake")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
