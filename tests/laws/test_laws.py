"""Laws 2 and 3 of the contract, by our own reader (tests/real asks the real parsers the same)."""

import shlex
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from support.examples import some
from support.new_flags import new_flags

from laws.meaning import meaning, unlike
from laws.strategies import (
    MODEL,
    SPECIAL,
    SPOILT,
    VERSIONS,
    command_lines,
    environments,
    examples,
    samples,
)
from translator import TranslationError, Variables, args_to_env, env_to_args
from translator.core.tables.catalog import Tables, shipped


@pytest.mark.parametrize("vllm", VERSIONS)
def test_every_flag_comes_back_from_the_environment(vllm: str) -> None:
    """Law 2 for every flag of every version, all that are new there on one line: the first value of
    each, then the second, and so on.
    """
    rounds: list[list[str]] = []
    for turn, flag in enumerate(new_flags(vllm), VERSIONS.index(vllm)):
        if flag.flag in SPECIAL:
            continue
        taken = [
            tokens for tokens in samples(flag, vllm) if meaning([MODEL, *tokens], vllm) is not None
        ]
        for at, tokens in enumerate(some(taken, turn)):
            if at == len(rounds):
                rounds.append([MODEL])
            rounds[at] += tokens
    assert rounds or {flag.flag for flag in new_flags(vllm)} <= {*SPECIAL}
    for line in rounds:
        env = args_to_env(line, vllm=vllm).env
        again = env_to_args(env, vllm=vllm).argv
        assert not unlike(meaning(line, vllm), meaning(again[2:], vllm))
        assert env_to_args(args_to_env(again, vllm=vllm).env, vllm=vllm).argv == again


@examples(350)
@given(vllm=st.sampled_from(VERSIONS), data=st.data())
def test_a_command_line_comes_back_from_the_environment_with_the_same_meaning(
    vllm: str, data: st.DataObject
) -> None:
    """Law 2: argv -> env -> argv sets the same, for whatever our reader takes; what it refuses is
    refused.
    """
    tokens = data.draw(command_lines(vllm))
    first = meaning(tokens, vllm)
    if first is None:
        event("refused")
        with pytest.raises(TranslationError):
            args_to_env(["vllm", "serve", *tokens], vllm=vllm)
        return
    event("read")
    env = args_to_env(["vllm", "serve", *tokens], vllm=vllm).env
    back = env_to_args(env, vllm=vllm)
    assert back.argv[:2] == ["vllm", "serve"]
    assert not unlike(first, meaning(back.argv[2:], vllm)), (env, shlex.join(back.argv))


@examples(60)
@given(
    vllm=st.sampled_from(VERSIONS),
    dialect=st.sampled_from(("runpod", "sagemaker", "lmi")),
    data=st.data(),
)
def test_what_was_read_before_changes_nothing(vllm: str, dialect: str, data: st.DataObject) -> None:
    """Values are remembered from call to call; tables that have remembered nothing give the same,
    and so does a second call.
    """
    env = data.draw(environments(vllm))
    cold = attempt(env, vllm, dialect, Tables())
    for other in data.draw(st.lists(environments(vllm), max_size=3)):
        attempt({**env, **other}, vllm, dialect, shipped())
    assert attempt(env, vllm, dialect, shipped()) == cold
    assert attempt(env, vllm, dialect, shipped()) == cold


@examples(60)
@given(vllm=st.sampled_from(tuple(SPOILT)), data=st.data())
def test_which_lines_were_read_before_changes_nothing(vllm: str, data: st.DataObject) -> None:
    """Nor what is told of a mistake in one."""
    secret = st.lists(st.sampled_from(("--api-key", "--hf-token", "--max", "-x")), max_size=3)
    spoilt = st.sampled_from(tuple(SPOILT[vllm])).map(shlex.split)
    lines = data.draw(st.lists(st.builds(list.__add__, secret, spoilt), min_size=2, max_size=4))
    used = Tables()
    for line in lines[:-1]:
        outcome(lambda line=line: args_to_env(line, vllm=vllm, tables=used))  # type: ignore[misc]
    cold = outcome(lambda: args_to_env(lines[-1], vllm=vllm, tables=Tables()))
    assert outcome(lambda: args_to_env(lines[-1], vllm=vllm, tables=used)) == cold


def outcome(call: Callable[[], Variables]) -> Any:
    """The variables and the findings of a call."""
    try:
        done = call()
    except TranslationError as error:
        return error.findings
    return done.env, done.findings


def attempt(env: dict[str, str], vllm: str, dialect: str, tables: Tables) -> Any:
    """All that a translation shows. What it gave is then written over, as a caller may do."""
    try:
        done = env_to_args(env, vllm=vllm, dialect=dialect, tables=tables)
    except TranslationError as error:
        return error.findings
    shown = (
        list(done.argv),
        dict(done.env),
        done.findings,
        {flag: list(origins) for flag, origins in done.origins.items()},
    )
    for origins in done.origins.values():
        origins.append("WRITTEN_OVER")
    done.argv.append("--written-over")
    done.env.clear()
    return shown


@examples(350)
@given(vllm=st.sampled_from(VERSIONS), data=st.data())
def test_an_environment_settles_after_one_round(vllm: str, data: st.DataObject) -> None:
    """Law 3: env -> argv -> env -> argv is a fixed point; and what is emitted is taken by our
    reader (law 1).
    """
    env = data.draw(environments(vllm))
    try:
        done = env_to_args(env, vllm=vllm)
    except TranslationError:
        event("refused")
        return
    event("translated")
    assert meaning(done.argv[2:], vllm) is not None, shlex.join(done.argv)
    again = args_to_env(done.argv, vllm=vllm)
    assert env_to_args(again.env, vllm=vllm).argv == done.argv, again.env


@examples(200)
@given(vllm=st.sampled_from(VERSIONS), data=st.data())
def test_dotted_keys_say_the_same_as_compact_json(vllm: str, data: st.DataObject) -> None:
    """`--json-style dotted` is another spelling of the same settings."""
    env = data.draw(environments(vllm))
    try:
        plain = env_to_args(env, vllm=vllm)
    except TranslationError:
        return
    dotted = env_to_args(env, vllm=vllm, json_style="dotted")
    first = meaning(plain.argv[2:], vllm)
    assert first is not None
    assert not unlike(first, meaning(dotted.argv[2:], vllm)), shlex.join(dotted.argv)
