"""Checking the tables against each other; what is wrong on its own is refused by the loader."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from translator.maintain.lint import changes, facts
from translator.maintain.lint.rules import Context, Rule
from translator.maintain.load import Problem
from translator.maintain.model import Tables

RULES: tuple[Rule, ...] = tuple(
    item for module in (facts, changes) for item in vars(module).values() if isinstance(item, Rule)
)


def lint(
    tables: Tables, base: Tables | None = None, rules: Sequence[Rule] = RULES
) -> list[Problem]:
    """Return every breach of a rule, by file; a "warning" is for information. Of a user's own
    tables over `base`, only own ones: completeness is not asked for.
    """
    both = Tables({**(base.files if base else {}), **tables.files})
    context = Context(both, complete=base is None)
    problems = [problem for rule in rules for problem in rule(context)]
    if base is not None:
        own = {"", *tables.files}
        problems = [problem for problem in problems if problem.file in own]
    return sorted(problems, key=lambda item: (item.file, item.severity, attrs.astuple(item)))
