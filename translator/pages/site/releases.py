"""Names over the releases: the bar of one name, the matrix of all flags, how many flags each
release has, and what changes between any two releases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from translator.pages.accepted import periods
from translator.pages.site.names import Name, Names
from translator.pages.version_diff import PARTS, name_diff, row_text, state
from translator.settings.defaults import weights
from translator.tables.builds import RELEASES
from translator.tables.catalog import Catalog
from translator.tables.versions import span
from translator.text.json_text import dumps

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def bar(name: Name, versions: Sequence[str]) -> list[tuple[int, int, str, str]]:
    """Return the runs of a bar, a unit of width for each release: (start, width, class, what)."""
    return [
        (
            versions.index(first),
            _width(first, last, versions),
            "old" if found.deprecated else ("on", "on even")[number % 2],
            found.value,
        )
        for number, (first, last, found) in enumerate(name.accepted)
    ]


def cells(
    name: Name, versions: Sequence[str], defaults: Mapping[str, Mapping[str, str]]
) -> list[tuple[int, str, str]]:
    """Return a flag's row of the matrix: for each run of releases its width, its classes ("on",
    "old" or "off", and "change" with a new default), and a text for who does not see its colour.

    Args:
        name: the flag.
        versions: all releases, oldest first.
        defaults: release → the names whose default it changes, and how.
    """
    states = {
        version: "old" if found.deprecated else "on"
        for first, last, found in name.accepted
        for version in versions[versions.index(first) : versions.index(last) + 1]
    }
    row = []
    for first, last, (here, change) in periods(
        versions, lambda each: (states.get(each, "off"), defaults.get(each, {}).get(name.name, ""))
    ):
        said = change or {"on": "present", "old": "deprecated"}.get(here, "")
        text = f"{span(first, last)}: {said}" if said else ""
        row.append((_width(first, last, versions), here + (" change" if change else ""), text))
    return row


def _width(first: str, last: str, versions: Sequence[str]) -> int:
    return versions.index(last) - versions.index(first) + 1


def releases(names: Names, steps: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the releases with their days and the numbers of their flags: all, those that are new,
    and those of the release before that are gone; oldest first.

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
        added = len(flags.get("added", ()))
        found.append(
            {"version": version, "day": day, "flags": count, "added": added, "removed": gone}
        )
    return found


def steps(versions: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of releases that get a page of their own: each with the next, and with the
    newest.
    """
    last = len(versions) - 1
    return [
        (old, versions[other])
        for number, old in enumerate(versions[:-1])
        for other in dict.fromkeys((number + 1, last))
    ]


def changes_data(names: Names) -> dict[str, Any]:
    """Return what `assets/compare.js` reads, each fact once.

    A name's row in the difference of two releases depends on what each of them has of it; most
    names have a few such states in all releases. The data holds a row for every pair of states.

    Returns:
        "versions", oldest first; "parts", each with its title; "names", each with:
        "name", "group" ("flags" or "variables") and "path" of its page;
        "states": a letter for each release;
        "pairs": two letters → part and line, of each part that they are in;
        "weight": of one whose default matters, its place among these.
    """
    catalogs = [names.tables.catalog(version) for version in names.versions]
    weight = {name: number for number, name in enumerate(weights(names.tables))}
    found = []
    for group, known in (("flags", names.flags), ("variables", names.variables)):
        for name, facts in known.items():
            if facts.since:
                row = {"name": name, "group": group, "path": facts.path}
                more = {"weight": weight[name]} if name in weight else {}
                found.append({**row, **_changes(facts, catalogs), **more})
    return {"versions": list(names.versions), "parts": list(PARTS.items()), "names": found}


def _changes(name: Name, catalogs: Sequence[Catalog]) -> dict[str, Any]:
    last = next(each for each in catalogs if each.version == name.until)
    # What replaces a missing one depends on the release, too.
    here = [
        state(name.name, catalog) or dumps(_lines(name.name, last, catalog)) for catalog in catalogs
    ]
    known = list(dict.fromkeys(here))
    there = [(_LETTERS[at], catalogs[here.index(each)]) for at, each in enumerate(known)]
    pairs = {
        one + other: lines
        for (one, old), (other, new) in permutations(there, 2)
        if (state(name.name, old) or state(name.name, new))
        and (lines := _lines(name.name, old, new))
    }
    return {"states": "".join(_LETTERS[known.index(each)] for each in here), "pairs": pairs}


def _lines(name: str, old: Catalog, new: Catalog) -> list[list[str]]:
    return [[part, row_text(row)] for part, row in name_diff(name, old, new).items()]
