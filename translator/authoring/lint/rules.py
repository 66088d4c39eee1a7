"""What the rules of lint are made of.

A rule is a function from a `Context` to the problems it sees; its docstring says what it demands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from typing import Any

from attrs import frozen

from translator.authoring.sources import Problem
from translator.model.catalog import Catalog, Flag
from translator.model.tables import Tables


@frozen
class Context:
    """What a rule looks at.

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


Rule = Callable[[Context], Iterator[Problem]]

Wrong = Iterator[tuple[str, ...]]
"""Of each mistake the path in the file, what is wrong, and "warning" if it is no more."""


def rule_for(kind: str) -> Callable[[Callable[[Any, Context], Wrong]], Rule]:
    """Make a rule of a function that looks at one table.

    Args:
        kind: of tables, as the field of `Tables`; where there is none, there is no mistake.
    """

    def made(look: Callable[[Any, Context], Wrong]) -> Rule:
        @wraps(look)
        def rule(context: Context) -> Iterator[Problem]:
            for file, table in context.tables.files(kind).items():
                for wrong in look(table, context):
                    yield Problem(file, *wrong)  # type: ignore[arg-type]

        return rule

    return made
