"""The tables as `core` reads them: JSON files in core/_compiled, each one object with an entry a
line (see mappings/README.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

from translator.core.findings import EVERY
from translator.core.tables import catalog as running
from translator.core.tables.catalog import FACTS, KEYS, KNOWN, NAMES, SPELLINGS, FileOf, shipped
from translator.core.tables.dialects import GENERATIONS
from translator.core.tables.versions import Version, parse
from translator.formats import files as writing
from translator.maintain import history, records, relations
from translator.maintain.load import load
from translator.maintain.model import (
    CHANGES,
    DIALECTS,
    MACHINES,
    RELATIONS,
    RELEASES,
    Descriptions,
    Findings,
    Secrets,
    Tables,
)
from translator.maintain.model.catalog import Catalog
from translator.maintain.model.changes import Changes, ValueChange
from translator.maintain.model.platforms import ClusterFile, Dialect, MachineFlags
from translator.maintain.model.programs import Images, Servers
from translator.maintain.model.relations import Registry
from translator.maintain.model.schema import structure, unstructure

COMPILED = Path(__file__).parents[1] / "core" / "_compiled"
_APART = tuple(f'{{\n"@{what}":{{'.encode() for what in ("dialect", "cluster"))
# From the folder of the compiled files.
RECORDS, ENTRIES = "../tables/records.py", "../tables/entries.py"

Entries = dict[str, Any]


def facts(item: Any, *leave_out: str) -> Entries:
    """Return an object's fields as JSON, without those at their default and some others."""
    fields: Entries = unstructure(item)
    return {name: value for name, value in fields.items() if name not in leave_out}


def document(entries: Mapping[str, Any]) -> str:
    """Return the text of a compiled file: one JSON object, an entry a line."""
    lines = ",\n".join(f"{_json(name)}:{_json(fields)}" for name, fields in entries.items())
    return f"{{\n{lines}\n}}\n" if lines else "{\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# --- what becomes of each table, as entries by name -----------------------------------------------


def _dialect(dialect: Dialect) -> Entries:
    """What it is, the rules of its reader, its variables."""
    parts = ("dialect", "generation", "properties", "consumer")
    held = {f"@{part}": getattr(dialect, part) for part in parts}
    entries: Entries = {name: facts(part) for name, part in held.items() if part is not None}
    return entries | _by_name(dialect.variable)


def _machines(machines: MachineFlags) -> Entries:
    """What a place among several machines becomes, an entry a part."""
    entries = facts(machines)
    parts = {f"@{part}": entries.pop(part) for part in ("nodes", "data_parallel", "joined")}
    return {"@machines": entries, **parts}


def _changes(changes: Changes) -> Entries:
    """One entry a name, and one a value (`NAME=value`)."""
    entries = {
        name: {"kind": records.KINDS[type(entry)], **facts(entry, "name", "names")}
        for entry in changes.entries()
        for name in entry.names
    }
    entries |= {
        f"{change.name}={value}": {"kind": records.KINDS[ValueChange], **facts(change, "name")}
        for change in changes.value
        for value in change.values
    }
    return dict(sorted(entries.items()))


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
    entries: Entries = {"@images": common} if common else {}
    for image in images.image:
        entries |= dict.fromkeys(image.names, facts(image, "names", "sources"))
    return entries


def _servers(table: Servers) -> Entries:
    """One entry a flag, with the servers that have it."""
    entries: Entries = {}
    for server in table.server:
        for flag, own in {**server.flags, **dict.fromkeys(server.others, "")}.items():
            entry = entries.setdefault(flag, {"servers": [], "ours": own})
            entry["servers"].append(server.name)
    return entries


def _descriptions(table: Descriptions) -> Entries:
    """One entry a name, with its line and its example."""
    texts = {**table.flag, **table.variable}
    entries: Entries = {name: {"text": text} for name, text in texts.items()}
    for name, text in table.example.items():
        entries.setdefault(name, {})["example"] = text
    return entries


def _findings(table: Findings) -> Entries:
    """What holds for every code, and one entry a code."""
    every = {"in": dict(table.in_), "remedy": table.remedy}
    return {EVERY: every} | {code: facts(texts) for code, texts in table.finding.items()}


def _by_name(entries: Iterable[Any], *leave_out: str) -> Entries:
    """One entry a name, in the order of the file."""
    return {entry.name: facts(entry, "name", *leave_out) for entry in entries}


def _architectures(table: Registry) -> Entries:
    """One entry an architecture: since, until and the facts of each span."""
    entries: Entries = {"@types": facts(table.types)}
    for group in table.group:
        for name in group.names:
            span = [group.since, group.until, " ".join(group.facts)]
            entries.setdefault(name, []).append(span)
    return dict(sorted(entries.items()))


# What becomes of the tables of which there is one.
_SINGLE: Mapping[str, Callable[[Any], Entries]] = {
    CHANGES: _changes,
    "secrets.toml": _secrets,
    RELATIONS: relations.compiled,
    "architectures.toml": _architectures,
    "messages.toml": lambda table: {
        str(number): facts(message) for number, message in enumerate(table.message)
    },
    MACHINES: _machines,
    RELEASES: lambda table: {name: {"date": day} for name, day in table.published.items()},
    "plugins.toml": lambda table: _by_name(table.plugin),
    "defaults.toml": lambda table: _by_name(table.default, "source"),
    "images.toml": _images,
    "servers.toml": _servers,
    "charts.toml": lambda table: _by_name(table.chart, "sources"),
    "containers.toml": lambda table: facts(table, "sources"),
    "findings.toml": _findings,
    "descriptions.toml": _descriptions,
}


def _shared(tables: Tables) -> dict[str, Entries]:
    """The files of which there is one, by name: a user's own are added to them."""
    files = {
        "machines.json" if file == MACHINES else file.replace(".toml", ".json"): entries(table)
        for file, entries in _SINGLE.items()
        if (table := tables.files.get(file)) is not None
    }
    table = tables.files.get(RELATIONS)
    if table is not None and table.model is not None:
        files["model_keys.json"] = facts(table.model)
    known = {item.dialect.name: item.generation for item in tables.dialects}
    generations = {name: facts(item, "instead") for name, item in known.items() if item is not None}
    return files | ({GENERATIONS: generations} if generations else {})


def _apart(tables: Tables) -> dict[str, Entries]:
    """The files of each dialect and cluster: a user's own replaces ours."""
    files = {}
    for table in tables.files.values():
        if isinstance(table, Dialect):
            files[f"dialect.{table.dialect.name}.json"] = _dialect(table)
        elif isinstance(table, ClusterFile):
            files[f"cluster.{table.cluster.name}.json"] = {"@cluster": facts(table.cluster)}
    return files


Files = dict[str, str]
"""Compiled files: name → text."""

Releases = Mapping[str, Mapping[str, str]]
"""Version → name → what it says of it, as JSON (see `history.facts`), oldest version first."""


def compile_loaded(tables: Tables) -> Files:
    """Return every compiled file by name; of a part of the tables, only what belongs to it."""
    return _compiled(tables, {}, _shared(tables))


def _compiled(tables: Tables, others: Releases, shared: Mapping[str, Entries]) -> Files:
    """Every file; if the tables have a catalog, the table of all versions, with others in it."""
    files = {name: document(fields) for name, fields in {**_apart(tables), **shared}.items()}
    if "relations.json" in shared:  # of an overlay, with the project's
        files["relations.json"], files["related.json"] = map(
            document, relations.split(shared["relations.json"])
        )
    own = {catalog.version: history.facts(catalog) for catalog in tables.catalogs}
    return {**files, **packs({**others, **own})} if own else files


def _releases(tables: running.Tables) -> Releases:
    """What compiled tables say of every version."""
    return {
        version: tables.held(FACTS, version) | tables.held(KEYS, version)
        for version in tables.versions()
    }


def compile_overlay(mappings: Path) -> Files:
    """Return the compiled files of a user's own tables, to be laid over those of this installation:
    of one name, the own entry, catalog, dialect or cluster counts.
    """
    tables = load(mappings)
    both = {name: _laid_over(name, own) for name, own in _shared(tables).items()}
    return _compiled(tables, _releases(shipped()) if tables.catalogs else {}, both)


def _laid_over(name: str, own: Entries) -> Entries:
    """The entries of both, of one name the own one; patterns add up."""
    file: FileOf[Any] = FileOf(name)
    base = shipped().records(file)
    entries = {**base, **own}
    for key in own.keys() & base.keys():
        if "patterns" in (own[key] or ()):  # a relation may be switched off
            both = [*base[key]["patterns"], *own[key]["patterns"]]
            entries[key] = {"patterns": list(dict.fromkeys(both))}
    return entries


def compile_build(catalog: Catalog, tables: running.Tables, build: str) -> tuple[str, Files]:
    """Return what a harvested build is called, and its compiled files, to be laid over tables. One
    with a number of its own keeps it; any other is named after the release that it is most like, so
    that its place among the versions is right.
    """
    known, named = _releases(tables), parse(build)
    version = str(named)
    if named is None or not named.numbered:
        names = history.facts(catalog).keys()
        # The newest of those with the most names in common, and the fewest others.
        like = min(reversed([*known]), key=lambda release: len(names ^ known[release].keys()))
        local = named.local if named is not None else ""
        version = f"{like}+{''.join(c if c.isalnum() else '.' for c in local) or 'own'}"
    catalog = evolve(catalog, version=version)
    return version, _compiled(Tables({"harvested": catalog}), known, {})


# --- the table of all versions --------------------------------------------------------------------


def packs(releases: Releases) -> Files:
    """Return the compiled table of all versions: what each says of flags and variables; of the keys
    of JSON flags; of which flag each further spelling is, with "!" if it switches this off; and
    which names there are.
    """
    versions = sorted(releases, key=Version)
    rows = history.runs(releases[version] for version in versions)
    spelled = history.runs(_spellings(releases[version]) for version in versions)
    names = {name for name, *_ in (*rows, *spelled) if name[0] != "@" and "." not in name}
    return {
        KNOWN: "\n".join(sorted(names)),
        FACTS: _pack(versions, [row for row in rows if "." not in row[0]]),
        KEYS: _pack(versions, [row for row in rows if "." in row[0]]),
        SPELLINGS: _pack(versions, spelled),
    }


def _spellings(facts: Mapping[str, str]) -> dict[str, str]:
    spellings = {}
    for name, text in facts.items():
        if name[0] == "-" and ('"aliases"' in text or '"negations"' in text):
            flag = json.loads(text)
            spellings.update(dict.fromkeys(flag.get("aliases", ()), name))
            spellings.update(dict.fromkeys(flag.get("negations", ()), f"!{name}"))
    return spellings


def _pack(versions: Sequence[str], rows: Iterable[tuple[str, int, int, str]]) -> str:
    """Return lines of `FFFLLLname fact`, with the places of the first and the last version; 999 is
    the newest, so that the next release changes few. Those that end last come first, and the head
    says how many characters hold the lines of a version and of later ones.
    """
    newest = len(versions) - 1
    lines = [
        f"{first:03}{999 if last == newest else last:03}{name} {text}\n"
        for name, first, last, text in rows
    ]
    lines.sort(key=lambda line: line[3:6], reverse=True)
    head = sum(len(version) + 8 for version in versions)
    ends = [
        head + sum(len(line) for line in lines if line[3:6] >= f"{at:03}")
        for at in range(len(versions))
    ]
    named = [f"{version}:{end:06}" for version, end in zip(versions, ends, strict=True)]
    return "".join((" ".join(named), "\n", *lines))


# --- a folder of them -----------------------------------------------------------------------------


def compare(files: Mapping[str, str], target: Path = COMPILED) -> list[str]:
    """Return the names of the files in `target` that are missing, stale or left over: of a dialect
    or a cluster that is gone, since `write` deletes those.
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
        if name not in files:
            (target / name).unlink()
    writing.write({name: files[name].encode() for name in changed if name in files}, str(target))
    return changed


def files_of(tables: Tables, target: Path) -> Files:
    """Return compiled files as they lie in a folder; of a checkout also the running classes."""
    files = compile_loaded(tables)
    apart = [name for name in files if name.startswith(("dialect.", "cluster."))]
    files[NAMES] = document({name: {} for name in apart})
    if (target / RECORDS).is_file():
        files |= {RECORDS: records.source(), ENTRIES: records.types()}
    return files


# --- the model again ------------------------------------------------------------------------------


def catalog_of(version: str, tables: running.Tables | None = None) -> Catalog:
    """Return the catalog that a version was compiled from, by default in this installation."""
    tables = tables or shipped()
    held = tables.held(FACTS, version) | tables.held(KEYS, version)
    objects = {name: history.fact(name, json.loads(text)) for name, text in held.items()}
    return history.catalog(version, objects)


def tables_in(tables: running.Tables) -> Tables:
    """Return the catalogs and the heads of dialects, as tables to lint a user's own against."""
    files: dict[str, Any] = {}
    for name in tables.dialects():
        head = {"dialect": tables.head(name)}
        files[f"{DIALECTS}/{name}.toml"] = structure(head, Dialect, name)
    files |= {version: catalog_of(version, tables) for version in tables.versions()}
    return Tables(files)
