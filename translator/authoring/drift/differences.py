"""Two catalogs as facts, compared: what the one has and the other has not, and what differs of what
both have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen

# Of a shape, what holds further shapes: compared key by key instead.
_INSIDE = ("keys", "values", "items", "of")


# The fields of a flag that are shapes: what the parser takes, and what the engine does.
_SHAPES = ("shape", "start")


@frozen
class Changed:
    """Something that both have.

    Attributes:
        name: what it is called in the older one.
        fields: field → the facts of both about it; None where one has none.
    """

    name: str
    fields: Mapping[str, tuple[Any, Any]]


@frozen
class Part:
    """The flags, the keys or the variables of two catalogs.

    Attributes:
        new: name → facts, of what only the later one has.
        gone: name → facts, of what only the earlier one has.
        changed: what both have, with other facts.
    """

    new: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    gone: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    changed: tuple[Changed, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.changed)


@frozen
class Differences:
    """Everything in which two catalogs differ; false when nothing does.

    Attributes:
        flags: by name; their keys apart.
        keys: of JSON flags that have a shape in both, by dotted path: `[]` an item of a list, `*` a
            value of a map, `(1)` the first option of a union.
        variables: vLLM's own.
        grammar: the facts about the command line as a whole that differ.
    """

    flags: Part
    keys: Part
    variables: Part
    grammar: Mapping[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        return bool(self.flags or self.keys or self.variables or self.grammar)


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {
        name: (before.get(name), after.get(name))
        for name in sorted(before.keys() | after.keys())
        if not _same(before.get(name), after.get(name))
    }


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _compare(
    before: Mapping[str, Mapping[str, Any]],
    after: Mapping[str, Mapping[str, Any]],
    pairs: Iterable[tuple[str, str]] = (),
) -> Part:
    """Two tables of facts by name; `pairs` are those that are one thing under two names."""
    renamed = dict(pairs)
    kept = {name: name for name in before if name in after} | renamed
    changed = [
        Changed(name, fields)
        for name, other in sorted(kept.items())
        if (fields := _fields(before[name], after[other]))
    ]
    there = set(kept.values())
    return Part(
        {name: after[name] for name in sorted(after) if name not in there},
        {name: before[name] for name in sorted(before) if name not in kept},
        tuple(changed),
    )


def _spellings(flag: Mapping[str, Any]) -> list[str]:
    return [flag["flag"], *flag.get("aliases", ()), *flag.get("negations", ())]


def _flat(shape: Mapping[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every shape below a shape, by its path, without what is below it."""
    below = [(f"{path}.{key}", inner) for key, inner in (shape.get("keys") or {}).items()]
    below += [
        (f"{path}{mark}", shape[name])
        for name, mark in (("values", ".*"), ("items", "[]"))
        if shape.get(name) is not None
    ]
    below += [(f"{path}({number})", inner) for number, inner in enumerate(shape.get("of") or (), 1)]
    for where, inner in below:
        yield where, {name: fact for name, fact in inner.items() if name not in _INSIDE}
        yield from _flat(inner, where)


def _plain(flag: Mapping[str, Any]) -> dict[str, Any]:
    """A flag without its keys: that it has some, and what is said of the object as a whole."""
    found = {name: fact for name, fact in flag.items() if name not in _SHAPES}
    for part in _SHAPES:
        if part in flag:
            found[part] = {name: fact for name, fact in flag[part].items() if name not in _INSIDE}
    return found


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
    """In what two catalogs differ.

    Args:
        before: the facts of the one, as the JSON of mappings/catalogs.
        after: those of the other.
    """
    old, new = ({flag["flag"]: flag for flag in catalog["flags"]} for catalog in (before, after))
    owners = {text: flag["flag"] for flag in new.values() for text in _spellings(flag)}
    # A flag whose name lives on as another spelling of one that is new.
    pairs = [
        (name, owners[name])
        for name in old
        if name not in new and name in owners and owners[name] not in old
    ]
    keys_before: dict[str, dict[str, Any]] = {}
    keys_after: dict[str, dict[str, Any]] = {}
    for one, other in [*((name, name) for name in old if name in new), *pairs]:
        for part in _SHAPES:
            if part in old[one] and part in new[other]:
                keys_before.update(_flat(old[one][part], one))
                keys_after.update(_flat(new[other][part], one))
    return Differences(
        _compare(
            {name: _plain(flag) for name, flag in old.items()},
            {name: _plain(flag) for name, flag in new.items()},
            pairs,
        ),
        _compare(keys_before, keys_after),
        _compare(
            {row["name"]: row for row in before["env"]}, {row["name"]: row for row in after["env"]}
        ),
        _fields(before["grammar"], after["grammar"]),
    )
