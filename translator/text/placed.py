"""Text that knows its place in a file, as does what readers cut out of it and put together.

A string that is made by other means has no place: none is better than a wrong one.
"""

from __future__ import annotations

# File ("" for the input), line and column, from 1.
Place = tuple[str, int, int]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

    # An index in a string, and the place of what begins there; None if it has none.
    Part = tuple[int, Place | None]

NOWHERE: Place = ("", 0, 0)


class Placed(str):
    """A string with the places of its parts in a file.

    Attributes:
        parts: in their order, the first at index 0; each stands in the file as in the string.
    """

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, text: str, parts: Iterable[Part]) -> Placed:
        made = super().__new__(cls, text)
        made.parts = tuple(parts)
        return made

    def __reduce__(self) -> tuple[type[Placed], tuple[str, tuple[Part, ...]]]:
        return Placed, (str(self), self.parts)


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


def place(text: str, at: int = 0) -> Place | None:
    """Return the place of the character at an index; None if it is not known."""
    return _part(text, at)[1] if isinstance(text, Placed) else None


def beginning(text: str) -> Place:
    """Return the place where a string begins; NOWHERE if it is not known."""
    return place(text) or NOWHERE


def _part(text: Placed, at: int) -> tuple[int, Place | None]:
    """Return the number of the part in which an index is, and the place of the index."""
    from bisect import bisect_left  # lazy: commands on plain input import nothing for it

    number = max(bisect_left(text.parts, (at + 1,)) - 1, 0)
    index, found = text.parts[number]
    return number, found and (found[0], found[1], found[2] + at - index)


def stamped(made: str, text: str, at: int = 0) -> str:
    """Return a string that stands for what is written at an index of another one: with the place
    of its beginning, if it has none of its own.
    """
    return placed_at(made, place(text, at))


def placed_at(made: str, found: Place | None) -> str:
    """Return a string with the place of its beginning, if it has none of its own."""
    if found is None or not made or isinstance(made, Placed):
        return made
    return Placed(made, ((0, found), (1, None)))


def cut(text: str, start: int, end: int | None = None) -> str:
    """Return a part of a string, as a slice does."""
    made = text[start:end]
    if not made or not isinstance(text, Placed):
        return made
    start = slice(start, end).indices(len(text))[0]
    number, found = _part(text, start)
    behind = text.parts[number + 1 : number + 2]
    if not behind or behind[0][0] >= start + len(made):
        return Placed(made, ((0, found),))
    last = _part(text, start + len(made) - 1)[0]
    inner = text.parts[number + 1 : last + 1]
    return Placed(made, ((0, found), *[(at - start, part) for at, part in inner]))


def joined(pieces: Iterable[str], between: str = "") -> str:
    """Return strings in one, as str.join does."""
    pieces = list(pieces)
    made = between.join(pieces)
    if not any(isinstance(piece, Placed) for piece in pieces):
        return made
    parts: list[Part] = []
    at = 0
    for piece in pieces:
        if piece:
            inner = piece.parts if isinstance(piece, Placed) else ((0, None),)
            parts += [(at + index, found) for index, found in inner]
        at += len(piece)
        if between:
            parts.append((at, None))
            at += len(between)
    return Placed(made, parts) if made else made


def split(text: str, sign: str | None = None) -> list[str]:
    """Return the parts of a string, as str.split does."""
    found = []
    at = 0
    for part in text.split(sign):
        at = text.find(part, at) if sign is None else at
        found.append(cut(text, at, at + len(part)))
        at += len(part) + len(sign or "")
    return found


def partition(text: str, sign: str) -> tuple[str, str, str]:
    """Return what stands in front of a sign, the sign, and what stands behind it, as str.partition
    does.
    """
    before, found, _ = text.partition(sign)
    end = len(before)
    return cut(text, 0, end), found, cut(text, end + len(found))


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
