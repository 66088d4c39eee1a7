"""What a freshly harvested catalog changes: against the committed one of the same version, or
against the version before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from translator.authoring import sources
from translator.authoring.drift.differences import Differences, differences
from translator.authoring.drift.proposals import Proposal, proposals
from translator.authoring.lint.lint import lint
from translator.authoring.load import parse, structured
from translator.authoring.sources import Problem, TablesError
from translator.authoring.stored import whole
from translator.model.catalog import Catalog
from translator.model.tables import CATALOGS, Tables, catalog_file
from translator.tables.versions import Version


@frozen
class Report:
    """What a harvested catalog changes.

    Attributes:
        version: of the harvested catalog.
        against: the version of the committed catalog that it is compared with.
        differences: between the two.
        problems: what lint says of the tables with the harvested catalog in them, and does not say
            without it.
        needed: the entries of changes.toml that lint demands.
    """

    version: str
    against: str
    differences: Differences
    problems: tuple[Problem, ...] = ()
    needed: tuple[Proposal, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the two are the same version."""
        return self.version == self.against

    @property
    def drifted(self) -> bool:
        """Whether something is to be done: the committed catalog is not what was harvested, or
        there is none.
        """
        return bool(self.differences) or not self.known


class Committed:
    """The committed tables, and the facts in their catalogs.

    Attributes:
        tables: all of them.
        facts: version → the JSON of its catalog.
    """

    def __init__(self, directory: Path | None = None) -> None:
        """Reads a directory of tables, by default the project's own.

        Raises:
            TablesError: there are none, no catalog among them, or one holds a mistake.
        """
        files = sources.read(sources.shipped() if directory is None else directory)
        self.tables = parse(files)
        self._files = files
        versions = [catalog.version for catalog in self.tables.catalogs]
        raw = {version: json.loads(files[catalog_file(version)]) for version in versions}
        self.facts: dict[str, dict[str, Any]] = {
            version: whole(catalog, raw[catalog["like"]]) if "like" in catalog else catalog
            for version, catalog in raw.items()
        }
        if not self.facts:
            raise TablesError(
                [Problem("", "", f"no catalogs in {directory}: expected {CATALOGS}/*.json")]
            )
        self._said: set[Problem] | None = None

    def text(self, name: str) -> str:
        """The content of a file; "" when there is none."""
        return self._files.get(name, b"").decode("utf-8")

    def said(self) -> set[Problem]:
        """What lint says of them as they are."""
        if self._said is None:
            self._said = set(lint(self.tables))
        return self._said

    def before(self, version: str) -> str:
        """The newest committed version that is older than this one; of one older than all, the
        oldest.
        """
        older = [known for known in self.facts if Version(known) < Version(version)]
        return older[-1] if older else next(iter(self.facts))


def _with(tables: Tables, fresh: Catalog) -> Tables:
    others = [catalog for catalog in tables.catalogs if catalog.version != fresh.version]
    return evolve(
        tables,
        catalogs=tuple(sorted([*others, fresh], key=lambda catalog: Version(catalog.version))),
    )


def report(fresh: Mapping[str, Any], committed: Committed, against: str | None = None) -> Report:
    """What a harvested catalog changes.

    Args:
        fresh: its facts, as the JSON of mappings/catalogs.
        committed: the tables as they are.
        against: the committed version to compare with; by default the same, else the one before it.

    Raises:
        TablesError: the harvested catalog is not what the schema of catalogs allows.
    """
    version = fresh["version"]
    other = against or (version if version in committed.facts else committed.before(version))
    catalog = structured(catalog_file(version), fresh, Catalog)
    found = differences(committed.facts[other], fresh)
    if version in committed.facts and not found:
        return Report(version, other, found)
    tables = _with(committed.tables, catalog)
    problems = tuple(problem for problem in lint(tables) if problem not in committed.said())
    return Report(
        version,
        other,
        found,
        problems,
        proposals(tables, version),
    )
