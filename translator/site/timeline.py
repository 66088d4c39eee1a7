"""Pictures of time: in which releases a name is, and how many flags each release has."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.pages.page import Accepted, Period


def bar(
    accepted: Sequence[Period[Accepted]], versions: Sequence[str]
) -> list[tuple[int, int, str, str]]:
    """Return the runs of a bar, a unit of width for each release: (start, width, class, what)."""
    place = {version: number for number, version in enumerate(versions)}
    return [
        (
            place[first],
            place[last] - place[first] + 1,
            "old" if found.deprecated else ("on", "on even")[number % 2],
            found.value,
        )
        for number, (first, last, found) in enumerate(accepted)
    ]
