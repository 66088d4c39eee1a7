"""Parsed JSON and TOML as objects of the schema, strictly: nothing is coerced, nothing unknown is
skipped, and every mistake is reported with its place.

The types of the fields say what is read: a class of the schema or `Mapping[K, V]` is a table,
`tuple[X, ...]` a list, and `Annotated[X, check, …]` an X that no check raises ValueError for.
"""

from __future__ import annotations

import collections.abc
import difflib
import json
import types
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, lru_cache, partial
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from translator.authoring.schema.catalog import RENAMED
from translator.authoring.sources import Problem, TablesError
from translator.text.plain import is_plain
from translator.text.similar import MOST_HINTS

T = TypeVar("T")
Reader = Callable[[Any], Any]
"""What a value is in the schema.

Raises:
    ValueError: what is wrong with it; MistakesError where several things may be.
"""

_CALLED = {
    dict: "a table",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
}


Path = tuple[str | int, ...]
Mistake = tuple[Path, str]


class MistakesError(ValueError):
    """All that is wrong inside of a value.

    Attributes:
        found: of each mistake the path to it, and a text.
    """

    def __init__(self, found: list[Mistake]) -> None:
        self.found = found


def structure(name: str, content: Any, cls: type[T]) -> T:
    """What a parsed file holds, as an object of the schema.

    Raises:
        TablesError: every mistake in it.
    """
    try:
        found: T = _object(cls, content)
    except ValueError as error:
        problems = [Problem(name, _place(path), text) for path, text in _mistakes(error)]
        raise TablesError(problems) from None
    return found


def _mistakes(error: ValueError) -> list[Mistake]:
    return error.found if isinstance(error, MistakesError) else [((), str(error))]


def _inside(key: str | int, error: ValueError) -> list[Mistake]:
    """The mistakes of an item, seen from what it is in."""
    return [((key, *path), text) for path, text in _mistakes(error)]


def _place(path: Path) -> str:
    """The path as `$.variable[12].since`."""
    return "$" + "".join(map(_step, path))


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    if not _is_plain(key):
        return f".… ({len(key)} characters)"
    plain = key.replace("_", "").isalnum()
    return f".{key if plain else json.dumps(key, ensure_ascii=False)}"


def _is_plain(text: str) -> bool:
    """Return whether a text may be shown: the table is somebody's own, and may hold a secret."""
    return is_plain(text.replace("_", "-").replace(" ", "-"))


def _wrong(expected: str, value: Any) -> ValueError:
    """The mistake of a value of another type than the schema has there."""
    found = "null" if value is None else _CALLED.get(type(value), type(value).__name__)
    if isinstance(value, str) and not _is_plain(value):
        found += f" of {len(value)} characters"
    elif not isinstance(value, (dict, list, type(None))):
        found += f" ({value!r})"
    return ValueError(f"expected {expected}, found {found}")


# --- a reader for each type -----------------------------------------------------------------------


def _reader(type_: Any) -> Reader:
    origin, args = get_origin(type_), get_args(type_)
    if type_ is Any:
        return lambda value: value
    if origin is Annotated:
        return partial(_checked, _reader(args[0]), args[1:])
    if origin in (Union, types.UnionType):  # of a type and None
        inner = next(_reader(arg) for arg in args if arg is not type(None))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return partial(_list, _reader(args[0]))
    if origin is collections.abc.Mapping:
        return partial(_table, *map(_reader, args))
    if origin is Literal:
        return partial(_one_of, args)
    if is_dataclass(type_):
        return partial(_object, type_)
    return partial(_plain, type_)


def _checked(read: Reader, checks: Iterable[Reader], value: Any) -> Any:
    found = read(value)
    for check in checks:
        check(found)
    return found


def _plain(wanted: type, value: Any) -> Any:
    if type(value) is not wanted and not (wanted is float and type(value) is int):
        raise _wrong(_CALLED[wanted], value)
    return value


def _one_of(allowed: tuple[Any, ...], value: Any) -> Any:
    if not any(type(value) is type(item) and value == item for item in allowed):
        raise _wrong("one of " + ", ".join(map(str, allowed)), value)
    return value


def _list(read: Reader, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(_CALLED[list], value)
    return tuple(_each(read, enumerate(value)))


def _table(read_key: Reader, read: Reader, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(_CALLED[dict], value)

    def entry(item: tuple[str, Any]) -> Any:
        read_key(item[0])
        return read(item[1])

    return dict(zip(value, _each(entry, zip(value, value.items(), strict=True)), strict=True))


def _each(read: Reader, items: Iterable[tuple[str | int, Any]]) -> list[Any]:
    """The items of a list or a table, or the mistakes of all of them."""
    found: list[Any] = []
    mistakes: list[Mistake] = []
    for key, item in items:
        try:
            found.append(read(item))
        except ValueError as error:
            mistakes += _inside(key, error)
    if mistakes:
        raise MistakesError(mistakes)
    return found


def _object(cls: Any, value: Any) -> Any:
    if not isinstance(value, dict):
        raise _wrong(_CALLED[dict], value)
    fields = _fields(cls)
    found: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for name, field in fields.items():
        if name in value:
            try:
                found[field.name] = field.read(value[name])
            except ValueError as error:
                mistakes += _inside(name, error)
        elif field.required:
            mistakes.append(((name,), "is missing"))
    for at, name in enumerate(sorted(value.keys() - fields.keys())):
        near = _near(name, tuple(fields)) if at < MOST_HINTS else ""
        hint = f", did you mean {near!r}?" if near else ""
        mistakes.append(((name,), f"unknown field{hint}"))
    if mistakes:
        raise MistakesError(mistakes)
    return cls(**found)


class _Field(NamedTuple):
    name: str
    read: Reader
    required: bool


@cache
def _fields(cls: Any) -> dict[str, _Field]:
    """The fields of a class by their names in the files."""
    hints = get_type_hints(cls, include_extras=True)
    found = {}
    for field in fields(cls):
        if field.init:
            required = field.default is MISSING and field.default_factory is MISSING
            read = _reader(hints[field.name])
            found[RENAMED.get(field.name, field.name)] = _Field(field.name, read, required)
    return found


@lru_cache(MOST_HINTS)
def _near(name: str, known: tuple[str, ...]) -> str:
    return next(iter(difflib.get_close_matches(name, known, 1)), "")
