"""Checking the tables against each other. The rules are in `rules`; the loader has already refused
what is wrong on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import astuple

from translator.authoring.compile import compile_loaded
from translator.authoring.lint import (
    catalogs,
    changes,
    clusters,
    defaults,
    dialects,
    programs,
    secrets,
)
from translator.authoring.lint import start_rules as requires
from translator.authoring.lint.rules import Context, Rule
from translator.authoring.load import load
from translator.authoring.sources import Problem, TablesError
from translator.model.tables import SINGLE, Tables
from translator.tables.versions import Version


def compiles(context: Context) -> Iterator[Problem]:
    """The compiled files can be written: UTF-8 can hold every text."""
    for file, text in sorted(compile_loaded(context.tables).items()):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            yield Problem(
                "", "", f"{file} would hold {text[error.start : error.end]!r}, which is not UTF-8"
            )


def all_there(context: Context) -> Iterator[Problem]:
    """There is every table of which there is one."""
    there = context.tables.single()
    for file, (field, _) in SINGLE.items():
        if context.complete and field not in there:
            yield Problem(file, "", "is missing")


RULES: tuple[Rule, ...] = (
    all_there,
    *catalogs.RULES,
    *dialects.RULES,
    *clusters.RULES,
    *changes.RULES,
    *secrets.RULES,
    *requires.RULES,
    *programs.RULES,
    *defaults.RULES,
    compiles,
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
    return sorted(found, key=lambda problem: (problem.file, problem.severity, astuple(problem)))


def lint_directory(directory: Path | None = None, base: Tables | None = None) -> list[Problem]:
    """`lint` of the tables in a directory (by default the project's own); when they cannot be
    loaded, why.
    """
    try:
        return lint(load(directory), base)
    except TablesError as error:
        return list(error.problems)
