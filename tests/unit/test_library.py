"""The public calls beside the two translations."""

from __future__ import annotations

import copy
import doctest
import pickle
from pathlib import Path

import pytest

import translator
from translator import (
    Finding,
    Tables,
    Translation,
    TranslationError,
    Variables,
    args_to_env,
    check,
    convert,
    dialects,
    env_to_args,
    explain,
    flags,
    library,
    versions,
)
from translator.api import translate

ACME = """
[dialect]
name = "acme"
reader = "Acme's image"
sources = ["https://acme.example/llm"]
prefix = "ACME_"
[[variable]]
name = "ACME_CONTEXT"
role = "flag"
flag = "--max-model-len"
"""


def test_the_examples_of_the_docstrings() -> None:
    for module in (translator, library, translate):
        assert doctest.testmod(module, extraglobs=vars(translator)).failed == 0


def test_variables_are_converted() -> None:
    done = convert({"MODEL_NAME": "m", "SWAP_SPACE": "4"}, "0.8.5", "0.33.0")
    assert isinstance(done, Variables)
    codes = dict.fromkeys(item.code for item in done.findings)
    assert (done.env, list(codes)) == ({"MODEL_NAME": "m"}, ["dropped", "default-changed"])


def test_a_command_line_is_converted() -> None:
    """To a command line, or to variables of another platform."""
    argv = ["vllm", "serve", "m", "--task", "embed"]
    done = convert(argv, "0.12.0", "0.33.0")
    assert isinstance(done, Translation)
    assert done.argv == ["vllm", "serve", "m", "--convert=embed", "--runner=pooling"]
    there = convert(argv, "0.12.0", "0.33.0", to_dialect="sagemaker", to_variables=True)
    assert isinstance(there, Variables)
    assert there.env["SM_VLLM_RUNNER"] == "pooling"


def test_explain_knows_every_kind_of_name() -> None:
    for name in ("--max-model-len", "MAX_MODEL_LEN", "VLLM_USE_V1", "bad-json"):
        text = explain(name, "0.33.0")
        assert text is not None
        assert text.startswith((name, "--max-model-len"))
    assert explain("no such thing at all") is None


def test_what_there_is() -> None:
    assert versions()[0] == "0.5.2"
    assert "0.33.0" in versions()
    assert {"runpod", "sagemaker", "lmi"} <= set(dialects())
    assert {item["flag"] for item in flags("0.33.0")} > {"--max-model-len", "--port"}
    with pytest.raises(TranslationError):
        flags("latest")


def test_own_tables_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "dialects").mkdir()
    (tmp_path / "dialects" / "acme.toml").write_text(ACME)
    tables = Tables.load(tmp_path)
    assert "acme" in dialects(tables)
    env = {"ACME_CONTEXT": "8k"}
    done = env_to_args(env, "0.33.0", "acme", tables=tables)
    assert done.argv == ["vllm", "serve", "--max-model-len=8000"]
    (tmp_path / "dialects" / "acme.toml").write_text(ACME.replace('"flag"', '"flg"'))
    with pytest.raises(Exception, match=r"acme\.toml"):
        Tables.load(tmp_path)


@pytest.mark.parametrize(
    "value",
    [
        env_to_args({"MODEL_NAME": "m", "SEED": "1", "MAX_CONCURRENCY": "3"}, "0.33.0"),
        args_to_env(["m", "--seed", "1", "--middleware", "a", "--middleware", "b"], "0.33.0"),
        check({"DTYPE": "fp9"}, "0.33.0"),
    ],
    ids=["Translation", "Variables", "findings"],
)
def test_results_are_values(value: object) -> None:
    """Equal, copied, pickled; shown without what may be secret."""
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert value != 1
    assert "fp9" in repr(value) or " findings)" in repr(value)


def test_a_secret_is_in_no_repr() -> None:
    env = {"MODEL_NAME": "m", "HF_TOKEN": "hf_secret", "S3": "x"}
    assert "hf_secret" not in repr(env_to_args(env, "0.33.0"))
    assert "sk-secret" not in repr(args_to_env(["m", "--api-key", "sk-secret"], "0.33.0"))


@pytest.mark.parametrize("style", ["dots", "", 1, None])
def test_an_unknown_style_is_an_error(style: object) -> None:
    with pytest.raises(TranslationError) as raised:
        env_to_args({"MODEL_NAME": "m"}, "0.33.0", json_style=style)  # type: ignore[arg-type]
    assert isinstance(raised.value.findings[0], Finding)
    assert raised.value.findings[0].subject == "json_style"
