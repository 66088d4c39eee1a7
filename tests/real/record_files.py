"""Record which real parsers take the files of tests/cases/config_files.json, and spoilt command
lines for tests/cases/spoilt_lines.json.

PYTHONPATH=.:tests python -m tests.real.record_files
"""

import json
import random
import re
import shlex
import tempfile
from pathlib import Path

from ..cases.config_files import FILES, VERSIONS, write
from . import install
from .laws import explanations, shell
from .parsers import Parsers
from .test_mutations import spoilt_commands

# Of each grammar that a parser has had.
GRAMMARS = ("0.5.2", "0.6.6", "0.8.5", "0.9.0", "0.9.2", "0.11.0", "0.17.0", "0.33.0")
LINES = 100


def files(parsers: Parsers, version: str) -> dict[str, bool]:
    """Return each file and whether the real parser of the version takes it."""
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for number, text in enumerate(FILES):
            path = Path(folder, f"{number}.yaml")
            path.write_text(text, encoding="utf-8")
            lines.append(("m", "--config", str(path)))
        pairs = zip(FILES, parsers.parse(version, lines), strict=True)
        return {text: answer.ok is not None for text, answer in pairs}


def spoilt(parsers: Parsers, version: str) -> dict[str, bool]:
    """Return spoilt lines, and whether the real parser of the version takes them."""
    known = [entry["pattern"] for entry in explanations() if entry["test"] == "verdict"]
    lines = spoilt_commands(parsers, version, random.Random(version), LINES)
    pairs = zip(lines, parsers.parse(version, lines), strict=True)
    return {
        shlex.join(line): answer.ok is not None
        for line, answer in pairs
        if not any(re.search(pattern, shell(line)) for pattern in known)
    }


if __name__ == "__main__":
    asked = sorted({*VERSIONS, *GRAMMARS}, key=install.versions().index)
    made = Parsers(install.install(asked), asked)
    write({version: files(made, version) for version in VERSIONS})
    record = install.CHECKOUT / "tests" / "cases" / "spoilt_lines.json"
    answers = {version: spoilt(made, version) for version in GRAMMARS}
    record.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", "utf-8")
    made.close()
