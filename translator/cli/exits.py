"""Exit statuses, and the error for a command line that cannot be used."""

from __future__ import annotations

from translator.findings import TranslationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.findings import Finding, Severity

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
