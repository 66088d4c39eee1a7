"""The table of all releases: `mappings/vllm/*.jsonl`, a line a fact with the releases it holds for.

A fact is what a release says of one name: of a flag, of a key of a JSON flag (`--flag.key`), of a
variable, or of a field of the grammar (here `@field`). Its line is about every release from `since`
to `until`, both included; left out, from the oldest on or to the newest: a release that changes
nothing changes no line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from translator.maintain.model.catalog import Catalog, Flag, Grammar, Shape, Variable
from translator.maintain.model.schema import once, structure, unstructure

FILES: Mapping[str, str] = {
    "vllm/flags.jsonl": "flag",
    "vllm/variables.jsonl": "name",
    "vllm/grammar.jsonl": "fact",
}
"""The files of the table, each with the field that names its lines."""

_FLAGS, _VARIABLES, _GRAMMAR = FILES

_SHAPES = ("shape", "start")  # the fields of a flag that may have keys


# --- one release ----------------------------------------------------------------------------------


def facts(catalog: Catalog) -> dict[str, str]:
    """Return what a release says of each name, as JSON without what is at its default."""
    raw = unstructure(catalog)
    named = {f"@{field}": {"value": value} for field, value in raw["grammar"].items()}
    for flag in raw["flags"]:
        name = flag.pop("flag")
        named[name] = flag
        for field in _SHAPES:
            if field in flag:
                flag[field] = apart(flag[field], name, named)
    named |= {variable.pop("name"): variable for variable in raw["env"]}
    return {name: json.dumps(fact, separators=(",", ":")) for name, fact in named.items()}


def apart(shape: dict[str, Any], path: str, named: dict[str, Any]) -> dict[str, Any]:
    """Return the shape without the keys of an object, which become facts of their own."""
    if shape["kind"] != "object":
        return shape
    for key, inner in shape["keys"].items():
        name = f"{path}.{key}"
        named[name] = apart(inner, name, named)
    return {field: value for field, value in shape.items() if field != "keys"}


def fact(name: str, raw: Mapping[str, Any]) -> Flag | Shape | Variable | Grammar:
    """Return what is said of a name, as an object of the model.

    Raises:
        TablesError: the model does not allow it.
    """
    if name[0] == "@":
        return structure({name[1:]: raw.get("value")}, Grammar)
    if name[0] != "-":
        return structure({"name": name, **raw}, Variable)
    if "." in name:
        return structure(_opened(raw), Shape)
    opened = {field: _opened(raw[field]) for field in _SHAPES if field in raw}
    return structure({"flag": name, **raw, **opened}, Flag)


def _opened(shape: Any) -> Any:
    is_object = isinstance(shape, Mapping) and shape.get("kind") == "object"
    return {"keys": {}, **shape} if is_object else shape


def catalog(version: str, objects: Mapping[str, Any]) -> Catalog:
    """Return the catalog of a release, from the objects of `fact` by name.

    Raises:
        ValueError: they do not go together.
    """
    keys: dict[str, dict[str, str]] = {}
    for name in sorted(objects, key=_order):
        path, _, key = name.rpartition(".")
        if path:
            keys.setdefault(path, {})[key] = name

    def whole(shape: Shape, path: str) -> Shape:
        if shape.kind != "object":
            return shape
        inside = keys.pop(path, {}).items()
        return evolve(shape, keys={key: whole(objects[name], name) for key, name in inside})

    names = sorted(name for name in objects if "." not in name)
    flags = []
    for flag in (objects[name] for name in names if name[0] == "-"):
        shape, start = (part and whole(part, flag.flag) for part in (flag.shape, flag.start))
        flags.append(evolve(flag, shape=shape, start=start) if shape or start else flag)
    if keys:
        raise ValueError(f"{', '.join(keys)} has keys, but is no JSON of known keys there")
    grammar = {name[1:]: getattr(objects[name], name[1:]) for name in names if name[0] == "@"}
    variables = tuple(objects[name] for name in names if name[0] not in "-@")
    once("spellings")(flags)
    return Catalog(version, Grammar(**grammar), tuple(flags), variables)


# --- all releases ---------------------------------------------------------------------------------


def runs(releases: Iterable[Mapping[str, str]]) -> list[tuple[str, int, int, str]]:
    """Return every fact once for each run of successive releases that say the same of a name, in
    the order of the names: the name, the places of the first and of the last release, the fact.
    """
    rows_of: dict[str, list[tuple[str, int, int, str]]] = {}
    for at, facts in enumerate(releases):
        for name, text in facts.items():
            rows, first = rows_of.setdefault(name, []), at
            if rows and rows[-1][2:] == (at - 1, text):
                first = rows.pop()[1]
            rows.append((name, first, at, text))
    return [row for name in sorted(rows_of, key=_order) for row in rows_of[name]]


def _order(name: str) -> list[str]:
    """What names are sorted by: the keys of a flag stand below it."""
    return name.split(".")


def texts(catalogs: Sequence[Catalog]) -> dict[str, str]:
    """Return the texts of the files of the table, by name; the catalogs are oldest first."""
    lines: dict[str, list[str]] = {file: [] for file in FILES}
    for name, first, last, text in runs(map(facts, catalogs)):
        file = {"-": _FLAGS, "@": _GRAMMAR}.get(name[0], _VARIABLES)
        head = {FILES[file]: name.removeprefix("@")}
        if first > 0:
            head["since"] = catalogs[first].version
        if last < len(catalogs) - 1:
            head["until"] = catalogs[last].version
        line = json.dumps({**head, **json.loads(text)}, ensure_ascii=False)
        lines[file].append(f"{line}\n")
    return {file: "".join(rows) for file, rows in lines.items()}
