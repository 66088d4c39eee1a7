"""The entries of .env files, as python-dotenv reads them, and as compose does.

python-dotenv itself is not used, because its rules differ between its releases, and its regular
expressions take time that is quadratic in the blanks of a value or in its `${`. These are the rules
of 1.2.4: https://github.com/theskumar/python-dotenv/blob/v1.2.4/src/dotenv/parser.py
Those of compose: https://github.com/compose-spec/compose-go/blob/main/dotenv/parser.go
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class BadEntryError(ValueError):
    """A line that compose refuses; its number."""


class Binding:
    """One entry of a file.

    Attributes:
        line: the number of its first line.
        name: the name; "" for a comment and for a line that cannot be read.
        value: the value, its references unresolved; None for a name alone.
        literal: whether compose replaces nothing in it.
        unreadable: the text of a line that cannot be read, else "".
    """

    __slots__ = ("line", "literal", "name", "unreadable", "value")

    def __init__(
        self,
        line: int,
        name: str,
        value: str | None,
        *,
        literal: bool = False,
        unreadable: str = "",
    ) -> None:
        self.line, self.name, self.value = line, name, value
        self.literal, self.unreadable = literal, unreadable


def bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file, whose lines end in "\\n", as python-dotenv does."""
    return _Reader(text).entries()


def compose_bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file of `env_file` as compose does.

    Raises:
        BadEntryError: a line is none; the number of the line.
    """
    for entry in _ComposeReader(text.removeprefix("\ufeff").replace("\r\n", "\n")).entries():
        if entry.unreadable:
            raise BadEntryError(entry.line)
        if entry.name:
            yield entry


def raw_bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file of `env_file` with `format: raw`: values are as they are."""
    for line, written in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        name, sign, value = written.lstrip().partition("=")
        if name and not name.startswith("#"):
            yield Binding(line, name, value if sign else None, literal=True)


class _UnreadableError(Exception):
    """The entry at this place breaks off."""


class _Reader:
    """Reads a file as python-dotenv does."""

    signs = "="
    # What a backslash escapes in each kind of quotes.
    escapes = {
        "'": {"\\": "\\", "'": "'"},
        '"': {**_CONTROLS, "\\": "\\", "'": "'", '"': '"'},
    }

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
                yield self._entry(line)
            except _UnreadableError:
                self.at = self._line_end()
                yield Binding(line, "", None, unreadable=text[counted : self.at] or "\n")

    def _entry(self, line: int) -> Binding:
        text = self.text
        if text.startswith("export", self.at) and _is_blank(text[self.at + 6 : self.at + 7]):
            self.at += 6
            self._blanks()
        if text.startswith("#", self.at):
            self.at = self._line_end()
            return Binding(line, "", None)
        name, value, literal = self._name(), None, False
        self._blanks()
        if text[self.at : self.at + 1] in tuple(self.signs):
            self.at += 1
            blanks = self._blanks()
            mark = text[self.at : self.at + 1]
            literal = mark == "'"
            value = self._quoted(mark) if mark in self.escapes else self._unquoted(blanks)
        blanks = self._blanks()
        if text.startswith("#", self.at):
            self.at = self._line_end()
        elif not text.startswith("\n", self.at) and self.at < len(text):
            self.at -= blanks
            raise _UnreadableError
        return Binding(line, name, value, literal=literal)

    def _name(self) -> str:
        text, start = self.text, self.at
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

    def _unquoted(self, blanks: int) -> str:
        """Read a value without quotes, which a number of blanks stand in front of."""
        text, start = self.text, self.at
        if blanks and text.startswith("#", start):
            return ""
        self.at = self._line_end()
        comment = text.find("#", start + 1, self.at)
        while comment >= 0 and not text[comment - 1].isspace():
            comment = text.find("#", comment + 1, self.at)
        return text[start : self.at if comment < 0 else comment].rstrip()

    def _quoted(self, mark: str) -> str:
        text, escapes = self.text, self.escapes[mark]
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
            if char in escapes:
                found += [text[start:slash], escapes[char]]
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

    def _line_end(self) -> int:
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end


class _ComposeReader(_Reader):
    """Reads a file as compose does."""

    signs = "=:"
    # `\$` becomes `$$`, which is no reference.
    escapes = {"'": {"'": "'"}, '"': {**_CONTROLS, "$": "$$", '"': '"', "\\": "\\"}}

    def _name(self) -> str:
        text, start = self.text, self.at
        while self.at < len(text) and (text[self.at].isalnum() or text[self.at] in "_.-[]"):
            self.at += 1
        if self.at == start:
            raise _UnreadableError
        return text[start : self.at]

    def _unquoted(self, blanks: int) -> str:
        start, self.at = self.at, self._line_end()
        return self.text[start : self.at].partition(" #")[0].rstrip()


def _is_blank(char: str) -> bool:
    return char.isspace() and char != "\n"


def references(value: str) -> Iterator[str | tuple[str, str | None]]:
    """Yield the parts of a value: a text, or the name and the default of `${NAME:-default}`; None
    for `${NAME}`.
    """
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
            yield value[start:colon], value[colon + 2 : brace]
        else:
            yield value[start:brace], None
        done = brace + 1
        at = value.find("${", done)
    if done < len(value):
        yield value[done:]
