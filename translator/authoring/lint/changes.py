"""Rules for changes.toml: every disappearance is accounted for, and nothing is claimed that the
catalogs deny.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import dropwhile

from translator.authoring.lint.rules import Context, Wrong, rule_for
from translator.authoring.names import (
    BOOLEANS,
    boolean,
    disappearances,
    ever,
    exists,
    find,
    state,
    takes,
    within,
)
from translator.model.catalog import Catalog
from translator.model.changes import Changes, Gone, Same, Split
from translator.tables.versions import Version, runs, span

TODO = "TODO"
"""How a text begins that a person has to write yet."""


def _named(changes: Changes) -> dict[str, Same | Split | Gone]:
    return {name: entry for _, entry in changes.entries() for name in entry.names}


def _read_there(carrier: str, entry: Same, catalog: Catalog) -> bool:
    """Whether a carrier works in a version: it exists, and the entry's `since` and `until` do not
    say otherwise.
    """
    since, until = entry.since.get(carrier), entry.until.get(carrier)
    return exists(carrier, catalog) and within(catalog, since, until)


def _carried(entry: Same, catalog: Catalog) -> bool:
    return any(_read_there(name, entry, catalog) for name in entry.carriers)


def _lacking(has: Callable[[Catalog], bool], context: Context) -> list[Catalog]:
    """The versions without something that are later than the first one with it."""
    later = dropwhile(lambda catalog: not has(catalog), context.catalogs)
    return [catalog for catalog in later if not has(catalog)]


def _in(catalogs: Sequence[Catalog], context: Context) -> str:
    """The versions, for a message."""
    every = [catalog.version for catalog in context.catalogs]
    return ", ".join(span(*run) for run in runs(every, {item.version for item in catalogs}))


def unaccounted(context: Context) -> dict[str, list[str]]:
    """Every name that disappears and is in no entry, with the versions that lack it so."""
    named = _named(context.tables.changes or Changes())
    return {
        name: versions
        for name, versions in disappearances(context.catalogs).items()
        if name not in named
    }


@rule_for("changes")
def every_disappearance_has_an_entry(_: Changes, context: Context) -> Wrong:
    """A flag, a key or a variable that a version has and the next one does not is in an entry."""
    for name, versions in sorted(unaccounted(context).items()):
        yield "", f"no entry says what became of {name}, which {versions[0]} does not have any more"


@rule_for("changes")
def nothing_left_to_do(changes: Changes, _: Context) -> Wrong:
    """An entry that `translate tables add` proposed has been finished: no text of it begins with
    TODO.
    """
    values = ((f"$.value[{index}]", change) for index, change in enumerate(changes.value))
    for path, entry in (*changes.entries(), *values):
        text = entry.why if isinstance(entry, Gone) else entry.note
        if text is not None and text.startswith(TODO):
            yield path, "is not finished: a text of it begins with TODO"


@rule_for("changes")
def no_fact_of_the_catalogs(changes: Changes, context: Context) -> Wrong:
    """`since` and `until` are for keys that no catalog can tell of, and do not exclude each
    other.
    """
    for index, entry in enumerate(changes.same):
        path = f"$.same[{index}]"
        for field in ("since", "until"):
            for name in getattr(entry, field):
                if not any(state(name, catalog) == "free" for catalog in context.catalogs):
                    yield f"{path}.{field}", f"the catalogs know which versions have {name}"
        for name in entry.since.keys() & entry.until.keys():
            since, until = entry.since[name], entry.until[name]
            if Version(since) > Version(until):
                yield f"{path}.since", f"{name} is read since {since}, but until {until} only"


@rule_for("changes")
def no_entry_is_stale(changes: Changes, context: Context) -> Wrong:
    """A name that is gone or split is missing somewhere; the carriers of one meaning are not all
    read by the same versions.
    """
    for path, entry in changes.entries():
        if isinstance(entry, Same):
            there = {
                tuple(_read_there(name, entry, catalog) for catalog in context.catalogs)
                for name in entry.carriers
            }
            if len(there) == 1:
                names = ", ".join(entry.carriers)
                yield path, f"{names} are in the same versions: the entry is stale"
            continue
        for name in entry.names:
            if all(exists(name, catalog) for catalog in context.catalogs):
                yield path, f"{name} is missing in no version: the entry is stale"


@rule_for("changes")
def something_carries_it(changes: Changes, context: Context) -> Wrong:
    """Where a carrier is missing in a version later than one that had any, another one exists; else
    a note says what to do (a warning without).
    """
    for index, entry in enumerate(changes.same):
        bare = _lacking(partial(_carried, entry), context)
        if bare and entry.note is None:
            text = f"nothing replaces {entry.carriers[0]} in {_in(bare, context)}"
            yield f"$.same[{index}]", f"{text}, and no note explains what to do", "warning"


@rule_for("changes")
def splits_arrive(changes: Changes, context: Context) -> Wrong:
    """Where a split name is missing in a version later than one that had it, everything that it
    becomes exists, or is itself carried on.
    """
    named = _named(changes)
    for index, entry in enumerate(changes.split):
        later = _lacking(partial(exists, entry.name), context)
        for target in sorted({target for _, target, _ in entry.targets} - named.keys()):
            bare = [catalog for catalog in later if not exists(target, catalog)]
            if bare:
                text = f"{entry.name} becomes {target}, which {_in(bare, context)} lacks"
                yield f"$.split[{index}]", text


@rule_for("changes")
def inverted_are_boolean(changes: Changes, context: Context) -> Wrong:
    """An inverted carrier takes true and false, and so do the others."""
    for index, entry in enumerate(changes.same):
        for name in entry.carriers if entry.inverted else ():
            if ever(name, context.catalogs) and not any(
                boolean(find(name, catalog)) for catalog in context.catalogs
            ):
                text = f"{name} accepts more than true and false and cannot be inverted"
                yield f"$.same[{index}]", text


@rule_for("changes")
def values_are_taken(changes: Changes, context: Context) -> Wrong:
    """A value that an entry names is one that some version takes: of the name itself, and of
    what it becomes.
    """
    for path, names, value in _claims(changes):
        known = any(ever(name, context.catalogs) for name in names)
        if known and not _taken(names, value, context):
            yield path, f"no version accepts {value!r} for {' or '.join(names)}"


def _claims(changes: Changes) -> Iterator[tuple[str, Sequence[str], object]]:
    """What the entries claim: where, one of these names, takes this value."""
    named = _named(changes)
    for index, same in enumerate(changes.same):
        plain = [name for name in same.carriers if name not in same.values]
        for name, table in same.values.items():
            for own, canonical in table.items():
                yield f"$.same[{index}].values", (name,), own
                yield f"$.same[{index}].values", plain, canonical
    for index, split in enumerate(changes.split):
        for value in split.values:
            yield f"$.split[{index}].values", (split.name,), value
        for value, target, text in split.targets:
            yield f"$.split[{index}].values.{value}", (target,), text
    for index, gone in enumerate(changes.gone):
        if gone.default_when is not None and gone.default_when not in BOOLEANS:
            for name in gone.names:
                yield f"$.gone[{index}].default_when", (name,), gone.default_when
    for index, change in enumerate(changes.value):
        entry = named.get(change.name)
        names = entry.carriers if isinstance(entry, Same) else (change.name,)
        for value in change.values:
            yield f"$.value[{index}]", names, value


def _taken(names: Sequence[str], value: object, context: Context) -> bool:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return any(takes(name, text, context.catalogs) for name in names)


RULES = (
    every_disappearance_has_an_entry,
    nothing_left_to_do,
    no_fact_of_the_catalogs,
    no_entry_is_stale,
    something_carries_it,
    splits_arrive,
    inverted_are_boolean,
    values_are_taken,
)
