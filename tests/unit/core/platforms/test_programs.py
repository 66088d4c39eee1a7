"""The programs of platforms, as functions."""

import pytest

from translator.core.platforms import Outcome, run
from translator.core.platforms.programs import PROGRAMS
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped


def ran(env: dict[str, str], dialect: str = "runpod") -> Outcome:
    here = scope("0.27.1", dialect, {}, shipped())[0]
    return run(PROGRAMS[here.consumer.program], env, here)


def test_each_token_has_the_variable_that_it_comes_from() -> None:
    outcome = ran({"MODEL_NAME": " org/m ", "ENFORCE_EAGER": "No", "VLLM_EXTRA_ARGS": "--seed '1'"})
    assert [(token.text, token.origin) for token in outcome.tokens] == [
        ("--host", ""), ("127.0.0.1", ""), ("--port", "VLLM_PORT"), ("8000", "VLLM_PORT"),
        ("--no-enforce-eager", "ENFORCE_EAGER"), ("--model", "MODEL_NAME"), ("org/m", "MODEL_NAME"),
        ("--seed", "VLLM_EXTRA_ARGS"), ("1", "VLLM_EXTRA_ARGS"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ENFORCE_EAGER", "None"),
        ("VLLM_EXTRA_ARGS", "--served-model-name 'a"),
        ("VLLM_STARTUP_TIMEOUT", ""),
        ("MAX_CONCURRENCY", "1.5"),
        ("REQUEST_TIMEOUT", "1h"),
    ],
)
def test_a_stop_names_the_variable(name: str, text: str) -> None:
    outcome = ran({"MODEL_NAME": "m", name: text})
    assert [stop.variable for stop in outcome.stops] == [name]
    assert name not in [token.origin for token in outcome.tokens]


def test_what_is_not_read_is_not_among_the_read() -> None:
    env = {"MODEL_NAME": "m", "ATTENTION_CONFIG": "{}", "OPENAI_RESPONSE_ROLE": "a", "HOST": "h"}
    assert env.keys() & ran(env).read == {"MODEL_NAME"}
