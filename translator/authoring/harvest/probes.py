"""Small tools of the harvest: Python values as JSON facts, and quiet."""

from __future__ import annotations

import enum
import io
import math
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

REFUSED = object()
"""The answer to a probe that the real vLLM does not take."""


def jsonable(value: Any) -> Any:
    """A default or a choice as JSON; objects that only Python can hold become None."""
    if isinstance(value, enum.Enum):
        return jsonable(value.value if isinstance(value.value, (str, int)) else value.name)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((jsonable(item) for item in value), key=str)
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    return None


@contextmanager
def silence() -> Iterator[None]:
    with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
        yield


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values."""
    return type(one) is type(other) and bool(one == other)


def unique(values: list[Any]) -> list[Any]:
    """The values, each of them once."""
    return [
        value
        for index, value in enumerate(values)
        if not any(same(value, other) for other in values[:index])
    ]
