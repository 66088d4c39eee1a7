"""What the rules of lint are made of, and what the names of the tables mean in a catalog: flags
(`--x`), keys of JSON flags (`--x.key.sub`) and variables (`NAME`).

A rule judges one object of the tables: a catalog, a dialect, one of its variables. Its docstring
says what it demands.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, get_args, get_origin

import attrs
from attrs import frozen

from translator.core.tables.catalog import Flag as Running
from translator.core.tables.versions import Version
from translator.core.values import BadValue
from translator.core.values.variables import from_variable
from translator.maintain.load import Problem
from translator.maintain.model import CHANGES, Tables
from translator.maintain.model.catalog import Catalog, Facts, Flag, Shape, Variable
from translator.maintain.model.changes import Changes, Gone, Same, Split
from translator.maintain.model.schema import (
    FlagName,
    Name,
    Path,
    Release,
    Target,
    file_name,
    place,
    unstructure,
)

_NAMES = (FlagName, Target, Name, Release)

Wrong = Iterator[tuple[str, ...] | Problem]
"""Of each mistake where it is in the object, as `.since`, what is wrong, and "warning" if it is no
more; or a problem of another file.
"""


@frozen
class Named:
    """A flag, a key, a variable or a version of vLLM, and the type that says which of them."""

    type: Any
    text: str


@frozen
class Found:
    """An object that rules are about, and where it stands."""

    file: str
    path: Path
    value: Any


@frozen
class Context:
    """What rules look at.

    Attributes:
        tables: the tables, a user's own laid over the project's.
        complete: whether they must be whole, as the project's own must.
    """

    tables: Tables
    complete: bool = True

    @cached_property
    def catalogs(self) -> Sequence[Catalog]:
        """What each version accepts, oldest first."""
        return sorted(self.tables.catalogs, key=lambda catalog: Version(catalog.version))

    @cached_property
    def flags(self) -> dict[str, list[Flag]]:
        """Every flag by its own name, as each version has it, oldest first."""
        flags: dict[str, list[Flag]] = {}
        for catalog in self.catalogs:
            for flag in catalog.flags:
                flags.setdefault(flag.flag, []).append(flag)
        return flags

    @cached_property
    def spellings(self) -> set[str]:
        """Every spelling of any version."""
        return {text for catalog in self.catalogs for text in catalog.spellings}

    @cached_property
    def variables(self) -> set[str]:
        """Every variable of vLLM's, of any version."""
        return {name for catalog in self.catalogs for name in catalog.variables}

    @cached_property
    def versions(self) -> list[str]:
        """The versions that have a catalog, oldest first."""
        return [catalog.version for catalog in self.catalogs]

    @cached_property
    def accounts(self) -> dict[str, Same | Split | Gone]:
        """What changes.toml says of each name."""
        changes = self.tables.files.get(CHANGES, Changes())
        return {name: entry for entry in changes.entries() for name in entry.names}

    @cached_property
    def objects(self) -> dict[type, list[Found]]:
        """Everything that rules are about, by its class; of facts only the whole of them."""
        objects: dict[type, list[Found]] = {}
        for file, table in self.tables.files.items():
            is_fact = isinstance(table, (Catalog, Facts))
            for path, value in [((), table)] if is_fact else _inside(type(table), table):
                objects.setdefault(type(value), []).append(Found(file, path, value))
        return objects


def _inside(type_: Any, value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every object and every name in a value of the model, and where it stands."""
    if value is None or value == "":
        return
    inside = get_args(type_)
    if type_ in _NAMES:
        yield path, Named(type_, value)
    elif attrs.has(type_):
        yield path, value
        for field in attrs.fields(attrs.resolve_types(type_)):
            yield from _inside(field.type, getattr(value, field.name), (*path, file_name(field)))
    elif get_origin(type_) is tuple:
        for index, item in enumerate(value):
            yield from _inside(inside[0], item, (*path, index))
    elif get_origin(type_) is collections.abc.Mapping:
        for key, item in value.items():
            yield from _inside(inside[0], key, (*path, key))
            yield from _inside(inside[1], item, (*path, key))
    elif get_origin(type_) is Annotated or type(None) in inside:
        yield from _inside(inside[0], value, path)


@frozen
class Rule:
    """A rule: the classes of what it is about, and the function that judges one of them."""

    about: tuple[type, ...]
    look: Callable[[Any, Context], Wrong]

    def __call__(self, context: Context) -> Iterator[Problem]:
        """Yield what the rule has against tables."""
        for judged in (item for cls in self.about for item in context.objects.get(cls, ())):
            for wrong in self.look(judged.value, context):
                if isinstance(wrong, Problem):
                    yield wrong
                    continue
                below, *facts = wrong
                where = place(judged.path) + below if judged.path or below else ""
                yield Problem(judged.file, where, *facts)  # type: ignore[arg-type]


def rule(*about: type) -> Callable[[Callable[[Any, Context], Wrong]], Rule]:
    """Make a rule of a function that judges one object of some classes."""
    return lambda look: Rule(about, look)


# --- what names mean in a catalog -----------------------------------------------------------------

Meaning = Flag | Shape | Variable | Literal["free"] | None
"""What a name stands for in a catalog: "free" if no catalog can tell, for the JSON flag has no
shape there; None if it does not exist.
"""

BOOLEANS = frozenset(("true", "false", "1", "0"))
_HOLDS_KEYS = ("json", "json-or-str", "optional-str")


def keys_of(shape: Shape) -> Mapping[str, Shape]:
    """The keys of an object, or of any of a union's objects."""
    if shape.of is not None:
        return {key: inner for option in shape.of for key, inner in keys_of(option).items()}
    return shape.keys or {}


def is_open(shape: Shape) -> bool:
    """Whether keys that it does not declare may be in it."""
    return any(part.kind in ("json", "map") for part in (shape, *(shape.of or ())))


def find(name: str, catalog: Catalog) -> Meaning:
    """What a name stands for in a version."""
    if not name.startswith("-"):
        return catalog.variables.get(name)
    base, *path = name.split(".")
    flag = catalog.spellings.get(base)
    if flag is None or not path:
        return flag
    if flag.shape is None:
        return "free" if flag.kind in _HOLDS_KEYS else None
    shape = flag.shape
    for key in path:
        if shape.kind == "map" and shape.values is not None:
            shape = shape.values
        elif key in keys_of(shape):
            shape = keys_of(shape)[key]
        else:
            return "free" if is_open(shape) else None
    return shape


def exists(name: str, catalog: Catalog) -> bool:
    """Whether a version has a name, as far as its catalog can tell."""
    return find(name, catalog) is not None


def ever(name: str, catalogs: Sequence[Catalog]) -> bool:
    """Whether some version has a name."""
    return any(exists(name, catalog) for catalog in catalogs)


def _allowed(meaning: Flag | Shape | Variable) -> set[str] | None:
    """Every value that it takes, as texts; None when there is no such list."""
    if isinstance(meaning, Shape) and meaning.of is not None:
        parts = [_allowed(option) for option in meaning.of]
        every = {text for part in parts for text in part or ()}
        return None if None in parts else every
    if meaning.kind == "bool" or (isinstance(meaning, Flag) and meaning.boolean):
        return set(BOOLEANS)
    if meaning.choices is None:
        return None
    also = () if isinstance(meaning, Flag) else meaning.also or ()
    return {
        str(item).lower() if isinstance(item, bool) else str(item)
        for item in (*meaning.choices, *also)
    }


def takes(name: str, value: str, catalogs: Sequence[Catalog]) -> bool:
    """Whether some version lists a value, in any case if it folds, or has no list."""
    for meaning in (find(name, catalog) for catalog in catalogs):
        listed = _allowed(meaning) if meaning is not None and meaning != "free" else None
        has_value = listed is None or value.casefold() in {text.casefold() for text in listed}
        if meaning is not None and has_value:
            return True
    return False


def reads(flag: Flag, text: str) -> bool:
    """Whether a flag's variable may have a value."""
    try:
        from_variable(Running(unstructure(flag)), text)
    except BadValue:
        return False
    return True


def all_keys(shape: Shape) -> Iterator[str]:
    """Every key that a shape declares, at any depth."""
    for key, inner in keys_of(shape).items():
        yield key
        yield from all_keys(inner)
    for part in (shape.values, shape.items):
        if part is not None:
            yield from all_keys(part)
