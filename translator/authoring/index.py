"""index.txt: every spelling of a flag and every variable of any version, with the versions that
have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from translator.authoring.model import Catalog
from translator.tables.records import decode, encode
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


@attrs.define
class Index:
    """What index.txt says.

    Attributes:
        versions: oldest first.
        having: spelling or variable → the versions that take it.
        own: flag → the versions in which it is a flag's own name.
        owner: another spelling → the flag that it belongs to in the newest version that has it.
    """

    versions: list[str] = attrs.Factory(list)
    having: dict[str, set[str]] = attrs.Factory(dict)
    own: dict[str, set[str]] = attrs.Factory(dict)
    owner: dict[str, str] = attrs.Factory(dict)

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
        for variable in catalog.env:
            self.having.setdefault(variable.name, set()).add(version)

    def text(self, digest: str) -> str:
        """As a file: the digest of the tables, the versions, one record a name."""
        lines = [digest, "versions:" + "|".join(self.versions)]
        for name in sorted(name for name, versions in self.having.items() if versions):
            owner = self.owner.get(name)
            own = ranges(self.versions, self.own.get(name, set())) if owner is not None else None
            lines.append(
                encode(
                    name,
                    {
                        "in": ranges(self.versions, self.having[name]),
                        "of": owner,
                        "own": own or None,
                    },
                )
            )
        return "".join(line + "\n" for line in lines)


def of_catalogs(catalogs: Iterable[Catalog]) -> Index:
    found = Index()
    for catalog in catalogs:
        found.add(catalog)
    return found


def read(text: str) -> Index:
    """The index that a file holds."""
    _, head, *lines = text.split("\n")
    found = Index(versions=head.removeprefix("versions:").split("|"))
    for line in lines:
        if line:
            name, fields = decode(line)
            spans, own, owner = fields["in"], fields.get("own", []), fields.get("of")
            assert isinstance(spans, list)
            assert isinstance(own, list)
            found.having[name] = _expand(found.versions, spans)
            if isinstance(owner, str):
                found.owner[name] = owner
                found.own[name] = _expand(found.versions, own)
            elif name.startswith("-"):
                found.own[name] = set(found.having[name])
    return found
