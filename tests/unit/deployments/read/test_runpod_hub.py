"""RunPod's hub.json: the variables of a deployment, by default and with each preset."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.program import translate

from translator.deployments.read import Command, Context
from translator.deployments.read.registry import read_commands
from translator.formats.forms import Environment
from translator.formats.registry import write_env


def read(config: dict[str, Any], title: str = "vLLM") -> list[Command]:
    text = json.dumps({"title": title, "config": config}, indent=1)
    found = read_commands(text, Context(dialect="runpod"), ".runpod/hub.json")
    return [item for item in found if item.starts_vllm]


MODEL = {"key": "MODEL_NAME", "value": "org/m"}


@pytest.mark.parametrize(
    ("variable", "env"),
    [
        ({"value": "8192"}, {"A": "8192"}),
        ({"value": 1.0}, {"A": "1"}),
        ({"input": {"default": 0.95}}, {"A": "0.95"}),
        ({"input": {"default": True}}, {"A": "true"}),
        ({"input": {"default": False, "trueValue": "1", "falseValue": "0"}}, {"A": "0"}),
        ({"input": {"default": None}}, {}),
        ({"input": {"default": ""}}, {"A": ""}),
        ({"input": {}}, {}),
        ({}, {}),
        ({"value": "{{ RUNPOD_SECRET_x }}"}, {}),
    ],
)
def test_the_value_of_a_variable(variable: dict[str, Any], env: dict[str, str]) -> None:
    (made,) = read({"env": [MODEL, {"key": "A", **variable}]})
    assert made.env == {"MODEL_NAME": "org/m", **env}
    assert not made.findings


def test_a_preset_changes_the_defaults() -> None:
    config = {
        "env": [MODEL, {"key": "SEED", "input": {"default": 1}}, {"key": "DTYPE", "value": "half"}],
        "presets": [
            {"name": "Q", "defaults": {"SEED": 2, "DTYPE": None}},
            {"defaults": {"MODEL_NAME": "org/n", "ENFORCE_EAGER": True}},
        ],
    }
    first, second, third = read(config)
    assert first.env == {"MODEL_NAME": "org/m", "SEED": "1", "DTYPE": "half"}
    assert second.env == {"MODEL_NAME": "org/m", "SEED": "2"}
    assert third.env == {**first.env, "MODEL_NAME": "org/n", "ENFORCE_EAGER": "true"}
    assert second.places["SEED"] > first.places["DTYPE"] > second.places["MODEL_NAME"]


def test_other_engines_are_not_taken_for_vllm() -> None:
    assert read({"env": [MODEL]}, title="SGLang") == []
    assert read({"env": [{"key": "STEPS", "value": "20"}]}) == []


def test_a_value_that_no_variable_can_hold_is_an_error() -> None:
    (made,) = read({"env": [MODEL, {"key": "SEED", "value": [1]}]})
    assert [(item.code, item.subject) for item in made.findings] == [("bad-manifest", "SEED")]


def test_presets_cannot_expand_without_end() -> None:
    variables = [MODEL, *({"key": f"V{at}", "value": "x" * 200} for at in range(500))]
    made = read({"env": variables, "presets": [{"defaults": {"A": "1"}}] * 30})
    assert len(made) < 20
    assert [item.code for item in made[-1].findings] == ["expands-too-much"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    env = {"MODEL_NAME": "org/m", "MAX_MODEL_LEN": "8192", "HF_TOKEN": "hf_x", "A": 'a"$\n'}
    text, findings = write_env("runpod-hub", Environment(env))
    assert "hf_x" not in text
    assert [(item.code, item.subject) for item in findings] == [("not-in-file", "HF_TOKEN")]
    path = tmp_path / "hub.json"
    path.write_text(text)
    done = translate("env-to-args", "--file", str(path))
    assert done.out == "vllm serve org/m --max-model-len=8192\n"
    options = ("--from", "0.27.1", "--to", "0.27.1", "--format", "json")
    again = translate("convert", *options, stdin=path.read_bytes())
    assert json.loads(again.out)["env"] == {
        "A": env["A"],
        "MODEL_NAME": "org/m",
        "MAX_MODEL_LEN": "8192",
    }
