"""Command lines as keyword arguments of the engine, and back. The real class: tests/real."""

import pickle
from typing import Any

import pytest

from translator import TranslationError, engine_args_to_env, env_to_engine_args
from translator.core.tables.catalog import shipped
from translator.formats.engine_args import command_line, engine_args

VERSION = "0.27.1"
CATALOG = shipped().catalog(VERSION)


@pytest.mark.parametrize(
    ("tokens", "arguments"),
    [
        (["m", "--max-model-len", "8k"], {"model": "m", "max_model_len": 8000}),
        (["m", "--no-enable-prefix-caching"], {"model": "m", "enable_prefix_caching": False}),
        (["m", "--enforce-eager"], {"model": "m", "enforce_eager": True}),
        (["m", "--served-model-name", "a", "b"], {"model": "m", "served_model_name": ["a", "b"]}),
        (["m", "--hf-overrides.a.b", "1"], {"model": "m", "hf_overrides": {"a": {"b": 1}}}),
        (["m", "-tp", "2"], {"model": "m", "tensor_parallel_size": 2}),
        (["m", "--device-ids", "0, GPU-1"], {"model": "m", "device_ids": [0, "GPU-1"]}),
    ],
)
def test_fields_are_called_as_their_flags(tokens: list[str], arguments: dict[str, Any]) -> None:
    """And back: the same arguments of the command line that they become."""
    assert engine_args(["vllm", "serve", *tokens], CATALOG) == (arguments, [])
    assert engine_args(command_line(arguments, CATALOG), CATALOG) == (arguments, [])


def test_a_json_string_comes_back_as_one() -> None:
    old = shipped().catalog("0.6.5")
    arguments = {"model": "m", "rope_scaling": "x"}
    assert engine_args(["vllm", "serve", "m", '--rope-scaling="x"'], old) == (arguments, [])
    assert command_line(arguments, old) == ["vllm", "serve", "m", '--rope-scaling="x"']


def test_what_is_the_servers_is_left_out_with_a_finding() -> None:
    made = env_to_engine_args({"MODEL_NAME": "m", "VLLM_EXTRA_ARGS": "--port 9"}, VERSION)
    assert made == {"model": "m"}
    assert ("not-in-file", "--port") in [(item.code, item.subject) for item in made.findings]
    assert pickle.loads(pickle.dumps(made)).findings == made.findings


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        ({"max_model_len": "8k", "seed": None}, {"MAX_MODEL_LEN": "8000"}),
        ({"enforce_eager": False, "enable_prefix_caching": False}, {"ENABLE_PREFIX_CACHING": "false", "ENFORCE_EAGER": "false"}),
        ({"served_model_name": "a"}, {"SERVED_MODEL_NAME": "a"}),
        ({"speculative_config": {"method": "ngram"}}, {"SPECULATIVE_CONFIG": '{"method":"ngram"}'}),
        ({"disable_log_requests": True}, {"ENABLE_LOG_REQUESTS": "false"}),
    ],
)  # fmt: skip
def test_arguments_become_variables(arguments: dict[str, Any], env: dict[str, str]) -> None:
    assert engine_args_to_env({"model": "m", **arguments}, VERSION).env == {
        "MODEL_NAME": "m",
        **env,
    }


@pytest.mark.parametrize(
    "arguments", [{"no_such": 1}, {"seed": "x"}, {"dtype": {"a": 1}}, {"enforce_eager": "maybe"}]
)
def test_what_vllm_refuses_is_an_error(arguments: dict[str, Any]) -> None:
    with pytest.raises(TranslationError):
        engine_args_to_env({"model": "m", **arguments}, VERSION)
