"""What the fields of the tables hold, and how parsed JSON and TOML become objects of the model, and
back.

The types of the fields say what is read: a class of the model or `Mapping[K, V]` is a table,
`tuple[X, ...]` a list, and `Annotated[X, check, …]` an X that no check raises ValueError for, whose
text goes after "where: ". Nothing is coerced, nothing unknown is skipped, and every mistake is
reported with its place.
"""

from __future__ import annotations

import collections.abc
import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
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

from translator.core.text.words import MOST_HINTS, show

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
    """Raise a ValueError if one of some names is there twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{', '.join(twice)} stands twice")


def among(names: Iterable[str], known: Collection[str], text: str) -> None:
    """Raise a ValueError if some names are not known; `{}` in its text stands for them."""
    strange = [name for name in names if name not in known]
    if strange:
        raise ValueError(text.format(", ".join(strange)))


def _several(value: Collection[Any]) -> None:
    if len(value) < 2:
        raise ValueError("holds fewer than two")


def _positive(value: int) -> None:
    if value < 1:
        raise ValueError("is not positive")


def _line(value: str) -> None:
    if not value.strip() or value != value.strip() or "\n" in value:
        raise ValueError("is not one line of text")


def texts_or_ints(value: Collection[Any]) -> None:
    kinds = {type(item) for item in value}
    if kinds - {str, int} or len(kinds) > 1:
        raise ValueError("holds neither texts only nor integers only")


def _linear(value: str) -> None:
    """A pattern is searched for in logs in linear time: each quantifier has an end, and none stands
    at the beginning, in another one or directly behind one.
    """
    re.compile(value)
    plain = re.sub(r"\\.|\[\^?\]?[^]]*\]", "x", value)
    for what, mistake in (
        (r"[*+]|\{\d*,\}", "has a quantifier without an end"),
        (r"^(\(\?P<\w+>)?[x.]\{", "begins with a quantifier"),
        (r"\)\{", "repeats a group"),
        (r"\}\)*\(*(\?P<\w+>|\?:)?[x.]\{", "has a quantifier directly behind another one"),
    ):
        if re.search(what, plain):
            raise ValueError(f"{show(repr(value))} {mistake}")


def _jsonable(value: Any) -> None:
    """JSON can hold it (TOML has dates, and both have nan)."""
    if isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            _jsonable(item)
    elif type(value) not in (*_CALLED, type(None)) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise ValueError(f"JSON cannot hold {type(value).__name__}")


# --- texts and numbers ----------------------------------------------------------------------------

_FLAG = r"--[A-Za-z0-9][A-Za-z0-9_-]*"
_KEYS = r"(\.[^.\s=]+)*"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"

Line = Annotated[str, _line]
Searched = Annotated[str, _linear]
Json = Annotated[Any, _jsonable]
Positive = Annotated[int, _positive]
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
    """
    kind, defaults = getattr(item, field), defaults_of(item.__class__)
    called = {part.name: file_name(part) for part in attrs.fields(item.__class__)}
    for name, kinds in allowed.items():
        if kind not in kinds and getattr(item, name) != defaults[name]:
            raise ValueError(f"{what} of {field} {kind!r} with {called[name]!r}")
    for name, kinds in needed.items():
        if kind in kinds and getattr(item, name) == defaults[name]:
            raise ValueError(f"{what} of {field} {kind!r} without {called[name]!r}")


@cache
def defaults_of(cls: Any) -> dict[str, Any]:
    """Return what the fields of a class are where a file does not say it."""
    return {
        item.name: item.default.factory() if hasattr(item.default, "factory") else item.default
        for item in attrs.fields(cls)
    }


# --- objects --------------------------------------------------------------------------------------


@attrs.frozen
class Problem:
    """One mistake in the tables.

    Attributes:
        file: the name of the file inside the tables' directory, with forward slashes; "" for the
            directory as a whole.
        path: where in the file, as `$.variable[12].since`; "" for the whole of it.
        text: what is wrong.
        severity: a warning does not make lint fail.
    """

    file: str
    path: str
    text: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = " ".join(part for part in (self.file, self.path) if part)
        return f"{where}: {self.text}" if where else self.text


class TablesError(Exception):
    """The tables cannot be used.

    Attributes:
        problems: every mistake in every file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def structure(content: Any, cls: type[T], file: str = "") -> T:
    """Return what a parsed file holds, as an object of the model, or raise a TablesError."""
    try:
        return _STRICT.structure(content, cls)
    except (ClassValidationError, IterableValidationError, ValueError) as error:
        problems = [Problem(file, *mistake) for mistake in _mistakes(error, ())]
        raise TablesError(problems) from None


def unstructure(value: Any) -> Any:
    """Return what `structure` reads, without fields that have their default."""
    return _STRICT.unstructure(value)


def file_name(field: attrs.Attribute[Any]) -> str:
    """Return what a field is called in the tables, such as `not`, which Python keeps for itself."""
    name: str = field.metadata.get("file", field.name)
    return name


# --- mistakes -------------------------------------------------------------------------------------


def _mistakes(error: BaseException, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of every mistake."""
    if isinstance(error, (ClassValidationError, IterableValidationError)):
        placed, others = error.group_exceptions()
        for inner, note in placed:
            step: Any = getattr(note, "index", None)
            if isinstance(note, AttributeValidationNote):
                step = file_name(attrs.fields_dict(error.cl)[note.name])
            yield from _mistakes(inner, (*path, step))
        for inner in others:
            yield from _mistakes(inner, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = [file_name(field) for field in attrs.fields(error.cl)]
        for at, name in enumerate(sorted(error.extra_fields)):
            near = difflib.get_close_matches(name, known, 1) if at < MOST_HINTS else ()
            hint = f", did you mean {near[0]!r}?" if near else ""
            yield place((*path, name)), f"unknown field{hint}"
    else:
        text = "is missing" if isinstance(error, KeyError) else str(error)
        yield place(path), text


def place(path: Path) -> str:
    """Return a path in a table as `$.variable[12].since`."""
    steps = ["$"]
    for key in path:
        if isinstance(key, str):
            text = show(key)
            plain = text.replace("_", "").isalnum()
            steps.append(f".{text if plain else json.dumps(text, ensure_ascii=False)}")
        else:
            steps.append(f"[{key}]")
    return "".join(steps)


def _wrong(expected: str, value: Any) -> ValueError:
    shown = "null" if value is None else _CALLED.get(type(value), type(value).__name__)
    if not isinstance(value, (dict, list, type(None))):
        shown += f" ({show(repr(value))})"
    return ValueError(f"expected {expected}, found {shown}")


# --- what a value of each type is -----------------------------------------------------------------


def _only(kind: type, read: Hook = lambda value, _: value) -> Hook:
    """Return a hook that takes values of one type, and no others that could be made into it."""

    def hook(value: Any, type_: Any) -> Any:
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise _wrong(_CALLED[kind], value)
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
    mapped: Any = dict.__class_getitem__(get_args(type_))
    read = converter.get_structure_hook(mapped)
    return _only(dict, lambda value, _: read(value, mapped))


def _checked(type_: Any, converter: Converter) -> Hook:
    inner, *checks = get_args(type_)
    read = converter.get_structure_hook(inner)

    def hook(value: Any, _: Any) -> Any:
        item = read(value, inner)
        for check in checks:
            check(item)
        return item

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
