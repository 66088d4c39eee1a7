"""Cut and change text that knows its place in a file (core/text/words.py)."""

from __future__ import annotations

from translator.core.text.words import Place, Placed, cut, joined, place, stamped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from translator.core.text.words import Part

NOWHERE: Place = ("", 0, 0)


def whole(text: str, file: str = "") -> Placed:
    """Return the text of a file with the places of its lines; a placed one is left as it is."""
    if isinstance(text, Placed):
        return text
    parts: list[Part] = []
    at = 0
    for number, line in enumerate(text.split("\n"), 1):
        parts.append((at, (file, number, 1)))
        at += len(line) + 1
    return Placed(text, parts)


def beginning(text: str) -> Place:
    """Return the place where a string begins; NOWHERE if it is not known."""
    return place(text) or NOWHERE


def split(text: str, sign: str | None = None) -> list[str]:
    """Return the parts of a string, as str.split does."""
    parts = []
    at = 0
    for part in text.split(sign):
        at = text.find(part, at) if sign is None else at
        parts.append(cut(text, at, at + len(part)))
        at += len(part) + len(sign or "")
    return parts


def partition(text: str, sign: str) -> tuple[str, str, str]:
    """Return the parts in front of a sign and behind it, and the sign, as str.partition does."""
    before, middle, _ = text.partition(sign)
    end = len(before)
    return cut(text, 0, end), middle, cut(text, end + len(middle))


def stripped(text: str, before: str | None = None, behind: str | None = None) -> str:
    """Return a string without the given characters at its ends; None: without blanks."""
    start = len(text) - len(text.lstrip(before))
    return cut(text, start, max(len(text.rstrip(behind)), start))


def replaced(text: str, pattern: re.Pattern[str], new: Callable[[str], str]) -> str:
    """Return a string with every match replaced by what a function makes of it."""
    pieces = []
    at = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        pieces += [cut(text, at, start), stamped(new(cut(text, start, end)), text, start)]
        at = end
    return joined([*pieces, cut(text, at)]) if at else text
