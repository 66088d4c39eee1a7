"""The command line.

`translate exec`, the entrypoint of containers, and `env-to-args` go their own short way: a bare interpreter takes 10 ms, and `import argparse` alone 8 ms more.
Everything else is in `translator.cli.app`, one module a subcommand.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TextIO


class Log:
    """Standard error as a log: what cannot be written to it (it is closed, its disk is full, nobody reads it) is lost, and nothing else is."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._try("write", text)
        return len(text)

    def flush(self) -> None:
        self._try("flush")

    def _try(self, what: str, *arguments: str) -> None:
        if self._stream is not None:
            try:
                getattr(self._stream, what)(*arguments)
            except (OSError, ValueError):
                pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Closed:
    """Standard output that was closed before the start: a result that was to be written to it is an error, also where a writer passes over errors."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.buffer = self
        self._lost = False

    def write(self, text: str | bytes) -> int:
        self._lost = bool(text)
        self.flush()
        return 0

    def flush(self) -> None:
        if self._lost:
            raise OSError(None, "standard output is closed: the result cannot be written")

    def isatty(self) -> bool:
        return False


def _ready_streams() -> None:
    """Python has no object for a stream that is closed, and lets a log that cannot be written end the program."""
    if not isinstance(sys.stderr, Log):
        sys.stderr = Log(sys.stderr)
    if sys.stdout is None:
        sys.stdout = Closed()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; else those of the process.

    Returns:
        The exit status: 0 clean, 1 errors in the input, 2 a wrong command line, 3 warnings with --strict (and exec: 126, 127).
    """
    _ready_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if "_ARGCOMPLETE" not in os.environ:
        if arguments[:1] == ["exec"]:
            from translator.cli import quick

            options = quick.read(arguments[1:], quick.EXEC)
            if options is not None:
                from translator import entrypoint

                try:
                    return entrypoint.main(options)
                except BaseException as error:
                    from translator.cli.guard import status_of

                    return status_of(error, arguments)
        elif arguments[:1] == ["env-to-args"]:
            from translator.cli import quick

            options = quick.read(arguments[1:], quick.ENV_TO_ARGS)
            if options is not None:
                from translator.cli import env_to_args
                from translator.cli.guard import guarded

                return guarded(env_to_args.run, options, arguments)
    from translator.cli.app import run

    return run(arguments)


def run_process() -> NoReturn:
    """Run the command of this process, and end it: with everything written, taking the interpreter down in order costs 2.7 of 20 ms, and nobody gains by it."""
    status = main()
    try:
        sys.stdout.flush()
    except BaseException as error:
        from translator.cli.guard import status_of

        status = status_of(error, sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
