"""Where a file writes a token or a variable, and how to write others there.

The places are candidates: they are found by the text around them, in YAML, JSON, shell commands and
files of variables alike, without knowing the kind of the file. Whoever applies one reads the result
again, and keeps it only if exactly what was meant has changed.
"""

from __future__ import annotations

import re

from translator.text.json_text import dumps
from translator.text.quoting import quote, words
from translator.text.spans import (
    QUOTES,
    Scalar,
    line_end,
    line_start,
    newline,
    next_in_flow,
    scalar,
    styled,
    whole_lines,
    with_comma,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    # Start, end and what to write there; those of one change do not overlap.
    Edit = tuple[int, int, str]

_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])+""", re.DOTALL)
# What stands between two words of a command, also in YAML that folds lines.
_BETWEEN = re.compile(r"(?:[ \t]|\\?\r?\n)+")
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_SKIPPED = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*$")
_REST = re.compile(r"[ \t]*\\?[ \t]*\r?$")
_ENDS = " \t\r\n\\\"'`;|&)"
# What stands in front of a variable that has a line of its own, and behind it.
_ALONE = re.compile(r"[ \t]*(?:-[ \t]+|export[ \t]+|ENV[ \t]+|Environment=)?[\"']?$")
_BEHIND = re.compile(r"([\"']?)[ \t]*(?:#.*)?\r?$")
_DOCKER = re.compile(r"(?:-e|--env)(?:[ \t]+|=)[\"']?$")
_MAPPED = re.compile(r"[\"']?[ \t]*:[ \t]*")
_NAMED = re.compile(r"([{\n]?)([ \t]*-[ \t]+|[ \t]*)([\"']?)name\3:[ \t]*[\"']?$")
_ALONE_NAMED = re.compile(r"[{ \t-]*[\"']?name[\"']?:[ \t]*[\"']?")
_VALUED = re.compile(r"[\"']?\s*,?\s*[\"']?value[\"']?:[ \t]*")
# Behind whole quoted scalars, which may hold numbers: `'{"factor":2.0}'`.
_NUMBER = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|"
    r"(?<![\"'\w$.{-])(?P<plain>[+-]?[\d._]+(?:e[+-]?\d+)?|0x[\da-f]+|true|false|yes|no|on|off)"
    r"(?=\s*(?:[,\]}#]|$))",
    re.IGNORECASE,
)


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
        elif _NAMED.search(text, max(0, text.rfind("\n", 0, at)), at):
            yield from _of_entry(text, at, end, new)
        elif mapped := _MAPPED.match(text, end):
            yield from _of_mapping(text, at, mapped.end(), name, new)


def of_name(text: str, name: str, new: str, start: int = 0) -> Iterator[list[Edit]]:
    """Yield the ways to replace the name of a variable; its value stays as it is written.

    Args:
        text: of the file.
        name: the variable.
        new: its new name.
        start: where to begin.
    """
    for at in _places(text, name, "_", start):
        yield [(at, at + len(name), new)]


def of_number(text: str, line: int) -> Iterator[list[Edit]]:
    """Yield the ways to quote what YAML reads as a number or a boolean in a line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    end = line_end(text, start)
    comment = text.find(" #", start, end)
    end = end if comment < 0 else comment
    found = [
        (item.start(), item.end(), f'"{item[0]}"')
        for item in _NUMBER.finditer(text, start, end)
        if item["plain"]
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


def _items(text: str, at: int, old: Sequence[str], new: Sequence[str]) -> Iterator[list[Edit]]:
    """Yield how to replace tokens that are items of a list of YAML, each on its line."""
    first = _ITEM.match(text, line_start(text, at))
    if first is None:
        return

    def following(end: int) -> int | None:
        skipped = _SKIPPED.match(text, line_end(text, end) + 1)
        item = _ITEM.match(text, skipped.end()) if skipped else None
        return item.end() if item is not None and item[0] == first[0] else None

    found = _scalars(text, first.end(), old, following)
    if not found or at != found[0].start + len(found[0].mark):
        return
    last = found[-1]
    edits = _styled(found, new, single=True)
    edits += [(*whole_lines(text, item.start, item.end), "") for item in found[len(new) :]]
    if len(new) > len(found):
        end = line_end(text, last.end)
        end -= text[end - 1 : end] == "\r"
        before = newline(text) + first[0]
        more = [before + styled(token, last.mark, single=True) for token in new[len(found) :]]
        edits.append((end, end, "".join(more)))
    yield edits


def _flow(text: str, at: int, old: Sequence[str], new: Sequence[str]) -> Iterator[list[Edit]]:
    """Yield how to replace tokens that are items of a list in brackets."""
    start = at - 1 if text[max(at - 1, 0) : at] in QUOTES else at
    if text[:start].rstrip()[-1:] not in ("[", ","):
        return
    found = _scalars(text, start, old, lambda end: next_in_flow(text, end), ",]")
    if not found:
        return
    last = found[-1]
    edits = _styled(found, new)
    if len(new) > len(found):
        more = [f", {styled(token, last.mark)}" for token in new[len(found) :]]
        edits.append((last.end, last.end, "".join(more)))
    elif len(new) < len(found):
        edits.append((*with_comma(text, found[len(new)].start, last.end), ""))
    yield edits


def _scalars(
    text: str,
    start: int,
    values: Sequence[str],
    following: Callable[[int], int | None],
    ends: str = "",
) -> list[Scalar]:
    """Return the items of a list from one on, if they have the given values; else [].

    Args:
        text: of the file.
        start: where the first one begins.
        values: of the items.
        following: returns where the item begins that follows one which ends at an index.
        ends: the characters that end an item without quotes.
    """
    found: list[Scalar] = []
    at: int | None = start
    for value in values:
        made = None if at is None else scalar(text, at, ends)
        if made is None or made.value != value:
            return []
        found.append(made)
        at = following(made.end)
    return found


def _styled(found: list[Scalar], new: Sequence[str], *, single: bool = False) -> list[Edit]:
    """Return how to write other values in the place of items, as far as there are both."""
    return [
        (item.start, item.end, styled(value, item.mark, single=single))
        for item, value in zip(found, new)
    ]


# --- words of a command


def _double_quoted(token: str) -> str:
    marked = "".join("\\" + char if char in '\\"$`' else char for char in token)
    return token if quote(token) == token else f'"{marked}"'


def _words(text: str, at: int, old: Sequence[str]) -> tuple[int, int] | None:
    """Return the span of tokens that are words of a command; None if they do not stand there."""
    spans: list[tuple[int, int]] = []
    for token in old:
        if not spans:
            span = _quoted(text, at - 1, token) or _word(text, at, token)
        elif between := _BETWEEN.match(text, spans[-1][1]):
            span = _word(text, between.end(), token)
        else:
            return None
        if span is None:
            return None
        spans.append(span)
    return spans[0][0], spans[-1][1]


def _word(text: str, at: int, token: str) -> tuple[int, int] | None:
    """Return the span of the word at an index, if it stands for a token."""
    end = at + len(token)
    if text.startswith(token, at) and (text[end : end + 1] or " ") in _ENDS:
        return at, end
    word = _WORD.match(text, at)
    found = (at, word.end()) if word is not None and _stands_for(word[0], token) else None
    return found or _quoted(text, at, token)


def _quoted(text: str, at: int, token: str) -> tuple[int, int] | None:
    """Return the span of the quotes at an index, if they hold exactly a token."""
    mark, end = text[at : at + 1], at + 1 + len(token)
    found = mark in QUOTES and text.startswith(token, at + 1) and text[end : end + 1] == mark
    return (at, end + 1) if found else None


def _stands_for(word: str, token: str) -> bool:
    try:
        return words(word) == [token]
    except ValueError:
        return False


def _between(text: str, start: int, end: int) -> str:
    """Return what stands between options of a command: a line break, where each has its line."""
    line, behind = line_start(text, start), line_end(text, end)
    before = text[line:start]
    alone = not before.strip() and _REST.match(text, end, behind) is not None
    if alone and ("\\" in text[end:behind] or _CONTINUED.search(text, max(0, line - 200), start)):
        return f" \\{newline(text)}{before}"
    return " "


def _lined(words: Iterable[str], between: str) -> str:
    """Return words of a command, with something else than a blank in front of further options."""
    found = ""
    for word in words:
        found += (between if word.startswith("-") else " ") * bool(found) + word
    return found


def _removal(text: str, start: int, end: int) -> Edit:
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


# --- variables


def _assigned(
    text: str, at: int, sign: int, new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace `NAME=value`, in a command or in a line of its own."""
    line, behind = line_start(text, at), line_end(text, at)
    prefix = text[line:at]
    docker = _DOCKER.search(prefix)
    for end in _ends_of_value(text, prefix, sign + 1, behind):
        rest = _BEHIND.match(text, end, behind)
        alone = _ALONE.match(prefix) is not None and rest is not None
        if not new and alone:
            yield [(*whole_lines(text, at, at), "")]
            continue
        if not new:
            start = line + docker.start() if docker else at
            stop = end + (docker is not None and text[end : end + 1] == prefix[-1:] != " ")
            yield [_removal(text, start, stop)]
            continue
        raw = text[sign + 1 : end]
        mark = raw[0] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in QUOTES else ""
        if alone and rest is not None:  # its comment stays behind the last one
            between = rest[1] + newline(text) + prefix
        else:
            between = " " + (docker[0] if docker else "")
        written = [[f"{name}={form}" for form in _forms(value, mark)] for name, value in new]
        for made in zip(*written) if len(new) == 1 else [[forms[0] for forms in written]]:
            yield [(at, end, between.join(made))]


def _ends_of_value(text: str, prefix: str, start: int, behind: int) -> list[int]:
    """Return where the value of an assignment may end, the most likely index first.

    Args:
        text: of the file.
        prefix: what stands in front of the assignment in its line.
        start: where the value begins.
        behind: where the line ends.
    """
    ends: list[int] = []
    if prefix[-1:] in QUOTES and (closing := text.find(prefix[-1], start - 1, behind + 1)) >= 0:
        ends.append(closing)
    if (word := _WORD.match(text, start)) is not None and word.end() <= behind:
        ends.append(word.end())
    whole = text[start:behind]
    without_comment = whole.partition(" #")[0]
    ends += [start, start + len(without_comment.rstrip()), start + len(whole.rstrip())]
    return list(dict.fromkeys(ends))


def _forms(value: str, mark: str) -> list[str]:
    """Return how a value may be written, beginning with the quotes that stand there."""
    forms = [f"{mark}{value}{mark}"] if mark and mark not in value else []
    return list(dict.fromkeys((*forms, quote(value), value, _double_quoted(value))))


def _of_mapping(
    text: str, at: int, start: int, name: str, new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace `NAME: value` of YAML."""
    prefix = text[line_start(text, at) : at]
    alone = not prefix.strip(" \t\"'")
    value = scalar(text, start, "" if alone else ",}")
    if value is None:
        return
    if not new and alone:
        yield [(*whole_lines(text, at, at), "")]
    elif not new:
        yield [(*with_comma(text, at - (prefix[-1:] in QUOTES), value.end), "")]
    else:
        between = newline(text) + prefix if alone else ", "
        gap = text[at + len(name) : start]
        made = [f"{other}{gap}{styled(given, value.mark)}" for other, given in new]
        yield [(at, value.end, between.join(made))]


def _of_entry(text: str, at: int, end: int, new: Sequence[tuple[str, str]]) -> Iterator[list[Edit]]:
    """Yield how to replace an item of `env:` in Kubernetes: `name: NAME`, `value: …`."""
    valued = _VALUED.match(text, end)
    begin = text.rfind("{", line_start(text, at), at)
    in_braces = begin >= 0
    value = scalar(text, valued.end(), ",}" if in_braces else "") if valued else None
    if value is None:
        return
    finish = text.find("}", value.end) + 1 if in_braces else value.end
    if not finish:
        return
    begin = begin if in_braces else line_start(text, at)
    whole, between = whole_lines(text, begin, finish), newline(text)
    before = text[whole[0] : begin]
    if not before.strip(" \t-") and (
        not in_braces or _BEHIND.match(text, finish, line_end(text, finish))
    ):
        between += before
    else:
        whole, between = with_comma(text, begin, finish), ", "
    if not new:
        yield [(*whole, "")]
        return
    others = text[value.end : finish].strip(" \t\r\n}")
    if len(new) > 1 and (others or not _ALONE_NAMED.fullmatch(text, begin, at)):
        return  # its further keys are not to be copied
    made = [
        "".join(
            (text[begin:at], name, text[end : value.start])
            + (styled(given, value.mark or '"'), text[value.end : finish])
        )
        for name, given in new
    ]
    yield [(begin, finish, between.join(made))]
