"""Catalogs, and what dialects there are, from compiled files.

For an installation that has nothing else: a user's own tables are checked against them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from translator.authoring.compile import COMPILED, INDEX
from translator.authoring.load import structure
from translator.authoring.schema.catalog import Catalog
from translator.authoring.schema.dialects import Dialect
from translator.authoring.schema.tables import Tables
from translator.authoring.sources import DIALECTS


def _entries(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _whole(version: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries and the shapes of a version, those of the version that it is like included."""
    entries = _entries(folder / f"{version}.json")
    shapes = _entries(folder / f"{version}.shapes.json")
    like, gone = entries.pop("@like", None), entries.pop("@without", ())
    if like is None:
        return entries, shapes
    base, base_shapes = _whole(like, folder)
    entries = {name: fields for name, fields in (base | entries).items() if name not in gone}
    return dict(sorted(entries.items())), base_shapes | shapes


def catalog_of(version: str, folder: Path = COMPILED) -> Catalog:
    """The catalog of a version, without what is left out at run time (`dest`, and the defaults in
    shapes).

    Raises:
        TablesError: the files do not hold a catalog.
    """
    entries, shapes = _whole(version, folder)
    raw: dict[str, Any] = {"version": version, "grammar": entries.pop("@grammar")}
    raw["flags"], raw["env"] = [], []
    for name, fields in entries.items():
        if name.startswith("-"):
            if "shape" in fields:
                fields["shape"] = shapes[name]
            elif fields.get("start", {}).get("kind") == "object":
                fields["start"] = shapes[name]
            raw["flags"].append({"flag": name, "dest": "", "aliases": [], **fields})
        else:
            raw["env"].append({"name": name, **fields})
    return structure(f"{version}.json", raw, Catalog)


def dialects(folder: Path = COMPILED) -> dict[str, Dialect]:
    """The heads of the compiled dialects by the names of their files, without the variables: enough
    for those that extend them.
    """
    found = {}
    for path in sorted(folder.glob("dialect.*.json")):
        head = _entries(path)["@dialect"]
        head.pop("vllm", None)
        raw = {"dialect": head}
        found[f"{DIALECTS}/{head['name']}.toml"] = structure(path.name, raw, Dialect)
    return found


def catalogs(folder: Path = COMPILED) -> Tables:
    """The catalogs of every compiled version, and the dialects, as tables to lint a user's own
    against.
    """
    versions = _entries(folder / INDEX)["@versions"]
    return Tables(
        catalogs=tuple(catalog_of(version, folder) for version in versions),
        dialects=dialects(folder),
    )
