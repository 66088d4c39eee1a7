"""The page of a flag, or of a key of a JSON flag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from translator.naming.scope import Scope, variable_for
from translator.pages.page import (
    ARGUMENTS,
    KINDS,
    Accepted,
    Page,
    Period,
    Section,
    periods,
    shape_text,
    some,
    version_lines,
)
from translator.tables.catalog import Catalog, Tables
from translator.tables.entries import CHANGES, Flag
from translator.tables.versions import ranges
from translator.text.json_text import dumps

if TYPE_CHECKING:
    from translator.tables.shapes import Shape

ANY_KEY = "any key: vLLM checks it when it starts"

_NO_DEFAULT = ("null", "{}", "[]", '""')
_LONG_DEFAULT = 60
_CHANGED = {"gone": "removed", "same": "other names", "split": "replaced by"}
_RENAMED = "renamed values"
HEADINGS = (*_CHANGED.values(), _RENAMED)
"""Headings of the sections about what became of a name."""


def flag_page(
    spelling: str, path: tuple[str, ...], scope: Scope, versions: Sequence[str]
) -> Page | None:
    """Return the page of a flag or a key; None when vLLM never had it.

    Args:
        spelling: the flag, as any version spells it.
        path: the keys inside it.
        scope: the version that is shown where one has to be, and the dialect.
        versions: the versions that matter.
    """
    tables = scope.tables
    known = tables.index().get(spelling)
    if known is None:
        return None
    name = known.get("of", spelling)
    full = ".".join((name, *path))
    lines = flag_lines(spelling, path, tables, versions)
    if path and not lines and full not in tables.records(CHANGES):
        return None
    title = f"{full}: {'a key of a flag' if path else 'a flag'} of `vllm serve`"
    if name != spelling:
        title += f" ({spelling} is a spelling of it)"
    missing = f"not in {', '.join(versions)}; {where(name, tables)}"
    sections: list[Section] = [("vLLM", lines or [missing])]
    flag = _find(spelling, tables.catalog(scope.catalog.version))
    if flag is not None and not path:
        written = f"variable of {scope.name}", flag_variables(flag, scope)
        sections += [written, _keys(flag, scope.catalog)]
    accepted = flag_periods(spelling, path, tables, versions)
    return Page(title, [*sections, *change_sections(full, tables)], accepted)


def flag_lines(
    spelling: str, path: tuple[str, ...], tables: Tables, versions: Sequence[str]
) -> list[str]:
    """Return what a flag or a key accepts, a line for each run of versions."""

    def fact(version: str) -> str | None:
        found = _accepted(spelling, path, tables.catalog(version))
        return _text(found) if found is not None else None

    return version_lines(versions, fact)


def flag_periods(
    spelling: str, path: tuple[str, ...], tables: Tables, versions: Sequence[str]
) -> list[Period[Accepted]]:
    """Return what a flag or a key accepts in each run of versions."""
    return periods(versions, lambda version: _accepted(spelling, path, tables.catalog(version)))


def key_paths(flag: str, tables: Tables, versions: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the keys that a JSON flag has in any of the versions, each before those inside it."""
    shapes = []
    for version in versions:
        catalog = tables.catalog(version)
        found = _find(flag, catalog)
        shape = _shape(found, catalog) if found is not None else None
        if shape is not None and shape not in shapes:
            shapes.append(shape)
    yield from _paths(shapes)


def _paths(shapes: Sequence[Shape]) -> Iterator[tuple[str, ...]]:
    keys = [shape["keys"] for shape in shapes if "keys" in shape]
    for key in dict.fromkeys(key for found in reversed(keys) for key in found):
        yield (key,)
        for path in _paths([found[key] for found in keys if key in found]):
            yield (key, *path)


def where(name: str, tables: Tables, since: str = "", until: str = "") -> str:
    """Return in which versions a flag or a variable is, of those from `since` to `until`."""
    known = tables.versions()
    first, last = known.index(since or known[0]), known.index(until or known[-1])
    found = []
    for span in tables.knowing(name):
        begin, _, end = span.partition("-")
        begins, ends = max(known.index(begin), first), min(known.index(end or begin), last)
        found += [f"{known[begins]}-{known[ends]}"] if begins <= ends else []
    return f"it is in {ranges(found)}" if found else "no version has it"


def change_sections(name: str, tables: Tables) -> list[Section]:
    """Return what replaced a flag, a key or a variable, and its renamed values."""
    records = tables.records(CHANGES)
    record = records.get(name)
    sections: list[Section] = []
    if record is not None:
        kind = record["kind"]
        if kind == "same":
            lines = [_other(one, name, record, tables) for one in record["carriers"] if one != name]
        elif kind == "split":
            lines = [
                f"{name}={value}: {_assignments(parts) or 'nothing'}"
                for value, parts in record["values"].items()
            ]
        else:
            lines = [record.get("why", "")]
        lines += [text for text in (record.get("note"), record.get("source")) if text]
        sections.append((_CHANGED.get(kind, _CHANGED["split"]), lines))
    return [*sections, (_RENAMED, _renamed_values(tables).get(name, []))]


def _other(other: str, name: str, record: dict[str, Any], tables: Tables) -> str:
    """Return where another name of the same thing is read."""
    inverted = record.get("inverted", ())
    since, until = (record.get(end, {}).get(other, "") for end in ("since", "until"))
    opposite = " (the opposite)" if (other in inverted) != (name in inverted) else ""
    return f"{other}{opposite}: {where(other.partition('.')[0], tables, since, until)}"


def _renamed_values(tables: Tables) -> dict[str, list[str]]:
    """Return the values that have other names in other versions: flag or variable → lines."""
    found: dict[str, list[str]] | None = tables.kept.get(_RENAMED)
    if found is None:
        found = {}
        for key, fields in tables.records(CHANGES).items():
            name, equals, _ = key.partition("=")
            line = " → ".join(fields["values"]) if fields["kind"] == "value" else ""
            if equals and line and line not in found.setdefault(name, []):
                found[name].append(line)
        tables.kept[_RENAMED] = found
    return found


def _assignments(parts: dict[str, object]) -> str:
    return " ".join(
        f"{target}={text if isinstance(text, str) else dumps(text)}"
        for target, text in parts.items()
    )


def _find(spelling: str, catalog: Catalog) -> Flag | None:
    found = catalog.flag(spelling)
    if found is not None:  # most versions: to list all spellings takes a millisecond
        return found
    spelled = catalog.spellings().get(spelling)
    return spelled[0] if spelled is not None else None


def flag_variables(flag: Flag, scope: Scope) -> list[str]:
    """Return the variables of a dialect that set a flag, the best one first."""
    variable = variable_for(flag, scope)
    secret = scope.secrets.carriers.get(flag.flag)
    if secret:
        written = f"{secret} (secret: never on a command line)"
    elif variable:
        written = f"{variable}: {KINDS[flag.kind]}"
    elif scope.extra_args:
        written = f"none of its own: {scope.extra_args}={flag.flag}=…"
    else:
        written = "none"
    others = [
        f"also {item.name}" for item in scope.dialect.setting(flag.flag) if item.name != variable
    ]
    return [written, *others]


def _keys(flag: Flag, catalog: Catalog) -> Section:
    shape = _shape(flag, catalog)
    keys = shape.get("keys", {}) if shape is not None else {}
    when = ", checked by the engine at its start" if flag.start else ""
    lines = [f".{key}: {shape_text(inner)}" for key, inner in keys.items()]
    return f"keys in vLLM {catalog.version}{when}", lines


def _shape(flag: Flag, catalog: Catalog) -> Shape | None:
    return catalog.shape(flag.flag) if flag.shaped or flag.start else None


def _accepted(spelling: str, path: tuple[str, ...], catalog: Catalog) -> Accepted | None:
    """What a flag, or a key of one, accepts in a version; None where it is not."""
    flag = _find(spelling, catalog)
    if flag is None:
        return None
    if path:
        return _accepted_key(flag, path, catalog)
    bounds = catalog.bounded.get(flag.flag)
    choices = tuple(str(item) for item in flag.choices or ())
    if choices:
        value = f"one of {some(choices)}"
    else:
        kind, comma, more = ARGUMENTS[flag.kind].partition(",")
        value = (shape_text(bounds.shape) if bounds is not None else kind) + comma + more
    return Accepted(
        value,
        choices,
        flag.nullable,
        tuple(flag.aliases),
        tuple(flag.negations),
        dumps(flag.default),
        flag.deprecated,
    )


def _accepted_key(flag: Flag, path: tuple[str, ...], catalog: Catalog) -> Accepted | None:
    shape = _shape(flag, catalog)
    if shape is None and flag.kind in ("json", "json-or-str"):
        return Accepted(ANY_KEY)
    for part in path:
        if shape is None or part not in shape.get("keys", {}):
            return None
        shape = shape["keys"][part]
    return Accepted(shape_text(shape)) if shape is not None else None


def _text(found: Accepted) -> str:
    """What is accepted, in a line: "integer ≥ 1; also -tp; default 1"."""
    parts = [found.value + (", or None" if found.nullable else "")]
    if found.also:
        parts.append(f"also {' '.join(found.also)}")
    if found.off:
        parts.append(f"off: {' '.join(found.off)}")
    if found.default not in _NO_DEFAULT and len(found.default) < _LONG_DEFAULT:
        parts.append(f"default {found.default}")
    return "; ".join([*parts, *(["deprecated"] if found.deprecated else [])])
