"""Public command lines, as people publish them: each makes the round trip with every version that
accepts it.
"""

import functools

import cases
from cases import Recipe
from support.consumers import model_first

from .laws import Argv, Tally, round_trip
from .parsers import Parsers


def argv_of(recipe: Recipe) -> Argv:
    """What follows `vllm serve`, whatever form the published command has."""
    return tuple(model_first(recipe.tokens) if recipe.module else recipe.tokens)


@functools.cache
def recipes() -> tuple[Recipe, ...]:
    """Every collected command that stands alone: no file that it names is here."""
    return tuple(recipe for recipe in cases.recipes() if "--config" not in recipe.tokens)


def test_recipes(version: str, parsers: Parsers, tally: Tally) -> None:
    """The same acceptance and the same meaning, for every recipe."""
    round_trip(parsers, tally, map(argv_of, recipes()))
    tally.settle()
