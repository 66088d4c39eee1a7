"""How the catalogs of many releases are kept in few bytes: the newest release of each minor whole,
the others by what they differ in from it.

A file of such a difference holds `version`, `like` (the release that it differs from) and, where
there are any, `grammar` (the facts that differ; null: the other release alone has it), `flags` and
`env` (the entries that differ or that only this release has), and `without` (the names that only
the other release has).

The harvest writes with it, beside a vLLM and without what the rest of this package needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from translator.tables.versions import Version

_PARTS = (("flags", "flag"), ("env", "name"))
"""The lists of a catalog, each with the field that names its entries and puts them in order."""


def bases(versions: Iterable[str], minors: int = 1) -> dict[str, str]:
    """Each version with the one that it is kept as a difference from, which is kept whole.

    Args:
        versions: in any order.
        minors: how many successive minors have one such version, the newest of them.
    """

    def group(version: str) -> tuple[int, int]:
        major, minor = Version(version).minor
        return major, minor // minors

    order = sorted(versions, key=Version)
    newest = {group(version): version for version in order}
    return {version: newest[group(version)] for version in order}


def whole(catalog: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The catalog that a difference stands for.

    Args:
        catalog: what its file holds.
        base: the whole catalog of the release that it names.
    """
    grammar = {**base["grammar"], **catalog.get("grammar", {})}
    found: dict[str, Any] = {
        "version": catalog["version"],
        "grammar": {name: fact for name, fact in grammar.items() if fact is not None},
    }
    gone = catalog.get("without", ())
    for part, key in _PARTS:
        rows = {row[key]: row for row in (*base[part], *catalog.get(part, ()))}
        found[part] = [rows[name] for name in sorted(rows) if name not in gone]
    return found


def difference(catalog: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `whole`."""
    found: dict[str, Any] = {"version": catalog["version"], "like": base["version"]}
    before, after = base["grammar"], catalog["grammar"]
    grammar = {
        name: after.get(name)
        for name in sorted({*before, *after})  # the same after `whole`, too
        if dumped(after.get(name)) != dumped(before.get(name))
    }
    if grammar:
        found["grammar"] = grammar
    gone: list[str] = []
    for part, key in _PARTS:
        theirs = {row[key]: dumped(row) for row in base[part]}
        rows = [row for row in catalog[part] if theirs.get(row[key]) != dumped(row)]
        if rows:
            found[part] = rows
        gone += sorted(theirs.keys() - {row[key] for row in catalog[part]})
    if gone:
        found["without"] = gone
    return found


def dumped(fact: Any) -> str:
    """Return a fact as text to be compared: 1, 1.0 and true are three values."""
    return json.dumps(fact, sort_keys=True)


def texts(catalogs: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The texts of the files of whole catalogs, by version."""
    return {
        version: dump(
            catalogs[version] if version == base else difference(catalogs[version], catalogs[base])
        )
        for version, base in bases(catalogs).items()
    }


def dump(catalog: Mapping[str, Any]) -> str:
    """A catalog, or a difference, as JSON text with one flag or variable a line, so that two
    versions can be compared by a line diff.
    """
    lines = []
    for part, value in catalog.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in value)
            lines.append(f' "{part}": [\n{rows}\n ]')
        else:
            lines.append(f' "{part}": {json.dumps(value, ensure_ascii=False)}')
    if len(lines) == 2:  # nothing differs
        return json.dumps(catalog) + "\n"
    return "{\n" + ",\n".join(lines) + "\n}\n"
