"""What the frontend in Rust refuses and ignores (`VLLM_USE_RUST_FRONTEND`): vLLM hands each command
line over to its program, and `check` says the same.
"""

import random

import pytest
from laws.strategies import samples
from support.forms import MODEL

from translator.advice.check import check_argv
from translator.core.findings import REFUSED
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import shipped

from .conftest import SEED
from .laws import Argv, Tally, shell
from .parsers import Parsers

ON = "VLLM_USE_RUST_FRONTEND"


def lines(version: str) -> list[Argv]:
    """Every flag alone, with some of its values, and several at random."""
    catalog = shipped().catalog(version)
    variable = catalog.variable(ON)
    assert variable is not None
    apart = (MODEL, "--config", *variable.unless)
    choices = {
        flag.flag: samples(flag, version, most=4)
        for flag in catalog.flags()
        if flag.flag not in apart
    }
    found = [(MODEL, *tokens) for several in choices.values() for tokens in several]
    dice = random.Random(f"{SEED} frontend {version}")
    for _ in range(60):
        names = dice.sample(sorted(choices), 5)
        some = [dice.choice(choices[name]) for name in names if choices[name]]
        found.append((MODEL, *(token for tokens in some for token in tokens)))
    return list(dict.fromkeys(found))


def test_what_the_frontend_says(version: str, parsers: Parsers, tally: Tally) -> None:
    if shipped().catalog(version).variable(ON) is None:
        pytest.skip("no frontend in Rust")
    asked = lines(version)
    scope = scope_of(version, "runpod", {}, shipped())[0]
    for line, answer in zip(asked, parsers.asked("frontend", version, asked), strict=True):
        found = check_argv(list(line), {ON: "1"}, scope)
        if answer.refused == "":
            continue
        tally.asked += 1
        tally.accepted += answer.ok is not None
        refused = [item for item in found if (item.code, item.case) == (REFUSED, "frontend")]
        ignored = {item.origin.option for item in found if item.code == "no-effect" and item.origin}
        if bool(refused) != (answer.ok is None) or (answer.ok and not ignored):
            tally.add("what the frontend takes", shell(line), f"  vLLM: {answer}; we: {found}")
    tally.settle()
