"""What one vLLM version accepts, and what it adds to another, removes, renames and changes: for
people and programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from translator.core.settings.changes import nearest_first
from translator.core.settings.defaults import DEFAULTS, changed_default, default_of
from translator.core.tables.catalog import CHANGES, Catalog, Flag, Tables, Variable
from translator.core.tables.dialects import find_dialect
from translator.core.tables.images import RELEASES
from translator.core.text.json_text import dumps
from translator.reference.lookup import Page, filled
from translator.reference.markdown import quoted

if TYPE_CHECKING:
    from translator import documents
    from translator.core.tables.entries import Change, Shape

FORMAT = 1
"""The number of the document's form, which docs/data.md describes."""


def catalog_json(catalog: Catalog) -> documents.CatalogJson:
    """What a version accepts, as `tables show --format json` prints it."""
    return {
        "version": catalog.version,
        "flags": [flag_json(flag, catalog) for flag in catalog.flags()],
        "env": [
            {
                "name": item.name,
                "kind": item.kind,
                "choices": item.choices,
                "default": item.default,
            }
            for item in map(catalog.variable, catalog.variable_names())
            if item is not None
        ],
    }


def all_json(tables: Tables) -> dict[str, Any]:
    """Everything that the tables know, as `tables show --all --format json` prints it."""
    days = tables.records(RELEASES)
    versions = []
    for version in tables.versions():
        day = days.get(version, {}).get("date")
        content = catalog_json(tables.catalog(version))
        versions.append({"version": version, "published": day, **content})
    return {
        "format": FORMAT,
        "versions": versions,
        "changes": [_change_json(*item) for item in tables.records(CHANGES).items()],
        "dialects": [_dialect_json(name, tables) for name in tables.dialects()],
    }


def _change_json(name: str, record: Change) -> dict[str, Any]:
    kind = record["kind"]
    names = {"same": record.get("carriers"), "value": record.get("values")}.get(kind) or []
    note = " ".join(filter(None, (record.get("why"), record.get("note")))) or None
    source = record.get("source")
    return {"name": name, "kind": kind, "names": list(names), "note": note, "source": source}


def _dialect_json(name: str, tables: Tables) -> dict[str, Any]:
    dialect = find_dialect(name, tables)
    assert dialect is not None
    variables = [
        {
            "name": item.name,
            "role": item.role,
            "flag": item.flag or None,
            "key": ".".join(item.path) or None,
            "default": item.default,
        }
        for item in dialect.variables()
    ]
    return {"name": name, "prefix": dialect.prefix, "variables": variables}


def flag_json(flag: Flag, catalog: Catalog) -> documents.FlagJson:
    fields: documents.FlagJson = {
        "flag": flag.flag,
        "aliases": [*flag.aliases],
        "negations": [*flag.negations],
        "kind": flag.kind,
        "choices": flag.choices,
        "nullable": flag.nullable,
        "default": flag.default,
        "deprecated": flag.deprecated,
    }
    shape = catalog.shape(flag.flag) if flag.shaped else None
    keys = keys_json(shape) if shape is not None else None
    return fields if keys is None else {**fields, "keys": keys}


def keys_json(shape: Shape) -> dict[str, documents.KeyJson] | None:
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


def _choices(shape: Shape) -> Sequence[Any] | None:
    if shape["kind"] == "union":
        options = [_choices(option) for option in shape["of"]]
        return None if None in options else [choice for item in options for choice in item or ()]
    return shape.get("choices")


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


# --- from one version to another ------------------------------------------------------------------

Part = Literal["defaults", "removed", "renamed", "changed", "added"]
# The parts of a difference and their titles, in the order in which they matter when a deployment
# is moved.
PARTS: Mapping[Part, str] = {
    "defaults": "default changed",
    "removed": "removed",
    "renamed": "renamed",
    "changed": "changed",
    "added": "added",
}
_FIELDS = ("kind", "choices", "deprecated")
GROUPS: Sequence[Literal["flags", "variables"]] = ("flags", "variables")


def version_diff(old: Catalog, new: Catalog) -> documents.DiffJson:
    """Return the differences between two versions as JSON."""
    return {
        "from": old.version,
        "to": new.version,
        "flags": _differences({*old.flag_names(), *new.flag_names()}, old, new),
        "variables": _differences({*old.variable_names(), *new.variable_names()}, old, new),
    }


def _differences(names: Iterable[str], old: Catalog, new: Catalog) -> documents.DifferencesJson:
    weight = {name: number for number, name in enumerate(old.tables.records(DEFAULTS))}
    rows: dict[str, Any] = {part: [] for part in PARTS}
    for name in sorted(names):
        for part, row in name_diff(name, old, new).items():
            rows[part].append(row)
    rows["defaults"].sort(key=lambda row: weight.get(row["name"], len(weight)))
    return cast("documents.DifferencesJson", rows)


def name_diff(name: str, old: Catalog, new: Catalog) -> dict[str, documents.RowJson]:
    """Return the rows of one flag or variable: part → row, such as "removed" and its row."""
    was, now = _find(name, old), _find(name, new)
    if now is None:
        row = _gone(name, old, new)
        return {"renamed" if row.get("to") else "removed": row}
    if was is None:
        kind, choices, default = now.kind, now.choices, now.default
        return {"added": {"name": name, "kind": kind, "choices": choices, "default": default}}
    rows: dict[str, documents.RowJson] = {}
    item = changed_default(name, old, new)
    if item is not None:
        change = {"before": item.before, "after": item.after, "effect": item.effect}
        rows["defaults"] = cast("documents.DefaultJson", {"name": name, **change})
    changed = {}
    for field in _FIELDS:
        before, after = getattr(was, field, None), getattr(now, field, None)
        same = before == after
        if field == "choices":  # in another order they are the same
            same = sorted(map(str, before or ())) == sorted(map(str, after or ()))
        if not same:
            changed[field] = {"before": before, "after": after}
    if changed:
        rows["changed"] = cast("documents.ChangedJson", {"name": name, **changed})
    return rows


def state(name: str, catalog: Catalog) -> str:
    """Return what the rows of a name depend on in a version; "" where it is missing."""
    known = _find(name, catalog)
    if known is None:
        return ""
    facts = [getattr(known, field, None) for field in (*_FIELDS, "default")]
    return dumps([*facts, default_of(known, name, catalog)[0]])


def _find(name: str, catalog: Catalog) -> Flag | Variable | None:
    return catalog.flag(name) if name[0] == "-" else catalog.variable(name)


def _gone(name: str, old: Catalog, new: Catalog) -> documents.RemovedJson | documents.RenamedJson:
    """Return what replaces a name that the newer version lacks, or why nothing does."""
    owner = new.spelled(name)
    if owner is not None:
        return {"name": name, "to": [owner[0].flag]}
    record = old.tables.records(CHANGES).get(name, {})
    carriers = [other for other in record.get("carriers", ()) if other != name]
    there = [other for other in nearest_first([*carriers, name], name) if new.knows(other)]
    split = {other for parts in record.get("values", {}).values() for other in parts}
    to = there[:1] or sorted(
        other for other in split if record["kind"] == "split" and new.knows(other)
    )
    if to:
        return {"name": name, "to": to}
    return {"name": name, "why": record.get("why") or record.get("note") or ""}


# --- for people -----------------------------------------------------------------------------------


def diff_page(diff: documents.DiffJson) -> Page:
    """Return the page of a difference; names and values are in backquotes."""
    parts = [
        (f"{group}: {title} ({len(diff[group][part])})", list(map(row_text, diff[group][part])))
        for part, title in PARTS.items()
        for group in GROUPS
    ]
    same = "" if any(lines for _, lines in parts) else ": no differences"
    return Page(f"vLLM {diff['from']} to {diff['to']}{same}", filled(parts))


def row_text(row: documents.RowJson) -> str:
    """Return a row in a line."""
    name = f"`{row['name']}`"
    if "effect" in row:
        effect = f" ({row['effect'].rstrip('.')})" if row["effect"] else ""
        return f"{name}: `{row['before']}` → `{row['after']}`{effect}"
    if "to" in row:
        return f"{name}: {quoted(row['to'])}"
    if "why" in row:
        return f"{name}: {row['why']}" if row["why"] else name
    if "default" in row:
        parts = [row["kind"]]
        parts += [f"one of {quoted(row['choices'])}"] if row["choices"] else []
        shown = row["default"]
        shown = shown if isinstance(shown, str) and shown else dumps(shown)
        parts += [f"default `{shown}`"] if row["default"] is not None else []
        return f"{name}: {', '.join(parts)}"
    return f"{name}: {'; '.join(_changes(row))}"


def _changes(row: documents.ChangedJson) -> Iterator[str]:
    if "kind" in row:
        before, after = row["kind"]["before"], row["kind"]["after"]
        off = f"can now be turned off: `--no-{row['name'][2:]}`"
        yield off if (before, after) == ("switch", "toggle") else f"{before} → {after}"
    if "choices" in row:
        before, after = (row["choices"][side] or [] for side in ("before", "after"))
        for word, items in (
            ("also", [item for item in after if item not in before]),
            ("no longer", [item for item in before if item not in after]),
        ):
            if before and after and items:
                yield f"{word} {quoted(items)}"
        if not after:
            yield "no longer limited to a list"
        elif not before:
            yield f"one of {quoted(after)}"
    if "deprecated" in row:
        yield "deprecated" if row["deprecated"]["after"] else "no longer deprecated"
