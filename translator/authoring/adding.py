"""The files of the tables that change when a release is added to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from translator.authoring.lint.changes import TODO, unaccounted
from translator.authoring.lint.rules import Context, exists
from translator.authoring.load import (
    Problem,
    TablesError,
    laid_over,
    parse,
    read,
    texts,
    whole,
)
from translator.model import CATALOGS, CHANGES, RELEASES, Tables, catalog_file
from translator.model.catalog import Catalog
from translator.model.schema import structure
from translator.tables.versions import Version

Facts = Mapping[str, Any]
"""JSON: a catalog."""


class Committed:
    """The committed tables, and the facts in their catalogs: version → the JSON of each."""

    def __init__(self, directory: Path) -> None:
        """Read a directory of tables.

        Raises:
            TablesError: there are none, no catalog among them, or one holds a mistake.
        """
        self._files = read(directory)
        self.tables = parse(self._files)
        versions = [catalog.version for catalog in self.tables.catalogs]
        raw = {version: json.loads(self.text(catalog_file(version))) for version in versions}
        self.facts: dict[str, dict[str, Any]] = {
            version: whole(catalog, raw[catalog["like"]]) if "like" in catalog else catalog
            for version, catalog in raw.items()
        }
        if not self.facts:
            text = f"no catalogs in {directory}: expected {CATALOGS}/*.json"
            raise TablesError([Problem("", "", text)])

    def text(self, name: str) -> str:
        """Return the content of a file; "" when there is none."""
        return self._files.get(name, b"").decode("utf-8")


def proposals(tables: Tables, version: str) -> dict[str, str]:
    """Return an entry for each name without one that a version, or the next, lacks first."""
    versions = [catalog.version for catalog in tables.catalogs]
    place = versions.index(version)
    found = {}
    for name, lacking in sorted(unaccounted(Context(tables)).items()):
        at = next((at for at in map(versions.index, lacking) if at in (place, place + 1)), None)
        if at is not None:
            earlier = reversed(tables.catalogs[:at])
            last = next(catalog for catalog in earlier if exists(name, catalog))
            found[name] = _entry(name, last.version)
    return found


def _entry(name: str, last: str) -> str:
    file = "engine/arg_utils.py" if name.startswith("-") else "envs.py"
    lines = (
        "[[gone]]",
        f"names = {json.dumps([name])}",
        f'why = "{TODO}: what became of it, and what to do instead."',
        f'source = "https://github.com/vllm-project/vllm/blob/v{last}/vllm/{file}"',
    )
    return "\n".join(lines)


def addition(fresh: Facts, day: str, committed: Committed) -> tuple[dict[str, str], list[str]]:
    """Return the new texts of the files that change, by name: the catalogs of the release's minor,
    the releases with its day, and the changes with the entries that a person has to finish; and the
    names that these are about.

    Raises:
        TablesError: the harvested catalog is not what the schema of catalogs allows.
    """
    added: str = fresh["version"]
    file = catalog_file(added)
    tables = laid_over(committed.tables, {file: structure(fresh, Catalog, file)})
    needed = proposals(tables, added)
    minor = Version(added).minor
    facts: dict[str, Facts] = {
        version: catalog
        for version, catalog in committed.facts.items()
        if Version(version).minor == minor
    }
    catalogs = texts({**facts, added: fresh})
    found = {catalog_file(version): text for version, text in catalogs.items()}
    releases = committed.tables.files.get(RELEASES)
    days = {**(releases.published if releases else {}), added: day}
    head, begin, _ = committed.text(RELEASES).partition("[published]\n")
    lines = [f'"{version}" = "{days[version]}"\n' for version in sorted(days, key=Version)]
    found[RELEASES] = "".join((head, begin or "[published]\n", *lines))
    entries = "\n".join(f"{entry}\n" for entry in needed.values())
    if entries:
        found[CHANGES] = f"{committed.text(CHANGES).rstrip()}\n\n{entries}"
    return {name: text for name, text in found.items() if text != committed.text(name)}, [*needed]
