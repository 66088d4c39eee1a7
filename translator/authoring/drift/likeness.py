"""How alike two names of the tables are: who may have taken the place of a name that a new vLLM
does not have any more.

A guess for a person to judge, from the words of the names and what they take; the figures in
`likeness` were set so that the guesses for the releases of the past agree with what changes.toml
says of them (`tests/test_tables_drift.py` holds them to it).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Iterator

import attrs

from translator.authoring.model import Catalog, Flag, Shape, Variable
from translator.authoring.names import exists, find, keys_of

# Words that say which way round a boolean is, and nothing of what it is about.
_FOR, _AGAINST = (
    frozenset(("enable", "use", "allow", "with", "expand")),
    frozenset(("disable", "no", "not", "without", "exclude")),
)


# Words that many names bear and none is told by.
_EMPTY = frozenset(("vllm", "config", "v0", "v1", "by", "for", "the", "if", "when", "of", "in"))


_CLASSES = {
    "switch": "bool",
    "toggle": "bool",
    "bool-value": "bool",
    "bool": "bool",
    "bool-int": "bool",
    "int": "number",
    "size": "number",
    "size-or-auto": "number",
    "float": "number",
    "str": "text",
    "optional-str": "text",
    "choice": "text",
    "list": "list",
    "append": "list",
    "json": "json",
    "object": "json",
    "map": "json",
}


# Not so likely: the candidate was there before, takes another sort of value, is another sort of
# name.
_WAS_THERE, _OTHER_CLASS, _OTHER_SORT = 0.92, 0.75, 0.97


# The words of the JSON flag around a key count so much where the lost name lacks them.
_AROUND = 0.15


@attrs.frozen
class Candidate:
    """A name that may have taken another's place.

    Attributes:
        name: a flag, a dotted key or a variable.
        score: from 0 to 1.
        new: the version before did not have it.
        inverted: its true seems to be the other's false.
    """

    name: str
    score: float
    new: bool
    inverted: bool


def all_keys(shape: Shape, path: str) -> Iterator[tuple[str, Shape]]:
    """Every key of a shape, dotted, as names of the tables have it."""
    for key, inner in keys_of(shape).items():
        yield f"{path}.{key}", inner
        yield from all_keys(inner, f"{path}.{key}")


def names_of(catalog: Catalog) -> list[str]:
    """Every name that a version has: flags, keys of JSON flags, variables."""
    found = [flag.flag for flag in catalog.flags]
    found += [
        name
        for flag in catalog.flags
        if flag.shape is not None
        for name, _ in all_keys(flag.shape, flag.flag)
    ]
    return found + [variable.name for variable in catalog.env]


@functools.cache
def _words(name: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """The words of the name itself, those of the JSON flag around it, and whether it says what it
    is not.
    """
    around, _, own = name.rpartition(".")
    words = [word for word in own.lower().replace("-", "_").split("_") if word]
    outer = {word for word in around.lower().replace("-", "_").replace(".", "_").split("_") if word}
    meant = frozenset(word for word in words if word not in _FOR | _AGAINST | _EMPTY) or frozenset(
        words
    )
    return meant, frozenset(outer - _FOR - _EMPTY), sum(word in _AGAINST for word in words) % 2 == 1


def _match(one: frozenset[str], other: frozenset[str]) -> dict[str, str]:
    """Word of the one → word of the other that is the same, its plural, or begins with it (iters,
    iterations).
    """
    found = {}
    for word in one:
        best = next(
            (item for item in (word, f"{word}s", word.removesuffix("s")) if item in other), None
        )
        if best is None and len(word) >= 4:
            best = next(
                (
                    item
                    for item in sorted(other)
                    if len(item) >= 4
                    and (item.startswith(word.rstrip("s")) or word.startswith(item.rstrip("s")))
                ),
                None,
            )
        if best is not None:
            found[word] = best
    return found


def _class(found: Flag | Shape | Variable | str) -> str | None:
    if isinstance(found, str):
        return None
    if isinstance(found, Shape) and found.of is not None:
        known = {_class(option) for option in found.of}
        return known.pop() if len(known) == 1 else None
    return _CLASSES.get(found.kind)


def _weights(names: Iterable[str]) -> dict[str, float]:
    """What a word tells: the rarer, the more."""
    counted = Counter(word for name in names for word in _words(name)[0])
    most = max(counted.values(), default=1)
    return {word: 1 + math.log(most / count) for word, count in counted.items()}


def likeness(lost: str, before: Catalog, after: Catalog) -> list[Candidate]:
    """The names of a version that may have taken the place of one that it lacks, the likeliest
    first.

    Args:
        lost: a name that `before` has and `after` does not.
    """
    names = names_of(after)
    weights = _weights([*names, *names_of(before)])
    words, around, against = _words(lost)
    kind = _class(find(lost, before))
    default = getattr(find(lost, before), "default", None)

    def weight(parts: Iterable[str]) -> float:
        return sum(weights.get(word, 1.0) for word in parts)

    found = []
    for name in names:
        other, outer, denies = _words(name)
        matched = _match(words, other)
        if not matched:
            continue
        # What the name lacks may stand in the name of the JSON flag around the key, or the other
        # way round.
        inside = {word for word in words if word not in matched and word in outer}
        without = {word for word in other if word not in matched.values() and word in around}
        shared = weight(matched) + weight(matched.values()) + weight(inside) + weight(without)
        strange = _AROUND * weight(outer - inside - set(matched.values()) - around)
        score = shared / (weight(words) + weight(other) + strange)
        new = not exists(name, before)
        theirs = find(name, after)
        if not new:
            score *= _WAS_THERE
        if kind is not None and _class(theirs) is not None and kind != _class(theirs):
            score *= _OTHER_CLASS
        if (lost.startswith("-"), "." in lost) != (name.startswith("-"), "." in name):
            score *= _OTHER_SORT
        inverted = against != denies and kind == "bool" == _class(theirs)
        if default is not None and default != getattr(theirs, "default", None) and not inverted:
            score *= 0.97
        found.append(Candidate(name, round(min(score, 1.0), 3), new, inverted))
    return sorted(found, key=lambda item: (-item.score, not item.new, item.name))
