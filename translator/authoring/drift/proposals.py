"""The entries of changes.toml that a new catalog needs, for a person to finish."""

from __future__ import annotations

import json
from collections.abc import Iterator

from attrs import frozen

from translator.authoring.lint.changes import TODO, unaccounted
from translator.authoring.lint.rules import Context
from translator.authoring.names import exists
from translator.model.catalog import Catalog
from translator.model.tables import Tables


@frozen
class Proposal:
    """One entry.

    Attributes:
        name: the name that disappears.
        toml: the text of an entry for it; it holds TODO where a person must decide.
    """

    name: str
    toml: str


def _lost(tables: Tables, version: str) -> Iterator[tuple[str, Catalog]]:
    """Every name without an entry that disappears with a version, or with the one after it, and the
    last version with the name.
    """
    versions = [catalog.version for catalog in tables.catalogs]
    place = versions.index(version)
    for name, lacking in sorted(unaccounted(Context(tables)).items()):
        at = next((at for at in map(versions.index, lacking) if at in (place, place + 1)), None)
        if at is not None:
            earlier = reversed(tables.catalogs[:at])
            yield name, next(catalog for catalog in earlier if exists(name, catalog))


def proposals(tables: Tables, version: str) -> tuple[Proposal, ...]:
    """An entry for each name without one that a new version lacks.

    Args:
        tables: with the catalog of that version in them.
        version: the one that was added.
    """
    return tuple(Proposal(name, _entry(name, last)) for name, last in _lost(tables, version))


def _entry(name: str, last: Catalog) -> str:
    file = "engine/arg_utils.py" if name.startswith("-") else "envs.py"
    fields = {
        "names": [name],
        "why": f"{TODO}: what became of it, and what to do instead.",
        "source": f"https://github.com/vllm-project/vllm/blob/v{last.version}/vllm/{file}",
    }
    # JSON texts and lists of them are TOML, too.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join(["[[gone]]", *lines])
