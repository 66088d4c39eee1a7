"""Layouts for terminals: findings as blocks, wrapped text, aligned tables."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO, TypeVar

    from translator.findings import Finding

    T = TypeVar("T")
    Piece = str | tuple[str, str]  # a string, or (style, string)
    Line = str | list[Piece]

_PLURALS = {"error": "errors", "warning": "warnings", "info": "notes"}
_UNLIMITED = 10**9


def width(stream: TextIO) -> int:
    """Return the columns of a terminal: COLUMNS, or else the terminal's own value, or else 80; a
    stream that is not a terminal has no limit.
    """
    if not stream.isatty():
        return _UNLIMITED
    return terminal_columns(stream)


def terminal_columns(stream: TextIO | None) -> int:
    """Return COLUMNS, or else the columns of a terminal, or else 80."""
    # shutil.get_terminal_size does the same, but importing shutil takes 3 ms.
    try:
        columns = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        columns = 0
    if columns <= 0 and stream is not None:
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError, AttributeError):  # a Python in a browser has no such function
            pass
    return max(columns, 20) if columns > 0 else 80


def counting(
    items: Sequence[T], done: str, stream: TextIO | None, processes: int = 1
) -> Iterator[T]:
    """Yield items; on a terminal, tell how many are done if it takes longer than a second.

    Args:
        items: the items.
        done: what is done with one: "files read".
        stream: where to tell it.
        processes: how many do as much at the same time.
    """
    from time import monotonic

    told, next_time = "", monotonic() + 1
    is_terminal = stream is not None and stream.isatty()
    try:
        for number, item in enumerate(items):
            if is_terminal and stream is not None and (now := monotonic()) >= next_time:
                told, next_time = (
                    f"{number * processes} of {len(items) * processes} {done}",
                    now + 0.2,
                )
                stream.write(f"\r{told}")
                stream.flush()
            yield item
    finally:
        if told and stream is not None:
            stream.write(f"\r{' ' * len(told)}\r")
            stream.flush()


def blocks(findings: Iterable[Finding], columns: int) -> Iterator[list[Piece]]:
    """Yield the lines that show findings on a terminal, followed by their number."""
    listed = list(findings)
    for item in listed:
        yield from block(item, columns)
        yield []
    if listed:
        worst = min(listed, key=lambda item: tuple(_PLURALS).index(item.severity))
        yield [count_of(listed), ("dim", f"; `translate explain {worst.code}` explains one")]


def block(item: Finding, columns: int, place: str = "") -> Iterator[list[Piece]]:
    """Yield the lines of one finding: severity and place, the message, the remedy.

    Args:
        item: the finding.
        columns: the width to wrap at.
        place: the file and the line, such as "pod.yaml:12"; may be empty. It has a line of its own
            where it does not fit.
    """
    head: list[Piece] = [(item.severity, f"{item.severity}[{item.code}]")]
    head += [" ", ("bold", item.subject)] if item.subject else []
    if sum(map(len, (item.severity, item.code, item.subject, place))) + len("[]   ") > columns:
        yield head
        yield [("dim", f"  {place}")]
    else:
        yield head + ([("dim", f"  {place}")] if place else [])
    for line in wrapped(item.message, columns - 2):
        yield ["  ", line]
    for number, line in enumerate(wrapped(item.hint, columns - 8) if item.hint else ()):
        yield ["  ", ("help", "help:") if number == 0 else "     ", " ", line]


def count_of(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each severity: "2 errors, 1 note"."""
    severities: list[str] = [item.severity for item in findings]
    return ", ".join(
        f"{number} {plural if number != 1 else plural[:-1]}"
        for severity, plural in _PLURALS.items()
        if (number := severities.count(severity))
    )


def wrapped(text: str, columns: int) -> list[str]:
    """Return a string as lines of at most the given width; a longer word is not broken."""
    # textwrap does more, but imports re.
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def table(head: Sequence[str], rows: Iterable[Sequence[str]], columns: int) -> Iterator[Line]:
    """Yield a table with aligned columns; the last column is wrapped at the width."""
    listed = [list(row) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(head, *listed)][:-1]
    indent = sum(widths) + 2 * len(widths)

    def line(cells: Sequence[str]) -> str:
        return "  ".join([*(cell.ljust(size) for cell, size in zip(cells, widths)), cells[-1]])

    yield [("bold", line(head).rstrip())]
    for row in listed:
        first, *rest = wrapped(row[-1], max(columns - indent, 20))
        yield line([*row[:-1], first]).rstrip()
        for more in rest:
            yield " " * indent + more
