"""Keys that a class of an old version reads over: the real parser takes them, and its namespace is
as without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .catalogs import catalog
from .forms import MODEL
from .laws import Tally, shell
from .parsers import Parsers


def ignoring(shape: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the objects that ignore unknown keys."""
    if shape.get("kind") == "object":
        if shape.get("extra") == "ignore":
            yield path
        for key, inner in shape["keys"].items():
            yield from ignoring(inner, (*path, key))


def nested(path: tuple[str, ...], value: Any) -> str:
    for key in reversed(path):
        value = {key: value}
    return json.dumps(value)


def test_ignored_keys_change_nothing(version: str, parsers: Parsers, tally: Tally) -> None:
    """Where the catalog says "ignore"."""
    for flag in catalog(version)["flags"]:
        for path in ignoring(flag.get("shape") or {}):
            lines = [
                (MODEL, f"{flag['flag']}={nested(path, value)}")
                for value in ({}, {"no_such_key": 1})
            ]
            without, with_key = parsers.parse(version, lines)
            tally.asked += 1
            tally.accepted += with_key.ok is not None
            if without != with_key and without.ok is not None:
                tally.add(
                    "ignored keys", shell(lines[1]), f"  without it: {without}; with it: {with_key}"
                )
    tally.settle()
