"""Law 4: what we print for the dialect runpod also works on RunPod's own worker, by the function
that is held against recordings of it; and by the module of docs/runpod-worker.md in the place of the
worker's own. (With the worker's tests and the real parser: tests/real/test_worker.py.)
"""

import logging
import shlex
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.consumers import RUNPOD_PINNED, runpod
from support.documents import ROOT, blocks
from support.examples import some

from laws.meaning import meaning, unlike
from laws.strategies import MODEL, command_lines, examples, flags, samples
from translator import args_to_env
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import shipped

VERSION = shipped().records("dialect.runpod.json")["@consumer"]["vllm"]
(SOURCE,) = blocks(ROOT / "docs" / "runpod-worker.md", "python")
MODULE: dict[str, Any] = {}
exec(compile(SOURCE, "args_builder.py", "exec"), MODULE)


def carried(line: list[str]) -> dict[str, Any]:
    """The flags on which the worker's vLLM would differ from the line, by either."""
    first = meaning(line, VERSION)
    assert first is not None
    env = args_to_env(line, vllm=VERSION).env
    found = {}
    for worker, pinned in ((runpod, RUNPOD_PINNED), (MODULE["build_vllm_args"], {})):
        theirs = meaning(worker(env), VERSION)
        assert theirs is not None, (env, shlex.join(worker(env)))
        found |= unlike({**pinned, **first}, theirs)
    return found


@pytest.mark.parametrize("kind", sorted({flag.kind for flag in flags(VERSION)}))
def test_every_flag_reaches_the_workers_vllm(kind: str) -> None:
    """Every flag of the worker's vLLM, with a handful of values each."""
    for turn, flag in enumerate(flags(VERSION)):
        if flag.kind == kind:
            every = samples(flag, VERSION)
            taken = [line for line in every if meaning([MODEL, *line], VERSION) is not None]
            assert taken, flag.flag
            for tokens in some(taken, turn):
                assert not carried([MODEL, *tokens]), shlex.join(tokens)


@examples(100)
@given(data=st.data())
def test_whole_command_lines_reach_the_workers_vllm(data: st.DataObject) -> None:
    """Several flags at once, in any spelling."""
    line = data.draw(command_lines(VERSION))
    if meaning(line, VERSION) is not None:
        env = args_to_env(line, vllm=VERSION).env
        assume(
            not any(
                env.get(name, "").startswith("-")
                for name in secrets_of(shipped()).variables.values()
            )
        )  # a platform's program could read it only among further tokens
        assert not carried(line)


def test_a_model_that_is_padded_or_strange_is_still_the_model() -> None:
    """The worker strips what it reads."""
    for model in (" org/m", "org/m ", "a b", "=", "None"):
        line = [model]
        if meaning(line, VERSION) is not None:
            assert not carried(line), model


def test_the_worker_is_not_given_what_it_would_read_otherwise() -> None:
    """One token a value, "0" unset, no quotes: the cases that need VLLM_EXTRA_ARGS, and those that
    do not.
    """
    env = args_to_env([MODEL, "--max-num-batched-tokens=0"], vllm=VERSION).env
    assert "MAX_NUM_BATCHED_TOKENS" not in env
    env = args_to_env([MODEL, "--served-model-name", "a", "b"], vllm=VERSION).env
    assert shlex.split(env["VLLM_EXTRA_ARGS"]) == ["--served-model-name", "a", "b"]
    env = args_to_env(
        [MODEL, "--max-model-len=8k", "--no-enforce-eager", "--dtype=half"], vllm=VERSION
    ).env
    assert env == {
        "MODEL_NAME": MODEL,
        "MAX_MODEL_LEN": "8000",
        "ENFORCE_EAGER": "false",
        "DTYPE": "half",
    }
    env = args_to_env([MODEL, "--port=9", "--reasoning-config={}"], vllm=VERSION).env
    assert shlex.split(env["VLLM_EXTRA_ARGS"]) == ["--port=9", "--reasoning-config={}"]


def test_it_is_for_the_workers_vllm_and_knows_each_of_its_flags() -> None:
    kinds = ("PAIRED_BOOL_FLAGS", "BOOL_FLAGS", "VALUE_FLAGS")
    assert MODULE["VLLM"] == VERSION
    assert {flag.flag for flag in flags(VERSION)} <= frozenset().union(*map(MODULE.get, kinds))


def test_what_it_does_as_the_workers_own(caplog: pytest.LogCaptureFixture) -> None:
    build = MODULE["build_vllm_args"]
    assert build({}) == build({"MODEL_NAME": "None", "HOME": "/root"}) == []
    assert build({"MODEL_NAME": " None/m ", "SEED": "0"}) == ["--model", "None/m", "--seed", "0"]
    assert build({"SERVED_MODEL_NAME": "a", "VLLM_CONFIG_FILE": "c"}) == [
        "--served-model-name", "a", "--config", "c",
    ]  # fmt: skip
    blob = '{"method": "ngram",  "num_speculative_tokens": 3}'
    assert build({"SPECULATIVE_CONFIG": blob}) == ["--speculative-config", blob]
    assert build({"SEED": "1", "VLLM_EXTRA_ARGS": "--seed 2 --new 'x y'"}) == [
        "--seed", "1", "--seed", "2", "--new", "x y",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"invalid boolean value.*ENFORCE_EAGER=maybe"):
        build({"ENFORCE_EAGER": "maybe"})
    with caplog.at_level(logging.WARNING):
        assert build({"SWAP_SPACE": "4"}) == []
    assert "SWAP_SPACE is ignored" in caplog.text
