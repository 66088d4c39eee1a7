"""Handle unexpected errors: no command ends with a traceback."""

from __future__ import annotations

import os
import sys

from translator.cli.exits import BAD_INPUT, BAD_USAGE, BROKEN_PIPE, INTERRUPTED, UsageError
from translator.cli.streams import log, log_findings
from translator.findings import TranslationError
from translator.secrets.secrets import secrets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def guarded(command: Callable[[Any], int], argument: Any, arguments: Sequence[str]) -> int:
    """Run a command.

    Args:
        command: the function to run.
        argument: its argument.
        arguments: the command line.

    Returns:
        Its exit status, or the status for the error.
    """
    try:
        try:
            status = command(argument)
        except SystemExit as end:  # from argparse, whose help is a result, too
            status = end.code if isinstance(end.code, int) else 0
        sys.stdout.flush()
        return status
    except BaseException as error:
        return failure_status(error, arguments)


def failure_status(error: BaseException, arguments: Sequence[str]) -> int:
    """Log an error and return its exit status."""
    if isinstance(error, TranslationError):
        log_findings(error.findings)
        return BAD_INPUT
    if isinstance(error, UsageError):
        log(f"{error.program}: ", ("error", "error:"), f" {secrets_of().mask(str(error))}")
        if error.hint:
            log(("help", "help:"), f" {error.hint}")
        return BAD_USAGE
    if isinstance(error, BrokenPipeError):
        _abandon_stdout()
        return BROKEN_PIPE
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, OSError):  # for example, a full disk
        log("translate: ", ("error", "error:"), f" {error.strerror or type(error).__name__}")
        _abandon_stdout()
        return 1
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("translator"):
        log("translate: ", ("error", "error:"), f" this needs {error.name}, which is not installed")
        log(("help", "help:"), " pip install vllm-env-translator, without --no-deps")
        return BAD_USAGE
    if os.environ.get("TRANSLATE_DEBUG"):
        _show_where(error)
    # The message is withheld, since it may contain a secret value.
    log(
        "translate: ",
        ("error", "internal error"),
        f" ({type(error).__name__}): this is a bug, please report it (TRANSLATE_DEBUG=1 shows"
        " where it happened)",
    )
    return 1


def _show_where(error: BaseException) -> None:
    """Write the code lines that an exception passed through, without its message."""
    import traceback

    at: BaseException | None = error
    while at is not None:
        sys.stderr.write("".join(traceback.format_tb(at.__traceback__)) + f"{type(at).__name__}\n")
        at = at.__cause__ or at.__context__


def _abandon_stdout() -> None:
    """Prevent further writes at exit, when nobody reads standard output any more."""
    try:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        os.dup2(sys.stdout.fileno(), 1)
    except OSError:
        pass
