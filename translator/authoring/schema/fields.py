"""Checks of single fields of the tables, for the classes of `model`.

A check raises ValueError with a text that goes after "where: ".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs

from translator.text.plain import quoted

Validator = Callable[[Any, Any, Any], None]


def matching(pattern: str, what: str) -> Validator:
    compiled = re.compile(pattern)

    def check(_instance: Any, _attribute: Any, value: Any) -> None:
        if value is not None and not compiled.fullmatch(value):
            raise ValueError(f"{quoted(value)} is not {what}")

    return check


def each(inner: Validator) -> Validator:
    """Of a tuple or a dict's keys: every one is right."""

    def check(instance: Any, attribute: Any, value: Any) -> None:
        for item in value or ():
            inner(instance, attribute, item)

    return check


def entries(name: Validator, inner: Validator) -> Validator:
    """Of a dict: every key and every value is right."""

    def check(instance: Any, attribute: Any, value: Any) -> None:
        for key, item in value.items():
            name(instance, attribute, key)
            inner(instance, attribute, item)

    return check


def nonempty(_instance: Any, _attribute: Any, value: Any) -> None:
    if value is not None and not value:
        raise ValueError("is empty")


def positive(_instance: Any, _attribute: Any, value: Any) -> None:
    if value is not None and value < 1:
        raise ValueError("is not positive")


def several(_instance: Any, _attribute: Any, value: Any) -> None:
    if len(value) < 2:
        raise ValueError("holds fewer than two")


def distinct(_instance: Any, _attribute: Any, value: Any) -> None:
    twice = sorted(str(item) for item, count in Counter(value or ()).items() if count > 1)
    if twice:
        raise ValueError(f"holds {', '.join(twice)} twice")


def line(_instance: Any, _attribute: Any, value: Any) -> None:
    if value is not None and (not value.strip() or value != value.strip() or "\n" in value):
        raise ValueError("is not one line of text")


def texts_or_ints(_instance: Any, _attribute: Any, value: Any) -> None:
    kinds = {type(item) for item in value or ()}
    if kinds - {str, int} or len(kinds) > 1:
        raise ValueError("holds neither texts only nor integers only")


def jsonable(_instance: Any, _attribute: Any, value: Any) -> None:
    """JSON can hold it (TOML has dates, and both have nan)."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            stack += item
        elif not isinstance(item, (str, int, float, type(None))) or (
            isinstance(item, float) and not math.isfinite(item)
        ):
            raise ValueError(f"JSON cannot hold {type(item).__name__}")


def to_prefixes(_instance: Any, _attribute: Any, value: Any) -> None:
    """The prefixes of a file's keys, each with that of the variables that say the same."""
    for key, prefix in value.items():
        if any(char.isspace() or char in "=:#!" for char in key) or not prefix:
            raise ValueError(
                f"{quoted(key)} = {quoted(prefix)} does not lead from a key to a variable"
            )
        PREFIX(None, None, prefix)


def to_variables(_instance: Any, _attribute: Any, value: Any) -> None:
    for name in value.values():
        VARIABLE(None, None, name)


def assignments(_instance: Any, _attribute: Any, value: Any) -> None:
    """The values of a table are assignments, NAME=value."""
    for text in value.values():
        VARIABLE(None, None, text.partition("=")[0])
        if "=" not in text:
            raise ValueError(f"{quoted(text)} is no assignment (NAME=value)")


VERSION = matching(r"\d+\.\d+(\.\d+)?([.+a-z0-9]*)", "a version")


DATE = matching(r"\d{4}-\d{2}-\d{2}", "a day (2026-11-02)")


FLAG = matching(r"--[A-Za-z0-9][A-Za-z0-9_-]*", "a flag (--name)")


SPELLING = matching(
    r"-[A-Za-z0-9][A-Za-z0-9-]*|--[A-Za-z0-9][A-Za-z0-9_-]*", "a flag's spelling (--name or -n)"
)


TARGET = matching(
    r"--[A-Za-z0-9][A-Za-z0-9_-]*(\.[^.\s=]+)*", "a flag or a key of one (--name.key)"
)


VARIABLE = matching(r"[A-Za-z_][A-Za-z0-9_]*", "a variable's name")


VARIABLE_OR_NONE = matching(r"([A-Za-z_][A-Za-z0-9_]*)?", "a variable's name")


NAME = matching(
    r"--[A-Za-z0-9][A-Za-z0-9_-]*(\.[^.\s=]+)*|[A-Za-z_][A-Za-z0-9_]*",
    "a flag, a key of one (--name.key) or a variable's name",
)


URL = matching(r"https://\S+", "a source (https://…)")


SOURCE = matching(r"https://\S+|catalogs", 'a source (https://… or "catalogs")')


DIALECT = matching(
    r"[a-z][a-z0-9_-]*(@[a-z0-9_.-]+)?", "a dialect's name (small letters, digits, - and _)"
)


PREFIX = matching(r"[A-Z0-9_]*", "a prefix of variables")


PATTERN = matching(r"\*?[^*\s]+\*?", "a pattern (text with * at its ends only)")


def checked(*validators: Validator, default: Any = attrs.NOTHING) -> Any:
    return attrs.field(default=default, validator=list(validators))
