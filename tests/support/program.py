"""Running the program as a process, for what only a process shows: its output, its exit status, its
environment.
"""

import functools
import io
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest import mock

import translator
from translator.cli.main import main

from .forks import Forks

HOME = str(Path(translator.__file__).parents[1])
PYTHON = sys.executable
# What Python needs to find the package under test, not one in the current folder.
PLACE = {
    "PYTHONPATH": HOME,
    "PYTHONSAFEPATH": "1",
    "PATH": os.defpath,
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
}


# What pip writes for `[project.scripts]`, from 25.3 on.
ENTRY_POINT = """\
#!{python}
import sys
from translator.cli.main import run_process
if __name__ == '__main__':
    sys.argv[0] = sys.argv[0].removesuffix('.exe')
    sys.exit(run_process())
"""


def entry_point(folder: Path) -> Path:
    """The program as installers write it into a folder."""
    folder.mkdir(exist_ok=True)
    script = folder / "translate"
    script.write_text(ENTRY_POINT.format(python=PYTHON))
    script.chmod(0o755)
    return script


def bash(
    script: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a script by bash itself, in exactly the given environment and PATH."""
    return subprocess.run(
        ["bash", "--norc", "-c", script],
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", **(env or {})},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def process(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that ends, in exactly the given environment, or in that of the tests."""
    return subprocess.run(
        command, env=env, cwd=cwd, capture_output=True, text=True, timeout=600, check=False
    )


def step(script: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a workflow's step as GitHub does."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return process(command, env={"PATH": os.environ["PATH"], **env}, cwd=cwd)


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
    """Run `translate …` in a process with exactly the given environment and PLACE."""
    full = {**PLACE, **(env or {})}
    if "PYTHONPATH" in (env or {}):  # read when Python starts
        done = subprocess.run(
            [PYTHON, "-m", "translator", *arguments],
            env=full,
            input=stdin or b"",
            capture_output=True,
            timeout=600,
            cwd=cwd,
            check=False,
        )
        return Ran(done)
    return forked(
        *arguments,
        env={os.fsencode(k): os.fsencode(v) for k, v in full.items()},
        stdin=stdin or b"",
        cwd=cwd,
    )


def forked(
    *arguments: str,
    env: dict[bytes, bytes],
    stdin: bytes = b"",
    cwd: Path | None = None,
    memory: int | None = None,
    terminal: str | None = None,
) -> Ran:
    """Run `translate …` in a process of forks.py."""
    return Ran(_forks().run(arguments, env, stdin, cwd, memory, terminal))


@functools.cache
def _forks() -> Forks:
    return Forks(PYTHON, PLACE)


def in_process(
    arguments: Sequence[str], stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Run `translate …` in this process; its status, and what it writes to the two streams."""
    given, out, err = (
        io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="surrogateescape")
        for content in (stdin, b"", b"")
    )
    streams = mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err)
    with streams, mock.patch.dict(os.environ, dict(env or {}), clear=True):
        status = main(list(arguments))
    for stream in (out, err):
        stream.seek(0)
    return status, out.read(), err.read()


def codes(output: str) -> list[tuple[str, str]]:
    """The errors and warnings in what a command printed: severity and code of each."""
    return re.findall(r"(error|warning)\[([a-z-]+)\]", output)
