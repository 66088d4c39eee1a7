"""Catalogs, and what dialects there are, from compiled files.

For an installation that has nothing else: a user's own tables are checked against them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from translator.authoring.compile import COMPILED, files_in
from translator.authoring.load import structured
from translator.model.catalog import Catalog
from translator.model.dialects import Dialect
from translator.model.tables import DIALECTS, Tables
from translator.tables.catalog import INDEX


def _whole(version: str, files: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries and the shapes of a version, those of the version that it is like included."""
    entries = json.loads(files[f"{version}.json"])
    shapes = json.loads(files[f"{version}.shapes.json"])
    like, gone = entries.pop("@like", None), entries.pop("@without", ())
    if like is None:
        return entries, shapes
    base, base_shapes = _whole(like, files)
    entries = {name: fields for name, fields in (base | entries).items() if name not in gone}
    return dict(sorted(entries.items())), base_shapes | shapes


def catalog_of(version: str, files: Mapping[str, str] | None = None) -> Catalog:
    """The catalog of a version, without what is left out at run time (`dest`, and the defaults in
    shapes).

    Args:
        version: the version.
        files: the compiled files by name; those of this installation if there are none.

    Raises:
        TablesError: the files do not hold a catalog.
    """
    entries, shapes = _whole(version, files_in(COMPILED) if files is None else files)
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
    return structured(f"{version}.json", raw, Catalog)


def _dialects(files: Mapping[str, str]) -> dict[str, Dialect]:
    """The heads of the compiled dialects by the names of their files, without the variables: enough
    for those that extend them.
    """
    found = {}
    for name, text in sorted(files.items()):
        if name.startswith("dialect."):
            head = json.loads(text)["@dialect"]
            raw = {"dialect": head}
            found[f"{DIALECTS}/{head['name']}.toml"] = structured(name, raw, Dialect)
    return found


def catalogs(folder: Path = COMPILED) -> Tables:
    """The catalogs of every compiled version, and the dialects, as tables to lint a user's own
    against.
    """
    files = files_in(folder)
    versions = json.loads(files[INDEX])["@versions"]
    return Tables(
        catalogs=tuple(catalog_of(version, files) for version in versions),
        dialects=_dialects(files),
    )
