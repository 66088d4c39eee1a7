"""Edits of a file's text, as ranges and what replaces them: of tokens and variables whose place is
known, in YAML, JSON, shell commands and files of variables.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import frozen

from translator.text.json_text import JsonError, dumps, loads
from translator.text.quoting import quote, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    # Start, end and what to write there; those of one change do not overlap.
    Edit = tuple[int, int, str]

_QUOTES = ("'", '"')
# What a shell reads as one word.
_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])+""", re.DOTALL)
# What stands between two words of a command, also in YAML that folds lines.
_BETWEEN = re.compile(r"(?:[ \t]|\\?\r?\n)+")
_ENDS = " \t\r\n\\\"'`;|&)"
# A line that goes on at an index, and what may stand behind the last word of one.
_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*$")
_REST = re.compile(r"[ \t]*\\?[ \t]*\r?$")
# Items of YAML: of a list, each on its line, and in brackets.
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_NEXT = re.compile(r"\s*,\s*")
_PLAIN = re.compile(r"[A-Za-z_./][\w./=-]*|--?[A-Za-z][\w.-]*(?:=[\w./-]*)?")
_NO_STRINGS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "."))
# Behind whole quoted scalars, which may hold numbers: `'{"factor":2.0}'`.
_NUMBER = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|"
    r"(?<![\"'\w$.{-])(?P<plain>[+-]?[\d._]+(?:e[+-]?\d+)?|0x[\da-f]+|true|false|yes|no|on|off)"
    r"(?=\s*(?:[,\]}#]|$))",
    re.IGNORECASE,
)
# What stands in front of a variable that has a line of its own, and behind it.
_ALONE = re.compile(r"[ \t]*(?:-[ \t]+|export[ \t]+|ENV[ \t]+|Environment=)?[\"']?$")
_BEHIND = re.compile(r"([\"']?)[ \t]*(?:#.*)?\r?$")
_DOCKER = re.compile(r"(?:-e|--env)(?:[ \t]+|=)[\"']?$")
_MAPPED = re.compile(r"[\"']?[ \t]*:[ \t]*")
_NAMED = re.compile(r"([{\n]?)([ \t]*-[ \t]+|[ \t]*)([\"']?)name\3:[ \t]*[\"']?$")
_ALONE_NAMED = re.compile(r"[{ \t-]*[\"']?name[\"']?:[ \t]*[\"']?")
_VALUED = re.compile(r"[\"']?\s*,?\s*[\"']?value[\"']?:[ \t]*")


def applied(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits applied.

    Raises:
        ValueError: two of them overlap.
    """
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        if start < at:
            raise ValueError("edits overlap")
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:]))


def narrowed(text: str, edit: Edit) -> Edit:
    """Return an edit without what it leaves as it is at its beginning and its end."""
    start, end, new = edit
    least = min(end - start, len(new))
    front = next((at for at in range(least) if text[start + at] != new[at]), least)
    least -= front
    back = next((at for at in range(least) if text[end - 1 - at] != new[-1 - at]), least)
    return start + front, end - back, new[front : len(new) - back]


# --- tokens


def of_tokens(
    text: str, starts: Sequence[int], old: Sequence[str], new: Sequence[str]
) -> list[Edit]:
    """Return how to replace neighbouring tokens; [] if they do not stand there.

    Args:
        text: of the file.
        starts: where each begins, behind its quote if it has one.
        old: the tokens; the first is an option, or a word.
        new: what replaces them; [] removes them.
    """
    name = old[0].partition("=")[0]
    if not text.startswith(name, starts[0]):
        return []
    if renamed := _renamed(old, new):
        return [(starts[0], starts[0] + len(name), renamed)]
    begins = [at - (text[max(at - 1, 0) : at] in _QUOTES) for at in starts]
    items = [_ITEM.match(text, _line_start(text, at)) for at in begins]
    if all(item is not None and item.end() == at for item, at in zip(items, begins)):
        return _listed(text, begins, old, new)
    if _before(text, begins[0]) in ("[", ","):
        return _listed(text, begins, old, new, ",]")
    return _words(text, starts, old, new)


def _renamed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the new name if nothing but the name of an option changes, else ""."""
    if len(old) != len(new):
        return ""
    name, other = old[0].partition("=")[0], new[0].partition("=")[0]
    same = (old[0][len(name) :], *old[1:]) == (new[0][len(other) :], *new[1:])
    return other if same and other.startswith("-") else ""


def _listed(
    text: str, begins: Sequence[int], old: Sequence[str], new: Sequence[str], ends: str = ""
) -> list[Edit]:
    """Return how to replace tokens that are items of a list of YAML.

    Args:
        text: of the file.
        begins: where the items begin.
        old, new: see `of_tokens`.
        ends: what ends an item of a list in brackets; "" for items that have lines of their own.
    """
    found = [item for at in begins if (item := _scalar(text, at, ends)) is not None]
    if [item.value for item in found] != list(old):
        return []
    last, more, gone = found[-1], new[len(found) :], found[len(new) :]
    if ends:
        between, end = ", ", last.end
        removed = [_with_comma(text, gone[0].start, last.end)] if gone else []
    else:
        between = _newline(text) + text[_line_start(text, last.start) : last.start]
        end = line_end(text, last.end)
        end -= text[end - 1 : end] == "\r"
        removed = [_whole_lines(text, item.start, item.end) for item in gone]
    edits = [
        (item.start, item.end, _scalar_text(token, item.mark, single=not ends))
        for item, token in zip(found, new)
    ]
    written = [between + _scalar_text(token, last.mark, single=not ends) for token in more]
    if written:
        edits.append((end, end, "".join(written)))
    return edits + [(*span, "") for span in removed]


def _words(text: str, starts: Sequence[int], old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """Return how to replace tokens that are words of a command."""
    spans = [_word(text, at, token) for at, token in zip(starts, old)]
    start, end = spans[0]
    for begin, behind in spans[1:]:
        if not _BETWEEN.fullmatch(text, end, begin):
            return []
        end = behind
    if not end:
        return []
    if not new:
        return [_removal(text, start, end)]
    if all(quote(item) == item for item in new):
        written = list(new)
    elif (mark := _quote_around(text, start)) == '"':
        return [(start, end, dumps(" ".join(map(quote, new)))[1:-1])]
    else:
        written = [_double_quoted(item) if mark else quote(item) for item in new]
    between_options = _between_options(text, start, end)
    made = written[0]
    for word in written[1:]:
        made += (between_options if word.startswith("-") else " ") + word
    return [(start, end, made)]


def _word(text: str, at: int, token: str) -> tuple[int, int]:
    """Return the span of the word at an index that stands for a token; 0, 0 if none does."""
    end = at + len(token)
    mark = text[max(at - 1, 0) : at]
    if text.startswith(token, at) and mark in _QUOTES and text[end : end + 1] == mark:
        return at - 1, end + 1
    if text.startswith(token, at) and (text[end : end + 1] or " ") in _ENDS:
        return at, end
    for begin in (at, at - 1):
        word = _WORD.match(text, max(begin, 0))
        if word is not None and _stands_for(word[0], token):
            return word.span()
    return 0, 0


def _stands_for(word: str, token: str) -> bool:
    try:
        return words(word) == [token]
    except ValueError:
        return False


def _quote_around(text: str, at: int) -> str:
    """Return the quote in which a word of a command stands, as in `sh -c "…"`; "" for none."""
    start = _line_start(text, at)
    while start and text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        start = _line_start(text, start - 1)
    mark, escaped = "", False
    for char in text[start:at]:
        if escaped:
            escaped = False
        elif char == "\\" and mark != "'":
            escaped = True
        elif char == mark:
            mark = ""
        elif not mark and char in _QUOTES:
            mark = char
    return mark


def _between_options(text: str, start: int, end: int) -> str:
    """Return what stands between options of a command: a line break, where each has its line."""
    line, behind = _line_start(text, start), line_end(text, end)
    before = text[line:start]
    alone = not before.strip() and _REST.match(text, end, behind) is not None
    if alone and ("\\" in text[end:behind] or _CONTINUED.search(text, max(0, line - 200), start)):
        return f" \\{_newline(text)}{before}"
    return " "


def _removal(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return how to remove words of a command, with the line if nothing else is in it."""
    line, behind = _line_start(text, start), line_end(text, end)
    before = text[line:start]
    if before.strip():
        return start - (len(before) - len(before.rstrip(" \t"))), end, ""
    if not _REST.match(text, end, behind):
        return start, end + len(text[end:behind]) - len(text[end:behind].lstrip(" \t")), ""
    continued = _CONTINUED.search(text, max(0, line - 200), start)
    if "\\" not in text[end:behind] and continued:
        return continued.start(), behind - (text[behind - 1 : behind] == "\r"), ""
    return *_whole_lines(text, start, end), ""


def _double_quoted(token: str) -> str:
    marked = "".join("\\" + char if char in '\\"$`' else char for char in token)
    return token if quote(token) == token else f'"{marked}"'


# --- numbers


def of_number(text: str, line: int) -> list[Edit]:
    """Return how to quote what YAML reads as numbers and booleans in a line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    end = line_end(text, start)
    comment = text.find(" #", start, end)
    return [
        (item.start(), item.end(), f'"{item[0]}"')
        for item in _NUMBER.finditer(text, start, end if comment < 0 else comment)
        if item["plain"]
    ]


# --- variables


def of_variable(
    text: str, at: int, name: str, value: str, new: Sequence[tuple[str, str]]
) -> list[Edit]:
    """Return how to replace an assignment of a variable; [] if none stands there.

    Args:
        text: of the file.
        at: where its name begins.
        name, value: the variable.
        new: the assignments that replace it; [] removes it.
    """
    end = at + len(name)
    if not text.startswith(name, at):
        return []
    if len(new) == 1 and new[0][1] == value:
        return [(at, end, new[0][0])]  # its value stays as it is written
    if text[end : end + 1] == "=":
        return _assigned(text, at, end, value, new)
    if _NAMED.search(text, max(0, text.rfind("\n", 0, at)), at):
        return _of_entry(text, at, end, new)
    mapped = _MAPPED.match(text, end)
    return _of_mapping(text, at, mapped.end(), name, new) if mapped else []


def _assigned(
    text: str, at: int, sign: int, value: str, new: Sequence[tuple[str, str]]
) -> list[Edit]:
    """Return how to replace `NAME=value`, in a command or in a line of its own."""
    line, behind = _line_start(text, at), line_end(text, at)
    prefix = text[line:at]
    docker = _DOCKER.search(prefix)
    end = _end_of_value(text, prefix, sign + 1, behind, value)
    rest = _BEHIND.match(text, end, behind)
    alone = _ALONE.match(prefix) is not None and rest is not None
    if not new and alone:
        return [(*_whole_lines(text, at, at), "")]
    if not new:
        start = line + docker.start() if docker else at
        stop = end + (docker is not None and text[end : end + 1] == prefix[-1:] != " ")
        return [_removal(text, start, stop)]
    if alone and rest is not None:  # its comment stays behind the last one
        between = rest[1] + _newline(text) + prefix
    else:
        between = " " + (docker[0] if docker else "")
    raw = text[sign + 1 : end]
    return [(at, end, between.join(f"{name}={_form(given, raw, prefix)}" for name, given in new))]


def _end_of_value(text: str, prefix: str, start: int, behind: int, value: str) -> int:
    """Return where the value of an assignment ends.

    Args:
        text: of the file.
        prefix: what stands in front of the assignment in its line.
        start: where the value begins.
        behind: where the line ends.
        value: the value.
    """
    ends = []
    if prefix[-1:] in _QUOTES and (closing := text.find(prefix[-1], start, behind)) >= 0:
        ends.append(closing)
    if (word := _WORD.match(text, start)) is not None and word.end() <= behind:
        ends.append(word.end())
    whole = text[start:behind]
    ends += [start + len(part.rstrip()) for part in (whole.partition(" #")[0], whole)]
    for end in ends:
        raw = text[start:end]
        if raw == value or _stands_for(raw, value):
            return end
    return ends[0]


def _form(value: str, raw: str, prefix: str) -> str:
    """Return how to write a value in the place of another one.

    Args:
        value: the value.
        raw: how the other one is written.
        prefix: what stands in front of the assignment in its line.
    """
    if prefix[-1:] in _QUOTES:
        return dumps(value)[1:-1] if prefix[-1] == '"' else value
    mark = raw[0] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in _QUOTES else ""
    if mark and not set(mark + "\\$`").intersection(value):
        return f"{mark}{value}{mark}"
    return value if prefix.strip() == "-" else quote(value)  # an item of YAML


def _of_mapping(
    text: str, at: int, start: int, name: str, new: Sequence[tuple[str, str]]
) -> list[Edit]:
    """Return how to replace `NAME: value` of YAML."""
    prefix = text[_line_start(text, at) : at]
    alone = not prefix.strip(" \t\"'")
    value = _scalar(text, start, "" if alone else ",}")
    if value is None:
        return []
    if not new and alone:
        return [(*_whole_lines(text, at, at), "")]
    if not new:
        return [(*_with_comma(text, at - (prefix[-1:] in _QUOTES), value.end), "")]
    between = _newline(text) + prefix if alone else ", "
    gap = text[at + len(name) : start]
    made = [f"{other}{gap}{_scalar_text(given, value.mark)}" for other, given in new]
    return [(at, value.end, between.join(made))]


def _of_entry(text: str, at: int, end: int, new: Sequence[tuple[str, str]]) -> list[Edit]:
    """Return how to replace an item of `env:` in Kubernetes: `name: NAME`, `value: …`."""
    valued = _VALUED.match(text, end)
    begin = text.rfind("{", _line_start(text, at), at)
    in_braces = begin >= 0
    value = _scalar(text, valued.end(), ",}" if in_braces else "") if valued else None
    if value is None:
        return []
    finish = text.find("}", value.end) + 1 if in_braces else value.end
    if not finish:
        return []
    begin = begin if in_braces else _line_start(text, at)
    whole, between = _whole_lines(text, begin, finish), _newline(text)
    before = text[whole[0] : begin]
    if not before.strip(" \t-") and (
        not in_braces or _BEHIND.match(text, finish, line_end(text, finish))
    ):
        between += before
    else:
        whole, between = _with_comma(text, begin, finish), ", "
    if not new:
        return [(*whole, "")]
    others = text[value.end : finish].strip(" \t\r\n}")
    if len(new) > 1 and (others or not _ALONE_NAMED.fullmatch(text, begin, at)):
        return []  # its further keys are not to be copied
    made = [
        "".join(
            (text[begin:at], name, text[end : value.start])
            + (_scalar_text(given, value.mark or '"'), text[value.end : finish])
        )
        for name, given in new
    ]
    return [(begin, finish, between.join(made))]


# --- lines and scalars


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return the index of the line break behind an index, or of the end."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the lines that another span stands in, with the last line break."""
    return _line_start(text, start), min(line_end(text, end) + 1, len(text))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


@frozen
class _Scalar:
    """A scalar of YAML or JSON: its span, with its quotes; its quote, or ""; what it stands for."""

    start: int
    end: int
    mark: str
    value: str


def _scalar(text: str, start: int, ends: str = "") -> _Scalar | None:
    """Return the scalar that begins at an index, and ends in its line; None if it does not.

    Args:
        text: of the file.
        start: the index, of the quote if it has one.
        ends: the characters that end one without quotes.
    """
    line = line_end(text, start)
    mark = text[start : start + 1]
    if mark not in _QUOTES:
        end = next((at for at in range(start, line) if text[at] in ends), line)
        value = text[start:end].partition(" #")[0].rstrip()
        return _Scalar(start, start + len(value), "", value)
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
    return _Scalar(start, end + 1, mark, value)


def _with_comma(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of items with the comma behind them, or else with the one in front."""
    if (behind := _NEXT.match(text, end)) is not None:
        return start, behind.end()
    comma = text.rfind(",", 0, start)
    return (comma if comma >= 0 and not text[comma + 1 : start].strip() else start), end


def _scalar_text(value: str, mark: str, *, single: bool = False) -> str:
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


def _before(text: str, at: int) -> str:
    """Return the last character in front of an index that is no blank."""
    while at and text[at - 1].isspace():
        at -= 1
    return text[at - 1 : at]
