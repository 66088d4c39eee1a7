"""The tables as the running rooms read them: JSON files under translator/_compiled, each one object
with an entry a line (see mappings/README.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

from translator.authoring import compiled, records
from translator.authoring.compiled import COMPILED, SUFFIXES, Names, index, indexed, names_of
from translator.authoring.load import load, structured
from translator.authoring.stored import bases
from translator.model.catalog import Catalog, Flag
from translator.model.changes import Changes, Gone, Same, Split
from translator.model.clusters import MachineFlags
from translator.model.converter import compiled as as_compiled
from translator.model.dialects import Dialect
from translator.model.programs import Images
from translator.model.tables import Secrets, Tables
from translator.tables.catalog import INDEX

GENERATIONS = "generations.json"
RECORDS = "../tables/records.py"  # from the folder of the compiled files

_ERA = 4  # minors, of which one is kept whole; with more of them, the files are hardly smaller


def facts(item: Any, *leave_out: str) -> dict[str, Any]:
    """Return the fields of an object of the model as JSON.

    Args:
        item: the object; what is at its default is not in the result.
        leave_out: names of fields that are not, either.
    """
    found: dict[str, Any] = as_compiled(item)
    return {name: value for name, value in found.items() if name not in leave_out}


def document(entries: Mapping[str, Any]) -> str:
    """Return the text of a compiled file: one JSON object, an entry a line."""
    return _document({name: _json(fields) for name, fields in entries.items()})


def _document(texts: Mapping[str, str]) -> str:
    lines = ",\n".join(f"{_json(name)}:{text}" for name, text in texts.items())
    return f"{{\n{lines}\n}}\n" if lines else "{\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _flag_facts(flag: Flag) -> dict[str, Any]:
    found = facts(flag, "flag", "shape", "start")
    if flag.shape is not None:
        found["shape"] = True
    if flag.start is not None:
        # The keys of an object stand in the file of the shapes.
        found["start"] = {"kind": "object"} if flag.start.kind == "object" else facts(flag.start)
    return found


def _catalog_entries(catalog: Catalog) -> tuple[dict[str, str], dict[str, str]]:
    """The entries of one version, and the shapes of its JSON flags, as JSON texts by name."""
    shapes = {
        flag.flag: _json(facts(shape))
        for flag in catalog.flags
        for shape in (flag.shape, flag.start)
        if shape is not None and shape.kind == "object"
    }
    entries = {
        "@grammar": _json(facts(catalog.grammar)),
        **{flag.flag: _json(_flag_facts(flag)) for flag in catalog.flags},
        **{variable.name: _json(facts(variable, "name")) for variable in catalog.env},
    }
    return entries, shapes


def compile_catalogs(catalogs: Sequence[Catalog]) -> dict[str, str]:
    """The files of all versions: two of one that is kept whole, and of any other what differs,
    `@like` that one and `@without` some of its entries.

    A patch is like the newest of its minor, and that one like the newest of its era. One release
    has little to say that the next has not; but a file that is read beside another one must be
    short, or a container pays for it at every start.
    """
    parts = {catalog.version: _catalog_entries(catalog) for catalog in catalogs}
    of_minor = bases(parts)
    of_era = bases(parts, _ERA)
    found: dict[str, str] = {}
    for version, base in of_minor.items():
        era = of_era[version]
        if base == version != era and 3 * len(_like(parts, version, era)[0]) < len(
            _document(parts[version][0])
        ):
            base = era
        texts = map(_document, parts[version]) if base == version else _like(parts, version, base)
        found |= {f"{version}{suffix}": text for suffix, text in zip(SUFFIXES, texts, strict=True)}
    return found


def _like(
    parts: Mapping[str, tuple[dict[str, str], dict[str, str]]], version: str, base: str
) -> tuple[str, str]:
    """The files of a version that is kept as its difference from another one."""
    (entries, shapes), (their_entries, their_shapes) = parts[version], parts[base]
    gone = [name for name in their_entries if name not in entries]
    head = {"@like": _json(base), "@without": _json(gone)}
    no_shapes = dict.fromkeys((name for name in their_shapes if name not in shapes), "null")
    return (
        _document(head | _different(entries, their_entries)),
        _document(_different(shapes, their_shapes) | no_shapes),
    )


def _different(own: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in own.items() if theirs.get(name) != text}


# --- the other tables: what becomes of each, as entries by name -----------------------------------

Entries = dict[str, Any]


def _dialect(dialect: Dialect) -> Entries:
    """What it is, the rules of its reader, its variables."""
    parts = ("dialect", "generation", "properties", "consumer")
    held = {f"@{part}": getattr(dialect, part) for part in parts}
    found: Entries = {name: facts(part) for name, part in held.items() if part is not None}
    return found | _by_name(dialect.variable)


def _machines(machines: MachineFlags) -> Entries:
    """What a place among several machines becomes, an entry a part."""
    found = facts(machines)
    parts = {f"@{part}": found.pop(part) for part in ("nodes", "data_parallel", "joined")}
    return {"@machines": found, **parts}


def _changes(changes: Changes) -> Entries:
    """One entry a name, and one a value (`NAME=value`)."""
    kinds = {Same: "same", Split: "split", Gone: "gone"}
    found = {
        name: {"kind": kinds[type(entry)], **facts(entry, "name", "names")}
        for _, entry in changes.entries()
        for name in entry.names
    }
    found |= {
        f"{change.name}={value}": {"kind": "value", **facts(change, "name")}
        for change in changes.value
        for value in change.values
    }
    return dict(sorted(found.items()))


def _secrets(secrets: Secrets) -> Entries:
    """The patterns, and one entry a secret flag or variable."""
    lists = {
        f"@{name}": {"patterns": list(getattr(secrets, name))}
        for name in ("patterns", "public", "beginnings")
    }
    named = {
        getattr(item, field): {"secret": True, **facts(item, field)}
        for item in secrets.secret
        for field in ("flag", "variable")
        if getattr(item, field) is not None
    }
    return lists | dict(sorted(named.items()))


def _images(images: Images) -> Entries:
    """What holds for all images, and one entry a repository."""
    common = facts(images, "image")
    found: Entries = {"@images": common} if common else {}
    for image in images.image:
        found |= dict.fromkeys(image.names, facts(image, "names", "sources"))
    return found


def _by_name(entries: Iterable[Any], *leave_out: str) -> Entries:
    """One entry a name, in the order of the file."""
    return {entry.name: facts(entry, "name", *leave_out) for entry in entries}


# What becomes of the tables of which there is one.
_SINGLE: Mapping[str, Callable[[Any], Entries]] = {
    "changes": _changes,
    "secrets": _secrets,
    "requires": lambda table: {str(at): facts(item) for at, item in enumerate(table.refusal)},
    "machines": _machines,
    "releases": lambda table: {name: {"date": day} for name, day in table.published.items()},
    "plugins": lambda table: _by_name(table.plugin),
    "defaults": lambda table: _by_name(table.default, "source"),
    "images": _images,
    "charts": lambda table: _by_name(table.chart, "sources"),
    "launchers": lambda table: _by_name(table.launcher, "sources"),
    "findings": lambda table: {code: facts(item) for code, item in table.finding.items()},
}


def _shared(tables: Tables) -> dict[str, Entries]:
    """The files of which there is one, by name: a user's own are added to them."""
    found = {f"{field}.json": _SINGLE[field](table) for field, table in tables.single().items()}
    known = {item.dialect.name: item.generation for item in tables.dialects.values()}
    generations = {name: facts(item, "instead") for name, item in known.items() if item is not None}
    return found | ({GENERATIONS: generations} if generations else {})


def _apart(tables: Tables) -> dict[str, str]:
    """The files of each version, dialect and cluster: a user's own replaces ours."""
    found = {f"dialect.{it.dialect.name}.json": _dialect(it) for it in tables.dialects.values()}
    for cluster in tables.clusters.values():
        found[f"cluster.{cluster.name}.json"] = {"@cluster": facts(cluster)}
    return compile_catalogs(tables.catalogs) | _documents(found)


def _documents(files: Mapping[str, Entries]) -> dict[str, str]:
    return {name: document(entries) for name, entries in files.items()}


def _index(tables: Tables, others: Mapping[str, Names]) -> dict[str, str]:
    """The index of the versions in tables, and of others; none if the tables have no catalog."""
    known = {**others, **{catalog.version: names_of(catalog) for catalog in tables.catalogs}}
    return {INDEX: document(index(known, tables.digest))} if tables.catalogs else {}


def compile_loaded(tables: Tables) -> dict[str, str]:
    """Return every compiled file by name; of a part of the tables, only what belongs to it."""
    return {**_index(tables, {}), **_apart(tables), **_documents(_shared(tables))}


def compile_tables(mappings: Path) -> dict[str, str]:
    """Return every compiled file, by name, of the tables in a directory; only what is there is
    compiled.

    Raises:
        TablesError: the directory holds no tables, or a mistake.
    """
    return compile_loaded(load(mappings))


def compile_overlay(mappings: Path) -> dict[str, str]:
    """Return `compile_tables` of a user's own tables, to be laid over compiled ones.

    A catalog, a dialect or a cluster replaces the one of its name; the others are added, entry by
    entry. The index covers the versions of both.

    Raises:
        TablesError: the directory holds no tables, or a mistake.
    """
    tables = load(mappings)
    others = indexed(_entries(INDEX)) if tables.catalogs else {}
    both = {name: _laid_over(name, own) for name, own in _shared(tables).items()}
    return {**_index(tables, others), **_apart(tables), **_documents(both)}


def _laid_over(name: str, own: Entries) -> Entries:
    """The entries of both; of one name, the own entry. Patterns add up, and so do refusals, which
    are numbered.
    """
    if name == "requires.json":
        own = {f"own {key}": fields for key, fields in own.items()}
    base = _entries(name)
    found = {**base, **own}
    for key in own.keys() & base.keys():
        if "patterns" in own[key]:
            both = [*base[key]["patterns"], *own[key]["patterns"]]
            found[key] = {"patterns": list(dict.fromkeys(both))}
    return found


def _entries(name: str) -> Entries:
    """What a file of this installation holds."""
    found: Entries = json.loads((COMPILED / name).read_text(encoding="utf-8"))
    return found


def compile_build(
    raw: Mapping[str, Any], base_index: str, name: Callable[[str], str]
) -> tuple[str, dict[str, str]]:
    """The compiled files of one harvested build, to be laid over those that an index is of.

    Args:
        raw: the catalog, as the harvest gives it.
        base_index: the text of that index.
        name: what to call the build, when the release that is most like it is known.

    Returns:
        What it is called, and the files by name.

    Raises:
        TablesError: the catalog is not one.
    """
    known: dict[str, Names] = {**indexed(json.loads(base_index))}
    catalog = structured("harvested", raw, Catalog)
    names = names_of(catalog)
    # The newest of those with the most names in common, and the fewest others.
    like = min(reversed(known), key=lambda version: len(names.keys() ^ known[version].keys()))
    catalog = evolve(catalog, version=name(like))
    known[catalog.version] = names
    files = compile_catalogs([catalog])
    return catalog.version, {**files, INDEX: document(index(known, "own"))}


def check(mappings: Path, target: Path = COMPILED) -> list[str]:
    """Return the names of the compiled files that differ from the tables; [] when all are fresh."""
    return compiled.compare(_files(mappings, target), target)


def write(mappings: Path, target: Path = COMPILED) -> list[str]:
    """Bring the compiled files up to date, and return the names of those that were not."""
    return compiled.write(_files(mappings, target), target)


def _files(mappings: Path, target: Path) -> dict[str, str]:
    """The files as they lie in a folder; of a checkout also the module of the running classes."""
    found = compiled.joined(compile_tables(mappings))
    if (target / RECORDS).is_file():
        found[RECORDS] = records.source()
    return found
