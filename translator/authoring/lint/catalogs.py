"""Rules for catalogs/V.json and releases.toml: facts that hang together, of the versions that are
promised.
"""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.names import keys_of
from translator.authoring.schema.catalog import Catalog, Shape
from translator.authoring.sources import CATALOGS, RELEASES, Problem
from translator.tables.versions import Version


def file_of(catalog: Catalog) -> str:
    return f"{CATALOGS}/{catalog.version}.json"


def every_release(context: Context) -> Iterator[Problem]:
    """Every release of releases.toml has a catalog, and nothing else has one."""
    if not context.complete or context.tables.releases is None:
        return
    versions = context.tables.releases.published
    there = {catalog.version for catalog in context.catalogs}
    for version in versions:
        if version not in there:
            yield Problem(
                f"{CATALOGS}/{version}.json",
                "",
                "is missing: `translate tables add` harvests it where that vLLM is installed",
            )
    for catalog in context.catalogs:
        if catalog.version not in versions:
            yield Problem(
                file_of(catalog),
                "",
                f"{RELEASES} does not have this version: list it there, or take the catalog away",
            )


def days_in_order(context: Context) -> Iterator[Problem]:
    """releases.toml follows the order of the versions, and so do the days."""
    if context.tables.releases is None:
        return
    days = context.tables.releases.published
    if list(days) != sorted(days, key=Version) or list(days.values()) != sorted(days.values()):
        yield Problem(RELEASES, "$.published", "not in the order of the versions and of the days")


def something_in_it(context: Context) -> Iterator[Problem]:
    """A catalog knows flags (the model's own among them) and variables."""
    for catalog in context.catalogs:
        if "--model" not in catalog.spellings:
            yield Problem(file_of(catalog), "$.flags", "has no --model")
        if not catalog.env:
            yield Problem(file_of(catalog), "$.env", "is empty")


def one_meaning_a_spelling(context: Context) -> Iterator[Problem]:
    """A spelling belongs to one flag, and a variable is listed once."""
    for catalog in context.catalogs:
        owner: dict[str, str] = {}
        for index, flag in enumerate(catalog.flags):
            for text in flag.spellings:
                if text in owner:
                    yield Problem(
                        file_of(catalog),
                        f"$.flags[{index}]",
                        f"{text} belongs to {owner[text]} already",
                    )
                owner[text] = flag.flag
        seen: set[str] = set()
        for index, variable in enumerate(catalog.env):
            if variable.name in seen:
                yield Problem(
                    file_of(catalog), f"$.env[{index}].name", f"{variable.name} is listed twice"
                )
            seen.add(variable.name)


def _bad_keys(shape: Shape, path: str) -> Iterator[tuple[str, str]]:
    for key in keys_of(shape):
        if not key or any(sign in key for sign in ".= \t\n"):
            yield path, f"the key {key!r} cannot be written as a dotted key"
        yield from _bad_keys(keys_of(shape)[key], f"{path}.keys.{key}")
    if shape.kind == "object":
        wanted = [
            *(shape.required or ()),
            *(rule.key for rule in shape.rules or ()),
            *(other for rule in shape.rules or () for other in rule.needs),
        ]
        for key in wanted:
            if key not in keys_of(shape):
                yield path, f"names the key {key!r}, which it does not have"


def keys_that_hang_together(context: Context) -> Iterator[Problem]:
    """The keys of a shape can be written dotted, and its rules speak of keys that it has."""
    for catalog in context.catalogs:
        for index, flag in enumerate(catalog.flags):
            for part in ("shape", "start"):
                shape = getattr(flag, part)
                for path, text in (
                    _bad_keys(shape, f"$.flags[{index}].{part}") if shape is not None else ()
                ):
                    yield Problem(file_of(catalog), path, f"{flag.flag}: {text}")


RULES = (
    every_release,
    days_in_order,
    something_in_it,
    one_meaning_a_spelling,
    keys_that_hang_together,
)
