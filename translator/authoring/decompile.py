"""Catalogs, and what dialects there are, from compiled files, for an installation that has nothing
else: a user's own tables are checked against them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from translator.authoring.compile import COMPILED, INDEX
from translator.authoring.load import structure
from translator.authoring.model import Catalog, Dialect, Tables
from translator.authoring.sources import DIALECTS
from translator.tables.records import decode, unescape


def _rows(lines: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    return (decode(line) for line in lines if line)


def _json_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        key: json.loads(value) if key in ("const", "default") else value
        for key, value in fields.items()
    }


def _flag(name: str, fields: dict[str, Any], shapes: dict[str, Any]) -> dict[str, Any]:
    found = {"flag": name, "aliases": [], **_json_fields(fields)}
    if found.pop("int_choices", False):
        found["choices"] = [int(item) for item in found["choices"]]
    if found.pop("shape", False):
        found["shape"] = shapes[name]
    if "start" in found:
        limits = dict(item.split("=") for item in found["start"] if "=" in item)
        numbers = {
            name: float(limit) if "." in limit else int(limit) for name, limit in limits.items()
        }
        found["start"] = (
            {"kind": "float" if found["kind"] == "float" else "int", **numbers}
            if numbers
            else shapes[name]
        )
    return found


def _grammar(fields: dict[str, Any]) -> dict[str, Any]:
    found = dict.fromkeys(("model_required", "dotted", "plus", "dotted_sizes"), False) | fields
    if "O" in found:
        found["O"] = {form: key for form, _, key in (item.rpartition("=") for item in found["O"])}
    return found


def catalog_of(version: str, folder: Path = COMPILED) -> Catalog:
    """The catalog of a version, without the defaults inside shapes and what else is left out at run
    time.

    Raises:
        TablesError: the files do not hold a catalog.
    """
    head, _, rest = (folder / f"{version}.txt").read_text(encoding="utf-8").partition("\n%flags\n")
    flags, _, variables = rest.partition("%env\n")
    lines = (folder / f"{version}.shapes.txt").read_text(encoding="utf-8").split("\n")
    shapes = {
        unescape(name): json.loads(text)
        for name, text in (line.split("\t", 1) for line in lines if line)
    }
    raw = {
        "version": version,
        "grammar": _grammar(decode(head)[1]),
        "flags": [_flag(name, fields, shapes) for name, fields in _rows(flags.split("\n"))],
        "env": [
            {"name": name, **_json_fields(fields)} for name, fields in _rows(variables.split("\n"))
        ],
    }
    return structure(f"{version}.txt", raw, Catalog)


def dialects(folder: Path = COMPILED) -> dict[str, Dialect]:
    """The heads of the compiled dialects by the names of their files, without the variables: enough
    for those that extend them.
    """
    found = {}
    for path in sorted(folder.glob("dialect.*.txt")):
        facts = next(
            fields
            for name, fields in _rows(path.read_text(encoding="utf-8").split("\n"))
            if name == "@dialect"
        )
        raw = {
            "dialect": {
                name: value
                for name, value in facts.items()
                if name in ("name", "sources", "extends", "prefix", "any_prefix")
            }
        }
        found[f"{DIALECTS}/{facts['name']}.toml"] = structure(path.name, raw, Dialect)
    return found


def catalogs(folder: Path = COMPILED) -> Tables:
    """The catalogs of every compiled version, and the dialects, as tables to lint a user's own
    against.
    """
    versions = (
        (folder / INDEX)
        .read_text(encoding="utf-8")
        .split("\n", 2)[1]
        .removeprefix("versions:")
        .split("|")
    )
    return Tables(
        catalogs=tuple(catalog_of(version, folder) for version in versions),
        dialects=dialects(folder),
    )
