"""List what the engine of a release refuses and `check` does not tell, each with its smallest line:
what a new release needs in mappings/relations.toml.

PYTHONPATH=.:tests python -m tests.real.untold 0.34.0
"""

import random
import re
import sys
from typing import Any

from translator.advice.check import check_argv
from translator.core.settings import ModelConfig
from translator.core.settings.scope import Scope
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import shipped

from . import install
from .laws import shell
from .parsers import Parsers
from .test_relations import ELSEWHERE, KINDS, tokens

LINES = 2000
Groups = list[list[str]]
"""The tokens of each flag of a line."""


def lines(version: str, kinds: list[str]) -> list[tuple[str, Groups]]:
    """Return lines of two to six flags, each with the kind of its model."""
    dice = random.Random(version)
    flags = [flag for flag in shipped().catalog(version).flags() if not flag.server]
    some = [dice.sample(flags, dice.randint(2, 6)) for _ in range(LINES)]
    given = [[group for flag in each if (group := tokens(flag, dice))] for each in some]
    return [(dice.choice(kinds), groups) for groups in given]


def line(groups: Groups) -> list[str]:
    """Return a line's tokens."""
    return [token for group in groups for token in group]


def told(config: Any, groups: Groups, plain: Scope) -> bool:
    """Return whether `check` has an error."""
    scope = plain.of_model(ModelConfig("config.json", config, beside=()))
    return any(it.severity == "error" for it in check_argv(["m", *line(groups)], {}, scope))


def words(reason: str | None) -> str:
    """Return what was said without its numbers and names."""
    return re.sub(r"'[^']*'|\d+", "_", reason or "")[:120]


def untold(version: str, parsers: Parsers) -> dict[str, str]:
    """Return the refusals that nothing tells: what is said → its smallest line."""
    configs = parsers.ask(version, op="configs")

    def ask(questions: list[tuple[str, Groups]]) -> list[str | None]:
        asked = [(configs[kind], line(groups)) for kind, groups in questions]
        return [answer.get("refused") for answer in parsers.models(version, asked)]

    plain = scope_of(version, "runpod", {}, shipped())[0]
    questions = lines(version, [kind for kind in KINDS if kind in configs])
    smallest: dict[str, str] = {}
    for (kind, groups), reason in zip(questions, ask(questions), strict=True):
        is_about_flags = reason is not None and not any(word in reason for word in ELSEWHERE)
        if not is_about_flags or words(reason) in smallest or told(configs[kind], groups, plain):
            continue
        for group in list(groups):
            fewer = [other for other in groups if other is not group]
            if words(ask([(kind, fewer)])[0]) == words(reason):
                groups = fewer
        smallest[words(reason)] = f"{kind}: {shell(line(groups))}\n    {(reason or '')[:300]}"
    return smallest


if __name__ == "__main__":
    for found in untold(sys.argv[1], Parsers(install.install(sys.argv[1:]))).values():
        print(found)
