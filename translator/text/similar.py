"""Suggest the names that a misspelt name most likely stands for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


MOST_HINTS = 100
"""Maximum number of mistakes per command line or value for which similar names are looked up, at 4
ms each.
"""


def nearest(name: str, names: Collection[str], limit: int = 3) -> list[str]:
    """Return the known names that `name` is most likely a misspelling of, best first."""
    from difflib import get_close_matches  # only needed for messages

    return get_close_matches(name, names, limit, 0.72)


def alike_from_start(one: str, other: str) -> int:
    """Return how many letters two words begin with in common."""
    pairs = enumerate(zip(one, other))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def within(name: str, names: Iterable[str], most: int) -> bool:
    """Return whether a known name differs from `name` in at most `most` letters."""
    letters = set(name)
    return any(
        abs(len(known) - len(name)) <= most
        and len(letters.symmetric_difference(known)) <= 2 * most
        and distance(name, known) <= most
        for known in names
    )


def distance(one: str, other: str) -> int:
    """Return how many letter insertions, deletions, changes or swaps separate two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, mine in enumerate(one, 1):
        older, before, row = before, row, [at]
        for here, theirs in enumerate(other, 1):
            cost = min(before[here] + 1, row[here - 1] + 1, before[here - 1] + (mine != theirs))
            if at > 1 and here > 1 and mine == other[here - 2] and one[at - 2] == theirs:
                cost = min(cost, older[here - 2] + 1)
            row.append(cost)
    return row[-1]
