"""Rules for requires.toml: what it names exists in the versions that it speaks of, and it says
nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context, Rule
from translator.authoring.schema.catalog import Catalog
from translator.authoring.schema.changes import Refusal
from translator.authoring.sources import REQUIRES, Problem
from translator.tables.versions import Version


def _entries(context: Context) -> Iterator[tuple[str, Refusal]]:
    for index, entry in enumerate(
        context.tables.requires.refusal if context.tables.requires is not None else ()
    ):
        yield f"$.refusal[{index}]", entry


def _versions(entry: Refusal, context: Context) -> list[Catalog]:
    """The catalogs of the versions that a rule speaks of."""
    return [
        catalog
        for catalog in context.catalogs
        if (entry.since is None or Version(catalog.version) >= Version(entry.since))
        and (entry.until is None or Version(catalog.version) <= Version(entry.until))
        and any(flag.flag == entry.flag for flag in catalog.flags)
    ]


def flags_exist(context: Context) -> Iterator[Problem]:
    """The flag of a rule exists in some version of its span, under its own name; every other flag
    in all versions of it that have the flag.
    """
    for path, entry in _entries(context):
        versions = _versions(entry, context)
        if not versions:
            yield Problem(REQUIRES, path, f"no version in its range has the flag {entry.flag}")
        for other in (*entry.needs, *entry.excludes):
            lacking = [
                catalog.version
                for catalog in versions
                if not any(flag.flag == other for flag in catalog.flags)
            ]
            if lacking:
                yield Problem(
                    REQUIRES,
                    path,
                    f"no flag {other} in {', '.join(lacking)}: `since` and `until` say which"
                    " versions are meant",
                )
        for other in entry.unless:
            if not any(flag.flag == other for catalog in versions for flag in catalog.flags):
                yield Problem(REQUIRES, path, f"no version in its range has the flag {other}")


_BEYOND = {"since": "older", "until": "newer"}


def spans_are_needed(context: Context) -> Iterator[Problem]:
    """`since` and `until` are known versions that have every flag of the rule, and leave out
    versions that have its first one.
    """
    known = {catalog.version for catalog in context.catalogs}
    for path, entry in _entries(context):
        for name in ("since", "until"):
            version = getattr(entry, name)
            if version is not None and version not in known:
                yield Problem(REQUIRES, f"{path}.{name}", f"{version} is no known version")
        names = {entry.flag, *entry.needs, *entry.excludes}
        flags = {
            catalog.version: {flag.flag for flag in catalog.flags} for catalog in context.catalogs
        }
        having = [version for version, here in flags.items() if entry.flag in here]
        for name, version in (("since", entry.since), ("until", entry.until)):
            if version is None or version not in known:
                continue
            lacking = ", ".join(sorted(names - flags[version]))
            if lacking:
                yield Problem(REQUIRES, f"{path}.{name}", f"{version} has no {lacking}")
            elif version == having[0 if name == "since" else -1]:
                text = f"{entry.flag} is not {_BEYOND[name]} than {version}: leave it out"
                yield Problem(REQUIRES, f"{path}.{name}", text)


_NUMBERS = ("positive", "negative", "many", "not-one")


def words_fit(context: Context) -> Iterator[Problem]:
    """A word about numbers is of a flag that holds one, in every version that a rule speaks of."""
    for path, entry in _entries(context):
        words = {entry.flag: entry.when, **entry.needs, **entry.excludes, **entry.unless}
        for catalog in _versions(entry, context):
            for flag in catalog.flags:
                if words.get(flag.flag) in _NUMBERS and flag.kind not in ("int", "size", "float"):
                    text = f"{flag.flag} of {catalog.version} is no number"
                    yield Problem(REQUIRES, path, text)


def said_once(context: Context) -> Iterator[Problem]:
    """No two rules about one flag forbid the same in one version."""
    seen: dict[tuple[str, str, str, str], str] = {}
    for path, entry in _entries(context):
        for catalog in _versions(entry, context):
            for part, other in [("needs", name) for name in entry.needs] + [
                ("excludes", name) for name in entry.excludes
            ] or [("never", "")]:
                key = (entry.flag, part, other, catalog.version)
                if key in seen:
                    yield Problem(
                        REQUIRES,
                        path,
                        f"{entry.flag} {part} {other} in {catalog.version}: {seen[key]} says"
                        " so, too",
                    )
                seen[key] = path


RULES: tuple[Rule, ...] = (flags_exist, spans_are_needed, words_fit, said_once)
