"""The two translations as the contract has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tables import committed, files, flag, write

import translator
from translator import Finding, Tables, TranslationError, args_to_env, env_to_args
from translator.tables.catalog import shipped
from translator.text.json_text import loads


def test_the_example_of_the_contract() -> None:
    """Names, types and defaults."""
    done = env_to_args(
        {"MODEL_NAME": "m", "MAX_MODEL_LEN": "8k", "PATH": "/bin"}, vllm="0.27.1", dialect="runpod"
    )
    assert done.argv == ["vllm", "serve", "m", "--max-model-len=8000"]
    assert done.env == {"PATH": "/bin"}
    assert done.findings == ()
    back = args_to_env(done.argv, vllm="0.27.1", dialect="runpod")
    assert back.env == {"MODEL_NAME": "m", "MAX_MODEL_LEN": "8000"}
    assert back.findings == ()
    assert type(done.argv) is list
    assert type(done.env) is dict
    assert type(done.findings) is type(back.findings) is tuple
    assert issubclass(TranslationError, Exception)
    assert translator.__version__


def test_the_version_is_the_argument_then_the_variable_then_the_newest() -> None:
    """The library does not look for an installed vLLM: it reads nothing."""
    env = {"MODEL_NAME": "m", "TRANSLATE_VLLM_VERSION": "0.8.5"}
    assert env_to_args(env, vllm="0.9.2").version == "0.9.2"
    assert env_to_args(env).version == "0.8.5"
    newest = shipped().versions()[-1]
    assert env_to_args({"MODEL_NAME": "m"}).version == newest
    assert args_to_env(["m"]).version == newest
    assert args_to_env(["m"], env=env).version == "0.8.5"
    assert env_to_args({"MODEL_NAME": "m"}, vllm="v0.19.2+cu129").version == "0.19.1"


def test_groups_say_where_every_token_came_from() -> None:
    """For --explain."""
    settings = {"ENFORCE_EAGER": "no", "TASK": "embed", "VLLM_EXTRA_ARGS": "--seed 1"}
    env = {"MODEL_NAME": "m", "SPECULATIVE_CONFIG__METHOD": "ngram", **settings}
    done = env_to_args(env, vllm="0.27.1")
    groups = {" ".join(tokens): done.origins.get(flag, []) for flag, tokens in done._groups}
    assert groups["vllm serve m"] == ["MODEL_NAME"]
    assert groups["--no-enforce-eager"] == ["ENFORCE_EAGER"]
    assert groups["--runner=pooling"] == ["TASK"]
    assert groups['--speculative-config={"method":"ngram"}'] == ["SPECULATIVE_CONFIG__METHOD"]
    assert groups["--seed=1"] == ["VLLM_EXTRA_ARGS (--seed)"]
    assert [token for _, tokens in done._groups for token in tokens] == done.argv


def test_the_workers_defaults_are_added_where_nothing_is_set() -> None:
    """Each with its origin; what is set stays, and what the version does not take is left out."""
    done = env_to_args(
        {"MODEL_NAME": "m", "MAX_NUM_SEQS": "5"}, vllm="0.27.1", worker_defaults=True
    )
    assert "--gpu-memory-utilization=0.95" in done.argv
    assert "--max-num-seqs=5" in done.argv
    assert "--max-num-seqs=256" not in done.argv
    told = [item for item in done.findings if item.code == "worker-default"]
    assert "GPU_MEMORY_UTILIZATION" in [item.subject for item in told]
    assert "MAX_NUM_SEQS" not in [item.subject for item in told]
    for version in shipped().versions():
        argv = env_to_args({"MODEL_NAME": "m"}, vllm=version, worker_defaults=True).argv
        assert args_to_env(argv, vllm=version).env["MODEL_NAME"] == "m"


def test_a_users_own_tables_are_used(tmp_path: Path) -> None:
    """Instead of the shipped ones."""
    newest = committed(shipped().versions()[-1])
    newest["flags"].append(flag("--brand-new", "int"))
    tables = Tables.load(write(tmp_path, files({**newest, "version": "99.0.0"})))
    done = env_to_args({"MODEL_NAME": "m", "BRAND_NEW": "1"}, vllm="99.0.0", tables=tables)
    assert (done.argv, done.version, done.findings) == (
        ["vllm", "serve", "m", "--brand-new=1"],
        "99.0.0",
        (),
    )
    assert env_to_args({"MODEL_NAME": "m"}, tables=tables).version == "99.0.0"


def test_errors_carry_the_warnings_too() -> None:
    """Everything that there is to say, the errors among it."""
    env = {"DTYPE": "fp9", "TENSOR_PARALELL_SIZE": "2", "MAX_CONCURRENCY": "1"}
    with pytest.raises(TranslationError) as caught:
        env_to_args({"MODEL_NAME": "m", **env}, vllm="0.33.0")
    assert sorted(item.severity for item in caught.value.findings) == ["error", "info", "warning"]
    assert all(isinstance(item, Finding) for item in caught.value.findings)


def test_every_version_serves_a_model() -> None:
    """The smallest environment of all, there and back."""
    for vllm in shipped().versions():
        done = env_to_args({"MODEL_NAME": "org/m"}, vllm=vllm)
        assert (done.argv, done.env, done.findings) == (["vllm", "serve", "org/m"], {}, ()), vllm
        assert args_to_env(done.argv, vllm=vllm).env == {"MODEL_NAME": "org/m"}, vllm


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
    done = env_to_args({"MODEL_NAME": "m", **env}, vllm="0.27.1")
    assert loads(done.argv[-1].partition("=")[2]) == value
    assert bool(done.findings) == (len(env) > 1 or "False" in env.values())
