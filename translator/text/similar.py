"""The names that a misspelt one most likely stands for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


MOST_HINTS = 100
"""Mistakes of one command line, or of one value, for which the nearest name is looked for: 4
milliseconds each.
"""


def nearest(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The known names that `name` is most likely a misspelling of, best first."""
    import difflib  # only on the way to a message

    return difflib.get_close_matches(name, list(names), n=limit, cutoff=0.72)
