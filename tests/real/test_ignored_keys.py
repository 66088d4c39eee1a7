"""Keys that a class of an old version reads over: the real parser takes them, and its namespace is
as without them.
"""

from collections.abc import Iterator
from typing import Any

from support.catalogs import catalog
from support.forms import MODEL
from support.samples import compact, nested

from .laws import Case, Ours, Tally, accepted, compare, shell
from .parsers import Parsers


def ignoring(shape: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the objects that ignore unknown keys."""
    if shape.get("kind") == "object":
        if shape.get("extra") == "ignore":
            yield path
        for key, inner in shape["keys"].items():
            yield from ignoring(inner, (*path, key))


def test_ignored_keys_change_nothing(version: str, parsers: Parsers, tally: Tally) -> None:
    """Where the catalog says "ignore"."""
    pairs = [
        [
            (MODEL, f"{flag['flag']}={compact(nested(path, value))}")
            for value in ({}, {"no_such_key": 1})
        ]
        for flag in catalog(version)["flags"]
        for path in ignoring(flag.get("shape") or {})
    ]
    known = accepted(parsers, version, [without for without, _ in pairs])
    cases = [Case(shell(line), Ours(line), without) for without, line in pairs if without in known]
    compare(parsers, tally, cases)
    tally.settle()
