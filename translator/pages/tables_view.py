"""What one version accepts, for people and for programs: as text, and as the contract's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from translator.tables.catalog import CHANGES, Catalog, Flag, Tables, Variable
from translator.tables.dialects import find_dialect

if TYPE_CHECKING:
    from translator.tables.shapes import Shape


def catalog_json(catalog: Catalog) -> dict[str, Any]:
    """What a version accepts, as `tables show --format json` prints it."""
    variables = [catalog.variable(name) for name in catalog.variable_names()]
    return {
        "version": catalog.version,
        "flags": [flag_json(flag, catalog) for flag in catalog.flags()],
        "env": [variable_json(item) for item in variables if item is not None],
    }


_OF_FLAG = ("flag", "aliases", "negations", "kind", "choices", "nullable", "default", "deprecated")
FORMAT = 1
"""The number of the document's form, which docs/data.md describes."""


def all_json(tables: Tables) -> dict[str, Any]:
    """Everything that the tables know, as `tables show --all --format json` prints it."""
    days = tables.records("releases.json")
    versions = []
    for version in tables.versions():
        found = catalog_json(tables.catalog(version))
        found.pop("version")
        day = days.get(version, {}).get("date")
        versions.append({"version": version, "published": day, **found})
    return {
        "format": FORMAT,
        "versions": versions,
        "changes": [_change(*item) for item in tables.records(CHANGES).items()],
        "dialects": [_dialect(name, tables) for name in tables.dialects()],
    }


def _change(name: str, record: dict[str, Any]) -> dict[str, Any]:
    kind = record["kind"]
    names = {"same": record.get("carriers"), "value": record.get("values")}.get(kind) or []
    note = " ".join(filter(None, (record.get("why"), record.get("note")))) or None
    source = record.get("source")
    return {"name": name, "kind": kind, "names": list(names), "note": note, "source": source}


def _dialect(name: str, tables: Tables) -> dict[str, Any]:
    found = find_dialect(name, tables)
    assert found is not None
    variables = [
        {
            "name": item.name,
            "role": item.role,
            "flag": item.flag or None,
            "key": ".".join(item.path) or None,
            "default": item.default,
        }
        for item in found.variables()
    ]
    return {"name": name, "prefix": found.prefix, "variables": variables}


def flag_json(flag: Flag, catalog: Catalog) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(flag, name) for name in _OF_FLAG}
    found.update(aliases=list(flag.aliases), negations=list(flag.negations))
    shape = catalog.shape(flag.flag) if flag.shaped else None
    keys = keys_json(shape) if shape is not None else None
    return found if keys is None else {**found, "keys": keys}


def variable_json(variable: Variable) -> dict[str, Any]:
    return {name: getattr(variable, name) for name in ("name", "kind", "choices", "default")}


def keys_json(shape: Shape) -> dict[str, Any] | None:
    """The keys of a shape, nested; None where a value has no fixed keys."""
    if shape["kind"] == "union":
        return next(
            (keys for option in shape["of"] if (keys := keys_json(option)) is not None), None
        )
    if shape["kind"] != "object":
        return None
    return {
        key: {"kind": inner["kind"], "choices": _choices(inner), "keys": keys_json(inner)}
        for key, inner in shape["keys"].items()
    }


def _choices(shape: Shape) -> list[Any] | None:
    if shape["kind"] == "union":
        found = [_choices(option) for option in shape["of"]]
        return None if None in found else [choice for item in found for choice in item or ()]
    choices: list[Any] | None = shape.get("choices")
    return choices


def catalog_text(catalog: Catalog) -> str:
    """What a version accepts, a flag or variable a line."""
    lines = [f"vLLM {catalog.version}: {len(catalog.flag_names())} flags"]
    for flag in catalog.flags():
        spellings = " ".join((flag.flag, *flag.aliases, *flag.negations))
        lines.append(f"  {spellings}: {_about(flag)}{'; deprecated' if flag.deprecated else ''}")
    lines.append(f"{len(catalog.variable_names())} variables")
    for variable in map(catalog.variable, catalog.variable_names()):
        if variable is not None:
            lines.append(f"  {variable.name}: {_about(variable)}")
    return "\n".join(lines) + "\n"


def _about(item: Flag | Variable) -> str:
    return item.kind + (f" ({', '.join(map(str, item.choices))})" if item.choices else "")
