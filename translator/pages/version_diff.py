"""What one vLLM version adds to another, removes, renames and changes: for people and programs."""

from __future__ import annotations

from translator.settings.changes import nearest_first
from translator.settings.defaults import changed_defaults
from translator.tables.entries import CHANGES
from translator.text.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag, Variable

    Row = dict[str, Any]

# The parts of a difference, in the order in which they matter when a deployment is moved.
_TITLES = {
    "defaults": "default changed",
    "removed": "removed",
    "renamed": "renamed",
    "changed": "changed",
    "added": "added",
}
_GROUPS = ("flags", "variables")


def version_diff(old: Catalog, new: Catalog) -> dict[str, Any]:
    """Return the differences between two versions as JSON.

    Returns:
        "from" and "to"; "flags" and "variables", each with the lists "defaults" (name, before,
        after, effect), "removed" (name, why), "renamed" (name, to), "changed" (name, and what:
        before and after) and "added" (name, kind, choices, default).
    """
    changed = [
        {"name": item.name, "before": item.before, "after": item.after, "effect": item.effect}
        for item in changed_defaults(old, new)
    ]
    names = {
        "flags": (old.flag_names(), new.flag_names()),
        "variables": (old.variable_names(), new.variable_names()),
    }
    found: dict[str, Any] = {"from": old.version, "to": new.version}
    for group, (before, after) in names.items():
        gone = [_gone(name, old, new) for name in before if name not in after]
        both = [_changed(name, old, new) for name in before if name in after]
        found[group] = {
            "defaults": [row for row in changed if row["name"] in before],
            "removed": [row for row in gone if not row.get("to")],
            "renamed": [row for row in gone if row.get("to")],
            "changed": [row for row in both if len(row) > 1],
            "added": [_added(name, new) for name in after if name not in before],
        }
    return found


def _entry(name: str, catalog: Catalog) -> Flag | Variable:
    found = catalog.flag(name) if name[0] == "-" else catalog.variable(name)
    assert found is not None
    return found


def _gone(name: str, old: Catalog, new: Catalog) -> Row:
    """Return what replaces a name that the newer version lacks, or why nothing does."""
    owner = new.spellings().get(name)
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


def _changed(name: str, old: Catalog, new: Catalog) -> Row:
    found: Row = {"name": name}
    was, now = _entry(name, old), _entry(name, new)
    for field in ("kind", "choices", "deprecated"):
        before, after = getattr(was, field, None), getattr(now, field, None)
        same = before == after
        if field == "choices":  # in another order they are the same
            same = sorted(map(str, before or ())) == sorted(map(str, after or ()))
        if not same:
            found[field] = {"before": before, "after": after}
    return found


def _added(name: str, new: Catalog) -> Row:
    entry = _entry(name, new)
    return {"name": name, "kind": entry.kind, "choices": entry.choices, "default": entry.default}


# --- for people -----------------------------------------------------------------------------------


def diff_text(found: dict[str, Any]) -> str:
    """Return the differences as plain text."""
    lines = [f"vLLM {found['from']} to {found['to']}"]
    for title, rows in _parts(found):
        lines += ["", f"{title} ({len(rows)})"]
        lines += [f"  {line}" for line in _lines(rows, str)]
    return "\n".join(lines) + "\n"


def diff_markdown(found: dict[str, Any]) -> str:
    """Return the differences as Markdown."""
    lines = [f"# vLLM {found['from']} to {found['to']}"]
    for title, rows in _parts(found):
        lines += ["", f"## {title[0].upper()}{title[1:]} ({len(rows)})", ""]
        lines += [f"- {line}" for line in _lines(rows, "`{}`".format)]
    return "\n".join(lines) + "\n"


def _parts(found: dict[str, Any]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield the parts that hold something, defaults of both groups first."""
    for part, title in _TITLES.items():
        for group in _GROUPS:
            if found[group][part]:
                yield f"{group}: {title}", found[group][part]


def _lines(rows: Sequence[Row], code: Callable[[str], str]) -> Iterator[str]:
    for row in rows:
        name = code(row["name"])
        if "effect" in row:
            effect = f" ({row['effect'].rstrip('.')})" if row["effect"] else ""
            yield f"{name}: {code(row['before'])} → {code(row['after'])}{effect}"
        elif "to" in row:
            yield f"{name}: {', '.join(map(code, row['to']))}"
        elif "why" in row:
            yield f"{name}: {row['why']}" if row["why"] else name
        elif "default" in row:
            yield f"{name}: {', '.join(_about(row, code))}"
        else:
            yield f"{name}: {'; '.join(_changes(row, code))}"


def _about(row: Row, code: Callable[[str], str]) -> Iterator[str]:
    yield row["kind"]
    if row["choices"]:
        yield "one of " + ", ".join(code(str(item)) for item in row["choices"])
    if row["default"] is not None:
        yield f"default {code(_shown(row['default']))}"


def _changes(row: Row, code: Callable[[str], str]) -> Iterator[str]:
    if "kind" in row:
        yield f"{row['kind']['before']} → {row['kind']['after']}"
    if "choices" in row:
        before, after = (row["choices"][side] or [] for side in ("before", "after"))
        for word, items in (
            ("also", [item for item in after if item not in before]),
            ("no longer", [item for item in before if item not in after]),
        ):
            if before and after and items:
                yield f"{word} {', '.join(code(str(item)) for item in items)}"
        if not after:
            yield "any value"
        elif not before:
            yield "one of " + ", ".join(code(str(item)) for item in after)
    if "deprecated" in row:
        yield "deprecated" if row["deprecated"]["after"] else "no longer deprecated"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)
