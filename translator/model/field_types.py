"""The types of the tables' fields: what Python has, and the checks that a value has to pass.

A check raises ValueError with a text that goes after "where: ".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar

from attrs import fields, fields_dict

from translator.text.quoting import show

T = TypeVar("T")


def matching(pattern: str, what: str) -> Callable[[str], None]:
    compiled = re.compile(pattern)

    def check(value: str) -> None:
        if not compiled.fullmatch(value):
            raise ValueError(f"{show(repr(value))} is not {what}")

    return check


def nonempty(value: Collection[Any]) -> None:
    if not value:
        raise ValueError("is empty")


def distinct(value: Collection[Any]) -> None:
    twice = sorted(str(item) for item, count in Counter(value).items() if count > 1)
    if twice:
        raise ValueError(f"holds {', '.join(twice)} twice")


def once(*fields: str) -> Callable[[Collection[Any]], None]:
    """Return the check that no name in some fields of the items of a list stands there twice."""

    def check(items: Collection[Any]) -> None:
        stand_once(name for item in items for field in fields for name in _names(item, field))

    return check


def _names(item: Any, field: str) -> tuple[str, ...]:
    value = getattr(item, field)
    return value if isinstance(value, tuple) else (value,) if value is not None else ()


def stand_once(names: Iterable[str]) -> None:
    """Check that each of some names is there once.

    Raises:
        ValueError: one is not.
    """
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{', '.join(twice)} stands twice")


def among(names: Iterable[str], known: Collection[str], text: str) -> None:
    """Check that each of some names is one that is known.

    Raises:
        ValueError: some are not; `{}` in the text stands for them.
    """
    strange = [name for name in names if name not in known]
    if strange:
        raise ValueError(text.format(", ".join(strange)))


def _several(value: Collection[Any]) -> None:
    if len(value) < 2:
        raise ValueError("holds fewer than two")


def _positive(value: int) -> None:
    if value < 1:
        raise ValueError("is not positive")


def _port(value: int) -> None:
    if value > 65535:
        raise ValueError("is no port")


def _line(value: str) -> None:
    if not value.strip() or value != value.strip() or "\n" in value:
        raise ValueError("is not one line of text")


def texts_or_ints(value: Collection[Any]) -> None:
    kinds = {type(item) for item in value}
    if kinds - {str, int} or len(kinds) > 1:
        raise ValueError("holds neither texts only nor integers only")


def _jsonable(value: Any) -> None:
    """JSON can hold it (TOML has dates, and both have nan)."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif not isinstance(item, (str, int, float, type(None))) or (
            isinstance(item, float) and not math.isfinite(item)
        ):
            raise ValueError(f"JSON cannot hold {type(item).__name__}")


# --- texts and numbers ----------------------------------------------------------------------------

_FLAG = r"--[A-Za-z0-9][A-Za-z0-9_-]*"
_KEYS = r"(\.[^.\s=]+)*"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"

Line = Annotated[str, _line]
Json = Annotated[Any, _jsonable]
Positive = Annotated[int, _positive]
Port = Annotated[int, _positive, _port]
_VERSION = r"\d+\.\d+(\.\d+)?([.+a-z0-9]*)"
VersionName = Annotated[str, matching(_VERSION, "a version")]
Release = Annotated[str, matching(_VERSION, "a version")]  # one that has a catalog
Day = Annotated[str, matching(r"\d{4}-\d{2}-\d{2}", "a day (2026-11-02)")]
FlagName = Annotated[str, matching(_FLAG, "a flag (--name)")]
Spelling = Annotated[
    str, matching(rf"-[A-Za-z0-9][A-Za-z0-9-]*|{_FLAG}", "a flag's spelling (--name or -n)")
]
Target = Annotated[str, matching(_FLAG + _KEYS, "a flag or a key of one (--name.key)")]
VariableName = Annotated[str, matching(_VARIABLE, "a variable's name")]
VariableOrNothing = Annotated[str, matching(f"({_VARIABLE})?", "a variable's name")]
Name = Annotated[
    str,
    matching(
        f"{_FLAG}{_KEYS}|{_VARIABLE}", "a flag, a key of one (--name.key) or a variable's name"
    ),
]
Url = Annotated[str, matching(r"https://\S+", "a source (https://…)")]
Source = Annotated[str, matching(r"https://\S+|catalogs", 'a source (https://… or "catalogs")')]
OwnName = Annotated[
    str,
    matching(
        r"[a-z][a-z0-9_-]*(@[a-z0-9_.-]+)?", "a dialect's name (small letters, digits, - and _)"
    ),
]
Prefix = Annotated[str, matching(r"[A-Z0-9_]*", "a prefix of variables")]
Pattern = Annotated[str, matching(r"\*?[^*\s]+\*?", "a pattern (text with * at its ends only)")]

# --- lists ----------------------------------------------------------------------------------------

Distinct = Annotated[tuple[T, ...], distinct]
Some = Annotated[tuple[T, ...], nonempty, distinct]
Several = Annotated[tuple[T, ...], _several, distinct]


# --- what fields are together ---------------------------------------------------------------------


def check_kind(
    item: Any,
    what: str,
    field: str,
    needed: Mapping[str, Collection[str]],
    allowed: Mapping[str, Collection[str]],
) -> None:
    """Check that an object has the fields of its kind, and no others.

    Args:
        item: the object.
        what: it is: "a flag".
        field: its field with the kind.
        needed: field → the kinds that need it.
        allowed: field → the kinds that may have it.

    Raises:
        ValueError: one is missing or too much.
    """
    kind, defaults = getattr(item, field), _defaults(item.__class__)
    called = {key: it.metadata.get("file", key) for key, it in fields_dict(type(item)).items()}
    for name, kinds in allowed.items():
        if kind not in kinds and getattr(item, name) != defaults[name]:
            raise ValueError(f"{what} of {field} {kind!r} with {called[name]!r}")
    for name, kinds in needed.items():
        if kind in kinds and getattr(item, name) == defaults[name]:
            raise ValueError(f"{what} of {field} {kind!r} without {called[name]!r}")


@cache
def _defaults(cls: Any) -> dict[str, Any]:
    """What the fields of a class of the schema are where a file does not say it."""
    return {
        item.name: item.default.factory() if hasattr(item.default, "factory") else item.default
        for item in fields(cls)
        if item.init
    }
