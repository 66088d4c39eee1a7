"""The program with its modules imported once: a process that forks for every command.

A forked process is one in every way that a test can see: file descriptors, environment, working
folder, limits, exit status, and what `exec` puts in its place. It has the tables that most commands
read. What it does not show is how Python starts, and how tables are read for the first time: the
tests of that start one.

This file is also the program of the process that forks (`serve`).
"""

import atexit
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

STREAMS = (("in", os.O_RDONLY), ("out", os.O_WRONLY), ("err", os.O_WRONLY))
SECONDS = 600
"""After which a command never ends, even beside 20 busy processes."""


class Forks:
    """The process that forks, for as long as this one lives."""

    def __init__(self, python: str, env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [python, __file__], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/"
        )
        atexit.register(self.process.communicate)

    def run(
        self,
        arguments: Sequence[str],
        env: Mapping[bytes, bytes],
        stdin: bytes,
        cwd: Path | None,
        memory: int | None,
        terminal: str | None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `translate ARGUMENTS`, with exactly the given environment.

        Args:
            memory: the most bytes of address space that it may have; None: no limit.
            terminal: the device that all its streams are; None: they are files.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            for name, _ in STREAMS:
                if terminal:
                    Path(folder, name).symlink_to(terminal)
                else:
                    Path(folder, name).write_bytes(stdin if name == "in" else b"")
            where = str(cwd or Path.cwd())
            pickle.dump((folder, arguments, dict(env), where, memory), self.process.stdin)
            self.process.stdin.flush()
            status = int(self.process.stdout.readline())
            shown = ("out", "err")
            out, err = (b"" if terminal else Path(folder, name).read_bytes() for name in shown)
        return subprocess.CompletedProcess(list(arguments), status, out, err)


def serve() -> None:
    """Fork for every request on standard input; write the exit status of each."""
    load()
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        child = os.fork()
        if child == 0:
            become(*request)
        _, ended = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(ended)}\n")
        sys.stdout.flush()


def load() -> None:
    """Import everything that a command may import, and read the tables that most commands read."""
    import gc
    import pkgutil

    gc.disable()
    import translator

    for module in pkgutil.walk_packages(translator.__path__, "translator."):
        if module.name != "translator.__main__":
            __import__(module.name)
    # With a flag that no longer exists: the catalogs of other versions are read for it.
    translator.args_to_env(["m", "--task", "embed"])
    translator.env_to_args({"MODEL_NAME": "m", "VLLM_PORT": "1"})
    translator.explain("--seed")
    gc.freeze()


def become(
    folder: str, arguments: Sequence[str], env: dict[bytes, bytes], cwd: str, memory: int | None
) -> Any:
    """Run one command in this process, which is a new one."""
    try:
        import signal

        signal.alarm(SECONDS)
        for number, (name, how) in enumerate(STREAMS):
            stream = os.open(f"{folder}/{name}", how)
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = map(text_stream, range(3))
        os.environ.clear()
        os.environb.update(env)
        os.chdir(cwd)
        sys.argv = ["translate", *arguments]
        if memory is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        from translator.cli.main import run_process

        run_process()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    os._exit(70)


def text_stream(number: int) -> IO[str]:
    """A standard stream as Python opens it where the encoding is UTF-8."""
    mode, errors = (("r", "surrogateescape"), ("w", "surrogateescape"), ("w", "backslashreplace"))[
        number
    ]
    return open(number, mode, encoding="utf-8", errors=errors, closefd=False)


if __name__ == "__main__":
    serve()
