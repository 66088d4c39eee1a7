"""Rules for changes.toml: every disappearance is accounted for, and nothing is claimed that the
catalogs deny.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from translator.authoring.lint.rules import Context
from translator.authoring.names import (
    BOOLEANS,
    boolean,
    disappearances,
    ever,
    exists,
    find,
    state,
    takes,
)
from translator.authoring.schema.catalog import Catalog
from translator.authoring.schema.changes import Changes, Gone, Same, Split
from translator.authoring.sources import CHANGES, Problem
from translator.tables.versions import Version, runs, span

TODO = "TODO"
"""How a text begins that a person has to write yet."""


def _changes(context: Context) -> Changes:
    return context.tables.changes or Changes()


def _named(changes: Changes) -> dict[str, Same | Split | Gone]:
    return {name: entry for _, entry in changes.entries() for name in entry.names}


def read_there(carrier: str, entry: Same, catalog: Catalog) -> bool:
    """Whether a carrier works in a version: it exists, and the entry's `since` and `until` do not
    say otherwise.
    """
    here = Version(catalog.version)
    since, until = entry.since.get(carrier), entry.until.get(carrier)
    return (
        exists(carrier, catalog)
        and (since is None or here >= Version(since))
        and (until is None or here <= Version(until))
    )


def _text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _in(catalogs: Sequence[Catalog], versions: set[str]) -> str:
    """The versions, for a message."""
    found = runs([catalog.version for catalog in catalogs], versions)
    return ", ".join(span(*run) for run in found)


def unaccounted(context: Context) -> dict[str, list[str]]:
    """Every name that disappears and is in no entry, with the versions that lack it so."""
    named = _named(_changes(context))
    return {
        name: versions
        for name, versions in disappearances(context.catalogs).items()
        if name not in named
    }


def every_disappearance_has_an_entry(context: Context) -> Iterator[Problem]:
    """A flag, a key or a variable that a version has and the next one does not is in an entry."""
    if context.tables.changes is None:
        return
    for name, versions in sorted(unaccounted(context).items()):
        yield Problem(
            CHANGES,
            "",
            f"no entry says what became of {name}, which {versions[0]} does not have any more",
        )


def nothing_left_to_do(context: Context) -> Iterator[Problem]:
    """An entry that `translate tables add` proposed has been finished: no text of it begins with
    TODO.
    """
    changes = _changes(context)
    texts = [
        (path, getattr(entry, "why", None) or getattr(entry, "note", None))
        for path, entry in changes.entries()
    ]
    texts += [(f"$.value[{index}]", change.note) for index, change in enumerate(changes.value)]
    for path, text in texts:
        if text is not None and text.startswith(TODO):
            yield Problem(CHANGES, path, "is not finished: a text of it begins with TODO")


def one_entry_a_name(context: Context) -> Iterator[Problem]:
    """A name stands in one entry only; so does a value of a name."""
    seen: dict[str, str] = {}
    for path, entry in _changes(context).entries():
        for name in entry.names:
            if name in seen and seen[name] != path:
                yield Problem(CHANGES, path, f"{name} is in {seen[name]} already")
            seen[name] = path
    values: dict[tuple[str, str], str] = {}
    for index, change in enumerate(_changes(context).value):
        for value in change.values:
            if (change.name, value) in values:
                yield Problem(
                    CHANGES,
                    f"$.value[{index}]",
                    f"{change.name}={value} is in {values[change.name, value]} already",
                )
            values[change.name, value] = f"$.value[{index}]"


def no_fact_of_the_catalogs(context: Context) -> Iterator[Problem]:
    """`since` and `until` are for keys that no catalog can tell of, and do not exclude each
    other.
    """
    for index, entry in enumerate(_changes(context).same):
        for field in ("since", "until"):
            for name in getattr(entry, field):
                if not any(state(name, catalog) == "free" for catalog in context.catalogs):
                    yield Problem(
                        CHANGES,
                        f"$.same[{index}].{field}",
                        f"the catalogs know which versions have {name}",
                    )
        for name in entry.since.keys() & entry.until.keys():
            if Version(entry.since[name]) > Version(entry.until[name]):
                yield Problem(
                    CHANGES,
                    f"$.same[{index}].since",
                    f"{name} is read since {entry.since[name]}, but until {entry.until[name]} only",
                )


def names_exist(context: Context) -> Iterator[Problem]:
    """Every name of an entry, and every name that it sets, exists in some version."""
    for path, entry in _changes(context).entries():
        others = {target for _, target, _ in entry.targets} if isinstance(entry, Split) else set()
        others |= (
            {name for parts in entry.beside.values() for name in parts}
            if isinstance(entry, Same)
            else set()
        )
        for name in (*entry.names, *sorted(others)):
            if not ever(name, context.catalogs):
                yield Problem(CHANGES, path, f"no version has {name}")


def no_entry_is_stale(context: Context) -> Iterator[Problem]:
    """A name that is gone or split is missing somewhere; a carrier stands in for another one
    somewhere, or the other for it.
    """
    for path, entry in _changes(context).entries():
        if isinstance(entry, Same):
            there = {
                name: [read_there(name, entry, catalog) for catalog in context.catalogs]
                for name in entry.carriers
            }
            for name in entry.carriers:
                if any(there[name]) and all(
                    there[name] == there[other] for other in entry.carriers
                ):
                    yield Problem(
                        CHANGES,
                        path,
                        f"{name} is never missing where another carrier exists, nor the other way"
                        " round: the entry is stale",
                    )
        else:
            for name in entry.names:
                if ever(name, context.catalogs) and all(
                    exists(name, catalog) for catalog in context.catalogs
                ):
                    yield Problem(
                        CHANGES, path, f"{name} is missing in no version: the entry is stale"
                    )


def values_are_renamed(context: Context) -> Iterator[Problem]:
    """Of a renamed value: some version takes it (of the name, or of one that carries the same); one
    of them is refused where another is taken.
    """
    changes = _changes(context)
    named = _named(changes)
    for index, change in enumerate(changes.value):
        path = f"$.value[{index}]"
        if not ever(change.name, context.catalogs):
            yield Problem(CHANGES, path, f"no version has {change.name}")
            continue
        entry = named.get(change.name)
        names = entry.carriers if isinstance(entry, Same) else (change.name,)
        unknown = [
            value
            for value in change.values
            if not any(takes(name, value, context.catalogs) for name in names)
        ]
        for value in unknown:
            yield Problem(CHANGES, path, f"no version accepts {value!r} for {' or '.join(names)}")
        there = [catalog for catalog in context.catalogs if exists(change.name, catalog)]
        taken = [
            [takes(change.name, value, [catalog]) for value in change.values] for catalog in there
        ]
        if not unknown and not any(True in answers and False in answers for answers in taken):
            yield Problem(
                CHANGES,
                path,
                f"every version that accepts one of the values of {change.name} accepts them all:"
                " the entry is stale",
            )


def something_carries_it(context: Context) -> Iterator[Problem]:
    """Where a carrier is missing in a version later than one that had any, another one exists; else
    a note says what to do (a warning without).
    """
    for index, entry in enumerate(_changes(context).same):
        there = [
            any(read_there(name, entry, catalog) for name in entry.carriers)
            for catalog in context.catalogs
        ]
        if not any(there) or entry.note is not None:
            continue
        bare = {
            catalog.version
            for catalog, carried in list(zip(context.catalogs, there, strict=True))[
                there.index(True) :
            ]
            if not carried
        }
        if bare:
            text = (
                f"nothing replaces {entry.carriers[0]} in {_in(context.catalogs, bare)}, and no"
                " note explains what to do"
            )
            yield Problem(CHANGES, f"$.same[{index}]", text, "warning")


def splits_arrive(context: Context) -> Iterator[Problem]:
    """Where a split name is missing in a version later than one that had it, everything that it
    becomes exists, or is itself carried on.
    """
    changes = _changes(context)
    named = _named(changes)
    for index, entry in enumerate(changes.split):
        have = [exists(entry.name, catalog) for catalog in context.catalogs]
        if True not in have:
            continue
        later = [
            catalog
            for catalog, had in list(zip(context.catalogs, have, strict=True))[have.index(True) :]
            if not had
        ]
        for target in sorted({target for _, target, _ in entry.targets}):
            bare = {catalog.version for catalog in later if not exists(target, catalog)}
            if bare and target not in named:
                yield Problem(
                    CHANGES,
                    f"$.split[{index}]",
                    f"{entry.name} becomes {target}, which {_in(context.catalogs, bare)} lacks",
                )


def inverted_are_boolean(context: Context) -> Iterator[Problem]:
    """An inverted carrier takes true and false, and so do the others."""
    for index, entry in enumerate(_changes(context).same):
        for name in entry.carriers if entry.inverted else ():
            if ever(name, context.catalogs) and not any(
                boolean(find(name, catalog)) for catalog in context.catalogs
            ):
                yield Problem(
                    CHANGES,
                    f"$.same[{index}]",
                    f"{name} accepts more than true and false and cannot be inverted",
                )


def values_are_taken(context: Context) -> Iterator[Problem]:
    """A value that an entry names is one that some version takes: of the name itself, and of
    what it becomes.
    """
    catalogs = context.catalogs
    for index, same in enumerate(_changes(context).same):
        plain = [name for name in same.carriers if name not in same.values]
        for name, table in same.values.items():
            for own, canonical in table.items():
                if not takes(name, own, catalogs):
                    yield Problem(
                        CHANGES, f"$.same[{index}].values", f"no version accepts {own!r} for {name}"
                    )
                if plain and not any(takes(other, _text(canonical), catalogs) for other in plain):
                    yield Problem(
                        CHANGES,
                        f"$.same[{index}].values",
                        f"no version accepts {canonical!r} for {' or '.join(plain)}",
                    )
    for index, split in enumerate(_changes(context).split):
        for value in split.values:
            if not takes(split.name, value, catalogs):
                yield Problem(
                    CHANGES,
                    f"$.split[{index}].values",
                    f"no version accepts {value!r} for {split.name}",
                )
        for value, target, text in split.targets:
            if ever(target, catalogs) and not takes(target, _text(text), catalogs):
                yield Problem(
                    CHANGES,
                    f"$.split[{index}].values.{value}",
                    f"no version accepts {text!r} for {target}",
                )
    for index, gone in enumerate(_changes(context).gone):
        if gone.default_when is not None and gone.default_when not in BOOLEANS:
            for name in gone.names:
                if ever(name, catalogs) and not takes(name, gone.default_when, catalogs):
                    yield Problem(
                        CHANGES,
                        f"$.gone[{index}].default_when",
                        f"no version accepts {gone.default_when!r} for {name}",
                    )


RULES = (
    every_disappearance_has_an_entry,
    nothing_left_to_do,
    one_entry_a_name,
    no_fact_of_the_catalogs,
    names_exist,
    no_entry_is_stale,
    values_are_renamed,
    something_carries_it,
    splits_arrive,
    inverted_are_boolean,
    values_are_taken,
)
