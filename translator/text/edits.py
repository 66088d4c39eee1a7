"""Where a file writes a token or a variable, and how to write others there.

The places are candidates: they are found by the text around them, in YAML, JSON, shell commands and
files of variables alike, without knowing the kind of the file. Whoever applies one reads the result
again, and keeps it only if exactly what was meant has changed.
"""

from __future__ import annotations

import re

from translator.text.json_text import JsonError, dumps, loads
from translator.text.quoting import quote, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    # Start, end and what to write there; those of one change do not overlap.
    Edit = tuple[int, int, str]

_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])+""", re.DOTALL)
# What stands between two words of a command, also in YAML that folds lines.
_BETWEEN = re.compile(r"(?:[ \t]|\\?\r?\n)+")
_ITEM = re.compile(r"([ \t]*-[ \t]+)([\"']?)")
_FLOW_NEXT = re.compile(r"\s*,\s*")
_SKIPPED = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*$")
_REST = re.compile(r"[ \t]*\\?[ \t]*\r?$")
_ENDS = " \t\r\n\\\"'`;|&)"
# What stands in front of a variable that has a line of its own, and behind it.
_ALONE = re.compile(r"[ \t]*(?:-[ \t]+|export[ \t]+|ENV[ \t]+|Environment=)?[\"']?$")
_BEHIND = re.compile(r"[\"']?[ \t]*(?:#.*)?\r?$")
_DOCKER = re.compile(r"(?:-e|--env)(?:[ \t]+|=)[\"']?$")
_MAPPED = re.compile(r"[\"']?[ \t]*:[ \t]*")
_NAMED = re.compile(r"([{\n]?)([ \t]*-[ \t]+|[ \t]*)([\"']?)name\3:[ \t]*[\"']?$")
_VALUED = re.compile(r"[\"']?\s*,?\s*[\"']?value[\"']?:[ \t]*")
_NUMBER = re.compile(
    r"(?<![\"'\w$.{-])(?:[+-]?[\d._]+(?:e[+-]?\d+)?|0x[\da-f]+|true|false|yes|no|on|off)"
    r"(?=\s*(?:[,\]}#]|$))",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[A-Za-z_./][\w./=-]*|--?[A-Za-z][\w.-]*(?:=[\w./-]*)?")
_NO_STRINGS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "."))


def applied(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits applied, from the back to the front.

    Raises:
        ValueError: two of them overlap.
    """
    least = len(text)
    for start, end, new in sorted(edits, reverse=True):
        if end > least:
            raise ValueError("edits overlap")
        text = text[:start] + new + text[end:]
        least = start
    return text


def narrowed(text: str, edit: Edit) -> Edit:
    """Return an edit without what it leaves as it is at its beginning and its end."""
    start, end, new = edit
    least = min(end - start, len(new))
    front = next((at for at in range(least) if text[start + at] != new[at]), least)
    least -= front
    back = next((at for at in range(least) if text[end - 1 - at] != new[-1 - at]), least)
    return start + front, end - back, new[front : len(new) - back]


def of_tokens(
    text: str, old: Sequence[str], new: Sequence[str], start: int = 0
) -> Iterator[list[Edit]]:
    """Yield the ways to replace neighbouring tokens: the first is an option, or a word.

    Args:
        text: of the file.
        old: the tokens.
        new: what replaces them; [] removes them.
        start: where to begin.
    """
    name = old[0].partition("=")[0]
    renamed = _renamed(old, new)
    for at in _places(text, name, "-_.", start):
        if renamed:
            yield [(at, at + len(name), renamed)]
            continue
        yield from _items(text, at, old, new)
        yield from _flow(text, at, old, new)
        span = _words(text, at, old)
        if span is None:
            continue
        if not new:
            yield [_removal(text, *span)]
            continue
        between = _between(text, *span)
        yield [(*span, _lined(map(quote, new), between))]
        if any(quote(item) != item for item in new):  # inside of other quotes
            yield [(*span, _lined(map(_double_quoted, new), between))]
            yield [(*span, dumps(" ".join(map(quote, new)))[1:-1])]


def _renamed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the new name if nothing but the name of an option changes, else ""."""
    if len(old) != len(new):
        return ""
    name, other = old[0].partition("=")[0], new[0].partition("=")[0]
    same = (old[0][len(name) :], *old[1:]) == (new[0][len(other) :], *new[1:])
    return other if same and other.startswith("-") else ""


def of_variable(
    text: str, name: str, new: Sequence[tuple[str, str]], start: int = 0
) -> Iterator[list[Edit]]:
    """Yield the ways to replace an assignment of a variable.

    Args:
        text: of the file.
        name: the variable.
        new: the assignments that replace it; [] removes it.
        start: where to begin.
    """
    for at in _places(text, name, "_", start):
        end = at + len(name)
        if text[end : end + 1] == "=":
            yield from _assigned(text, at, end, new)
        elif named := _NAMED.search(text, max(0, text.rfind("\n", 0, at)), at):
            yield from _of_entry(text, at, end, named, new)
        elif mapped := _MAPPED.match(text, end):
            yield from _of_mapping(text, at, mapped.end(), name, new)


def of_number(text: str, line: int) -> Iterator[list[Edit]]:
    """Yield the ways to quote what YAML reads as a number or a boolean in a line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    end = _line_end(text, start)
    comment = text.find(" #", start, end)
    end = end if comment < 0 else comment
    found = [
        (item.start(), item.end(), f'"{item[0]}"') for item in _NUMBER.finditer(text, start, end)
    ]
    if found:
        yield found
    yield from ([item] for item in found[:20] if len(found) > 1)


# --- places


def _places(text: str, name: str, inner: str, start: int) -> Iterator[int]:
    """Yield where a name stands that is not a part of a longer one."""
    at = text.find(name, start)
    while at >= 0:
        before, behind = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or (char and char in inner) for char in (before, behind)):
            yield at
        at = text.find(name, at + 1)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Return the index of the line break behind an index, or of the end."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# --- lists of YAML and JSON


def _scalar(text: str, at: int, mark: str, ends: str) -> tuple[int, str] | None:
    """Return the end of a scalar of YAML or JSON, and what it stands for.

    Args:
        text: of the file.
        at: where it begins, behind its quote.
        mark: its quote, or "".
        ends: the characters that end a plain one.
    """
    line = _line_end(text, at)
    if not mark:
        end = next((i for i in range(at, line) if text[i] in ends), line)
        comment = text.find(" #", at, end)
        whole = text[at : end if comment < 0 else comment].rstrip()
        return at + len(whole), whole
    end = at
    while end < line and text[end] != mark:
        end += 2 if mark == '"' and text[end] == "\\" else 1
    if end >= line:
        return None
    inner = text[at:end]
    if mark == "'":
        return end, inner
    try:
        return end, str(loads(f'"{inner}"'))
    except JsonError:
        return None


def _styled(value: str, mark: str, *, single: bool = False) -> str:
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


def _items(text: str, at: int, old: Sequence[str], new: Sequence[str]) -> Iterator[list[Edit]]:
    """Yield how to replace tokens that are items of a list of YAML, each on its line."""
    begin = _line_start(text, at)
    found: list[tuple[int, int, int, str]] = []  # line, scalar with its quotes, its quote
    first = ""
    for token in old:
        begin = _SKIPPED.match(text, begin).end() if found else begin  # type: ignore[union-attr]
        item = _ITEM.match(text, begin)
        if item is None or (found and item[1] != first) or (not found and item.end() != at):
            return
        first, mark = item[1], item[2]
        scalar = _scalar(text, item.end(), mark, "")
        if scalar is None or scalar[1] != token:
            return
        found.append((begin, item.start(2), scalar[0] + len(mark), mark))
        begin = _line_end(text, scalar[0]) + 1
    edits = [
        (start, end, _styled(token, mark, single=True))
        for (_, start, end, mark), token in zip(found, new)
    ]
    for line, *_ in found[len(new) :]:
        edits.append((line, min(_line_end(text, line) + 1, len(text)), ""))
    if len(new) > len(found):
        last = _line_end(text, found[-1][2])
        last -= text[last - 1 : last] == "\r"
        more = [
            _newline(text) + first + _styled(token, found[-1][3], single=True)
            for token in new[len(found) :]
        ]
        edits.append((last, last, "".join(more)))
    yield edits


def _flow(text: str, at: int, old: Sequence[str], new: Sequence[str]) -> Iterator[list[Edit]]:
    """Yield how to replace tokens that are items of a list in brackets."""
    mark = text[at - 1 : at] if text[at - 1 : at] in ("'", '"') else ""
    start = at - len(mark)
    before = text[:start].rstrip()[-1:] if start else ""
    if before not in ("[", ","):
        return
    found: list[tuple[int, int, str]] = []  # an item with its quotes, its quote
    for token in old:
        if found:
            comma = _FLOW_NEXT.match(text, found[-1][1])
            if comma is None:
                return
            start = comma.end()
            mark = text[start : start + 1] if text[start : start + 1] in ("'", '"') else ""
        scalar = _scalar(text, start + len(mark), mark, ",]")
        if scalar is None or scalar[1] != token:
            return
        found.append((start, scalar[0] + len(mark), mark))
    edits = [(start, end, _styled(token, mark)) for (start, end, mark), token in zip(found, new)]
    if len(new) > len(found):
        end = found[-1][1]
        edits.append(
            (end, end, "".join(f", {_styled(token, mark)}" for token in new[len(found) :]))
        )
    elif len(new) < len(found):
        edits.append((*_with_comma(text, found[len(new)][0], found[-1][1]), ""))
    yield edits


def _with_comma(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of items with the comma behind them, or else with the one in front."""
    comma = _FLOW_NEXT.match(text, end)
    if comma is not None:
        return start, comma.end()
    before = text[:start].rstrip()
    return (len(before) - 1 if before.endswith(",") else start), end


# --- words of a command


def _double_quoted(token: str) -> str:
    marked = "".join("\\" + char if char in '\\"$`' else char for char in token)
    return token if quote(token) == token else f'"{marked}"'


def _words(text: str, at: int, old: Sequence[str]) -> tuple[int, int] | None:
    """Return the span of tokens that are words of a command; None if they do not stand there."""
    start, end = at, at
    for number, token in enumerate(old):
        if number:
            between = _BETWEEN.match(text, end)
            if between is None:
                return None
            at = between.end()
        mark = text[at : at + 1] if number else text[at - 1 : at]
        inner = at + 1 if number and mark in ("'", '"') else at
        behind = inner + len(token)
        if text.startswith(token, inner) and (text[behind : behind + 1] or " ") in _ENDS:
            if mark in ("'", '"') and mark and text[behind : behind + 1] == mark:
                start, end = (start if number else at - 1), behind + 1
            elif inner == at:
                end = behind
            else:
                return None
            continue
        word = _WORD.match(text, at)
        if word is None or not _stands_for(word[0], token):
            return None
        end = word.end()
    return start, end


def _stands_for(word: str, token: str) -> bool:
    try:
        return words(word) == [token]
    except ValueError:
        return False


def _between(text: str, start: int, end: int) -> str:
    """Return what stands between options of a command: a line break, where each has its line."""
    line, behind = _line_start(text, start), _line_end(text, end)
    before = text[line:start]
    alone = not before.strip() and _REST.match(text, end, behind) is not None
    if alone and ("\\" in text[end:behind] or _CONTINUED.search(text, max(0, line - 200), start)):
        return f" \\{_newline(text)}{before}"
    return " "


def _lined(words: Iterable[str], between: str) -> str:
    """Return words of a command, with something else than a blank in front of further options."""
    found = ""
    for word in words:
        found += (between if word.startswith("-") else " ") * bool(found) + word
    return found


def _removal(text: str, start: int, end: int) -> Edit:
    """Return how to remove words of a command, with the line if nothing else is in it."""
    line, behind = _line_start(text, start), _line_end(text, end)
    before = text[line:start]
    if before.strip():
        return start - (len(before) - len(before.rstrip(" \t"))), end, ""
    if not _REST.match(text, end, behind):
        return start, end + len(text[end:behind]) - len(text[end:behind].lstrip(" \t")), ""
    continued = _CONTINUED.search(text, max(0, line - 200), start)
    if "\\" not in text[end:behind] and continued:
        return continued.start(), behind - (text[behind - 1 : behind] == "\r"), ""
    return line, min(behind + 1, len(text)), ""


# --- variables


def _assigned(
    text: str, at: int, sign: int, new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace `NAME=value`, in a command or in a line of its own."""
    line, behind = _line_start(text, at), _line_end(text, at)
    prefix = text[line:at]
    ends: dict[int, None] = {}
    if prefix[-1:] in ("'", '"'):
        closing = text.find(prefix[-1], sign)
        if 0 <= closing <= behind:
            ends[closing] = None
    if (word := _WORD.match(text, sign + 1)) is not None and word.end() <= behind:
        ends[word.end()] = None
    ends[sign + 1] = None
    whole = text[sign + 1 : behind]
    ends[sign + 1 + len(whole.partition(" #")[0].rstrip())] = None
    ends[sign + 1 + len(whole.rstrip())] = None
    for end in ends:
        alone = _ALONE.match(prefix) is not None and _BEHIND.match(text, end, behind) is not None
        docker = _DOCKER.search(prefix)
        if not new:
            start = line + docker.start() if docker else at
            stop = end + (docker is not None and text[end : end + 1] == prefix[-1:] != " ")
            yield [(line, min(behind + 1, len(text)), "") if alone else _removal(text, start, stop)]
            continue
        raw = text[sign + 1 : end]
        mark = raw[0] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\"" else ""
        forms = {write: None for _, value in new for write in _forms(value, mark)}
        for form in range(len(forms) if len(new) == 1 else 1):
            made = [f"{name}={_forms(value, mark)[form]}" for name, value in new]
            if alone:
                between = text[end:behind].rstrip("\r") + _newline(text) + prefix
            else:
                between = " " + (docker[0] if docker else "")
            yield [(at, end, between.join(made))]


def _forms(value: str, mark: str) -> list[str]:
    """Return how a value may be written, beginning with the quotes that stand there."""
    forms = [f"{mark}{value}{mark}"] if mark and mark not in value else []
    return list(dict.fromkeys((*forms, quote(value), value, _double_quoted(value))))


def _of_mapping(
    text: str, at: int, start: int, name: str, new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace `NAME: value` of YAML."""
    line, behind = _line_start(text, at), _line_end(text, at)
    prefix = text[line:at]
    mark = text[start : start + 1] if text[start : start + 1] in ("'", '"') else ""
    alone = not prefix.strip(" \t\"'")
    scalar = _scalar(text, start + len(mark), mark, "" if alone else ",}")
    if scalar is None:
        return
    end = scalar[0] + len(mark)
    if not new and alone:
        yield [(line, min(behind + 1, len(text)), "")]
    elif not new:
        yield [(*_with_comma(text, at - (prefix[-1:] in ("'", '"')), end), "")]
    else:
        between = _newline(text) + prefix if alone else ", "
        gap = text[at + len(name) : start]
        made = [f"{other}{gap}{_styled(value, mark)}" for other, value in new]
        yield [(at, end, between.join(made))]


def _of_entry(
    text: str, at: int, end: int, named: re.Match[str], new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace an item of `env:` in Kubernetes: `name: NAME`, `value: …`."""
    valued = _VALUED.match(text, end)
    if valued is None:
        return
    start = valued.end()
    mark = text[start : start + 1] if text[start : start + 1] in ("'", '"') else ""
    opening = text.rfind("{", _line_start(text, at), at)
    scalar = _scalar(text, start + len(mark), mark, ",}" if opening >= 0 else "")
    if scalar is None:
        return
    stop = scalar[0] + len(mark)
    if opening >= 0:
        closing = text.find("}", stop)
        if closing < 0:
            return
        begin, finish = opening, closing + 1
        line, behind = _line_start(text, begin), _line_end(text, finish)
        if not text[line:begin].strip(" \t-") and _BEHIND.match(text, finish, behind):
            whole, between = (line, min(behind + 1, len(text))), _newline(text) + text[line:begin]
        else:
            whole, between = _with_comma(text, begin, finish), ", "
    else:
        begin, finish = _line_start(text, at), stop
        whole, between = (begin, min(_line_end(text, stop) + 1, len(text))), _newline(text)
    if not new:
        yield [(*whole, "")]
        return
    made = [
        text[begin:at] + name + text[end:start] + _styled(value, mark or '"') + text[stop:finish]
        for name, value in new
    ]
    yield [(begin, finish, between.join(made))]
