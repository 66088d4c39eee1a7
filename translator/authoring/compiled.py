"""Compiled files: how they lie in a folder, and what the index and the catalogs in them say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from translator.authoring.load import structured
from translator.model.catalog import Catalog
from translator.model.dialects import Dialect
from translator.model.tables import DIALECTS, Tables
from translator.tables.catalog import CATALOGS, INDEX
from translator.tables.versions import Version, runs

COMPILED = Path(__file__).parent.parent / "_compiled"

SUFFIXES = (".json", ".shapes.json")
"""Of the files of a version: the entries of its catalog, and the shapes."""


# --- a folder of them -----------------------------------------------------------------------------


def joined(compiled: Mapping[str, str]) -> dict[str, str]:
    """Return the files as they lie in a folder: those of all versions in one."""
    found = {name: text for name, text in compiled.items() if not name[:1].isdigit()}
    # What is alike stands together, as a wheel's compression looks back a short way only.
    versions = [name for name in compiled if name not in found]
    names = sorted(versions, key=lambda name: name.endswith(SUFFIXES[1]))
    parts = {name: compiled[name].encode() for name in names}
    if parts:
        line = "{} {:>9} {:>9}\n".format
        length = sum(len(line(name, 0, 0)) for name in parts) + 1
        at, head = 9 + length, "\n"
        for name, part in parts.items():
            head += line(name, at, len(part))
            at += len(part)
        found[CATALOGS] = f"{length:8}\n{head}" + b"".join(parts.values()).decode()
    return found


def files_in(folder: Path = COMPILED) -> dict[str, str]:
    """Return every compiled file of a folder by name: the inverse of `joined`."""
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    if (folder / CATALOGS).is_file():
        content = (folder / CATALOGS).read_bytes()
        head = content[9 : 9 + int(content[:9])].decode()
        for name, start, length in map(str.split, head.strip().splitlines()):
            found[name] = content[int(start) : int(start) + int(length)].decode()
    return found


def compare(compiled: Mapping[str, str], target: Path = COMPILED) -> list[str]:
    """Return the names of the files in `target` that are missing, stale or left over.

    A file that does not look like one of ours is never left over: `write` deletes those.

    Args:
        compiled: the files as they lie in a folder.
        target: the folder.
    """
    stale = [
        name
        for name, text in compiled.items()
        if not (target / name).is_file() or (target / name).read_bytes() != text.encode()
    ]
    stale += [
        path.name
        for pattern in ("*.json", CATALOGS)
        for path in target.glob(pattern)
        if path.name not in compiled and path.read_bytes().startswith((b'{\n"', b"{\n}\n", b" "))
    ]
    return sorted(stale)


def write(compiled: Mapping[str, str], target: Path = COMPILED) -> list[str]:
    """Bring a folder up to date, and return the names of the files that were not."""
    changed = compare(compiled, target)
    target.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in compiled:
            (target / name).write_bytes(compiled[name].encode())
        else:
            (target / name).unlink()
    return changed


# --- index.json: every spelling of a flag and every variable, with the versions that have it ------

Names = Mapping[str, str]
"""What one version knows: each spelling with its flag, each variable with itself."""


def names_of(catalog: Catalog) -> Names:
    """Return what a version knows."""
    spellings = {text: flag.flag for flag in catalog.flags for text in flag.spellings}
    return spellings | {variable.name: variable.name for variable in catalog.env}


def index(known: Mapping[str, Names], digest: str) -> dict[str, Any]:
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
    found: dict[str, Any] = {"@digest": digest, "@versions": versions}
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


# --- catalogs -------------------------------------------------------------------------------------


def _whole(version: str, files: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries and the shapes of a version, those of the version that it is like included."""
    entries, shapes = (json.loads(files[f"{version}{suffix}"]) for suffix in SUFFIXES)
    like, gone = entries.pop("@like", None), entries.pop("@without", ())
    if like is None:
        return entries, shapes
    base, base_shapes = _whole(like, files)
    entries = {name: fields for name, fields in (base | entries).items() if name not in gone}
    return dict(sorted(entries.items())), base_shapes | shapes


def catalog_of(version: str, files: Mapping[str, str] | None = None) -> Catalog:
    """Return the catalog of a version, without what is left out at run time (`dest`, and the
    defaults in shapes).

    Args:
        version: the version.
        files: the compiled files by name; those of this installation if there are none.

    Raises:
        TablesError: the files do not hold a catalog.
    """
    entries, shapes = _whole(version, files_in() if files is None else files)
    raw: dict[str, Any] = {"version": version, "grammar": entries.pop("@grammar")}
    raw["flags"], raw["env"] = [], []
    for name, fields in entries.items():
        if name.startswith("-"):
            if "shape" in fields:
                fields["shape"] = shapes[name]
            elif fields.get("start", {}).get("kind") == "object":
                fields["start"] = shapes[name]
            raw["flags"].append({"flag": name, "dest": "", "aliases": [], **fields})
        else:
            raw["env"].append({"name": name, **fields})
    return structured(f"{version}.json", raw, Catalog)


def tables_in(folder: Path = COMPILED) -> Tables:
    """Return the catalogs of every compiled version, and the heads of the dialects, as tables to
    lint a user's own against where there is nothing else.
    """
    files = files_in(folder)
    dialects = {}
    for name, text in sorted(files.items()):
        if name.startswith("dialect."):
            head = json.loads(text)["@dialect"]
            file = f"{DIALECTS}/{head['name']}.toml"
            dialects[file] = structured(name, {"dialect": head}, Dialect)
    versions = json.loads(files[INDEX])["@versions"]
    catalogs = tuple(catalog_of(version, files) for version in versions)
    return Tables(catalogs=catalogs, dialects=dialects)
