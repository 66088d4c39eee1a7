"""Find secrets in text, in time that is linear in the text whatever their number."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


BEGINNING = 12
"""Characters by which a longer secret is known where a message has truncated it."""


_OVERLAP = 1000  # characters of a secret in which another one may begin


class Finder:
    """Finds any of some secrets."""

    __slots__ = ("_first", "_lengths", "_long", "_short")

    def __init__(self, hidden: Iterable[str]) -> None:
        self._short: set[str] = set()
        self._long: dict[str, list[str]] = {}  # beginning -> the secrets that begin so, sorted
        for item in sorted({item for item in hidden if item}):
            if len(item) > BEGINNING:
                self._long.setdefault(item[:BEGINNING], []).append(item)
            else:
                self._short.add(item)
        starts = self._short.union(self._long)
        self._lengths = sorted({len(item) for item in starts}, reverse=True)
        self._first = frozenset(item[0] for item in starts)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets are, as a whole or by their beginning; those that overlap are one."""
        first, at = self._first, 0
        while at < len(text):
            end = self._end(text, at) if text[at] in first else 0
            if not end:
                at += 1
                continue
            start = at
            while at < end:
                at = max(at + 1, end - _OVERLAP)
                if text[at : at + 1] in first:
                    end = max(end, self._end(text, at))
            yield start, end

    def _end(self, text: str, at: int) -> int:
        """Return the end of the longest secret, or part of one, that begins at an index; or 0."""
        end = 0
        for length in self._lengths:
            part = text[at : at + length]
            if part in self._short:
                end = at + length
                break
        found = self._long.get(text[at : at + BEGINNING])
        return max(end, _longest(text, at, found)) if found else end


def _longest(text: str, at: int, sorted_items: list[str]) -> int:
    """Return how far a text agrees with one of the items; they have the same beginning."""
    low, high, end = 0, len(sorted_items), at + BEGINNING
    # The items that agree up to `end` are those from `low` to `high`.
    while True:
        if high - low == 1:
            return end + _agreement(text, end, sorted_items[low], end - at)
        char = text[end : end + 1]
        size = end - at
        if not char:
            return end
        low = _bisect(sorted_items, low, high, size, char, after=False)
        high = _bisect(sorted_items, low, high, size, char, after=True)
        if low == high:
            return end
        end += 1


def _bisect(items: list[str], low: int, high: int, index: int, char: str, *, after: bool) -> int:
    """Return where the items begin whose character at an index is the given one, or is after it."""
    while low < high:
        middle = (low + high) // 2
        here = items[middle][index : index + 1]
        if here < char or (after and here == char):
            low = middle + 1
        else:
            high = middle
    return low


def _agreement(text: str, at: int, item: str, index: int) -> int:
    """Return how many characters of a text from `at` on are those of an item from `index` on."""
    most = min(len(text) - at, len(item) - index)
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if text.startswith(item[index + low : index + middle], at + low):
            low = middle
        else:
            most = middle - 1
    return low
