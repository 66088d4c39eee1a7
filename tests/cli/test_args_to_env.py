"""`translate args-to-env` and `translate convert`, as processes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import yaml
from dotenv import dotenv_values
from support.program import translate

LINE = ["vllm", "serve", "org/m", "-tp", "2", "--max-model-len", "8k", "--served-model-name", "a b"]
ENV = {
    "MODEL_NAME": "org/m",
    "TENSOR_PARALLEL_SIZE": "2",
    "MAX_MODEL_LEN": "8000",
    "SERVED_MODEL_NAME": "a b",
}


def test_the_formats_say_the_same() -> None:
    assert dotenv_values(stream=io.StringIO(translate("args-to-env", "--", *LINE).out)) == ENV
    assert json.loads(translate("args-to-env", "--format", "json", "--", *LINE).out) == {
        "env": ENV,
        "findings": [],
    }
    assert {
        item["name"]: item["value"]
        for item in yaml.safe_load(translate("args-to-env", "--format", "k8s", "--", *LINE).out)[
            "env"
        ]
    } == ENV
    assert (
        dict(
            line.split("=", 1)
            for line in translate("args-to-env", "--format", "docker", "--", *LINE).out.splitlines()
        )
        == ENV
    )
    assert (
        "export SERVED_MODEL_NAME='a b'\n"
        in translate("args-to-env", "--format", "shell", "--", *LINE).out
    )


# --- convert --------------------------------------------------------------------------------------


def test_convert_a_command_line() -> None:
    ran = translate(
        "convert",
        "--from",
        "0.10.2",
        "--to",
        "0.33.0",
        "--",
        "VLLM_ATTENTION_BACKEND=FLASHINFER",
        "vllm",
        "serve",
        "m",
        "--task",
        "embed",
        "--swap-space",
        "4",
        "-tp",
        "2",
    )
    assert (
        ran.out == "vllm serve m --attention-backend=FLASHINFER --convert=embed --runner=pooling"
        " --tensor-parallel-size=2\n"
    )
    assert ran.err.count("warning[") == 3
    back = translate("convert", "--from", "0.33.0", "--to", "0.10.2", "--", *ran.out.split())
    assert "VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve" in back.out


def test_convert_variables(tmp_path: Path) -> None:
    path = tmp_path / "old.env"
    path.write_text(
        "MODEL_NAME=m\nTASK=embed\nMAX_MODEL_LEN=8192\nVLLM_ATTENTION_BACKEND=FLASHINFER\nHF_TOKEN=hf_secretsecret\nMAX_CONCURRENCY=3\nMINE=x\n"
    )
    ran = translate("convert", "--from", "0.10.2", "--to", "0.33.0", "--env-file", str(path))
    assert dict(dotenv_values(stream=io.StringIO(ran.out))) == {
        "MODEL_NAME": "m", "RUNNER": "pooling", "CONVERT": "embed", "MAX_MODEL_LEN": "8192", "ATTENTION_BACKEND": "FLASHINFER", "HF_TOKEN": "hf_secretsecret",
        "MAX_CONCURRENCY": "3", "MINE": "x",
    }  # fmt: skip
    assert "secretsecret" not in ran.err


def test_a_file_that_names_its_version_is_read_for_it_and_names_the_new_one(tmp_path: Path) -> None:
    """The old version stayed in the new file, whose reader would have taken it for a file of that
    version.
    """
    path = tmp_path / "old.env"
    path.write_text("TRANSLATE_VLLM_VERSION=0.12.0\nMODEL_NAME=m\nTASK=embed\n")
    ran = translate("convert", "--to", "0.33.0", "--env-file", str(path))
    assert (ran.status, ran.out.split()) == (
        0,
        ["CONVERT=embed", "MODEL_NAME=m", "RUNNER=pooling", "TRANSLATE_VLLM_VERSION=0.33.0"],
    )
    assert "info[repaired-variable]" in ran.err
    path.write_text(
        "TRANSLATE_VLLM_VERSION=0.12.0\nMODEL_NAME=m\nCONVERT=embed\n"
    )  # 0.9.2 has no --convert, 0.12.0 has
    assert (
        "needs vLLM 0.10.1 or newer, not 0.9.2"
        in translate("convert", "--from", "0.9.2", "--to", "0.33.0", "--env-file", str(path)).err
    )
    assert translate("convert", "--to", "0.12.0", "--env-file", str(path)).err == ""
    ran = translate(
        "convert",
        "--to",
        "0.33.0",
        "--",
        "TRANSLATE_VLLM_VERSION=0.12.0",
        "vllm",
        "serve",
        "m",
        "--task",
        "embed",
    )
    assert (
        ran.out == "TRANSLATE_VLLM_VERSION=0.33.0 vllm serve m --convert=embed --runner=pooling\n"
    )
    path.write_text("TRANSLATE_VLLM_VERSION=latest\nMODEL_NAME=m\n")
    ran = translate("convert", "--env-file", str(path))
    assert (ran.status, ran.out) == (1, "")
    assert "bad-version" in ran.err
