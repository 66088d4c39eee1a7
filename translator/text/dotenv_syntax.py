"""Split a .env file as python-dotenv does.

python-dotenv itself is not used, because its rules differ between its releases, and its regular
expressions take time that is quadratic in the blanks of a value or in its `${`. These are the rules
of 1.2.4: https://github.com/theskumar/python-dotenv/blob/v1.2.4/src/dotenv/parser.py
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_ESCAPES = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}

# What a backslash escapes in each kind of quotes.
_ESCAPED = {"'": frozenset("\\'"), '"': frozenset(_ESCAPES)}


class Binding:
    """One entry of a file.

    Attributes:
        name: the name; None for a comment and for a line that cannot be read.
        value: the value, its references unresolved; None for a name without `=`.
        line: the number of its first line.
        unreadable: the text of a line that cannot be read, else "".
    """

    __slots__ = ("line", "name", "unreadable", "value")

    def __init__(
        self, line: int, name: str | None, value: str | None, unreadable: str = ""
    ) -> None:
        self.line, self.name, self.value, self.unreadable = line, name, value, unreadable


class _UnreadableError(Exception):
    """The entry at this place breaks off."""


def bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file, whose lines end in "\\n"."""
    return _Reader(text).entries()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def entries(self) -> Iterator[Binding]:
        text, end, line, counted = self.text, len(self.text), 1, 0
        while True:
            while self.at < end and text[self.at].isspace():
                self.at += 1
            if self.at == end:
                return
            line, counted = line + text.count("\n", counted, self.at), self.at
            try:
                yield Binding(line, *self._entry())
            except _UnreadableError:
                self._rest_of_line()
                yield Binding(line, None, None, text[counted : self.at] or "\n")

    def _entry(self) -> tuple[str | None, str | None]:
        text = self.text
        if text.startswith("export", self.at) and _is_blank(text[self.at + 6 : self.at + 7]):
            self.at += 6
            self._blanks()
        name = self._name()
        self._blanks()
        value = None
        if text.startswith("=", self.at):
            self.at += 1
            value = self._value(self._blanks())
        blanks = self._blanks()
        if text.startswith("#", self.at):
            self._rest_of_line()
        elif not text.startswith("\n", self.at) and self.at < len(text):
            self.at -= blanks
            raise _UnreadableError
        return name, value

    def _name(self) -> str | None:
        text, start = self.text, self.at
        if text.startswith("#", start):
            return None
        if text.startswith("'", start):
            close = text.find("'", start + 1)
            if close < start + 2:
                raise _UnreadableError
            self.at = close + 1
            return text[start + 1 : close]
        while self.at < len(text) and text[self.at] not in "=#" and not text[self.at].isspace():
            self.at += 1
        if self.at == start:
            raise _UnreadableError
        return text[start : self.at]

    def _value(self, blanks: int) -> str:
        """Read the value after `=` and a number of blanks."""
        text, start = self.text, self.at
        mark = text[start : start + 1]
        if mark in _ESCAPED:
            return self._quoted(mark)
        if blanks and mark == "#":
            return ""
        self._rest_of_line()
        comment = text.find("#", start + 1, self.at)
        while comment >= 0 and not text[comment - 1].isspace():
            comment = text.find("#", comment + 1, self.at)
        return text[start : self.at if comment < 0 else comment].rstrip()

    def _quoted(self, mark: str) -> str:
        text, escaped = self.text, _ESCAPED[mark]
        start = at = self.at + 1
        found: list[str] = []
        close = text.find(mark, at)
        while close >= 0:
            slash = text.find("\\", at, close)
            if slash < 0:
                self.at = close + 1
                found.append(text[start:close])
                return "".join(found)
            char = text[slash + 1 : slash + 2]
            if char in escaped:
                found += [text[start:slash], _ESCAPES[char]]
                start = slash + 2
            at = slash + 2
            if at > close:
                close = text.find(mark, at)
        raise _UnreadableError

    def _blanks(self) -> int:
        """Skip blanks up to the end of the line, and return their number."""
        start = self.at
        while _is_blank(self.text[self.at : self.at + 1]):
            self.at += 1
        return self.at - start

    def _rest_of_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end


def _is_blank(char: str) -> bool:
    return char.isspace() and char != "\n"


class Reference:
    """`${NAME}` or `${NAME:-default}` in a value.

    Attributes:
        name: the variable.
        default: what stands for it if it is not set, or None.
    """

    __slots__ = ("default", "name")

    def __init__(self, name: str, default: str | None) -> None:
        self.name, self.default = name, default


def parts(value: str) -> Iterator[str | Reference]:
    """Yield the parts of a value: literal text and references."""
    done = 0  # index up to which the value has been returned
    at = value.find("${")
    brace = colon = -1
    while at >= 0:
        start = at + 2
        if brace < start:
            brace = value.find("}", start)
            if brace < 0:
                break
        if colon < start:  # `find` again only where the last place has been passed
            colon = value.find(":", start)
            colon = len(value) if colon < 0 else colon
        if colon < brace and value[colon + 1] != "-":
            at = value.find("${", start)
            continue
        if at > done:
            yield value[done:at]
        if colon < brace:
            yield Reference(value[start:colon], value[colon + 2 : brace])
        else:
            yield Reference(value[start:brace], None)
        done = brace + 1
        at = value.find("${", done)
    if done < len(value):
        yield value[done:]
