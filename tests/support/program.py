"""Running the program as a process, for what only a process shows: its output, its exit status, its
environment.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import translator

HOME = str(Path(translator.__file__).parents[1])
PYTHON = sys.executable


class Ran:
    """A process that ended."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")
        assert "Traceback" not in self.err, self.err


def translate(
    *arguments: str,
    env: dict[str, str] | None = None,
    stdin: bytes | None = None,
    cwd: Path | None = None,
) -> Ran:
    """Run `translate …` with exactly the given environment (and what Python needs to find the
    package under test, not one in the current folder).
    """
    full = {
        "PYTHONPATH": HOME,
        "PYTHONSAFEPATH": "1",
        "PATH": os.defpath,
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        **(env or {}),
    }
    command = [PYTHON, "-m", "translator", *arguments]
    done = subprocess.run(
        command,
        env=full,
        input=stdin if stdin is not None else b"",
        capture_output=True,
        timeout=60,
        cwd=cwd,
        check=False,
    )
    return Ran(done)


def codes(output: str) -> list[tuple[str, str]]:
    """The errors and warnings in what a command printed: severity and code of each."""
    return re.findall(r"(error|warning)\[([a-z-]+)\]", output)
