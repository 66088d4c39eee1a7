"""Checking the tables against each other; what is wrong on its own is refused by the loader."""

from __future__ import annotations

import collections.abc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import attrs

from translator.authoring.lint import changes, dialects, facts
from translator.authoring.lint.rules import Context, Rule
from translator.authoring.load import load
from translator.authoring.names import ever
from translator.authoring.sources import Problem, TablesError
from translator.model.converter import file_name, place
from translator.model.field_types import FlagName, Name, Spelling, Target
from translator.model.tables import SINGLE, Tables
from translator.tables.versions import Version


def all_there(context: Context) -> Iterator[Problem]:
    """There is every table of which there is one."""
    there = context.tables.single()
    for file, (field, _) in SINGLE.items():
        if context.complete and field not in there:
            yield Problem(file, "", "is missing")


def names_exist(context: Context) -> Iterator[Problem]:
    """Every flag, key and variable of vLLM that a table names exists in some version, a flag under
    its own name where the model wants that.
    """
    for kind in ("dialects", *context.tables.single()):
        for file, table in context.tables.files(kind).items():
            for path, type_, name in _names(type(table), table, ()):
                if not _exists(type_, name, context):
                    what = f"a flag {name}" if name[0] == "-" and "." not in name else name
                    yield Problem(file, place(path), f"no vLLM has {what}")


def _exists(type_: Any, name: str, context: Context) -> bool:
    if type_ == FlagName:
        return name in context.flags
    if type_ == Spelling:
        return name in context.spellings
    own = type_ == Name or name.partition(".")[0] in context.flags
    return own and ever(name, context.catalogs)


def _names(
    type_: Any, value: Any, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Any, str]]:
    """Yield every name of vLLM's in a value of the model: its place, its type, and the name."""
    if value is None or value == "":
        return
    inside = get_args(type_)
    if type_ in (FlagName, Spelling, Target, Name):
        yield path, type_, value
    elif attrs.has(type_):
        for field in attrs.fields(attrs.resolve_types(type_)):
            yield from _names(field.type, getattr(value, field.name), (*path, file_name(field)))
    elif get_origin(type_) is tuple:
        for index, item in enumerate(value):
            yield from _names(inside[0], item, (*path, index))
    elif get_origin(type_) is collections.abc.Mapping:
        for key, item in value.items():
            yield from _names(inside[0], key, (*path, key))
            yield from _names(inside[1], item, (*path, key))
    elif get_origin(type_) is Annotated or type(None) in inside:
        yield from _names(inside[0], value, path)


RULES: tuple[Rule, ...] = (
    all_there,
    names_exist,
    *facts.RULES,
    *dialects.RULES,
    *changes.RULES,
)


def overlay(tables: Tables, base: Tables) -> Tables:
    """The one's tables laid over the other's: what both have is the first one's."""
    versions = {catalog.version: catalog for catalog in (*base.catalogs, *tables.catalogs)}
    return Tables(
        catalogs=tuple(sorted(versions.values(), key=lambda catalog: Version(catalog.version))),
        dialects={**base.dialects, **tables.dialects},
        digest=tables.digest,
        clusters={**base.clusters, **tables.clusters},
        **{**base.single(), **tables.single()},
    )


def lint(
    tables: Tables, base: Tables | None = None, rules: Sequence[Rule] = RULES
) -> list[Problem]:
    """Every breach of a rule, by file; problems of severity "warning" are for information.

    Args:
        tables: what to check.
        base: of a user's own tables, those that they are laid over: breaches in these are not
            reported, and completeness is not asked for.
    """
    context = Context(tables) if base is None else Context(overlay(tables, base), complete=False)
    found = [problem for rule in rules for problem in rule(context)]
    if base is not None:
        kinds = ("catalogs", "dialects", "clusters", *tables.single())
        own = {"", *(file for kind in kinds for file in tables.files(kind))}
        found = [problem for problem in found if problem.file in own]
    return sorted(found, key=lambda item: (item.file, item.severity, attrs.astuple(item)))


def lint_directory(directory: Path | None = None, base: Tables | None = None) -> list[Problem]:
    """`lint` of the tables in a directory (by default the project's own); when they cannot be
    loaded, why.
    """
    try:
        return lint(load(directory), base)
    except TablesError as error:
        return list(error.problems)
