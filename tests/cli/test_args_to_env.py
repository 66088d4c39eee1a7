"""`translate args-to-env` and `translate convert`, as processes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
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


def test_the_command_from_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "serve.sh"
    path.write_text("#!/bin/bash\nvllm serve org/m \\\n  --port 80\n")
    wanted = translate("args-to-env", "--", "vllm", "serve", "org/m", "--port", "80").out
    assert wanted
    assert translate("args-to-env", "vllm serve org/m --port 80").out == wanted
    assert translate("args-to-env", "--", "vllm serve org/m --port 80").out == wanted
    assert translate("args-to-env", "--file", str(path)).out == wanted
    assert translate("args-to-env", "--file", "-", stdin=path.read_bytes()).out == wanted
    assert translate("args-to-env", stdin=path.read_bytes()).out == wanted
    assert translate("args-to-env", "--", "org/m", "--port", "80").out == wanted
    assert translate("args-to-env").status == 2
    assert translate("args-to-env", "--file", str(path), "vllm serve x").status == 2
    assert translate("args-to-env", "--file", str(tmp_path / "none")).status == 2


def test_the_image_gives_the_version() -> None:
    line = (
        "docker run -e HF_TOKEN=hf_secretsecret vllm/vllm-openai:v0.8.5 --model org/m"
        " --no-enable-prefix-caching"
    )
    ran = translate("args-to-env", "--format", "json", line)
    told = json.loads(ran.out)
    assert told["env"] == {
        "MODEL_NAME": "org/m",
        "ENABLE_PREFIX_CACHING": "false",
        "HF_TOKEN": "hf_secretsecret",
    }
    assert "vLLM 0.8.5" in ran.err
    assert "hf_secret" not in ran.err
    assert translate("args-to-env", "--vllm", "0.33.0", line).status == 0


def test_shell_variables(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("MODEL=org/m\n")
    ran = translate("args-to-env", "vllm serve $MODEL", env={"MODEL": "leaked"})
    assert (ran.status, ran.out) == (1, "")
    assert "$MODEL" in ran.err
    assert (
        translate("args-to-env", "--env-file", str(path), "vllm serve $MODEL").out
        == "MODEL_NAME=org/m\n"
    )


def test_secrets_go_to_their_variables_and_nowhere_else() -> None:
    ran = translate(
        "args-to-env",
        "--explain",
        "--",
        *LINE[:3],
        "--api-key",
        "sk-secretsecret",
        "--hf-token=hf_secretsecret",
    )
    assert "VLLM_API_KEY=sk-secretsecret" in ran.out
    assert "HF_TOKEN=hf_secretsecret" in ran.out
    assert "secretsecret" not in ran.err
    ran = translate(
        "args-to-env", "--", *LINE[:3], "--api-key", "sk-secretsecret", "--wat=sk-secretsecret"
    )
    assert ran.status == 1


def test_config_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("model: org/m\nport: 80\nenforce-eager: true\nenable-prefix-caching: false\n")
    for arguments in (["--config", str(path)], ["--", "vllm", "serve", "--config", str(path)]):
        ran = translate("args-to-env", "--format", "json", "--vllm", "0.19.1", *arguments)
        assert json.loads(ran.out)["env"] == {
            "MODEL_NAME": "org/m",
            "ENFORCE_EAGER": "true",
            "VLLM_EXTRA_ARGS": "--port=80",
        }
        assert "config-false" in ran.err
    assert (
        "--port=81"
        in translate(
            "args-to-env", "--config", str(path), "--", "vllm", "serve", "org/m", "--port", "81"
        ).out
    )
    assert (
        translate(
            "args-to-env", "--", "vllm", "serve", "m", "--config", str(tmp_path / "none.yaml")
        ).status
        == 1
    )
    ran = translate(
        "args-to-env", "docker run vllm/vllm-openai:v0.19.1 org/m --config /etc/none.yaml"
    )
    assert "VLLM_CONFIG_FILE=/etc/none.yaml" in ran.out
    assert "config-file-kept" in ran.err


def test_refusals() -> None:
    ran = translate(
        "args-to-env", "--", "vllm", "serve", "m", "--max-modle-len", "1", "--max-num-seqs", "x"
    )
    assert (ran.status, ran.out) == (1, "")
    assert "--max-model-len" in ran.err
    assert (
        translate(
            "args-to-env",
            "--format",
            "docker",
            "--",
            "vllm",
            "serve",
            "m",
            "--chat-template",
            "a\nb",
        ).status
        == 1
    )
    assert (
        translate(
            "args-to-env",
            "--format",
            "dotenv",
            "--",
            "vllm",
            "serve",
            "m",
            "--chat-template",
            "a\nb",
        ).out
        == 'CHAT_TEMPLATE="a\\nb"\nMODEL_NAME=m\n'
    )


def test_a_line_of_an_older_vllm() -> None:
    line = ["--", "vllm", "serve", "m", "--task", "embed"]
    for arguments in ([], ["--from", "0.10.2"]):
        ran = translate("args-to-env", *arguments, *line)
        assert ran.out == "CONVERT=embed\nMODEL_NAME=m\nRUNNER=pooling\n"
        assert "carried" in ran.err
    assert translate("args-to-env", "--strict", *line).status == 3
    assert translate("args-to-env", "--from", "0.33.0", *line).status == 1


def test_explain() -> None:
    ran = translate(
        "args-to-env", "--explain", "--", *LINE, "--middleware", "a.b", "--middleware", "c"
    )
    assert "TENSOR_PARALLEL_SIZE  <- -tp" in ran.err
    assert "VLLM_EXTRA_ARGS       <- --middleware" in ran.err


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


def test_convert_to_the_same_version_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("MAX_MODEL_LEN=8192\nMODEL_NAME=m\n")
    ran = translate("convert", "--to", "0.19.1", "--env-file", str(path))
    assert (ran.out, ran.err) == ("MAX_MODEL_LEN=8192\nMODEL_NAME=m\n", "")


@pytest.mark.parametrize("form", ["lines", "nul", "yaml"])
def test_a_form_without_a_place_for_variables_says_which_it_leaves_out(form: str) -> None:
    ran = translate(
        "convert",
        "--format",
        form,
        "--",
        "VLLM_LOGGING_LEVEL=DEBUG",
        "vllm",
        "serve",
        "m",
        "--api-key",
        "sk-secretsecret",
    )
    assert ran.status == 0
    assert "DEBUG" not in ran.out + ran.err
    for name in ("VLLM_LOGGING_LEVEL", "VLLM_API_KEY"):
        assert f"warning[not-in-file]: `--format {form}` has no place for `{name}`" in ran.err
    assert translate("convert", "--format", form, "--", "vllm", "serve", "m").err == ""


def test_other_forms_of_a_command_line_hold_its_variables() -> None:
    line = ["A=1", "B=2 3", "vllm", "serve", "m", "--seed", "1"]
    assert (
        translate("convert", "--format", "shell", "--", *line).out
        == "A=1 B='2 3' vllm serve m --seed=1\n"
    )
    assert (
        translate("convert", "--format", "multiline", "--", *line).out
        == "A=1 B='2 3' \\\n  vllm serve m \\\n  --seed=1\n"
    )
    assert json.loads(translate("convert", "--format", "json", "--", *line).out)["env"] == {
        "A": "1",
        "B": "2 3",
    }


def test_a_name_that_is_none_for_a_shell_is_not_put_in_front_of_a_command() -> None:
    """docker takes any name; in front of a command, this one would be a command of its own."""
    line = ["docker", "run", "-e", "A;touch x;B=1", "vllm/vllm-openai:v0.33.0", "--model", "m"]
    ran = translate("convert", "--", *line)
    assert (ran.status, ran.out) == (1, "")
    assert (
        "error[cannot-be-said]: `--format shell` cannot hold a variable called `A;touch x;B`."
        in ran.err
    )
    assert json.loads(translate("convert", "--format", "json", "--", *line).out)["env"] == {
        "A;touch x;B": "1"
    }


def test_convert_keeps_secrets_off_the_command_line() -> None:
    ran = translate(
        "convert", "--from", "0.10.2", "--", "vllm", "serve", "m", "--api-key", "sk-secretsecret"
    )
    assert ran.out == "VLLM_API_KEY=sk-secretsecret vllm serve m\n"
    assert "secretsecret" not in ran.err


def test_explain_shows_no_secret() -> None:
    ran = translate(
        "args-to-env",
        "--explain",
        "--",
        "vllm",
        "serve",
        "m",
        '--kv-transfer-config={"kv_connector_extra_config":{"password":"sk-secretsecret"}}',
        "--api-key=sk-secretsecret",
        "--hf-overrides.token=sk-secretsecret",
    )
    assert ran.status == 0
    assert "secretsecret" not in ran.err


def test_convert_refuses() -> None:
    assert translate("convert", "--to", "0.33.0").status == 2
    assert (
        translate(
            "convert", "--from", "0.8.5", "--", "vllm", "serve", "m", "--runner", "pooling"
        ).status
        == 1
    )
    assert translate("convert", "--format", "dotenv", "--", "vllm", "serve", "m").status == 2
    assert translate("convert", "--from", "nope", "--", "vllm", "serve", "m").status == 1
    assert json.loads(translate("convert", "--format", "json", "--", "vllm", "serve", "m").out)[
        "argv"
    ] == ["vllm", "serve", "m"]
