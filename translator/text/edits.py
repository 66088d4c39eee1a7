"""Where a file writes a token, and how to write others there; of variables, see variable_edits.py.

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
    WORD,
    Scalar,
    between_options,
    double_quoted,
    line_end,
    line_start,
    newline,
    next_in_flow,
    places,
    removal,
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

# What stands between two words of a command, also in YAML that folds lines.
_BETWEEN = re.compile(r"(?:[ \t]|\\?\r?\n)+")
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_SKIPPED = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_ENDS = " \t\r\n\\\"'`;|&)"
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
    for at in places(text, name, "-_.", start):
        if renamed:
            yield [(at, at + len(name), renamed)]
            continue
        yield from _items(text, at, old, new)
        yield from _flow(text, at, old, new)
        span = _words(text, at, old)
        if span is None:
            continue
        if not new:
            yield [removal(text, *span)]
            continue
        between = between_options(text, *span)
        yield [(*span, _lined(map(quote, new), between))]
        if any(quote(item) != item for item in new):  # inside of other quotes
            yield [(*span, _lined(map(double_quoted, new), between))]
            yield [(*span, dumps(" ".join(map(quote, new)))[1:-1])]


def _renamed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the new name if nothing but the name of an option changes, else ""."""
    if len(old) != len(new):
        return ""
    name, other = old[0].partition("=")[0], new[0].partition("=")[0]
    same = (old[0][len(name) :], *old[1:]) == (new[0][len(other) :], *new[1:])
    return other if same and other.startswith("-") else ""


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
    word = WORD.match(text, at)
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


def _lined(words: Iterable[str], between: str) -> str:
    """Return words of a command, with something else than a blank in front of further options."""
    found = ""
    for word in words:
        found += (between if word.startswith("-") else " ") * bool(found) + word
    return found
