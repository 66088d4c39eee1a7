"""The rules that lint applies, a module for each kind of table.

A rule is a function from a `Context` to the problems it sees; its docstring says what it demands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs

from translator.authoring.schema.catalog import Catalog
from translator.authoring.schema.tables import Tables
from translator.authoring.sources import Problem


@attrs.frozen
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


Rule = Callable[[Context], Iterator[Problem]]
