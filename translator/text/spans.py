"""Spans of a file's text: lines, words, and the scalars of YAML and JSON as they are written."""

from __future__ import annotations

import re

from translator.text.json_text import JsonError, dumps, loads
from translator.text.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTES = ("'", '"')
_NEXT = re.compile(r"\s*,\s*")
_PLAIN = re.compile(r"[A-Za-z_./][\w./=-]*|--?[A-Za-z][\w.-]*(?:=[\w./-]*)?")
_NO_STRINGS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "."))
# What a shell reads as one word.
WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])+""", re.DOTALL)
# A line that goes on at an index, and what may stand behind the last word of one.
_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*$")
_REST = re.compile(r"[ \t]*\\?[ \t]*\r?$")


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return the index of the line break behind an index, or of the end."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the lines that another span stands in, with the last line break."""
    return line_start(text, start), min(line_end(text, end) + 1, len(text))


def newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


class Scalar:
    """A scalar of YAML or JSON.

    Attributes:
        start, end: its span, with its quotes.
        mark: its quote, or "".
        value: what it stands for.
    """

    __slots__ = ("end", "mark", "start", "value")

    def __init__(self, start: int, end: int, mark: str, value: str) -> None:
        self.start, self.end, self.mark, self.value = start, end, mark, value


def scalar(text: str, start: int, ends: str = "") -> Scalar | None:
    """Return the scalar that begins at an index, and ends in its line; None if it does not.

    Args:
        text: of the file.
        start: the index, of the quote if it has one.
        ends: the characters that end one without quotes.
    """
    line = line_end(text, start)
    mark = text[start : start + 1]
    if mark not in QUOTES:
        end = next((at for at in range(start, line) if text[at] in ends), line)
        value = text[start:end].partition(" #")[0].rstrip()
        return Scalar(start, start + len(value), "", value)
    end = start + 1
    while end < line and text[end] != mark:
        end += 2 if mark == '"' and text[end] == "\\" else 1
    if end >= line:
        return None
    value = text[start + 1 : end]
    if mark == '"':
        try:
            value = str(loads(f'"{value}"'))
        except JsonError:
            return None
    return Scalar(start, end + 1, mark, value)


def next_in_flow(text: str, end: int) -> int | None:
    """Return where the item of a list in brackets begins that follows one which ends at an index;
    None behind the last one.
    """
    comma = _NEXT.match(text, end)
    return None if comma is None else comma.end()


def with_comma(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of items with the comma behind them, or else with the one in front."""
    behind = next_in_flow(text, end)
    if behind is not None:
        return start, behind
    before = text[:start].rstrip()
    return (len(before) - 1 if before.endswith(",") else start), end


def styled(value: str, mark: str, *, single: bool = False) -> str:
    """Return a string as YAML writes it, in the quotes of another one if it fits there.

    Args:
        value: the string.
        mark: the quote of the other one, or "".
        single: whether single quotes may be used where the other one has double ones: not in JSON.
    """
    if not mark and _PLAIN.fullmatch(value) and value.lower() not in _NO_STRINGS:
        return value
    if (mark == "'" or (single and '"' in value)) and "'" not in value:
        return f"'{value}'"
    return dumps(value)


def places(text: str, name: str, inner: str, start: int) -> Iterator[int]:
    """Yield where a name stands that is not a part of a longer one."""
    at = text.find(name, start)
    while at >= 0:
        before, behind = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or (char and char in inner) for char in (before, behind)):
            yield at
        at = text.find(name, at + 1)


def between_options(text: str, start: int, end: int) -> str:
    """Return what stands between options of a command: a line break, where each has its line."""
    line, behind = line_start(text, start), line_end(text, end)
    before = text[line:start]
    alone = not before.strip() and _REST.match(text, end, behind) is not None
    if alone and ("\\" in text[end:behind] or _CONTINUED.search(text, max(0, line - 200), start)):
        return f" \\{newline(text)}{before}"
    return " "


def removal(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return how to remove words of a command, with the line if nothing else is in it."""
    line, behind = line_start(text, start), line_end(text, end)
    before = text[line:start]
    if before.strip():
        return start - (len(before) - len(before.rstrip(" \t"))), end, ""
    if not _REST.match(text, end, behind):
        return start, end + len(text[end:behind]) - len(text[end:behind].lstrip(" \t")), ""
    continued = _CONTINUED.search(text, max(0, line - 200), start)
    if "\\" not in text[end:behind] and continued:
        return continued.start(), behind - (text[behind - 1 : behind] == "\r"), ""
    return *whole_lines(text, start, end), ""


def double_quoted(token: str) -> str:
    marked = "".join("\\" + char if char in '\\"$`' else char for char in token)
    return token if quote(token) == token else f'"{marked}"'
