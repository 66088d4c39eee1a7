"""Record which real parsers take the files of tests/cases/config_files.json.

python -m tests.real.record_files
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import translator

from ..cases.config_files import FILES, VERSIONS, write
from . import install
from .parsers import Parsers


def asked() -> dict[str, dict[str, bool]]:
    """Return version → file → whether the real parser of the version takes it."""
    assert translator.__file__ is not None
    parsers = Parsers(install.install(list(VERSIONS)), Path(translator.__file__).parent, VERSIONS)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for number, text in enumerate(FILES):
            path = Path(folder, f"{number}.yaml")
            path.write_text(text, encoding="utf-8")
            lines.append(("m", "--config", str(path)))
        for version in VERSIONS:
            answers = parsers.parse(version, lines)
            pairs = zip(FILES, answers, strict=True)
            found[version] = {text: answer.ok is not None for text, answer in pairs}
            print(version, flush=True)
    parsers.close()
    return found


if __name__ == "__main__":
    write(asked())
