"""What further tokens put out of force is told, and so is what vLLM takes and never reads."""

from __future__ import annotations

import pytest

from translator import env_to_args

BASE = {"MODEL_NAME": "m"}


@pytest.mark.parametrize(
    ("env", "value"),
    [
        ({"HF_OVERRIDES": '{"ropeScaling":1}', "HF_OVERRIDES__ropeScaling": "2"}, {"ropeScaling": 2}),
        ({"HF_OVERRIDES": '{"a":{"b":1}}', "HF_OVERRIDES__A__B": "2"}, {"a": {"b": 2}}),
        ({"HF_OVERRIDES__textConfig__Bar": "1"}, {"textConfig": {"Bar": 1}}),
        ({"HF_OVERRIDES__TEXT_CONFIG__BAR": "1"}, {"text_config": {"bar": 1}}),
        ({"HF_OVERRIDES__USE_IT": "False"}, {"use_it": False}),
        ({"HF_OVERRIDES": "[1]", "HF_OVERRIDES__A": "2"}, {"a": 2}),
    ],
)  # fmt: skip
def test_keys_keep_the_case_that_somebody_gave_them(env: dict[str, str], value: object) -> None:
    """The whole value, or the variable's name; and what a key replaces is told."""
    from translator.text.json_text import loads

    done = env_to_args({**BASE, **env}, vllm="0.27.1")
    assert loads(done.argv[-1].partition("=")[2]) == value
    assert bool(done.findings) == (len(env) > 1 or "False" in env.values())
