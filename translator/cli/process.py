"""What a command does to its process: standard output, standard error, and the exit status.

Lines for people consist of pieces; control characters in them are escaped, so that no value can
move the cursor or forge a line. Results for programs (`emit`) are written unchanged, but escaped
when standard output is a terminal. Whatever happens, a command ends without a traceback.
"""

from __future__ import annotations

import os
import sys

from translator.core.findings import SEVERITIES, TranslationError, UsageError, has_errors, one_line
from translator.core.secrets import secrets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TextIO

    from translator.cli.terminal import Line, Piece
    from translator.core.findings import Finding, Severity
    from translator.formats.forms import Written

OK, BAD_INPUT, BAD_USAGE, WARNED = 0, 1, 2, 3
# Exit statuses of `exec`, as in shells: the program cannot be run; the program does not exist.
CANNOT_RUN, NOT_FOUND = 126, 127
# 128 plus the signal number, as in shells.
BROKEN_PIPE, INTERRUPTED = 141, 130

_STYLES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "help": "1;36",
    "bold": "1",
    "dim": "2",
}


def ready_streams() -> None:
    """Open streams that were closed, for which Python has no object: a log that nobody reads, and a
    standard output that no result can be written to.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull)  # noqa: SIM115


def log(*pieces: Piece) -> None:
    """Write one line to standard error, with secrets masked."""
    mask = secrets_of().mask_prose
    shown = [mask(part) if isinstance(part, str) else (part[0], mask(part[1])) for part in pieces]
    write_log(_painted(shown, sys.stderr))


def log_error(message: str, program: str = "translate", hint: str = "") -> None:
    """Write why a command ends, and the remedy, to standard error."""
    log(f"{program}: ", ("error", "error:"), f" {message}")
    if hint:
        log(("help", "help:"), f" {hint}")


def write_log(text: str) -> None:
    """Write text to standard error; where that cannot be (no reader, disk full), it is lost."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def put(lines: Iterable[Line]) -> None:
    """Write lines for people to standard output."""
    every = ([line] if isinstance(line, str) else line for line in lines)
    _write("".join(_painted(line, sys.stdout) for line in every))


def emit(text: str | bytes) -> None:
    """Write a result to standard output; non-UTF-8 bytes of variables are written unchanged, except
    to a terminal.
    """
    if sys.stdout.isatty():
        shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        text = "\n".join(map(one_line, shown.split("\n")))
    _write(text)


def emit_json(value: Any) -> None:
    """Write a result to standard output as JSON."""
    from translator.core.text.json_text import indented

    emit(indented(value))


def log_findings(findings: Iterable[Finding], prefix: str = "") -> None:
    """Write findings to standard error: formatted for people on a terminal, otherwise one per line,
    which begins with a prefix such as "translate: ".
    """
    findings = secrets_of().finished(findings)
    sys.stdout.flush()
    if sys.stderr.isatty():
        from translator.cli.terminal import blocks, width

        for line in blocks(findings, width(sys.stderr)):
            log(*line)
        return
    for item in findings:
        log(prefix, *finding_pieces(item))


def finding_pieces(item: Finding, place: str = "") -> list[Piece]:
    """Return the one-line form of a finding: its place or "", its severity, coloured, its text."""
    head, bracket, rest = item.line().partition("]")
    at = item.at(place)
    return [place or at, (item.severity, head + bracket), rest.replace(at, "", 1)]


def _painted(pieces: Iterable[Piece], stream: TextIO) -> str:
    """Return pieces as a line, with control characters escaped, and with colours if enabled."""
    styled = [("", piece) if isinstance(piece, str) else piece for piece in pieces]
    plain = os.environ.get("TERM") == "dumb" or not stream.isatty()
    # https://no-color.org
    if os.environ.get("NO_COLOR") or (plain and not os.environ.get("FORCE_COLOR")):
        return inert("".join([text for _, text in styled])) + "\n"
    parts = []
    for style, text in styled:
        shown = inert(text)
        parts.append(f"\x1b[{_STYLES[style]}m{shown}\x1b[0m" if style else shown)
    return "".join(parts) + "\n"


def _write(text: str | bytes) -> None:
    if not sys.stdout.writable():
        raise OSError(None, "standard output is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(text if isinstance(text, bytes) else os.fsencode(text))
    sys.stdout.buffer.flush()


def refusal(error: TranslationError) -> int:
    """Return the exit status of an error: wrong use, if an option names what does not exist."""
    return BAD_USAGE if any(item.has_trait("usage") for item in error.findings) else BAD_INPUT


def status_of(findings: Sequence[Finding], strict: bool, fail_on: Severity = "error") -> int:
    """Return the exit status for findings: 1 if one is at least as severe as `fail_on`, 3 for
    warnings with --strict, else 0.
    """
    severities = {item.severity for item in findings}
    if severities.intersection(SEVERITIES[: SEVERITIES.index(fail_on) + 1]):
        return BAD_INPUT
    return WARNED if strict and "warning" in severities else OK


def after(before: Sequence[Finding], findings: Sequence[Finding]) -> TranslationError:
    """Return the error of some findings, with those that were made before it, each once."""
    return TranslationError([*(item for item in before if item not in findings), *findings])


def conclude(
    written: Written, findings: Sequence[Finding], strict: bool, explained: Iterable[str] = ()
) -> int:
    """Write the result of a command, and the findings; return the exit status. With an error,
    nothing is written, since nobody can start vLLM with it.
    """
    text, unsaid = written
    for line in explained:
        log(line)
    findings = [*findings, *unsaid]
    log_findings(findings)
    if not has_errors(findings):
        emit(text)
    return status_of(findings, strict)


def guarded(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run a command and return its exit status, or the status for the error that ends it."""
    try:
        return command(arguments)
    except SystemExit as end:  # from argparse, after its help
        return end.code if isinstance(end.code, int) else 0
    except TranslationError as error:
        log_findings(error.findings)
        return refusal(error)
    except UsageError as error:
        log_error(secrets_of().mask(str(error)), error.program, error.hint)
        return BAD_USAGE
    except BrokenPipeError:
        _abandon_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # for example, a full disk
        log_error(error.strerror or type(error).__name__)
        _abandon_stdout()
        return BAD_INPUT
    except BaseException as error:
        return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    """Log an error that nothing expects, and return its exit status."""
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("translator"):
        hint = "run `pip install vllm-env-translator` without --no-deps"
        log_error(f"{error.name} is not installed", hint=hint)
        return BAD_USAGE
    if os.environ.get("TRANSLATE_DEBUG"):
        import traceback

        at: BaseException | None = error
        while at is not None:  # without the messages
            write_log("".join(traceback.format_tb(at.__traceback__)) + f"{type(at).__name__}\n")
            at = at.__cause__ or at.__context__
    # The message is withheld, since it may contain a secret value.
    log(
        "translate: ",
        ("error", "internal error"),
        f" ({type(error).__name__}): please report this bug (TRANSLATE_DEBUG=1 shows its place)",
    )
    return BAD_INPUT


def _abandon_stdout() -> None:
    """Prevent further writes at exit, when nobody reads standard output any more."""
    try:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        os.dup2(sys.stdout.fileno(), 1)
    except OSError:
        pass


def inert(line: str) -> str:
    """Return a line for a terminal or a log: control characters are escaped, and nothing in it is a
    command to the runner of a CI job (`::error::`, `##[error]`).
    """
    line = one_line(line)
    if "##[" in line:
        line = line.replace("##[", "## [")
    return f". {line}" if line.lstrip().startswith("::") else line
