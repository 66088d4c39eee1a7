"""Rules for catalogs/V.json and releases.toml: facts that hang together, of the versions that are
promised.
"""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.authoring.names import keys_of
from translator.authoring.sources import Problem
from translator.model.catalog import Catalog, Shape
from translator.model.tables import RELEASES, Releases, catalog_file
from translator.tables.versions import Version


def every_release(context: Context) -> Iterator[Problem]:
    """Every release of releases.toml has a catalog, and nothing else has one."""
    if not context.complete or context.tables.releases is None:
        return
    promised = context.tables.releases.published.keys()
    there = {catalog.version for catalog in context.catalogs}
    missing = "is missing: `translate tables add` harvests it where that vLLM is installed"
    for version in sorted(promised - there, key=Version):
        yield Problem(catalog_file(version), "", missing)
    more = f"{RELEASES} does not have this version: list it there, or take the catalog away"
    for version in sorted(there - promised, key=Version):
        yield Problem(catalog_file(version), "", more)


@rule_for("releases")
def days_in_order(releases: Releases, _: Context) -> Wrong:
    """releases.toml follows the order of the versions, and so do the days."""
    days = releases.published
    if list(days) != sorted(days, key=Version) or list(days.values()) != sorted(days.values()):
        yield "$.published", "not in the order of the versions and of the days"


@rule_for("catalogs")
def something_in_it(catalog: Catalog, _: Context) -> Wrong:
    """A catalog knows flags (the model's own among them) and variables."""
    if "--model" not in catalog.spellings:
        yield "$.flags", "has no --model"
    if not catalog.env:
        yield "$.env", "is empty"


@rule_for("catalogs")
def one_meaning_a_spelling(catalog: Catalog, _: Context) -> Wrong:
    """A spelling belongs to one flag, and a variable is listed once."""
    owner: dict[str, str] = {}
    for index, flag in enumerate(catalog.flags):
        for text in flag.spellings:
            if text in owner:
                yield f"$.flags[{index}]", f"{text} belongs to {owner[text]} already"
            owner[text] = flag.flag
    for name in twice(variable.name for variable in catalog.env):
        yield "$.env", f"{name} stands twice"


@rule_for("catalogs")
def keys_that_hang_together(catalog: Catalog, _: Context) -> Wrong:
    """The keys of a shape can be written dotted, and its rules speak of keys that it has."""
    for index, flag in enumerate(catalog.flags):
        for part in ("shape", "start"):
            shape = getattr(flag, part)
            if shape is not None:
                for path, text in _bad_keys(shape, f"$.flags[{index}].{part}"):
                    yield path, f"{flag.flag}: {text}"


def _bad_keys(shape: Shape, path: str) -> Iterator[tuple[str, str]]:
    keys = keys_of(shape)
    for key, inner in keys.items():
        if not key or any(sign in key for sign in ".= \t\n"):
            yield path, f"the key {key!r} cannot be written as a dotted key"
        yield from _bad_keys(inner, f"{path}.keys.{key}")
    if shape.kind == "object":
        rules = shape.rules or ()
        named = [*(shape.required or ()), *(rule.key for rule in rules)]
        named += [other for rule in rules for other in rule.needs]
        for key in named:
            if key not in keys:
                yield path, f"names the key {key!r}, which it does not have"


RULES = (
    every_release,
    days_in_order,
    something_in_it,
    one_meaning_a_spelling,
    keys_that_hang_together,
)
