"""Rules for requires.toml: what it names exists in the versions that it speaks of, and it says
nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context, Wrong, rule_for
from translator.authoring.names import within
from translator.model.catalog import Catalog
from translator.model.changes import Refusal, Requires

_BEYOND = {"since": "older", "until": "newer"}
_NUMBERS = ("positive", "negative", "many", "not-one")


def _entries(requires: Requires, context: Context) -> Iterator[tuple[str, Refusal, list[Catalog]]]:
    """Each rule with its path, and the catalogs of the versions that it speaks of."""
    for index, entry in enumerate(requires.refusal):
        versions = [
            catalog
            for catalog in context.catalogs
            if within(catalog, entry.since, entry.until) and entry.flag in catalog.names
        ]
        yield f"$.refusal[{index}]", entry, versions


@rule_for("requires")
def flags_exist(requires: Requires, context: Context) -> Wrong:
    """The flag of a rule exists in some version of its span, under its own name; every other flag
    in all versions of it that have the flag.
    """
    for path, entry, versions in _entries(requires, context):
        if not versions:
            yield path, f"no version in its range has the flag {entry.flag}"
        for other in (*entry.needs, *entry.excludes):
            lacking = [catalog.version for catalog in versions if other not in catalog.names]
            if lacking:
                hint = "`since` and `until` say which versions are meant"
                yield path, f"no flag {other} in {', '.join(lacking)}: {hint}"
        for other in entry.unless:
            if not any(other in catalog.names for catalog in versions):
                yield path, f"no version in its range has the flag {other}"


@rule_for("requires")
def spans_are_needed(requires: Requires, context: Context) -> Wrong:
    """`since` and `until` are known versions that have every flag of the rule, and leave out
    versions that have its first one.
    """
    known = {catalog.version: catalog for catalog in context.catalogs}
    for path, entry, _ in _entries(requires, context):
        having = [version for version in known if entry.flag in known[version].names]
        for name, first in (("since", 0), ("until", -1)):
            version = getattr(entry, name)
            if version is None:
                continue
            if version not in known:
                yield f"{path}.{name}", f"{version} is no known version"
                continue
            names = {entry.flag, *entry.needs, *entry.excludes}
            lacking = sorted(names - known[version].names.keys())
            if lacking:
                yield f"{path}.{name}", f"{version} has no {', '.join(lacking)}"
            elif version == having[first]:
                text = f"{entry.flag} is not {_BEYOND[name]} than {version}: leave it out"
                yield f"{path}.{name}", text


@rule_for("requires")
def words_fit(requires: Requires, context: Context) -> Wrong:
    """A word about numbers is of a flag that holds one, in every version that a rule speaks of."""
    for path, entry, versions in _entries(requires, context):
        words = {entry.flag: entry.when, **entry.needs, **entry.excludes, **entry.unless}
        for catalog in versions:
            for flag in catalog.flags:
                if words.get(flag.flag) in _NUMBERS and flag.kind not in ("int", "size", "float"):
                    yield path, f"{flag.flag} of {catalog.version} is no number"


@rule_for("requires")
def said_once(requires: Requires, context: Context) -> Wrong:
    """No two rules about one flag forbid the same in one version."""
    seen: dict[tuple[str, str], str] = {}
    for path, entry, versions in _entries(requires, context):
        said = [f"needs {name}" for name in entry.needs]
        said += [f"excludes {name}" for name in entry.excludes]
        for catalog in versions:
            for text in said or ["never "]:
                key = (f"{entry.flag} {text}", catalog.version)
                if key in seen:
                    yield path, f"{key[0]} in {key[1]}: {seen[key]} says so, too"
                seen[key] = path


RULES = (flags_exist, spans_are_needed, words_fit, said_once)
