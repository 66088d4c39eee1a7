"""`check` of a command that nothing translates: an error exactly where the real parser refuses it."""

import random
from collections.abc import Iterable

from support import forms

from translator import check
from translator.core.tables.catalog import shipped

from .conftest import RANDOM, SEED
from .install import same
from .laws import Argv, Case, Ours, Tally, compare, ours, shell
from .parsers import Parsers
from .test_mutations import spoilt_commands
from .test_recipes import argv_of, recipes

OTHERS = 8  # other versions whose flags are tried


def verdict(parsers: Parsers, tally: Tally, argvs: Iterable[Argv]) -> None:
    """`check` has an error exactly if the real parser refuses a line; what only the engine refuses
    is counted apart, as carried.
    """
    cases = []
    for argv in argvs:
        said = ours(lambda argv=argv: check(["vllm", "serve", *argv], tally.version))
        errors = [item for item in said.value or () if item.severity == "error"]
        at_start = bool(errors) and all(item.code == "refused-at-start" for item in errors)
        tally.carried += at_start
        shown = "; ".join(item.line() for item in errors)
        made = Ours(refused=shown) if errors and not at_start else Ours(argv)
        cases.append(Case(shell(argv), said if said.crashed else made, argv, shown=shown))
    compare(parsers, tally, cases)


def test_recipes(version: str, parsers: Parsers, tally: Tally) -> None:
    """Public commands, which are written for versions of many times; the record in
    tests/cases/recipes is true.
    """
    lines = [argv_of(recipe) for recipe in recipes()]
    verdict(parsers, tally, lines)
    for recipe, argv, answer in zip(recipes(), lines, parsers.parse(version, lines), strict=True):
        if (version in recipe.accepting(shipped().versions())) != (answer.ok is not None):
            tally.add("recorded otherwise", " ".join(argv), "  python -m tests.real.record")
    tally.settle()


def test_lines(version: str, parsers: Parsers, tally: Tally) -> None:
    """Every flag in every spelling, spoilt commands, and flags of other versions."""
    dice = random.Random(f"{SEED} verdict {version}")
    own = forms.of(version)
    spoilt = spoilt_commands(parsers, version, dice, RANDOM)
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
