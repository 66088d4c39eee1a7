"""The clean end of every accident: no command leaves a traceback."""

from __future__ import annotations

import os
import sys

from translator.cli.common import BAD_USAGE, UsageError, secrets_for
from translator.findings import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO


class Log:
    """Standard error as a log: what cannot be written to it (it is closed, its disk is full, nobody
    reads it) is lost, and nothing else is.
    """

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
    """Standard output that was closed before the start: a result that was to be written to it is an
    error, also where a writer passes over errors.
    """

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
    """Python has no object for a stream that is closed, and lets a log that cannot be written end
    the program.
    """
    if not isinstance(sys.stderr, Log):
        sys.stderr = Log(sys.stderr)
    if sys.stdout is None:
        sys.stdout = Closed()


BROKEN_PIPE, INTERRUPTED = 141, 130
"""128 and the number of the signal, as a shell reports it."""


def guarded(command: Callable[[Any], int], argument: Any, arguments: Sequence[str]) -> int:
    """Run a command.

    Args:
        command: what is run.
        argument: what it is run with.
        arguments: the command line.

    Returns:
        Its exit status, or the one of what went wrong.
    """
    try:
        try:
            status = command(argument)
        except SystemExit as end:  # of argparse, whose help is a result, too
            status = end.code if isinstance(end.code, int) else 0
        sys.stdout.flush()
        return status
    except BaseException as error:
        return status_of(error, arguments)


def status_of(error: BaseException, arguments: Sequence[str]) -> int:
    """The exit status for what went wrong, told in one line."""
    if isinstance(error, UsageError):
        sys.stderr.write(
            f"{error.program}: error: {one_line(secrets_for(arguments).masked_urls(str(error)))}\n"
            + (f"{error.hint}\n" if error.hint else "")
        )
        return BAD_USAGE
    if isinstance(error, BrokenPipeError):
        _abandon_stdout()
        return BROKEN_PIPE
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, OSError):  # a full disk, for example
        sys.stderr.write(f"translate: error: {error.strerror or type(error).__name__}\n")
        _abandon_stdout()
        return 1
    if os.environ.get("TRANSLATE_DEBUG"):
        _show_where(error)
    # The message is kept back: it may hold a value, and a value may be secret.
    sys.stderr.write(
        f"translate: internal error ({type(error).__name__}), which is a bug: please report it"
        " (TRANSLATE_DEBUG=1 shows where)\n"
    )
    return 1


def _show_where(error: BaseException) -> None:
    """The lines of code that an exception passed through, without what it says."""
    import traceback

    at: BaseException | None = error
    while at is not None:
        sys.stderr.write("".join(traceback.format_tb(at.__traceback__)) + f"{type(at).__name__}\n")
        at = at.__cause__ or at.__context__


def _abandon_stdout() -> None:
    """Nobody reads on: nothing more is to be written at exit."""
    try:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        os.dup2(sys.stdout.fileno(), 1)
    except OSError:
        pass
