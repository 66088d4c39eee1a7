"""What the rules of lint are made of.

A rule judges one object of the tables: a catalog, a dialect, one of its variables. Its docstring
says what it demands.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin

import attrs
from attrs import frozen

from translator.authoring.load import Problem
from translator.model import Tables
from translator.model.catalog import Catalog, Flag
from translator.model.changes import Changes, Gone, Same, Split
from translator.model.schema import (
    FlagName,
    Name,
    Path,
    Release,
    Spelling,
    Target,
    file_name,
    place,
)

_NAMES = (FlagName, Spelling, Target, Name, Release)

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

    @property
    def catalogs(self) -> tuple[Catalog, ...]:
        return self.tables.catalogs

    @cached_property
    def flags(self) -> dict[str, list[Flag]]:
        """Every flag by its own name, as each version has it, oldest first."""
        found: dict[str, list[Flag]] = {}
        for catalog in self.catalogs:
            for flag in catalog.flags:
                found.setdefault(flag.flag, []).append(flag)
        return found

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
        changes = self.tables.changes or Changes()
        return {name: entry for _, entry in changes.entries() for name in entry.names}

    @cached_property
    def objects(self) -> dict[type, list[Found]]:
        """Everything that rules are about, by its class; of a catalog only the whole of it."""
        found: dict[type, list[Found]] = {Tables: [Found("", (), self.tables)]}
        for file, table in self.tables.files().items():
            all_of_it = [((), table)] if isinstance(table, Catalog) else _inside(type(table), table)
            for path, value in all_of_it:
                found.setdefault(type(value), []).append(Found(file, path, value))
        return found


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
        for found in (item for cls in self.about for item in context.objects.get(cls, ())):
            for wrong in self.look(found.value, context):
                if isinstance(wrong, Problem):
                    yield wrong
                    continue
                below, *told = wrong
                where = place(found.path) + below if found.path or below else ""
                yield Problem(found.file, where, *told)  # type: ignore[arg-type]


def rule(*about: type) -> Callable[[Callable[[Any, Context], Wrong]], Rule]:
    """Make a rule of a function that judges one object.

    Args:
        about: the classes of the objects.
    """
    return lambda look: Rule(about, look)
