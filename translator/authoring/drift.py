"""What a freshly harvested catalog changes: against the committed one of the same version, or
against the version before it; and the files of the tables that change when it is added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from translator.authoring.lint import lint
from translator.authoring.lint.changes import TODO, unaccounted
from translator.authoring.lint.rules import Context, exists
from translator.authoring.load import (
    Problem,
    TablesError,
    dumped,
    laid_over,
    mappings,
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
"""JSON: a catalog, a flag, a key or a variable."""


@frozen
class Report:
    """What a harvested catalog changes against a committed one.

    Attributes:
        problems: what lint says of the tables only with the harvested catalog in them.
        needed: of each name that disappears and is in no entry, one with a TODO.
    """

    version: str
    against: str
    differences: dict[str, Any]
    problems: tuple[Problem, ...] = ()
    needed: Mapping[str, str] = {}

    @property
    def known(self) -> bool:
        """Whether the two are the same version."""
        return self.version == self.against

    @property
    def drifted(self) -> bool:
        """Whether the committed catalog is not what was harvested, or there is none."""
        parts = self.differences.values()
        return not self.known or any(fact for part in parts for fact in part.values())


class Committed:
    """The committed tables, and the facts in their catalogs: version → the JSON of each."""

    def __init__(self, directory: Path | None = None) -> None:
        """Read a directory of tables, by default the project's own.

        Raises:
            TablesError: there are none, no catalog among them, or one holds a mistake.
        """
        self._files = read(mappings() if directory is None else directory)
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

    @cached_property
    def problems(self) -> set[Problem]:
        """What lint says of them as they are."""
        return set(lint(self.tables))

    def before(self, version: str) -> str:
        """Return the newest committed version that is older than this one, or else the oldest."""
        older = [known for known in self.facts if Version(known) < Version(version)]
        return older[-1] if older else next(iter(self.facts))


def report(fresh: Facts, committed: Committed, against: str | None = None) -> Report:
    """Return what the JSON of a harvested catalog changes `against` a committed version, by default
    the same, else the one before it.

    Raises:
        TablesError: the harvested catalog is not what the schema of catalogs allows.
    """
    version = fresh["version"]
    other = against or (version if version in committed.facts else committed.before(version))
    catalog = structure(fresh, Catalog, catalog_file(version))
    found = Report(version, other, differences(committed.facts[other], fresh))
    if version in committed.facts and not found.drifted:
        return found
    tables = laid_over(committed.tables, {catalog_file(version): catalog})
    problems = tuple(item for item in lint(tables) if item not in committed.problems)
    return evolve(found, problems=problems, needed=proposals(tables, version))


# --- in what two catalogs differ ------------------------------------------------------------------

# Of a shape, what holds further shapes (compared key by key instead); of a flag, its shapes: what
# the parser takes, and what the engine does.
_INSIDE = ("keys", "values", "items", "of")
_SHAPES = ("shape", "start")


def differences(before: Facts, after: Facts) -> dict[str, Any]:
    """Return in what the JSON of two catalogs differs.

    Returns:
        "flags", "keys" and "variables", each with "new" and "gone" (name → facts) and "changed"
        (name in the earlier one → fact → "before" and "after"); and "grammar" (fact → "before" and
        "after"). The keys are those of JSON flags that have a shape in both, by dotted path: `[]`
        an item of a list, `*` a value of a map, `(1)` the first option of a union.
    """
    old, new = ({flag["flag"]: flag for flag in catalog["flags"]} for catalog in (before, after))
    owners = {
        text: name
        for name, flag in new.items()
        for text in (name, *flag.get("aliases", ()), *flag.get("negations", ()))
    }
    # A flag may live on as another spelling of one that is new.
    kept = {
        name: owners[name]
        for name in old
        if name in new or (name in owners and owners[name] not in old)
    }
    keys: tuple[dict[str, Facts], dict[str, Facts]] = ({}, {})
    for name, other in kept.items():
        for part in _SHAPES:
            if part in old[name] and part in new[other]:
                keys[0].update(_below(old[name][part], name))
                keys[1].update(_below(new[other][part], name))
    flags = [{name: _plain(flag) for name, flag in rows.items()} for rows in (old, new)]
    variables = ({row["name"]: row for row in catalog["env"]} for catalog in (before, after))
    return {
        "flags": _compare(flags[0], flags[1], kept),
        "keys": _compare(*keys),
        "variables": _compare(*variables),
        "grammar": _changes(before["grammar"], after["grammar"]),
    }


def _compare(
    before: Mapping[str, Facts], after: Mapping[str, Facts], kept: Mapping[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Compare facts by name; `kept` says which name is which in the later ones."""
    if kept is None:
        kept = {name: name for name in before if name in after}
    there = set(kept.values())
    changed = {name: _changes(before[name], after[other]) for name, other in sorted(kept.items())}
    return {
        "new": {name: after[name] for name in sorted(after) if name not in there},
        "gone": {name: before[name] for name in sorted(before) if name not in kept},
        "changed": {name: facts for name, facts in changed.items() if facts},
    }


def _changes(before: Facts, after: Facts) -> dict[str, dict[str, Any]]:
    """Return the facts that differ as JSON: 1, 1.0 and true are three values."""
    return {
        name: {"before": before.get(name), "after": after.get(name)}
        for name in sorted(before.keys() | after.keys())
        if dumped(before.get(name)) != dumped(after.get(name))
    }


def _plain(flag: Facts) -> dict[str, Any]:
    """Return a flag without its keys: that it has some, and what is said of the object itself."""
    return {name: _shallow(fact) if name in _SHAPES else fact for name, fact in flag.items()}


def _shallow(shape: Facts) -> dict[str, Any]:
    return {name: fact for name, fact in shape.items() if name not in _INSIDE}


def _below(shape: Facts, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every shape below a shape, by its path, without what is below it."""
    below = [(f"{path}.{key}", inner) for key, inner in (shape.get("keys") or {}).items()]
    marks = (("values", ".*"), ("items", "[]"))
    below += [(f"{path}{mark}", shape[name]) for name, mark in marks if shape.get(name) is not None]
    below += [(f"{path}({number})", inner) for number, inner in enumerate(shape.get("of") or (), 1)]
    for where, inner in below:
        yield where, _shallow(inner)
        yield from _below(inner, where)


# --- what is written when a release is added ------------------------------------------------------


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


def addition(fresh: Facts, day: str, report: Report, committed: Committed) -> dict[str, str]:
    """Return the new texts of the files that change, by name: the catalogs of the release's minor,
    the releases with its day, and the changes with the entries that a person has to finish.
    """
    minor = Version(report.version).minor
    facts: dict[str, Facts] = {
        version: catalog
        for version, catalog in committed.facts.items()
        if Version(version).minor == minor
    }
    catalogs = texts({**facts, report.version: fresh})
    found = {catalog_file(version): text for version, text in catalogs.items()}
    releases = committed.tables.files.get(RELEASES)
    days = {**(releases.published if releases else {}), report.version: day}
    head, begin, _ = committed.text(RELEASES).partition("[published]\n")
    lines = [f'"{version}" = "{days[version]}"\n' for version in sorted(days, key=Version)]
    found[RELEASES] = "".join((head, begin or "[published]\n", *lines))
    entries = "\n".join(f"{entry}\n" for entry in report.needed.values())
    if entries:
        found[CHANGES] = f"{committed.text(CHANGES).rstrip()}\n\n{entries}"
    return {name: text for name, text in found.items() if text != committed.text(name)}
