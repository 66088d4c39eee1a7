"""The entries of .env files, as python-dotenv reads them, and as compose does.

python-dotenv itself is not used, because its rules differ between its releases, and its regular
expressions take time that is quadratic in the blanks of a value or in its `${`. These are the rules
of 1.2.4: https://github.com/theskumar/python-dotenv/blob/v1.2.4/src/dotenv/parser.py
Those of compose: https://github.com/compose-spec/compose-go/blob/main/dotenv/parser.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from translator.formats.classes import frozen

_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# An entry as far as it can be read: whether its line ends behind it is seen then.
_ENTRY = (
    r"(?:(?P<comment>\#)|{name}[^\S\n]*(?P<value>[{signs}][^\S\n]*"
    r"(?:'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)'|\"(?P<double>[^\"\\]*(?:\\.[^\"\\]*)*)\""
    r"|(?![\"'])(?P<bare>[^\n]*)|)[^\S\n]*)?)"
)
_EXPORT = re.compile(r"(?:export[^\S\n]+)?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_REFERENCE = re.compile(r"\$\{([^}:]{0,100})(?::-([^}]*))?\}")


class BadEntryError(ValueError):
    """A line that compose refuses; its number."""


@frozen
class Binding:
    """One entry of a file.

    Attributes:
        line: the number of its first line.
        name: the name; "" for a line that cannot be read.
        value: the value, its references unresolved; None for a name alone.
        literal: whether compose replaces nothing in it.
        unreadable: the text of a line that cannot be read, else "".
    """

    line: int
    name: str = ""
    value: str | None = None
    literal: bool = False
    unreadable: str = ""


@frozen
class _Syntax:
    """How a program reads a file: an entry, escapes in each kind of quotes, and comments."""

    entry: re.Pattern[str]
    escapes: Mapping[str, Mapping[str, str]]
    comment: re.Pattern[str]


_PYTHON = _Syntax(
    re.compile(
        _ENTRY.format(name=r"(?:'(?P<quoted>[^']+)'|(?P<name>(?!')[^=\#\s]+))", signs="="), re.S
    ),
    {
        "single": {"\\": "\\", "'": "'"},
        "double": {**_CONTROLS, "\\": "\\", "'": "'", '"': '"'},
    },
    re.compile(r"(?<=\s)#"),
)
_COMPOSE = _Syntax(
    re.compile(_ENTRY.format(name=r"(?P<name>[\w.\-\[\]]+)(?P<quoted>)", signs="=:"), re.S),
    # `\$` becomes `$$`, which is no reference.
    {"single": {"'": "'"}, "double": {**_CONTROLS, "$": "$$", '"': '"', "\\": "\\"}},
    re.compile(r" #"),
)


def bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file, whose lines end in "\\n", as python-dotenv does."""
    return _entries(text, _PYTHON)


def compose_bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file of `env_file` as compose does.

    Raises:
        BadEntryError: a line is none; the number of the line.
    """
    for entry in _entries(text.removeprefix("\ufeff").replace("\r\n", "\n"), _COMPOSE):
        if entry.unreadable:
            raise BadEntryError(entry.line)
        yield entry


def raw_bindings(text: str) -> Iterator[Binding]:
    """Yield the entries of a file of `env_file` with `format: raw`: values are as they are."""
    for line, written in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        name, sign, value = written.lstrip().partition("=")
        if name and not name.startswith("#"):
            yield Binding(line, name, value if sign else None, literal=True)


def _entries(text: str, syntax: _Syntax) -> Iterator[Binding]:
    line, at = 1, 0
    while at < len(text):
        if text[at].isspace():
            line += text[at] == "\n"
            at += 1
            continue
        match = syntax.entry.match(text, _EXPORT.match(text, at).end())  # type: ignore[union-attr]
        end = match.end() if match else at
        is_whole = match is not None and (text[end : end + 1] in "\n#" or match["comment"])
        end = text.find("\n", end)
        end = len(text) if end < 0 else end
        if match is None or not is_whole:
            yield Binding(line, unreadable=text[at:end])
        elif not match["comment"]:
            yield _binding(match, line, syntax)
        line += text.count("\n", at, end)
        at = end


def _binding(match: re.Match[str], line: int, syntax: _Syntax) -> Binding:
    """Return what an entry sets."""
    name = match["quoted"] or match["name"]
    if match["bare"] is not None:
        start, end = match.span("bare")
        comment = syntax.comment.search(match.string, start, end)
        value = match.string[start : comment.start() if comment else end]
        return Binding(line, name, value.rstrip())
    for kind, escapes in syntax.escapes.items():
        if match[kind] is not None:
            value = _ESCAPE.sub(lambda item, of=escapes: of.get(item[1], item[0]), match[kind])
            return Binding(line, name, value, literal=kind == "single")
    return Binding(line, name)


def references(value: str) -> Iterator[str | tuple[str, str | None]]:
    """Yield the texts of a value, and name and default (or None) of `${NAME:-default}`."""
    at = 0
    for match in _REFERENCE.finditer(value, 0, value.rfind("}") + 1):
        if match.start() > at:
            yield value[at : match.start()]
        yield match[1], match[2]
        at = match.end()
    if at < len(value):
        yield value[at:]
