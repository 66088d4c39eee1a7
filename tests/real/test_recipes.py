"""Public command lines, as people publish them: each makes the round trip with every version that
accepts it.
"""

from __future__ import annotations

import functools
import re
import shlex

import tomllib

from .install import CHECKOUT
from .laws import Argv, Tally, round_trip
from .parsers import Parsers

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
IMAGE = re.compile(r"(^|/)vllm(-[\w-]+)?(/[\w.-]+)?(:[\w.-]+)?$|vllm-openai")
MODULE = "vllm.entrypoints.openai.api_server"


def model_first(tokens: list[str]) -> list[str]:
    """`--model X` of the module form as the positional of `vllm serve`."""
    for place, token in enumerate(tokens):
        if token == "--model" and place + 1 < len(tokens):
            return [tokens[place + 1], *tokens[:place], *tokens[place + 2 :]]
        if token.startswith("--model="):
            return [token.removeprefix("--model="), *tokens[:place], *tokens[place + 1 :]]
    return tokens


def serve_tokens(command: str) -> Argv:
    """What follows `vllm serve` in a published command, whatever form it has.

    Raises:
        ValueError: no form that is known here.
    """
    tokens = shlex.split(command)
    while tokens and ASSIGNMENT.match(tokens[0]):
        del tokens[0]
    if tokens[:2] == ["docker", "run"]:
        named = [
            place
            for place, token in enumerate(tokens)
            if IMAGE.search(token)
            and not token.startswith("-")
            and tokens[place - 1] not in ("--name", "-v")
        ]
        tokens = tokens[named[0] + 1 :]
        if tokens[:2] != ["vllm", "serve"]:
            return tuple(model_first(tokens))
    if tokens[:2] == ["vllm", "serve"]:
        return tuple(tokens[2:])
    if re.fullmatch(r"python3?", tokens[0]) and tokens[1:3] == ["-m", MODULE]:
        return tuple(model_first(tokens[3:]))
    raise ValueError(command)


@functools.cache
def recipes() -> tuple[Argv, ...]:
    """Every collected command that stands alone, in the order of the files and of their entries."""
    files = sorted((CHECKOUT / "tests" / "cases" / "recipes").glob("*.toml"))
    found = (
        serve_tokens(entry["command"])
        for file in files
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["recipe"]
    )
    return tuple(
        tokens for tokens in found if "--config" not in tokens
    )  # the file that it names is not here


def test_recipes(version: str, parsers: Parsers, tally: Tally, recipes_accepted: set[int]) -> None:
    """The same acceptance and the same meaning, for every recipe."""
    commands = recipes()
    recipes_accepted.update(
        number
        for number, answer in enumerate(parsers.parse(version, commands))
        if answer.ok is not None
    )
    round_trip(parsers, tally, commands)
    tally.settle()
