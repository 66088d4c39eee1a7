"""The tables as the running rooms read them: JSON files under translator/_compiled, each one object
with an entry a line (see mappings/README.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from translator.authoring import records
from translator.authoring.load import load
from translator.model import (
    CHANGES,
    DIALECTS,
    MACHINES,
    RELEASES,
    Descriptions,
    Secrets,
    Tables,
    catalog_file,
)
from translator.model.catalog import Catalog
from translator.model.changes import Changes, Gone, Same, Split
from translator.model.platforms import ClusterFile, Dialect, MachineFlags
from translator.model.programs import Images
from translator.model.schema import structure, unstructure
from translator.tables import catalog as running
from translator.tables.catalog import CATALOGS, INDEX, shipped
from translator.tables.versions import Version, runs
from translator.text import files as writing
from translator.text.json_text import scan

COMPILED = Path(__file__).parent.parent / "_compiled"
GENERATIONS = "generations.json"
_APART = tuple(f'{{\n"@{what}":{{'.encode() for what in ("grammar", "dialect", "cluster"))
RECORDS = "../tables/records.py"  # from the folder of the compiled files

Entries = dict[str, Any]


def facts(item: Any, *leave_out: str) -> Entries:
    """Return an object's fields as JSON, without those at their default and some others."""
    found: Entries = unstructure(item)
    return {name: value for name, value in found.items() if name not in leave_out}


def document(entries: Mapping[str, Any]) -> str:
    """Return the text of a compiled file: one JSON object, an entry a line."""
    lines = ",\n".join(f"{_json(name)}:{_json(fields)}" for name, fields in entries.items())
    return f"{{\n{lines}\n}}\n" if lines else "{\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# --- what becomes of each table, as entries by name -----------------------------------------------


def _catalog(catalog: Catalog) -> Entries:
    """The grammar, the flags, the variables, and the keys of JSON flags as entries of their own."""
    flags = {flag.flag: facts(flag, "flag") for flag in catalog.flags}
    shapes = {}
    for name, flag in flags.items():
        for part in _SHAPES:
            if flag.get(part, {}).get("kind") == "object":
                shapes[f"@{name}"], flag[part] = flag[part], _OBJECT
    return {"@grammar": facts(catalog.grammar), **flags, **_by_name(catalog.env), **shapes}


# Of a flag: what its shape is called, and what is left of one that is an entry of its own.
_SHAPES = ("shape", "start")
_OBJECT: Mapping[str, Any] = {"kind": "object", "keys": {}}


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
        for entry in changes.entries()
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


def _descriptions(table: Descriptions) -> Entries:
    """One entry a name, with its line and its example."""
    found: Entries = {
        name: {"text": text} for name, text in {**table.flag, **table.variable}.items()
    }
    for name, text in table.example.items():
        found.setdefault(name, {})["example"] = text
    return found


def _by_name(entries: Iterable[Any], *leave_out: str) -> Entries:
    """One entry a name, in the order of the file."""
    return {entry.name: facts(entry, "name", *leave_out) for entry in entries}


# What becomes of the tables of which there is one.
_SINGLE: Mapping[str, Callable[[Any], Entries]] = {
    CHANGES: _changes,
    "secrets.toml": _secrets,
    "requires.toml": lambda table: {str(at): facts(it) for at, it in enumerate(table.refusal)},
    MACHINES: _machines,
    RELEASES: lambda table: {name: {"date": day} for name, day in table.published.items()},
    "plugins.toml": lambda table: _by_name(table.plugin),
    "defaults.toml": lambda table: _by_name(table.default, "source"),
    "images.toml": _images,
    "charts.toml": lambda table: _by_name(table.chart, "sources"),
    "findings.toml": lambda table: {code: facts(item) for code, item in table.finding.items()},
    "descriptions.toml": _descriptions,
}


def _shared(tables: Tables) -> dict[str, Entries]:
    """The files of which there is one, by name: a user's own are added to them."""
    found = {
        "machines.json" if file == MACHINES else file.replace(".toml", ".json"): entries(table)
        for file, entries in _SINGLE.items()
        if (table := tables.files.get(file)) is not None
    }
    known = {item.dialect.name: item.generation for item in tables.dialects}
    generations = {name: facts(item, "instead") for name, item in known.items() if item is not None}
    return found | ({GENERATIONS: generations} if generations else {})


def _apart(tables: Tables) -> dict[str, Entries]:
    """The files of each version, dialect and cluster: a user's own replaces ours."""
    found = {f"{catalog.version}.json": _catalog(catalog) for catalog in tables.catalogs}
    for table in tables.files.values():
        if isinstance(table, Dialect):
            found[f"dialect.{table.dialect.name}.json"] = _dialect(table)
        elif isinstance(table, ClusterFile):
            found[f"cluster.{table.cluster.name}.json"] = {"@cluster": facts(table.cluster)}
    return found


def _compiled(tables: Tables, others: Mapping[str, Names], shared: dict[str, Entries]) -> Files:
    """Every file; the index, if the tables have a catalog, is of their versions and of others."""
    found = {**_apart(tables), **shared}
    if tables.catalogs:
        known = {**others, **{catalog.version: names_of(catalog) for catalog in tables.catalogs}}
        found[INDEX] = index(known)
    return {name: document(entries) for name, entries in found.items()}


Files = dict[str, str]
"""Compiled files: name → text."""


def compile_loaded(tables: Tables) -> Files:
    """Return every compiled file by name; of a part of the tables, only what belongs to it."""
    return _compiled(tables, {}, _shared(tables))


def compile_overlay(mappings: Path) -> Files:
    """Return the compiled files of a user's own tables, to be laid over those of this installation:
    of one name, the own entry, catalog, dialect or cluster counts.
    """
    tables = load(mappings)
    others = indexed(shipped().records(INDEX)) if tables.catalogs else {}
    both = {name: _laid_over(name, own) for name, own in _shared(tables).items()}
    return _compiled(tables, others, both)


def _laid_over(name: str, own: Entries) -> Entries:
    """The entries of both, of one name the own one; patterns add up, and so do refusals."""
    if name == "requires.json":
        own = {f"own {key}": fields for key, fields in own.items()}
    base = shipped().records(name)
    found = {**base, **own}
    for key in own.keys() & base.keys():
        if "patterns" in own[key]:
            both = [*base[key]["patterns"], *own[key]["patterns"]]
            found[key] = {"patterns": list(dict.fromkeys(both))}
    return found


def compile_build(
    raw: Mapping[str, Any], tables: running.Tables, name: Callable[[str], str]
) -> tuple[str, Files]:
    """Return what a harvested build is called, and its compiled files, to be laid over tables;
    `name` calls it after the release that is most like it.
    """
    known: dict[str, Names] = {**indexed(tables.records(INDEX))}
    catalog = structure(raw, Catalog, "harvested")
    names = names_of(catalog)
    # The newest of those with the most names in common, and the fewest others.
    like = min(reversed(known), key=lambda version: len(names.keys() ^ known[version].keys()))
    catalog = evolve(catalog, version=name(like))
    return catalog.version, _compiled(Tables({"harvested": catalog}), known, {})


# --- a folder of them -----------------------------------------------------------------------------


def in_folder(files: Mapping[str, str]) -> Files:
    """Return compiled files as they lie in a folder: with the catalogs of all versions in one."""
    found = {name: text for name, text in files.items() if not name[:1].isdigit()}
    versions = sorted({name.removesuffix(".json") for name in files.keys() - found}, key=Version)
    lines = {version: files[f"{version}.json"].splitlines()[1:-1] for version in versions}
    held = {ver: {line[1:].removesuffix(",") for line in lines[ver]} for ver in versions}
    if versions:
        entries = sorted(set().union(*held.values()), key=lambda line: (line[:2] == "@-", line))
        size = sum(len(line.encode()) + 1 for line in entries if line[:2] != "@-")
        rows = ["".join("01"[line in held[ver]] for line in entries) for ver in versions]
        head = " ".join((str(len(entries)), str(size), *versions))
        found[CATALOGS] = "\n".join((head, *rows, *entries, ""))
    return found


def compare(files: Mapping[str, str], target: Path = COMPILED) -> list[str]:
    """Return the names of the files in `target` that are missing, stale or left over: of a version,
    dialect or cluster that is gone, since `write` deletes those.
    """
    stale = [
        name
        for name, text in files.items()
        if not (target / name).is_file() or (target / name).read_bytes() != text.encode()
    ]
    stale += [
        path.name
        for path in target.glob("*.json")
        if path.name not in files and path.read_bytes().startswith(_APART)
    ]
    return sorted(stale)


def write(files: Mapping[str, str], target: Path = COMPILED) -> list[str]:
    """Bring a folder up to date, and return the names of the files that were not."""
    changed = compare(files, target)
    for name in changed:
        if name in files:
            writing.write(name, files[name].encode(), str(target))
        else:
            (target / name).unlink()
    return changed


def files_of(tables: Tables, target: Path) -> Files:
    """Return compiled files as they lie in a folder; of a checkout also the running classes."""
    found = in_folder(compile_loaded(tables))
    if (target / RECORDS).is_file():
        found[RECORDS] = records.source()
    return found


# --- index.json: every spelling of a flag and every variable, with the versions that have it ------

Names = Mapping[str, str]
"""What one version knows: each spelling with its flag, each variable with itself."""


def names_of(catalog: Catalog) -> Names:
    """Return what a version knows."""
    spellings = {text: flag.flag for flag in catalog.flags for text in flag.spellings}
    return spellings | {variable.name: variable.name for variable in catalog.env}


def index(known: Mapping[str, Names]) -> Entries:
    """Return the entries of index.json: of a name the versions, as successive "first-last", and of
    another spelling also the flag, by the newest version that has it.
    """
    versions = sorted(known, key=Version)
    having: dict[str, set[str]] = {}
    owners: dict[str, str] = {}
    for version in versions:
        for name, owner in known[version].items():
            having.setdefault(name, set()).add(version)
            if owner != name:
                owners[name] = owner
    found: Entries = {"@versions": versions}
    for name in sorted(having):
        found[name] = {"in": [f"{first}-{last}" for first, last in runs(versions, having[name])]}
        if name in owners:
            found[name]["of"] = owners[name]
    return found


def indexed(entries: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return what each version knows, oldest first: the inverse of `index`."""
    versions: list[str] = entries["@versions"]
    found: dict[str, dict[str, str]] = {version: {} for version in versions}
    for name, fields in entries.items():
        for span in fields["in"] if name[0] != "@" else ():
            first, _, last = span.partition("-")
            for version in versions[versions.index(first) : versions.index(last) + 1]:
                found[version][name] = fields.get("of", name)
    return found


# --- the model again ------------------------------------------------------------------------------


def catalog_of(version: str, tables: running.Tables | None = None) -> Catalog:
    """Return the catalog that a version was compiled from, by default in this installation."""
    found = (tables or shipped()).catalog(version)
    entries = {name: scan(line, 0)[0] for name, line in found.lines.items()}
    raw: dict[str, Any] = {"version": version, "grammar": entries["@grammar"]}
    raw["flags"] = [{"flag": name, **it} for name, it in entries.items() if name[0] == "-"]
    raw["env"] = [{"name": name, **it} for name, it in entries.items() if name[0] not in "-@"]
    for flag in raw["flags"]:
        for part in _SHAPES:
            if flag.get(part) == _OBJECT:
                flag[part] = found.shape(flag["flag"])
    return structure(raw, Catalog, f"{version}.json")


def tables_in(tables: running.Tables) -> Tables:
    """Return the catalogs and the heads of dialects, as tables to lint a user's own against."""
    found: dict[str, Any] = {}
    for name in tables.dialects():
        head = tables.records(f"dialect.{name}.json")["@dialect"]
        found[f"{DIALECTS}/{name}.toml"] = structure({"dialect": head}, Dialect, name)
    found |= {catalog_file(item): catalog_of(item, tables) for item in tables.versions()}
    return Tables(found)
