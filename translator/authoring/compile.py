"""The tables as running reads them: text files of records (see `translator.compact`), described in
mappings/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from translator.authoring import index, sources
from translator.authoring.load import load
from translator.authoring.model import (
    RENAMED,
    Catalog,
    Changes,
    Cluster,
    Consumer,
    Dialect,
    Flag,
    Gone,
    Grammar,
    MachineFlags,
    Requires,
    Same,
    Secrets,
    Shape,
    Split,
    Tables,
    Variable,
)
from translator.tables.records import decode, encode, escape

COMPILED = Path(__file__).parent.parent / "_compiled"


INDEX = "index.txt"


_NOT_AT_RUN_TIME = ("default", "custom", "names")  # of a shape


_NOT_PLAIN = (
    "flag",
    "name",
    "choices",
    "shape",
    "start",
    "const",
    "default",
)  # of a flag or a variable: written otherwise than as they stand


_HEAD = (
    "name",
    "consumer",
    "reader",
    "extends",
    "prefix",
    "any_prefix",
    "extra_args",
    "config_file",
    "baked_args",
    "model_directory",
    "limit_name",
    "limit_value",
    "limit_all",
)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _lines(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _list(items: Sequence[str] | None) -> list[str] | None:
    """A list field; an empty one is left out."""
    return list(items) if items else None


def _plain(entry: Flag | Variable | Grammar, leave_out: Sequence[str]) -> dict[str, Any]:
    """The fields of an entry that are written as they stand."""
    found: dict[str, Any] = {}
    for field in attrs.fields(type(entry)):
        value = getattr(entry, field.name)
        if field.init and field.name not in leave_out:
            found[RENAMED.get(field.name, field.name)] = (
                _list(value) if isinstance(value, tuple) else value
            )
    return found


def shape_facts(shape: Shape) -> dict[str, Any]:
    """A shape as the JSON that running reads, without what only the harvest needs."""
    found: dict[str, Any] = {}
    for field in attrs.fields(Shape):
        value = getattr(shape, field.name)
        if value is None or value is False or field.name in _NOT_AT_RUN_TIME:
            continue
        if isinstance(value, Shape):
            value = shape_facts(value)
        elif field.name == "keys":
            value = {key: shape_facts(inner) for key, inner in value.items()}
        elif field.name == "of":
            value = [shape_facts(inner) for inner in value]
        elif field.name == "rules":
            value = [attrs.asdict(rule, filter=lambda _, item: item is not None) for rule in value]
        found[RENAMED.get(field.name, field.name)] = value
    return found


def _flag_line(flag: Flag) -> str:
    fields = {"kind": flag.kind, **_plain(flag, _NOT_PLAIN)}
    fields["choices"] = None if flag.choices is None else [str(item) for item in flag.choices]
    fields["int_choices"] = bool(flag.choices) and all(
        isinstance(item, int) for item in flag.choices or ()
    )
    fields["shape"] = flag.shape is not None
    if flag.start is not None:
        limits = {name: getattr(flag.start, name) for name in ("ge", "gt", "le", "lt")}
        fields["start"] = _list(
            [f"{name}={limit}" for name, limit in limits.items() if limit is not None]
        ) or ["keys"]
    for name in ("const", "default"):
        value = getattr(flag, name)
        fields[name] = None if value is None else _json(value)
    return encode(flag.flag, fields)


def _variable_line(variable: Variable) -> str:
    fields = _plain(variable, _NOT_PLAIN)
    fields["choices"] = _list(variable.choices)
    fields["default"] = None if variable.default is None else _json(variable.default)
    return encode(variable.name, fields)


def compile_catalog(catalog: Catalog) -> dict[str, str]:
    """The two files of one version."""
    grammar = _plain(catalog.grammar, ("O",))
    grammar["O"] = _list(
        [f"{form}={key}" for form, key in catalog.grammar.O.items() if key is not None]
    )
    lines = [
        encode("@grammar", grammar),
        "%flags",
        *map(_flag_line, catalog.flags),
        "%env",
        *map(_variable_line, catalog.env),
    ]
    objects = [
        (flag.flag, shape)
        for flag in catalog.flags
        for shape in (flag.shape, flag.start)
        if shape is not None and shape.kind == "object"
    ]
    shapes = [f"{escape(name)}\t{_json(shape_facts(shape))}" for name, shape in objects]
    return {
        f"{catalog.version}.txt": _lines(lines),
        f"{catalog.version}.shapes.txt": _lines(shapes),
    }


def compile_dialect(dialect: Dialect) -> str:
    """dialect.NAME.txt: what it is, its consumer's lists, its variables."""
    head = dialect.dialect
    facts: dict[str, Any] = {name: getattr(head, name) or None for name in _HEAD}
    facts["vllm"] = dialect.consumer.vllm if dialect.consumer is not None else None
    lists = {
        name: _list(getattr(head, name))
        for name in ("arguments", "required", "own_names", "sources")
    }
    lines = [encode("@dialect", {**facts, **lists})]
    if dialect.properties is not None:
        own = dialect.properties
        lines.append(
            encode(
                "@properties",
                {
                    "file": own.file,
                    "keys": _json(own.keys),
                    "names": _json(own.names),
                    "source": own.source,
                },
            )
        )
    consumer = dialect.consumer
    if consumer is not None:
        how = {
            name: getattr(consumer, name)
            for name in (
                *Consumer.rules(),
                "objects",
                "lines",
                "exact",
                "plain",
                "any_text",
                "only_true",
                "own_spelling",
                "unknown",
            )
        }
        how["behind"] = _json(consumer.behind) if consumer.behind else None
        lines.append(
            encode(
                "@consumer",
                {"closed": any(getattr(consumer, part) for part in Consumer.lists()[:3]), **how},
            )
        )
        lines += [
            encode(f"@consumer.{part}", {part: list(getattr(consumer, part))})
            for part in Consumer.lists()
            if getattr(consumer, part)
        ]
    for order, variable in enumerate(dialect.variable):
        flag, _, key = (variable.flag or "").partition(".")
        lines.append(
            encode(
                variable.name,
                {
                    "role": variable.role,
                    "flag": flag or None,
                    "key": key or None,
                    "default": variable.default,
                    "unset": _list(variable.unset),
                    "inverted": variable.inverted,
                    "warn": variable.warn,
                    "fallback": variable.fallback,
                    "scheme": variable.scheme,
                    "unread": _list(variable.unread),
                    "only": _list(variable.only),
                    "least": variable.least,
                    "most": variable.most,
                    "plain": variable.plain,
                    "otherwise": variable.otherwise,
                    "positive": variable.positive,
                    "values": _json(variable.values) if variable.values else None,
                    "sets": _json(variable.sets) if variable.sets else None,
                    "note": variable.note,
                    "source": variable.source,
                    "order": order,
                },
            )
        )
    return _lines(lines)


def compile_cluster(cluster: Cluster) -> str:
    """cluster.NAME.txt: one record."""
    lists = {
        name: _list(getattr(cluster, name))
        for name in (
            "nodes",
            "rank",
            "address",
            "port",
            "host_list",
            "processes",
            "per_node",
            "sources",
        )
    }
    return _lines([encode("@cluster", {"name": cluster.name, "note": cluster.note, **lists})])


def compile_machines(machines: MachineFlags) -> str:
    """machines.txt: what a place becomes, a record a part."""
    nodes, ranks, joined = (
        attrs.asdict(part) for part in (machines.nodes, machines.data_parallel, machines.joined)
    )
    ranks["everywhere"] = _list(machines.data_parallel.everywhere)
    head: dict[str, Any] = {"headless": machines.headless, "sources": list(machines.sources)}
    return _lines(
        [
            encode("@machines", head),
            encode("@nodes", nodes),
            encode("@data_parallel", ranks),
            encode("@joined", joined),
        ]
    )


def _change_fields(entry: Same | Split | Gone) -> dict[str, Any]:
    if isinstance(entry, Same):
        tables = {
            name: _json(getattr(entry, name)) if getattr(entry, name) else None
            for name in Same.tables()
        }
        return {
            "kind": "same",
            "carriers": list(entry.carriers),
            "inverted": _list(entry.inverted),
            **tables,
            "note": entry.note,
            "source": entry.source,
        }
    if isinstance(entry, Split):
        return {
            "kind": "split",
            "values": _json(entry.values),
            "note": entry.note,
            "source": entry.source,
        }
    return {
        "kind": "gone",
        "why": entry.why,
        "default_when": entry.default_when,
        "source": entry.source,
    }


def compile_changes(changes: Changes) -> str:
    """changes.txt: one record a name, and one a value (`NAME=value`)."""
    found = {name: _change_fields(entry) for _, entry in changes.entries() for name in entry.names}
    for change in changes.value:
        for value in change.values:
            found[f"{change.name}={value}"] = {
                "kind": "value",
                "values": list(change.values),
                "note": change.note,
                "source": change.source,
            }
    return _lines([encode(name, found[name]) for name in sorted(found)])


def compile_secrets(secrets: Secrets) -> str:
    """secrets.txt: the patterns, and one record a secret flag or variable."""
    flags = {item.flag: item.variable for item in secrets.secret if item.flag is not None}
    variables = {item.variable: item.flag for item in secrets.secret if item.variable is not None}
    lines = [
        encode(f"@{part}", {"patterns": list(getattr(secrets, part))})
        for part in ("patterns", "public", "key_patterns")
    ]
    lines += [encode(flag, {"secret": True, "variable": flags[flag]}) for flag in sorted(flags)]
    lines += [encode(name, {"secret": True, "flag": variables[name]}) for name in sorted(variables)]
    return _lines(lines)


def compile_requires(requires: Requires) -> str:
    """requires.txt: one record a rule, in the order of the file."""
    lines = []
    for number, rule in enumerate(requires.refusal):
        sides = {
            side: _list([f"{name}={word}" for name, word in getattr(rule, side).items()])
            for side in ("needs", "excludes", "unless")
        }
        when = None if rule.when == "true" else rule.when
        lines.append(
            encode(
                str(number),
                {
                    "flag": rule.flag,
                    "when": when,
                    **sides,
                    "since": rule.since,
                    "until": rule.until,
                    "source": rule.source,
                },
            )
        )
    return _lines(lines)


def compile_loaded(tables: Tables) -> dict[str, str]:
    """Every compiled file by name; of a part of the tables, only what belongs to it."""
    found: dict[str, str] = {}
    if tables.catalogs:
        found[INDEX] = index.of_catalogs(tables.catalogs).text(tables.digest)
    for catalog in tables.catalogs:
        found.update(compile_catalog(catalog))
    for dialect in tables.dialects.values():
        found[f"dialect.{dialect.dialect.name}.txt"] = compile_dialect(dialect)
    for cluster in tables.clusters.values():
        found[f"cluster.{cluster.name}.txt"] = compile_cluster(cluster)
    if tables.machines is not None:
        found["machines.txt"] = compile_machines(tables.machines)
    if tables.changes is not None:
        found["changes.txt"] = compile_changes(tables.changes)
    if tables.secrets is not None:
        found["secrets.txt"] = compile_secrets(tables.secrets)
    if tables.requires is not None:
        found["requires.txt"] = compile_requires(tables.requires)
    return found


def compile_tables(mappings: Path) -> dict[str, str]:
    """Every compiled file, by name, of the tables in a directory; only what is there is compiled.

    Raises:
        TablesError: the directory holds no tables, or a mistake.
    """
    return compile_loaded(load(mappings))


def _laid_over(own: str, base: str, rename: str) -> str:
    """Records laid over records: those of one name are the first one's, less the patterns, which
    add up. A user's own file says what is more, not all.
    """
    found = {row[0]: row for row in map(decode, base.splitlines())}
    for name, fields in map(decode, own.splitlines()):
        there = found.get(name, (name, {}))[1].get("patterns")
        if isinstance(there, list) and isinstance(fields.get("patterns"), list):
            fields = {"patterns": list(dict.fromkeys([*there, *fields["patterns"]]))}  # type: ignore[misc]
        found[f"{rename}{name}"] = (f"{rename}{name}", fields)
    return _lines([encode(name, fields) for name, fields in found.values()])


def compile_overlay(mappings: Path, base: Path = COMPILED) -> dict[str, str]:
    """`compile_tables` of a user's own tables, to be laid over compiled ones.

    A catalog, a dialect or a cluster replaces the one of its name; secrets, changes and refusals
    are added, entry by entry. The index speaks of the versions of both.

    Raises:
        TablesError: the directory holds no tables, or a mistake.
    """
    tables = load(mappings)
    found = compile_loaded(tables)
    if INDEX in found:
        both = index.read((base / INDEX).read_text(encoding="utf-8"))
        for catalog in tables.catalogs:
            both.add(catalog)
        found[INDEX] = both.text(tables.digest)
    for name, rename in (
        ("secrets.txt", ""),
        ("changes.txt", ""),
        ("requires.txt", "own "),
    ):  # refusals are numbered, so that none replaces another
        if name in found:
            found[name] = _laid_over(found[name], (base / name).read_text(encoding="utf-8"), rename)
    return found


def compare(compiled: Mapping[str, str], target: Path = COMPILED) -> list[str]:
    """The names of the files in `target` that are missing, stale or left over."""
    there = (
        {path.name: path.read_bytes() for path in target.glob("*.txt")} if target.is_dir() else {}
    )
    return sorted(
        name
        for name in {*compiled, *there}
        if name not in compiled or there.get(name) != compiled[name].encode()
    )


def check(mappings: Path | None = None, target: Path = COMPILED) -> list[str]:
    """The names of the compiled files that do not say what the tables say; [] when all are
    fresh.
    """
    return compare(compile_tables(sources.shipped() if mappings is None else mappings), target)


def write(mappings: Path | None = None, target: Path = COMPILED) -> list[str]:
    """Bring the compiled files up to date, and give the names of those that were not."""
    compiled = compile_tables(sources.shipped() if mappings is None else mappings)
    changed = compare(compiled, target)
    target.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in compiled:
            (target / name).write_bytes(compiled[name].encode())
        else:
            (target / name).unlink()
    return changed
