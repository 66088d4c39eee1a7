"""Files for programs that start vLLM: what is written is read back as the same command."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from translator import env_to_args
from translator.argv.parser import parse
from translator.files.registry import read_text
from translator.findings import Finding
from translator.formats import write_argv
from translator.formats.forms import CommandLine
from translator.tables.catalog import shipped

VERSION = "0.27.1"
CATALOG = shipped().catalog(VERSION)


def written(
    form: str, env: dict[str, str], variables: dict[str, str] | None = None
) -> tuple[list[str], tuple[str, list[Finding]]]:
    made = env_to_args({"MODEL_NAME": "org/m", **env}, vllm=VERSION)
    line = CommandLine([tokens for _, tokens in made._groups], CATALOG, variables)
    return made.argv, write_argv(form, line)


def settings(argv: list[str]) -> dict[str, Any]:
    parsed = parse(argv[2:], CATALOG)
    assert parsed.findings == []
    found = {name: value for name, (value, _) in parsed.settings().items()}
    return {"--model": parsed.model, **found}


def passed_on(section: dict[str, Any]) -> list[str]:
    """The tokens of KAITO's program, presets/workspace/inference/vllm/inference_api.py, without
    the value of a switch, which becomes a positional argument that nothing reads.
    """
    found = []
    for key, value in section.items():
        found += [f"--{key}"] if value is True else [f"--{key}", str(value)]
    return found


ENGINE = {
    "MAX_MODEL_LEN": "8k", "GPU_MEMORY_UTILIZATION": "0.90", "ENABLE_PREFIX_CACHING": "0", "SEED": "-1", "REVISION": "007", "TOKENIZER": "yes",
    "SPECULATIVE_CONFIG": '{"method": "ngram", "num_speculative_tokens": 3}',
}  # fmt: skip
SERVER = {"CHAT_TEMPLATE": 'a: b\n# "c" $(d)', "TOOL_CALL_PARSER": "hermes"}
NGRAM = '{"method":"ngram","num_speculative_tokens":3}'
# What both files have of these, under names with dashes or with underscores.
WRITTEN = {
    "chat-template": 'a: b\n# "c" $(d)', "gpu-memory-utilization": 0.9, "max-model-len": 8000, "revision": "007", "seed": -1, "tokenizer": "yes",
    "tool-call-parser": "hermes",
}  # fmt: skip


def test_triton_reads_what_engine_args_writes() -> None:
    """https://github.com/triton-inference-server/vllm_backend: `AsyncEngineArgs(**model_json)`."""
    argv, (text, findings) = written("engine-args", ENGINE | {"ENFORCE_EAGER": "1"})
    assert findings == []
    assert settings(read_text(text, name="model.json").tokens) == settings(argv)


def test_kaito() -> None:
    argv, (text, findings) = written("kaito", ENGINE | SERVER)
    section = yaml.safe_load(text)["vllm"]
    assert findings == []
    own = {"no-enable-prefix-caching": True, "speculative-config": NGRAM}
    assert section == {"model": "org/m", **WRITTEN, **own}
    assert settings(read_text(text).tokens) == settings(argv)
    head = ["vllm", "serve", section.pop("model")]
    assert settings([*head, *passed_on(section)]) == settings(argv)


@pytest.mark.parametrize(
    ("env", "flags", "rest"),
    [
        ({"ENFORCE_EAGER": "1", "ENABLE_LORA": "1"}, ("--enforce-eager",), {"enable-lora": True}),
        ({"SERVED_MODEL_NAME": '["a", "b"]'}, ("--served-model-name",), {}),
        ({"MIDDLEWARE": '["a", "b"]'}, ("--middleware",), {}),
        ({"REVISION": "-x"}, ("--revision",), {}),
        ({"WATERMARK": "-0.5"}, ("--watermark",), {}),
        ({"VLLM_EXTRA_ARGS": "--port=9000"}, ("--port",), {}),
    ],
)
def test_what_kaito_cannot_pass_on(
    env: dict[str, str], flags: tuple[str, ...], rest: dict[str, Any]
) -> None:
    _, (text, findings) = written("kaito", env)
    assert [(item.code, item.facts["flags"]) for item in findings] == [("not-in-file", flags)]
    assert yaml.safe_load(text)["vllm"] == {"model": "org/m", **rest}


def test_ray_serve() -> None:
    """Its variables become those of the workers, its secrets are taken from the node's."""
    variables = {"HF_TOKEN": "hf_x", "VLLM_USE_DEEP_GEMM": "1"}
    argv, (text, findings) = written(
        "ray-serve", ENGINE | SERVER | {"SERVED_MODEL_NAME": "a"}, variables
    )
    variables["HF_TOKEN"] = "${HF_TOKEN}"
    assert [(item.code, item.subject) for item in findings] == [("not-in-file", "HF_TOKEN")]
    (config,) = yaml.safe_load(text)["applications"][0]["args"]["llm_configs"]
    assert config == {
        "model_loading_config": {"model_id": "a", "model_source": "org/m"},
        "engine_kwargs": {
            **{name.replace("-", "_"): value for name, value in WRITTEN.items()},
            "enable_prefix_caching": False,
            "speculative_config": json.loads(NGRAM),
        },
        "runtime_env": {"env_vars": variables},
    }
    read = read_text(text)
    assert settings(read.tokens) == settings(argv)
    assert read.env == variables


def test_ray_serves_a_model_by_its_own_name() -> None:
    argv, (text, _) = written("ray-serve", {})
    (config,) = yaml.safe_load(text)["applications"][0]["args"]["llm_configs"]
    assert config == {"model_loading_config": {"model_id": "org/m"}, "engine_kwargs": {}}
    assert settings(read_text(text).tokens) == settings(argv)


@pytest.mark.parametrize(
    ("env", "variables", "subjects"),
    [
        ({"DISTRIBUTED_EXECUTOR_BACKEND": "mp"}, {}, ["--distributed-executor-backend"]),
        ({"SERVED_MODEL_NAME": '["a", "b"]'}, {}, ["--served-model-name"]),
        ({"VLLM_EXTRA_ARGS": "--port=9000"}, {}, ["--port"]),
        ({}, {"VLLM_API_KEY": "sk-x"}, ["VLLM_API_KEY"]),
    ],
)
def test_what_ray_sets_itself_or_does_not_read(
    env: dict[str, str], variables: dict[str, str], subjects: list[str]
) -> None:
    _, (text, findings) = written("ray-serve", env, variables)
    assert [(item.code, item.subject) for item in findings] == [
        ("not-in-file", subject) for subject in subjects
    ]
    assert "sk-x" not in text


@pytest.mark.parametrize("form", ["kaito", "ray-serve"])
def test_bytes_that_yaml_cannot_hold_are_an_error(form: str) -> None:
    _, (text, findings) = written(form, {"REVISION": "a\udcff"})
    assert (text, [item.code for item in findings]) == ("", ["cannot-be-said"])
