"""Rules for changes.toml: every disappearance is accounted for, and nothing is claimed that the
catalogs deny.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import dropwhile, pairwise

from translator.core.tables.versions import shown_runs, within
from translator.maintain.lint.rules import (
    BOOLEANS,
    Context,
    Wrong,
    ever,
    exists,
    find,
    is_open,
    keys_of,
    rule,
    takes,
)
from translator.maintain.model.catalog import Catalog, Shape
from translator.maintain.model.changes import Changes, Gone, Same, Split, ValueChange

TODO = "TODO"
"""How a text begins that a person has to write yet."""


def _read_there(carrier: str, entry: Same, catalog: Catalog) -> bool:
    """Whether a carrier works in a version: it exists, within the entry's `since` and `until`."""
    since, until = entry.since.get(carrier), entry.until.get(carrier)
    return exists(carrier, catalog) and within(catalog.version, since, until)


def _carried(entry: Same, catalog: Catalog) -> bool:
    return any(_read_there(name, entry, catalog) for name in entry.carriers)


def _lacking(has: Callable[[Catalog], bool], context: Context) -> list[Catalog]:
    """The versions without something that are later than the first one with it."""
    later = dropwhile(lambda catalog: not has(catalog), context.catalogs)
    return [catalog for catalog in later if not has(catalog)]


def _in(catalogs: Sequence[Catalog], context: Context) -> str:
    """The versions, for a message."""
    return shown_runs(context.versions, {item.version for item in catalogs})


def _lost_keys(before: Shape, after: Shape, path: str) -> Iterator[str]:
    """The keys, dotted, that the one shape has and the other lacks, without those below them."""
    keys, later = keys_of(before), keys_of(after)
    for key, shape in keys.items():
        here = f"{path}.{key}"
        if key in later:
            yield from _lost_keys(shape, later[key], here)
        elif not is_open(after):
            yield here


def disappearances(catalogs: Sequence[Catalog]) -> dict[str, list[str]]:
    """Every name that a version has and the next does not: name → the versions that lack it so. A
    flag is there in any spelling; keys are compared with the next version in which it has a shape.
    """
    lacking: dict[str, list[str]] = {}
    shapes: dict[str, Shape] = {}
    for before, after in pairwise(catalogs):
        shapes.update({flag.flag: flag.shape for flag in before.flags if flag.shape is not None})
        names = [flag.flag for flag in before.flags if flag.flag not in after.spellings]
        names += [item.name for item in before.env if item.name not in after.variables]
        for flag in after.flags:
            if flag.shape is not None and flag.flag in shapes:
                names += _lost_keys(shapes[flag.flag], flag.shape, flag.flag)
        for name in names:
            lacking.setdefault(name, []).append(after.version)
    return lacking


def unaccounted(context: Context) -> dict[str, list[str]]:
    """Every name that disappears and is in no entry, with the versions that lack it so."""
    lost = disappearances(context.catalogs)
    return {name: lacking for name, lacking in lost.items() if name not in context.accounts}


@rule(Changes)
def every_disappearance_has_an_entry(_: Changes, context: Context) -> Wrong:
    """A flag, a key or a variable that a version has and the next one does not is in an entry."""
    for name, versions in sorted(unaccounted(context).items()):
        yield "", f"no entry says what became of {name}, which {versions[0]} does not have any more"


@rule(Gone)
def nothing_left_to_do(entry: Gone, _: Context) -> Wrong:
    """An entry that `translate tables add` proposed has been finished: it has no TODO."""
    if entry.why.startswith(TODO):
        yield ".why", "is not finished: it begins with TODO"


@rule(Same)
def no_fact_of_the_catalogs(entry: Same, context: Context) -> Wrong:
    """`since` and `until` are for keys that no catalog can tell of."""
    for field in ("since", "until"):
        for name in getattr(entry, field):
            if not any(find(name, catalog) == "free" for catalog in context.catalogs):
                yield f".{field}", f"the catalogs know which versions have {name}"


@rule(Same, Split, Gone)
def no_entry_is_stale(entry: Same | Split | Gone, context: Context) -> Wrong:
    """A name that is gone or split is missing somewhere; the carriers of one meaning are not all
    read by the same versions.
    """
    if isinstance(entry, Same):
        there = {
            tuple(_read_there(name, entry, catalog) for catalog in context.catalogs)
            for name in entry.carriers
        }
        if len(there) == 1:
            yield "", f"{', '.join(entry.carriers)} are in the same versions: the entry is stale"
        return
    for name in entry.names:
        if all(exists(name, catalog) for catalog in context.catalogs):
            yield "", f"{name} is missing in no version: the entry is stale"


@rule(Same)
def something_carries_it(entry: Same, context: Context) -> Wrong:
    """Where a carrier is missing in a version later than one that had any, another one exists; else
    a note says what to do (a warning without).
    """
    bare = _lacking(partial(_carried, entry), context)
    if bare and entry.note is None:
        text = f"nothing replaces {entry.carriers[0]} in {_in(bare, context)}"
        yield "", f"{text}, and no note explains what to do", "warning"


@rule(Split)
def splits_arrive(entry: Split, context: Context) -> Wrong:
    """Where a split name is missing in a version later than one that had it, everything that it
    becomes exists, or is itself carried on.
    """
    later = _lacking(partial(exists, entry.name), context)
    for target in sorted({target for _, target, _ in entry.targets} - context.accounts.keys()):
        bare = [catalog for catalog in later if not exists(target, catalog)]
        if bare:
            yield "", f"{entry.name} becomes {target}, which {_in(bare, context)} lacks"


@rule(Same, Split, Gone, ValueChange)
def values_are_taken(entry: Same | Split | Gone | ValueChange, context: Context) -> Wrong:
    """A value that an entry names is one that some version takes: of the name itself, and of what
    it becomes.
    """
    for where, names, value in _claims(entry, context):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        known = any(ever(name, context.catalogs) for name in names)
        if known and not any(takes(name, text, context.catalogs) for name in names):
            yield where, f"no version accepts {value!r} for {' or '.join(names)}"


def _claims(
    entry: Same | Split | Gone | ValueChange, context: Context
) -> Iterator[tuple[str, Sequence[str], object]]:
    """What an entry claims: where in it, one of these names, takes this value."""
    if isinstance(entry, Same):
        plain = [name for name in entry.carriers if name not in entry.values]
        for name, table in entry.values.items():
            for own, canonical in table.items():
                yield ".values", (name,), own
                yield ".values", plain, canonical
    elif isinstance(entry, Split):
        for value in entry.values:
            yield ".values", entry.names, value
        for value, target, text in entry.targets:
            yield f".values.{value}", (target,), text
    elif isinstance(entry, ValueChange):
        same = context.accounts.get(entry.name)
        for value in entry.values:
            yield "", same.carriers if isinstance(same, Same) else (entry.name,), value
    elif entry.default_when is not None and entry.default_when not in BOOLEANS:
        for name in entry.names:
            yield ".default_when", (name,), entry.default_when
