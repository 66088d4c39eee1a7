"""The one command: see the package's docstring."""

import argparse
import importlib
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

CORPUS = Path(__file__).parent / "corpus"
NAMES = sorted(path.name for path in CORPUS.iterdir())
LONGEST = 4096
"""Bytes of an input: larger ones find no more. Megabytes are tests/robustness and tests/growth."""


def campaign(target: str, folder: Path, options: list[str]) -> None:
    """Run one target under atheris, with libFuzzer's options; does not return."""
    import atheris

    with atheris.instrument_imports(include=["translator", "yaml"]):
        for module in pkgutil.walk_packages([str(TESTS.parent / "translator")], "translator."):
            if not module.name.startswith(("translator.maintain.harvest", "translator.__main__")):
                importlib.import_module(module.name)
        from fuzz import inputs, targets

    words = folder / "dictionary"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in inputs.dictionary()))
    options = [*options, f"-dict={words}", f"-max_len={LONGEST}", "-timeout=20", "-reload=0"]
    atheris.Setup([target, *options], targets.TARGETS[target])
    atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogateescape"))


def main() -> int:
    """Run campaigns, a process each; the exit status is 1 when something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of each target (default: 60)")
    parser.add_argument("--target", choices=NAMES, action="append", help="may be repeated")
    parser.add_argument("--file", type=Path, help="run one input, and show the mistake")
    parser.add_argument("--campaign", nargs=2, help=argparse.SUPPRESS)
    args, options = parser.parse_known_args()
    if args.campaign:
        campaign(args.campaign[0], Path(args.campaign[1]), options)
    if args.file:
        from fuzz.targets import TARGETS

        for target in args.target or NAMES:
            TARGETS[target](args.file.read_bytes())
        return 0
    found = []
    for target in args.target or NAMES:
        folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{target}-"))
        grown = folder / "inputs"
        grown.mkdir()
        program = [sys.executable, __file__, "--campaign", target, str(folder)]
        limits = [f"-max_total_time={args.seconds}", f"-artifact_prefix={folder}/"]
        places = [str(grown), str(CORPUS / target)]
        if subprocess.run([*program, *limits, *places], check=False).returncode:
            found.append(target)
    print(f"mistakes: {', '.join(found)}" if found else "no mistake")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
