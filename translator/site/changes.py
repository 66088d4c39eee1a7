"""What changes between any two releases: as data for a script, each fact once.

A name's row in the difference of two releases depends on what each of them has of it; most names
have a few such states in all releases. The data holds a row for every pair of states.
"""

from __future__ import annotations

from itertools import permutations

from translator.pages.version_diff import PARTS, name_diff, row_text, state
from translator.settings.defaults import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from translator.site.names import Names
    from translator.tables.catalog import Catalog

ABSENT = "."
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def changes_data(names: Names) -> dict[str, Any]:
    """Return what `assets/compare.js` reads.

    Returns:
        "versions", oldest first; "parts", each with its title; "names", each with:
        "name", "group" ("flags" or "variables") and "path" of its page;
        "states": a letter for each release, "." where it is missing;
        "pairs": two letters → part and line, of each part that they are in;
        "added": letter → the line of one that was missing before;
        "gone": where it is missing, [the first release's number, part, line] of each run with the
        same line;
        "weight": of one whose default matters, its place among these.
    """
    catalogs = [names.tables.catalog(version) for version in names.versions]
    weight = {name: number for number, name in enumerate(weights(names.tables))}
    found = []
    for group, known in (("flags", names.flags), ("variables", names.variables)):
        for name, facts in known.items():
            if facts.life.since:
                row = {"name": name, "group": group, "path": facts.path}
                more = {"weight": weight[name]} if name in weight else {}
                found.append({**row, **_changes(name, catalogs), **more})
    return {"versions": list(names.versions), "parts": list(PARTS.items()), "names": found}


def _changes(name: str, catalogs: Sequence[Catalog]) -> dict[str, Any]:
    here = [state(name, catalog) for catalog in catalogs]
    known = [each for each in dict.fromkeys(here) if each]
    states = "".join(_LETTERS[known.index(each)] if each else ABSENT for each in here)
    letters = [(_LETTERS[i], catalogs[here.index(each)]) for i, each in enumerate(known)]
    missing = catalogs[states.index(ABSENT)] if ABSENT in states else None
    gone: list[list[Any]] = []
    for number, letter in enumerate(states):
        if letter == ABSENT:
            for part, row in name_diff(name, letters[0][1], catalogs[number]).items():
                if not gone or gone[-1][1:] != [part, row_text(row)]:
                    gone.append([number, part, row_text(row)])
    pairs = {
        one + other: [[part, row_text(row)] for part, row in name_diff(name, old, new).items()]
        for (one, old), (other, new) in permutations(letters, 2)
    }
    return {
        "states": states,
        "pairs": {pair: rows for pair, rows in pairs.items() if rows},
        "added": {
            letter: row_text(row)
            for letter, there in letters
            if missing is not None
            for row in name_diff(name, missing, there).values()
        },
        "gone": gone,
    }


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
