"""index.json: every spelling of a flag and every variable of any version, with the versions that
have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field

from translator.authoring.names import all_keys
from translator.model.catalog import Catalog
from translator.tables.versions import Version, runs


def ranges(versions: Sequence[str], having: set[str]) -> list[str]:
    """Successive versions as "first-last"."""
    return [f"{first}-{last}" for first, last in runs(versions, having)]


def _expand(versions: Sequence[str], spans: Iterable[str]) -> set[str]:
    """The inverse of `ranges`."""
    found: set[str] = set()
    for span in spans:
        first, _, last = span.partition("-")
        found.update(versions[versions.index(first) : versions.index(last) + 1])
    return found


@define
class Index:
    """What index.json holds.

    Attributes:
        versions: oldest first.
        having: spelling or variable → the versions that take it.
        own: flag → the versions in which it is a flag's own name.
        owner: another spelling → the flag that it belongs to in the newest version that has it.
        keys: the keys of JSON values that any version declares.
    """

    versions: list[str] = field(factory=list)
    having: dict[str, set[str]] = field(factory=dict)
    own: dict[str, set[str]] = field(factory=dict)
    owner: dict[str, str] = field(factory=dict)
    keys: set[str] = field(factory=set)

    def add(self, catalog: Catalog) -> None:
        """Take a version in, in place of what was known of it."""
        version = catalog.version
        for known in (*self.having.values(), *self.own.values()):
            known.discard(version)
        if version not in self.versions:
            self.versions = sorted([*self.versions, version], key=Version)
        order = {known: at for at, known in enumerate(self.versions)}
        for flag in catalog.flags:
            self.own.setdefault(flag.flag, set()).add(version)
            for spelling in flag.spellings:
                self.having.setdefault(spelling, set()).add(version)
                newest = max(self.having[spelling], key=order.__getitem__)
                if spelling != flag.flag and (newest == version or spelling not in self.owner):
                    self.owner[spelling] = flag.flag
            for shape in (flag.shape, flag.start):
                if shape is not None:
                    self.keys.update(all_keys(shape))
        for variable in catalog.env:
            self.having.setdefault(variable.name, set()).add(version)

    def most_like(self, catalog: Catalog) -> str:
        """The version with the most names in common, and the fewest others; the newest of
        several.
        """
        names = {spelling for flag in catalog.flags for spelling in flag.spellings}
        names |= {variable.name for variable in catalog.env}
        different = {
            version: len(
                names ^ {name for name, versions in self.having.items() if version in versions}
            )
            for version in self.versions
        }
        return min(reversed(self.versions), key=different.__getitem__)


def of_catalogs(catalogs: Iterable[Catalog]) -> Index:
    found = Index()
    for catalog in catalogs:
        found.add(catalog)
    return found


def entries(index: Index, digest: str) -> dict[str, Any]:
    """What index.json holds: the digest of the tables, the versions, the keys, and an entry a
    name.
    """
    found: dict[str, Any] = {
        "@digest": digest,
        "@versions": index.versions,
        "@keys": sorted(index.keys),
    }
    for name in sorted(name for name, versions in index.having.items() if versions):
        found[name] = {"in": ranges(index.versions, index.having[name])}
        if name in index.owner:
            found[name]["of"] = index.owner[name]
            if index.own.get(name):
                found[name]["own"] = ranges(index.versions, index.own[name])
    return found


def read(entries: Mapping[str, Any]) -> Index:
    """The inverse of `entries`."""
    found = Index(versions=entries["@versions"], keys=set(entries.get("@keys", ())))
    for name, fields in entries.items():
        if name.startswith("@"):
            continue
        found.having[name] = _expand(found.versions, fields["in"])
        if "of" in fields:
            found.owner[name] = fields["of"]
            found.own[name] = _expand(found.versions, fields.get("own", ()))
        elif name.startswith("-"):
            found.own[name] = set(found.having[name])
    return found
