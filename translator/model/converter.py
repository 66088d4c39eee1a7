"""Parsed JSON and TOML as objects of the model, and back. Nothing is coerced, nothing unknown is
skipped, and every mistake is reported with its place.

The types of the fields say what is read: a class of the model or `Mapping[K, V]` is a table,
`tuple[X, ...]` a list, and `Annotated[X, check, …]` an X that no check raises ValueError for.
"""

from __future__ import annotations

import collections.abc
import difflib
import json
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from translator.text.names import MOST_HINTS
from translator.text.quoting import show

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
Path = tuple[str | int, ...]

_CALLED = {
    dict: "a table",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
}


@attrs.frozen
class Mistake:
    """What is wrong in a table: where, as `$.variable[12].since`, and what."""

    place: str
    text: str


class MistakesError(ValueError):
    """All that is wrong in a table."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(f"{item.place}: {item.text}" for item in mistakes))
        self.mistakes = mistakes


def structure(content: Any, cls: type[T]) -> T:
    """Return what a parsed table holds, as an object of the model.

    Raises:
        MistakesError: every mistake in it.
    """
    try:
        return _STRICT.structure(content, cls)
    except (ClassValidationError, IterableValidationError, ValueError) as error:
        raise MistakesError(list(_mistakes(error, ()))) from None


def unstructure(value: Any) -> Any:
    """Return what `structure` reads, without fields that have their default."""
    return _STRICT.unstructure(value)


def file_name(field: attrs.Attribute[Any]) -> str:
    """Return what a field is called in the tables: `not`, which Python keeps for itself, is
    `refused` here.
    """
    name: str = field.metadata.get("file", field.name)
    return name


# --- mistakes -------------------------------------------------------------------------------------


def _mistakes(error: BaseException, path: Path) -> Iterator[Mistake]:
    if isinstance(error, (ClassValidationError, IterableValidationError)):
        placed, others = error.group_exceptions()
        for inner, note in placed:
            if isinstance(note, AttributeValidationNote):
                name = file_name(attrs.fields_dict(error.cl)[note.name])
                yield from _mistakes(inner, (*path, name))
            else:
                yield from _mistakes(inner, (*path, note.index))
        for inner in others:
            yield from _mistakes(inner, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = [file_name(field) for field in attrs.fields(error.cl) if field.init]
        for at, name in enumerate(sorted(error.extra_fields)):
            near = difflib.get_close_matches(name, known, 1) if at < MOST_HINTS else ()
            hint = f", did you mean {near[0]!r}?" if near else ""
            yield Mistake(place((*path, name)), f"unknown field{hint}")
    else:
        text = "is missing" if isinstance(error, KeyError) else str(error)
        yield Mistake(place(path), text)


def place(path: Path) -> str:
    """Return a path in a table as `$.variable[12].since`."""
    return "$" + "".join(map(_step, path))


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    key = show(key)
    plain = key.replace("_", "").isalnum()
    return f".{key if plain else json.dumps(key, ensure_ascii=False)}"


def _wrong(expected: str, value: Any) -> ValueError:
    """Return the mistake of a value of another type than the model has there."""
    found = "null" if value is None else _CALLED.get(type(value), type(value).__name__)
    if not isinstance(value, (dict, list, type(None))):
        found += f" ({show(repr(value))})"
    return ValueError(f"expected {expected}, found {found}")


# --- what a value of each type is -----------------------------------------------------------------


def _only(wanted: type, read: Hook = lambda value, _: value) -> Hook:
    """Return a hook that takes values of one type, and no others that could be made into it."""

    def hook(value: Any, type_: Any) -> Any:
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise _wrong(_CALLED[wanted], value)
        return read(value, type_)

    return hook


def _one_of(value: Any, type_: Any) -> Any:
    allowed = get_args(type_)
    if not any(type(value) is type(item) and value == item for item in allowed):
        raise _wrong("one of " + ", ".join(map(str, allowed)), value)
    return value


def _is(origin: Any) -> Callable[[Any], bool]:
    return lambda type_: get_origin(type_) is origin


def _tuple(type_: Any, converter: Converter) -> Hook:
    listed: Any = list.__class_getitem__(get_args(type_)[0])
    read = converter.get_structure_hook(listed)
    return _only(list, lambda value, _: tuple(read(value, listed)))


def _table(type_: Any, converter: Converter) -> Hook:
    made: Any = dict.__class_getitem__(get_args(type_))
    read = converter.get_structure_hook(made)
    return _only(dict, lambda value, _: read(value, made))


def _checked(type_: Any, converter: Converter) -> Hook:
    inner, *checks = get_args(type_)
    read = converter.get_structure_hook(inner)

    def hook(value: Any, _: Any) -> Any:
        found = read(value, inner)
        for check in checks:
            check(found)
        return found

    return hook


def _renamed(cls: Any) -> dict[str, Any]:
    return {
        field.name: override(rename=file_name(field))
        for field in attrs.fields(cls)
        if file_name(field) != field.name
    }


def _object(cls: Any, converter: Converter) -> Hook:
    return _only(dict, make_dict_structure_fn(cls, converter, **_renamed(cls)))


def _fields(cls: Any, converter: Converter) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(cls, converter, _cattrs_omit_if_default=True, **_renamed(cls))


_STRICT = Converter(forbid_extra_keys=True)
for _type in (str, bool, int, float):
    _STRICT.register_structure_hook(_type, _only(_type))
_STRICT.register_structure_hook_func(_is(Literal), _one_of)
_STRICT.register_structure_hook_factory(_is(tuple), _tuple)
_STRICT.register_structure_hook_factory(_is(collections.abc.Mapping), _table)
_STRICT.register_structure_hook_factory(_is(Annotated), _checked)
_STRICT.register_structure_hook_factory(attrs.has, _object)
_STRICT.register_unstructure_hook_factory(attrs.has, _fields)
