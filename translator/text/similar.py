"""Suggest the names that a misspelt name most likely stands for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


MOST_HINTS = 100
"""Maximum number of mistakes per command line or value for which similar names are looked up, at 4
ms each.
"""


def nearest(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """Return the known names that `name` is most likely a misspelling of, best first."""
    import difflib  # only needed for messages

    return difflib.get_close_matches(name, list(names), n=limit, cutoff=0.72)
