"""Law 4 for the older generations of RunPod's worker: what is written for one is what its own
engine_args.py has been seen to turn into the engine arguments of the command line.

cases/generations.json was recorded by tests/real/generations.py, which ran that code beside vLLM's
own parser, and cases/worker_values.json by tests/real/values.py. Who changes what is written for a
generation, or read for it, records it anew.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from support.consumers import GENERATIONS
from support.dialects import refused, settings, subjects
from support.worker_values import SAME, VALUES, wrong

from translator import TranslationError, args_to_env, env_to_args
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped
from translator.core.translate import translate_env

CASES = Path(__file__).parent.parent / "cases"
RECORD: dict[str, dict[str, Any]] = json.loads(
    CASES.joinpath("generations.json").read_text("utf-8")
)
MADE: dict[str, dict[str, Any]] = json.loads(
    CASES.joinpath("worker_values.json").read_text("utf-8")
)


@pytest.mark.parametrize("dialect", RECORD)
def test_what_is_written_has_been_seen_to_arrive(dialect: str) -> None:
    """Text by text, by name and by the vLLM alone, without a warning; and our own reader reads the
    same, and adds what the worker adds.
    """
    version = RECORD[dialect]["vllm"]
    for line, env in RECORD[dialect]["arrive"].items():
        argv = ["m", *json.loads(line)]
        wanted = settings(argv, version)
        for name in (dialect, "runpod"):
            made = args_to_env(argv, vllm=version, dialect=name)
            assert made.env == {"MODEL_NAME": "m", **env}, line
            assert not subjects(made.findings, "older-platform"), line
            back = env_to_args(made.env, vllm=version, dialect=name)
            added = subjects(back.findings, "platform-default") - wanted.keys()
            moved = subjects(made.findings, "secret-moved")
            found = settings(back.argv[2:], version)
            assert {flag: value for flag, value in found.items() if flag not in added} == {
                flag: value for flag, value in wanted.items() if flag not in moved
            }, line


@pytest.mark.parametrize("dialect", RECORD)
def test_what_cannot_be_said_is_an_error_or_else_a_warning(dialect: str) -> None:
    """By name, the generation refuses it; without a name, `translate exec` reads it, and a warning
    names the flag.
    """
    version = RECORD[dialect]["vllm"]
    assert RECORD[dialect]["cannot"]
    for line in RECORD[dialect]["cannot"]:
        argv = ["m", *json.loads(line)]
        told = refused(args_to_env, argv, vllm=version, dialect=dialect)
        (flag,) = (subject for code, subject in told if code == "not-expressible")
        made = args_to_env(argv, vllm=version)
        assert flag in subjects(made.findings, "older-platform"), line
        assert settings(env_to_args(made.env, vllm=version).argv[2:], version) == settings(
            argv, version
        ), line


@pytest.mark.parametrize(
    ("dialect", "version", "read"),
    [
        ("runpod@1.2", "0.5.3.post1", True),
        ("runpod@1.7", "0.6.2", True),
        ("runpod@2.6", "0.9.0.1", False),
        ("runpod@2.10", "0.10.0", False),
        ("runpod@2.23", "0.23.0", False),
    ],
)
def test_a_load_format_that_sets_the_quantization_too(
    dialect: str, version: str, read: bool
) -> None:
    """Their engine_args.py was run with it (tests/real/generations.py): the first ones pass it on,
    and the later ones set the quantization as well, which is told and cannot be written.
    """
    line, env = ["m", "--load-format=bitsandbytes"], {"LOAD_FORMAT": "bitsandbytes"}
    done = env_to_args({"MODEL_NAME": "m", **env}, vllm=version, dialect=dialect)
    assert ("--load-format=bitsandbytes" in done.argv) == read
    assert ("LOAD_FORMAT" in subjects(done.findings, "platform-differs")) == (not read)
    if read:
        assert args_to_env(line, vllm=version, dialect=dialect).env == {"MODEL_NAME": "m", **env}
    else:
        told = refused(args_to_env, line, vllm=version, dialect=dialect)
        assert told == [("not-expressible", "--load-format")]


def test_every_generation_was_asked_what_it_makes_of_values() -> None:
    assert MADE.keys() == {*GENERATIONS} - {"runpod@2.25"}  # which has a command line
    assert all(len(signs) == len(VALUES) for found in MADE.values() for signs in found["signs"])


@pytest.mark.parametrize("dialect", MADE)
def test_where_the_worker_makes_something_else_of_a_value_it_is_told(dialect: str) -> None:
    """Value by value of each variable, without trying remedies. Where it makes the same, nothing
    is wrong.
    """
    here = scope(MADE[dialect]["vllm"], dialect, {}, shipped())[0]
    for signs, names in MADE[dialect]["signs"].items():
        for name in names.split():
            for sign, text in zip(signs, VALUES, strict=True):
                try:
                    env = {"MODEL_NAME": "m", name: text}
                    findings = translate_env(env, here).findings
                except TranslationError as error:
                    findings = error.findings
                    assert sign != SAME, (name, text)
                assert not wrong(sign, name, findings), (name, text, sign)
