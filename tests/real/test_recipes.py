"""Public command lines, as people publish them: each makes the round trip with every version that
accepts it.
"""

from __future__ import annotations

import functools

import cases
from cases import Recipe

from .laws import Argv, Tally, round_trip
from .parsers import Parsers


def model_first(tokens: list[str]) -> list[str]:
    """`--model X` of the module form as the positional of `vllm serve`."""
    for place, token in enumerate(tokens):
        if token == "--model" and place + 1 < len(tokens):
            return [tokens[place + 1], *tokens[:place], *tokens[place + 2 :]]
        if token.startswith("--model="):
            return [token.removeprefix("--model="), *tokens[:place], *tokens[place + 1 :]]
    return tokens


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
