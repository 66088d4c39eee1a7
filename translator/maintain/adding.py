"""The files of the tables that change when a release is added to them."""

from __future__ import annotations

import json
from pathlib import Path

from translator.core.tables.versions import Version
from translator.maintain import history
from translator.maintain.lint.changes import TODO, unaccounted
from translator.maintain.lint.rules import Context, exists
from translator.maintain.load import parse, read
from translator.maintain.model import CHANGES, RELEASES, Releases, Tables
from translator.maintain.model.catalog import Catalog


def addition(folder: Path, fresh: Catalog, day: str) -> tuple[dict[str, str], list[str]]:
    """Return the new texts of the files that change, by name: the table of all releases, the
    releases with the day of the new one, and the changes with the entries that a person has to
    finish; and the names that these are about.

    Args:
        folder: the tables.
        fresh: the harvested catalog.
        day: when it was published, as 2026-11-02.

    Raises:
        TablesError: the tables hold a mistake.
    """
    files = {name: content.decode() for name, content in read(folder).items()}
    tables = parse({name: text.encode() for name, text in files.items()})
    both = Tables({**tables.files, f"vLLM {fresh.version}": fresh})
    texts = history.texts(Context(both).catalogs)
    published = tables.files.get(RELEASES, Releases({})).published
    days = {**published, fresh.version: day}
    head, begin, _ = files.get(RELEASES, "").partition("[published]\n")
    lines = [f'"{version}" = "{days[version]}"\n' for version in sorted(days, key=Version)]
    texts[RELEASES] = "".join((head, begin or "[published]\n", *lines))
    needed = proposals(both, fresh.version)
    if needed:
        texts[CHANGES] = "\n\n".join((files.get(CHANGES, "").rstrip(), *needed.values())) + "\n"
    return {name: text for name, text in texts.items() if text != files.get(name)}, [*needed]


def proposals(tables: Tables, version: str) -> dict[str, str]:
    """Return an entry for each name without one that a version, or the next, lacks first."""
    context = Context(tables)
    place = context.versions.index(version)
    entries = {}
    for name, lacking in sorted(unaccounted(context).items()):
        places = map(context.versions.index, lacking)
        at = next((at for at in places if at in (place, place + 1)), None)
        if at is not None:
            earlier = reversed(context.catalogs[:at])
            last = next(catalog for catalog in earlier if exists(name, catalog))
            entries[name] = _entry(name, last.version)
    return entries


def _entry(name: str, last: str) -> str:
    file = "engine/arg_utils.py" if name.startswith("-") else "envs.py"
    lines = (
        "[[gone]]",
        f"names = {json.dumps([name])}",
        f'why = "{TODO}: what became of it, and what to do instead."',
        f'source = "https://github.com/vllm-project/vllm/blob/v{last}/vllm/{file}"',
    )
    return "\n".join(lines)
