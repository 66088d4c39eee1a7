"""Standard output and standard error. All output of the program goes through this module.

Lines for people consist of pieces; control characters in them are escaped, so that no value can
move the cursor or forge a line. Results for programs (`emit`) are written unchanged, but escaped
when standard output is a terminal.
"""

from __future__ import annotations

import os
import sys

from translator.findings import inert, one_line
from translator.secrets import secrets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

    from translator.cli.terminal import Line, Piece
    from translator.findings import Finding

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


def has_colour(stream: TextIO) -> bool:
    """Return whether to use colours: NO_COLOR (https://no-color.org), FORCE_COLOR and TERM=dumb
    decide, or else whether the stream is a terminal.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def log(*pieces: Piece) -> None:
    """Write one line to standard error, with secrets masked."""
    mask = secrets_of().mask_prose
    shown = [mask(part) if isinstance(part, str) else (part[0], mask(part[1])) for part in pieces]
    write_log(_painted(shown, sys.stderr))


def write_log(text: str) -> None:
    """Write text to standard error; where that cannot be (no reader, disk full), it is lost."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def put(lines: Iterable[Line]) -> None:
    """Write lines for people to standard output."""
    _write(
        "".join(_painted([line] if isinstance(line, str) else line, sys.stdout) for line in lines)
    )


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
    from translator.text.json_text import indented

    emit(indented(value))


def log_findings(findings: Iterable[Finding], prefix: str = "") -> None:
    """Write findings to standard error: formatted for people on a terminal, otherwise one per line.

    Args:
        findings: the findings to write.
        prefix: the beginning of a line in a log, such as "translate: ".
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


def finding_pieces(item: Finding) -> list[Piece]:
    """Return the one-line form of a finding with its severity coloured."""
    head, bracket, rest = item.line().partition("]")
    return [(item.severity, head + bracket), rest]


def _painted(pieces: Iterable[Piece], stream: TextIO) -> str:
    """Return pieces as a line, with control characters escaped, and with colours if enabled."""
    styled = [("", piece) if isinstance(piece, str) else piece for piece in pieces]
    if not has_colour(stream):
        return inert("".join([text for _, text in styled])) + "\n"
    parts = []
    for style, text in styled:
        shown = inert(text)
        parts.append(f"\x1b[{_STYLES[style]}m{shown}\x1b[0m" if style else shown)
    return "".join(parts) + "\n"


def _write(text: str | bytes) -> None:
    if not sys.stdout.writable():
        raise OSError(None, "standard output is closed: the result cannot be written")
    sys.stdout.flush()
    sys.stdout.buffer.write(text if isinstance(text, bytes) else os.fsencode(text))
    sys.stdout.buffer.flush()
