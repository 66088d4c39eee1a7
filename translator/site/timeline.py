"""Flags over time: the bar of one name, the matrix of all of them, how many each release has."""

from __future__ import annotations

from typing import NamedTuple

from translator.tables.builds import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.pages.page import Accepted, Period
    from translator.site.names import Name, Names

    Cell = tuple[int, str, str]  # how many releases, class, what it says


class Release(NamedTuple):
    """What a release did to the flags; of the first one, nothing is known.

    Attributes:
        version: its number.
        day: when it was published; "" if it is not known.
        flags: how many it has.
        added, removed: how many are new, and how many of the release before are gone.
    """

    version: str
    day: str
    flags: int
    added: int
    removed: int


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


def cells(
    name: Name, versions: Sequence[str], defaults: Mapping[str, Mapping[str, str]]
) -> list[Cell]:
    """Return a name's row of the matrix: a cell for each run of releases with the same state.

    Args:
        name: the flag.
        versions: all releases, oldest first.
        defaults: release → the names whose default it changes, and how.
    """
    place = {version: number for number, version in enumerate(versions)}
    state = ["off"] * len(versions)
    for first, last, found in name.page.accepted:
        for number in range(place[first], place[last] + 1):
            state[number] = "old" if found.deprecated else "on"
    row: list[Cell] = []
    for number, version in enumerate(versions):
        change = defaults.get(version, {}).get(name.name, "")
        if row and not change and row[-1][1:] == (state[number], ""):
            row[-1] = (row[-1][0] + 1, *row[-1][1:])
        else:
            row.append((1, state[number], change))
    return row


def releases(names: Names, steps: Mapping[str, dict[str, Any]]) -> list[Release]:
    """Return the releases with the numbers of their flags, oldest first.

    Args:
        names: those of the site.
        steps: release → its difference from the release before.
    """
    days = names.tables.records(RELEASES)
    found = []
    for version in names.versions:
        flags = steps.get(version, {}).get("flags", {})
        gone = len(flags.get("removed", ())) + len(flags.get("renamed", ()))
        count = len(names.tables.catalog(version).flag_names())
        day = days.get(version, {}).get("date", "")
        found.append(Release(version, day, count, len(flags.get("added", ())), gone))
    return found
