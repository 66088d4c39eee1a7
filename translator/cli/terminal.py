"""Layouts for terminals: findings as blocks, wrapped text, aligned tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, TextIO, TypeVar

from translator.core.findings import SEVERITIES

if TYPE_CHECKING:
    from translator.core.findings import Finding
    from translator.reference.lookup import Page

    Piece = str | tuple[str, str]  # a string, or (style, string)
    Line = str | list[Piece]

_Item = TypeVar("_Item")
_UNLIMITED = 10**9


def width(stream: TextIO) -> int:
    """Return the columns of a terminal: COLUMNS, or else the terminal's own value, or else 80; a
    stream that is not a terminal has no limit.
    """
    if not stream.isatty():
        return _UNLIMITED
    given = os.environ.get("COLUMNS", "")
    try:
        columns = int(given) if given.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, AttributeError):  # a Python in a browser has no such function
        columns = 0
    return max(columns or 80, 20)


def count_of(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each severity: "2 errors, 1 note"."""
    severities: list[str] = [item.severity for item in findings]
    return ", ".join(
        f"{number} {plural if number != 1 else plural[:-1]}"
        for severity, plural in zip(SEVERITIES, ("errors", "warnings", "notes"))
        if (number := severities.count(severity))
    )


def progress(items: Iterable[_Item], what: str, total: int = 0) -> Iterator[_Item]:
    """Yield items; work of more than a second shows at a terminal how many are done."""
    began, is_shown = monotonic(), False
    for at, item in enumerate(items):
        if sys.stderr.isatty() and monotonic() - began > 1:
            is_shown = True
            sys.stderr.write(f"\r{at}{f' of {total}' * bool(total)} {what}")
        yield item
    if is_shown:
        sys.stderr.write("\r\x1b[K")


def blocks(findings: Iterable[Finding], columns: int) -> Iterator[list[Piece]]:
    """Yield the lines that show findings on a terminal, followed by their number."""
    listed = list(findings)
    for item in listed:
        yield from block(item, columns)
        yield []
    if listed:
        worst = min(listed, key=lambda item: SEVERITIES.index(item.severity))
        yield [count_of(listed), ("dim", f"; `translate explain {worst.code}` explains one")]


def block(
    item: Finding, columns: int, place: str = "", source: Iterable[list[Piece]] = ()
) -> Iterator[list[Piece]]:
    """Yield the lines of one finding: severity and place, the source, the message, the remedy.

    Args:
        item: the finding.
        columns: the width to wrap at.
        place: the file and the line, such as "pod.yaml:12"; may be empty. It has a line of its own
            where it does not fit.
        source: the lines that show it in its file.
    """
    at = item.at(place)
    place = place or at.removesuffix(": ")
    head: list[Piece] = [(item.severity, f"{item.severity}[{item.code}]")]
    head += [" ", ("bold", item.subject)] if item.subject else []
    if sum(map(len, (item.severity, item.code, item.subject, place))) + len("[]   ") > columns:
        yield head
        yield [("dim", f"  {place}")]
    else:
        yield head + ([("dim", f"  {place}")] if place else [])
    yield from source
    for line in wrapped(item.message.replace(at, "", 1), columns - 2):
        yield ["  ", line]
    for number, line in enumerate(wrapped(item.hint, columns - 8) if item.hint else ()):
        yield ["  ", ("help", "help:") if number == 0 else "     ", " ", line]


def wrapped(text: str, columns: int) -> list[str]:
    """Return a string as lines of at most the given width; a longer word is not broken."""
    from textwrap import wrap  # lazy: many reports have nothing to wrap

    return wrap(text, columns, break_long_words=False, break_on_hyphens=False) or [""]


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


def page_lines(page: Page, columns: int) -> Iterator[Line]:
    """Yield the lines of a page: its name and its headings in colour, its texts wrapped."""
    name, colon, what = page.title.partition(": ")
    first, *rest = wrapped(page.title, columns)
    shown = first[len(name) :] if first.startswith(name) else f"{colon}{what}"
    yield [("bold", name), shown]
    yield from (f"  {line}" for line in rest)
    yield from (f"  {line}" for line in wrapped(page.description, columns - 4) if line)
    for heading, texts in page.sections:
        if heading:
            yield [("help", f"{heading}:")]
        for text in texts:
            first, *rest = wrapped(text, columns - 4)
            yield f"  {first}"
            yield from (f"    {line}" for line in rest)
