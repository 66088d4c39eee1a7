"""`check` of a command that nothing translates: an error exactly where the real parser refuses it."""

from __future__ import annotations

import functools
import random

import tomllib

from translator.tables.catalog import shipped

from . import forms
from .conftest import RANDOM, SEED
from .install import CHECKOUT, same
from .laws import Argv, Tally, verdict
from .parsers import Parsers
from .test_mutations import command
from .test_recipes import recipes, serve_tokens

OTHERS = 8  # other versions whose flags are tried


@functools.cache
def record() -> dict[Argv, list[str]]:
    """The recorded ranges of versions that accept a recipe."""
    files = sorted((CHECKOUT / "tests" / "cases" / "recipes").glob("*.toml"))
    entries = [
        entry
        for file in files
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["recipe"]
    ]
    return {
        serve_tokens(entry["command"]): entry["accepted"]
        for entry in entries
        if "accepted" in entry
    }


def test_recipes(version: str, parsers: Parsers, tally: Tally) -> None:
    """Public commands, which are written for versions of many times; the record in
    tests/cases/recipes is true.
    """
    verdict(parsers, tally, recipes())
    known = shipped().versions()
    here = known.index(version)
    for argv, answer in zip(recipes(), parsers.parse(version, recipes()), strict=True):
        spans = [span.partition("-") for span in record()[argv]]
        recorded = any(
            known.index(first) <= here <= known.index(last or first) for first, _, last in spans
        )
        if recorded != (answer.ok is not None):
            tally.add("recorded otherwise", " ".join(argv), "  python -m tests.real.record")
    tally.settle()


def test_lines(version: str, parsers: Parsers, tally: Tally) -> None:
    """Every flag in every spelling, spoilt commands, and flags of other versions."""
    dice = random.Random(f"{SEED} verdict {version}")
    own = forms.of(version)
    answers = parsers.parse(version, own)
    pool = [
        argv
        for argv, answer in zip(own, answers, strict=True)
        if answer.ok is not None and argv[:1] == (forms.MODEL,) and argv[1:]
    ]
    spoilt = [command(dice, pool) for _ in range(RANDOM)]
    elsewhere = [
        argv
        for other in dice.sample([one for one in shipped().versions() if not same(one)], OTHERS)
        for argv in dice.sample(forms.of(other), RANDOM // OTHERS)
    ]
    argvs = [*own, *spoilt, *elsewhere]
    # Files are read from where the tests happen to run.
    verdict(
        parsers,
        tally,
        [argv for argv in argvs if not any(token.lstrip("-").startswith("conf") for token in argv)],
    )
    tally.settle()
