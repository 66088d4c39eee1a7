"""The module of docs/runpod-worker.md, in the place of the one of RunPod's worker: by our own reader
here, with the worker's tests and the real parser in tests/real/test_worker.py.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest
from support.documents import ROOT, blocks
from support.examples import some

from laws.meaning import meaning, unlike
from laws.strategies import MODEL, flags, samples
from laws.test_runpod_worker import VERSION
from translator import args_to_env

(SOURCE,) = blocks(ROOT / "docs" / "runpod-worker.md", "python")


@pytest.fixture(scope="module")
def module() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(SOURCE, "args_builder.py", "exec"), names)
    return names


def test_it_can_be_read_at_a_glance() -> None:
    assert len(SOURCE.splitlines()) <= 78  # beside a line in each file of requirements


def test_it_is_for_the_workers_vllm_and_knows_each_of_its_flags(module: dict[str, Any]) -> None:
    kinds = ("PAIRED_BOOL_FLAGS", "BOOL_FLAGS", "VALUE_FLAGS")
    assert module["VLLM"] == VERSION
    assert {flag.flag for flag in flags(VERSION)} <= frozenset().union(*map(module.get, kinds))


def test_every_flag_arrives(module: dict[str, Any]) -> None:
    for turn, flag in enumerate(flags(VERSION)):
        for tokens in some(samples(flag, VERSION), turn):
            first = meaning([MODEL, *tokens], VERSION)
            if first is not None:
                env = args_to_env([MODEL, *tokens], vllm=VERSION).env
                argv = module["build_vllm_args"](env)
                assert argv[0] == "--model"
                assert not unlike(first, meaning(argv, VERSION)), (env, argv)


def test_what_it_does_as_the_workers_own(
    module: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    build = module["build_vllm_args"]
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
