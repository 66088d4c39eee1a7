"""Split a file of `env_file` as compose does, which differs from python-dotenv.

https://github.com/compose-spec/compose-go/blob/main/dotenv/parser.go
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# A backslash in double quotes and what it escapes; `\$` becomes `$$`, which is no reference.
_ESCAPE = re.compile(r'\\([abfnrtv$"\\])')
_NAME = re.compile(r"(?:export[^\S\n]+)?([\w.\-\[\]]+)[^\S\n]*(=|:|\n|\Z)[^\S\n]*")


class BadEntryError(ValueError):
    """A line that compose refuses; its number."""


class Binding:
    """One entry of a file.

    Attributes:
        name: the name.
        value: the value, its references unresolved; None for a name alone.
        line: its line.
        literal: whether it was in single quotes, where `$` is a character.
    """

    __slots__ = ("line", "literal", "name", "value")

    def __init__(self, name: str, value: str | None, line: int, *, literal: bool = False) -> None:
        self.name, self.value, self.line, self.literal = name, value, line, literal


def bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file.

    Raises:
        BadEntryError: a line is none; the number of the line.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    at, line, end = 0, 1, len(text)
    while at < end:
        if text[at].isspace():
            line += text[at] == "\n"
            at += 1
            continue
        if text[at] == "#":
            at = _line_end(text, at)
            continue
        head = _NAME.match(text, at)
        if head is None:
            raise BadEntryError(line)
        name, at = head[1], head.end()
        if head[2] in ("", "\n"):
            yield Binding(name, None, line)
            line += 1
            continue
        mark = text[at : at + 1]
        if mark not in ("'", '"') or not mark:
            stop = _line_end(text, at)
            value = text[at:stop].partition(" #")[0].rstrip()
            yield Binding(name, value, line)
            at = stop
            continue
        close = at + 1
        while close < end and text[close] != mark:
            close += 2 if text[close] == "\\" else 1
        if close >= end:
            raise BadEntryError(line)
        value = text[at + 1 : close].replace(f"\\{mark}", mark)
        if mark == '"':
            value = _ESCAPE.sub(lambda found: _escaped(found[1]), text[at + 1 : close])
        yield Binding(name, value, line, literal=mark == "'")
        line += text.count("\n", at, close)
        at = close + 1


def raw(text: str) -> Iterator[Binding]:
    """Yield the entries of a file with `format: raw`, whose values are taken as they are."""
    for line, written in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        name, sign, value = written.lstrip().partition("=")
        if name and not name.startswith("#"):
            yield Binding(name, value if sign else None, line, literal=True)


def _escaped(char: str) -> str:
    return "$$" if char == "$" else _ESCAPES.get(char, char)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
