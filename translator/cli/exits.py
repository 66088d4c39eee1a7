"""Exit statuses, and how a command ends: whatever happens, without a traceback."""

from __future__ import annotations

import os
import sys

from translator.cli.streams import emit, log, log_findings, write_log
from translator.findings import TranslationError, has_errors
from translator.secrets import secrets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from translator.findings import Finding, Severity
    from translator.formats.forms import Written

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
OK, BAD_INPUT, BAD_USAGE, WARNED = 0, 1, 2, 3
# Exit statuses of `exec`, as in shells: the program cannot be run; the program does not exist.
CANNOT_RUN, NOT_FOUND = 126, 127
# 128 plus the signal number, as in shells.
BROKEN_PIPE, INTERRUPTED = 141, 130


class UsageError(Exception):
    """The command line, or a file that it names, cannot be used: exit status 2.

    Attributes:
        program: the beginning of the message, such as "translate check".
        hint: the remedy, on a separate line; may be empty.
    """

    def __init__(self, message: str, program: str = "translate", hint: str = "") -> None:
        super().__init__(message)
        self.program, self.hint = program, hint


def status_of(findings: Sequence[Finding], strict: bool, fail_on: Severity = "error") -> int:
    """Return the exit status for findings: 1 if one is at least as severe as `fail_on`, 3 for
    warnings with --strict, else 0.
    """
    found = {item.severity for item in findings}
    if found.intersection(SEVERITIES[: SEVERITIES.index(fail_on) + 1]):
        return BAD_INPUT
    return WARNED if strict and "warning" in found else OK


def after(findings: Sequence[Finding], error: TranslationError) -> TranslationError:
    """Return an error with the findings that were made before it, each once."""
    return TranslationError(
        [*(item for item in findings if item not in error.findings), *error.findings]
    )


def conclude(
    written: Written, findings: Sequence[Finding], strict: bool, explained: Iterable[str] = ()
) -> int:
    """Write the result of a command, and what was found; return the exit status.

    Args:
        written: the result in its format; not written if the format cannot hold it.
        findings: the findings of the translation.
        strict: whether warnings have a status of their own.
        explained: lines of --explain.
    """
    text, unsaid = written
    for line in explained:
        log(line)
    log_findings([*findings, *unsaid])
    if not has_errors(unsaid):
        emit(text)
    return status_of([*findings, *unsaid], strict)


def guarded(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run a command and return its exit status, or the status for the error that ends it."""
    try:
        return command(arguments)
    except SystemExit as end:  # from argparse, after its help
        return end.code if isinstance(end.code, int) else 0
    except TranslationError as error:
        log_findings(error.findings)
        return BAD_INPUT
    except UsageError as error:
        log(f"{error.program}: ", ("error", "error:"), f" {secrets_of().mask(str(error))}")
        if error.hint:
            log(("help", "help:"), f" {error.hint}")
        return BAD_USAGE
    except BrokenPipeError:
        _abandon_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # for example, a full disk
        log("translate: ", ("error", "error:"), f" {error.strerror or type(error).__name__}")
        _abandon_stdout()
        return 1
    except BaseException as error:
        return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    """Log an error that nothing expects, and return its exit status."""
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
        write_log("".join(traceback.format_tb(at.__traceback__)) + f"{type(at).__name__}\n")
        at = at.__cause__ or at.__context__


def _abandon_stdout() -> None:
    """Prevent further writes at exit, when nobody reads standard output any more."""
    try:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        os.dup2(sys.stdout.fileno(), 1)
    except OSError:
        pass
