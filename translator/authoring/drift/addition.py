"""The files of the tables that change when a release is added to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from translator.authoring.drift.report import Committed, Report
from translator.authoring.stored import texts
from translator.model.tables import CHANGES, RELEASES, catalog_file
from translator.tables.versions import Version


def addition(
    fresh: Mapping[str, Any], day: str, report: Report, committed: Committed
) -> dict[str, str]:
    """The new texts of the files that change, by name: the catalogs of the release's minor, the
    releases, and the changes with the entries that a person has to finish.

    Args:
        fresh: the facts of the release, as the JSON of mappings/catalogs.
        day: when it was published, as 2026-11-02.
        report: what it changes.
        committed: the tables as they are.
    """
    minor = Version(report.version).minor
    facts = {
        version: catalog
        for version, catalog in committed.facts.items()
        if Version(version).minor == minor
    }
    found = {
        catalog_file(version): text
        for version, text in texts({**facts, report.version: fresh}).items()
    }
    found[RELEASES] = _released(committed.text(RELEASES) or "[published]\n", report.version, day)
    entries = "\n".join(item.toml + "\n" for item in report.needed)
    if entries:
        found[CHANGES] = f"{committed.text(CHANGES).rstrip()}\n\n{entries}"
    return {name: text for name, text in found.items() if text != committed.text(name)}


def _released(text: str, version: str, day: str) -> str:
    """The text of releases.toml with one more line, before the first newer release."""
    lines = text.splitlines()
    newer = (
        at
        for at, line in enumerate(lines)
        if line.startswith('"') and Version(line.split('"')[1]) > Version(version)
    )
    lines.insert(next(newer, len(lines)), f'"{version}" = "{day}"')
    return "\n".join(lines) + "\n"
