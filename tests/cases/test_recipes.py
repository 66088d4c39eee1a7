"""Public command lines (cases/recipes): the newest version that accepts one is found, and there it
makes the round trip.
"""

import functools
import itertools
import shlex

import pytest
from laws.meaning import meaning, unlike

from cases import Recipe, recipes
from translator import TranslationError, args_to_env, check, env_to_args
from translator.core.tables.catalog import shipped

VERSIONS = shipped().versions()
# A recipe that no version takes is a mistake of its author; how many there are is known, so that a
# regression of our reader is seen.
TAKEN_BY_NONE = 2


@functools.cache
def newest(recipe: Recipe) -> str | None:
    """The newest version whose parser takes it, by our reader."""
    for version in reversed(VERSIONS):
        if meaning(recipe.tokens, version, module=recipe.module) is not None:
            return version
    return None


def test_nearly_every_recipe_is_taken_by_some_version() -> None:
    """Two hundred command lines that people publish: each has a flag, a value, a key of JSON or
    a range of versions that no other has.
    """
    assert len(recipes()) >= 200
    refused = [recipe.command for recipe in recipes() if newest(recipe) is None]
    assert len(refused) <= TAKEN_BY_NONE, "\n".join(refused)


def edges(recipe: Recipe, recorded: list[str]) -> set[str]:
    """Versions beside which acceptance changes, and those next to them."""
    accepting = recipe.accepting(recorded)
    return {
        version
        for one, other in itertools.pairwise(recorded)
        if (one in accepting) != (other in accepting)
        for version in (one, other)
    } or {recorded[-1]}


@pytest.mark.parametrize("part", range(4))
def test_check_refuses_what_the_real_parser_refuses(part: int) -> None:
    """Of a command that nothing translates, `check` has an error exactly where the recorded answer
    of the real parser is a refusal: in each version where that changes.
    tests/real/test_verdict.py asks about all of them, and holds the record.
    """
    asked = [recipe for recipe in recipes() if recipe.accepted is not None]
    assert len(asked) >= 200
    last = max(VERSIONS.index(span.split("-")[-1]) for one in asked for span in one.accepted)
    recorded = VERSIONS[: last + 1]
    for recipe in asked[part::4]:
        for version in edges(recipe, recorded):
            found = check(recipe.argv, version)
            refused = any(
                item.severity == "error" and item.code != "refused-at-start" for item in found
            )
            accepted = version in recipe.accepting(recorded)
            assert refused != accepted, (version, recipe.command, [item.line() for item in found])


@pytest.mark.parametrize("part", range(8))
def test_recipes_come_back_from_the_environment(part: int) -> None:
    """argv -> env -> argv, for the newest version that takes it: the same settings, and a second
    round changes nothing.
    """
    for recipe in recipes()[part::8]:
        version = newest(recipe)
        if version is None:
            continue
        first = meaning(recipe.tokens, version, module=recipe.module)
        env = args_to_env(recipe.argv, vllm=version).env
        again = env_to_args(env, vllm=version).argv
        assert not unlike(first, meaning(again[2:], version)), (
            f"{recipe.command}\n{env}\n{shlex.join(again)}"
        )
        assert env_to_args(args_to_env(again, vllm=version).env, vllm=version).argv == again


@pytest.mark.parametrize("part", range(4))
def test_recipes_of_another_time_are_carried_over_or_explained(part: int) -> None:
    """For the newest vLLM: translated, or refused with a reason; never silently shortened."""
    for recipe in recipes()[part::4]:
        try:
            done = args_to_env(recipe.argv, vllm=VERSIONS[-1])
        except TranslationError:
            continue  # with findings: an error without any is a crash to laws/test_laws.py
        there = env_to_args(done.env, vllm=VERSIONS[-1])
        assert meaning(there.argv[2:], VERSIONS[-1]) is not None, recipe.command
        if newest(recipe) != VERSIONS[-1]:
            assert {item.code for item in done.findings} & {
                "replaced",
                "renamed-value",
                "removed",
                "now-default",
            }, recipe.command
