"""The committed catalogs are what a fresh harvest finds: facts are never edited by hand."""

from __future__ import annotations

import json

from .catalogs import catalog
from .laws import Tally
from .parsers import Parsers


def test_catalog_is_what_the_harvest_finds(version: str, parsers: Parsers, tally: Tally) -> None:
    """Every flag, every variable and the grammar of the committed catalog, as harvested now."""
    committed, fresh = catalog(version), parsers.harvest(version)
    for part, key in (("flags", "flag"), ("env", "name")):
        old, new = ({row[key]: row for row in found[part]} for found in (committed, fresh))
        tally.asked += len(old.keys() | new.keys())
        tally.accepted += len(new)
        for name in sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name)):
            before, after = old.get(name, {}), new.get(name, {})
            fields = sorted(field for field in before.keys() | after.keys() if before.get(field) != after.get(field))
            shown = [f"  {field}: committed {json.dumps(before.get(field))}, harvested {json.dumps(after.get(field))}" for field in fields]
            tally.add("differs", name, "\n".join(shown) if before and after else f"  only {'harvested' if after else 'committed'}")
    if committed["grammar"] != fresh["grammar"]:
        tally.add("differs", "grammar", f"  committed {committed['grammar']}\n  harvested {fresh['grammar']}")
    tally.settle()
