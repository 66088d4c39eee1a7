"""What further tokens put out of force is told, and so is what vLLM takes and never reads."""

from __future__ import annotations

import pytest

from translator import TranslationError, args_to_env, env_to_args

BASE = {"MODEL_NAME": "m"}


def told(
    env: dict[str, str], extra: tuple[str, ...] = (), vllm: str = "0.27.1"
) -> list[tuple[str, str]]:
    return [
        (item.code, item.subject)
        for item in env_to_args({**BASE, **env}, vllm=vllm, extra=extra).findings
    ]


@pytest.mark.parametrize(
    ("env", "tokens"),
    [
        ({"MAX_MODEL_LEN": "5"}, "--max-model-len 6"),
        ({"ENABLE_PREFIX_CACHING": "true"}, "--no-enable-prefix-caching"),
        ({"LORA_MODULES": "x=y"}, "--lora-modules a=b c=d"),
        ({"COMPILATION_CONFIG": '{"mode":3,"cudagraph_mode":"FULL"}'}, "-cc.mode=2"),
        ({"HF_OVERRIDES__A": "1"}, "--hf-overrides.b 2"),
        ({"MODEL_NAME": "o"}, "--model m"),
    ],
)  # fmt: skip
def test_a_variable_that_further_tokens_beat(env: dict[str, str], tokens: str) -> None:
    """In the variable for them, and behind `exec --`."""
    (name,) = env
    for found in (
        env_to_args({**BASE, **env, "VLLM_EXTRA_ARGS": tokens}, vllm="0.27.1"),
        env_to_args({**BASE, **env}, vllm="0.27.1", extra=tokens.split()),
    ):
        (item,) = found.findings
        assert item.code == "disagreement"
        assert name in item.message


@pytest.mark.parametrize(
    ("env", "tokens"),
    [
        ({"MAX_MODEL_LEN": "6k"}, "--max-model-len 6000"),
        ({"ENABLE_PREFIX_CACHING": "false"}, "--no-enable-prefix-caching"),
        ({"HF_OVERRIDES__B": "2"}, "--hf-overrides.b 2"),
        ({"MIDDLEWARE": "a.b"}, "--middleware=c.d"), ({"VLLM_API_KEY": "sk-1"}, ""),
    ],
)  # fmt: skip
def test_nothing_is_said_where_both_say_the_same(env: dict[str, str], tokens: str) -> None:
    """And of what adds up."""
    assert told({**env, "VLLM_EXTRA_ARGS": tokens}) == []


def test_a_secret_that_is_replaced() -> None:
    """Without showing either."""
    found = env_to_args(
        {**BASE, "VLLM_API_KEY": "sk-first", "VLLM_EXTRA_ARGS": "--api-key sk-second"},
        vllm="0.27.1",
    )
    assert sorted(item.code for item in found.findings) == [
        "disagreement",
        "platform-differs",
        "secret-moved",
    ]
    assert found.env["VLLM_API_KEY"] == "sk-second"
    assert "sk-" not in str(found.findings)


def test_further_tokens_that_beat_each_other() -> None:
    assert told({"VLLM_EXTRA_ARGS": "--max-model-len 6 --max-model-len 7"}) == [
        ("repeated-flag", "--max-model-len")
    ]


@pytest.mark.parametrize("vllm", ["0.6.6", "0.10.2", "0.27.1", "0.33.0"])
def test_a_file_that_vllm_never_opens(vllm: str) -> None:
    """`--config=FILE`, in every version."""
    assert told({"VLLM_EXTRA_ARGS": "--config=x.yaml"}, vllm=vllm) == [
        ("config-not-read", "--config")
    ]
    assert [
        (item.code, item.hint)
        for item in args_to_env(["m", "--config=x.yaml"], vllm=vllm).findings
        if item.code not in ("consumer-default", "older-consumer")
    ] == [("config-not-read", "Write `--config x.yaml`.")]


@pytest.mark.parametrize("text", ['["--port","80"]', "other", "other --seed 1"])
def test_a_token_for_no_flag_is_no_other_model(text: str) -> None:
    """In a variable for further tokens, behind a model that is named; a caller's own first token is
    one.
    """
    with pytest.raises(TranslationError) as caught:
        told({"VLLM_EXTRA_ARGS": text})
    assert [item.code for item in caught.value.findings if item.severity == "error"] == [
        "stray-token"
    ]
    assert env_to_args(BASE, extra=["other"]).argv == ["vllm", "serve", "other"]
    assert env_to_args({"VLLM_EXTRA_ARGS": "other --seed 1"}).argv == [
        "vllm",
        "serve",
        "other",
        "--seed=1",
    ]


def test_the_value_of_a_misspelt_flag_is_no_mistake_of_its_own() -> None:
    with pytest.raises(TranslationError) as caught:
        told({"VLLM_EXTRA_ARGS": "--tensor-paralel-size 2"})
    assert [(item.code, item.subject) for item in caught.value.findings] == [
        ("unknown-flag", "--tensor-paralel-size")
    ]


@pytest.mark.parametrize("vllm", ["0.6.6", "0.7.3"])
def test_a_file_names_no_model_where_the_version_wants_it_in_front(vllm: str) -> None:
    """`vllm serve --config FILE` is refused there."""
    with pytest.raises(TranslationError) as caught:
        env_to_args({"VLLM_CONFIG_FILE": "/x.yaml"}, vllm=vllm)
    assert [item.code for item in caught.value.findings] == ["missing-model"]
    assert env_to_args({"VLLM_CONFIG_FILE": "/x.yaml"}, vllm="0.8.5").argv == [
        "vllm",
        "serve",
        "--config",
        "/x.yaml",
    ]


@pytest.mark.parametrize(
    ("env", "value"),
    [
        ({"HF_OVERRIDES": '{"ropeScaling":1}', "HF_OVERRIDES__ropeScaling": "2"}, {"ropeScaling": 2}),
        ({"HF_OVERRIDES": '{"ropeScaling":1}', "HF_OVERRIDES__ROPESCALING": "2"}, {"ropeScaling": 2}),
        ({"HF_OVERRIDES": '{"a":{"LMCACHE":1}}', "HF_OVERRIDES__A__LMCACHE": "2"}, {"a": {"LMCACHE": 2}}),
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
