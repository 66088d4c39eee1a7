"""`translate env-to-args`, as a process."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from support.program import HOME, PYTHON, translate

ENV = {
    "MODEL_NAME": "org/m",
    "MAX_MODEL_LEN": "8k",
    "SERVED_MODEL_NAME": "a b",
    "VLLM_USE_DEEP_GEMM": "true",
    "HF_TOKEN": "hf_secretsecret",
    "OTHER": "x",
}
TOKENS = ["vllm", "serve", "org/m", "--max-model-len=8000", "--served-model-name=a b"]


def test_the_formats_say_the_same() -> None:
    assert shlex.split(translate("env-to-args", env=ENV).out) == TOKENS
    assert (
        shlex.split(
            translate("env-to-args", "--format", "multiline", env=ENV).out.replace("\\\n", "")
        )
        == TOKENS
    )
    assert translate("env-to-args", "--format=lines", env=ENV).out.splitlines() == TOKENS
    assert translate("env-to-args", "--format", "nul", env=ENV).out.split("\0") == [*TOKENS, ""]
    assert yaml.safe_load(translate("env-to-args", "--format", "yaml", env=ENV).out) == {
        "model": "org/m",
        "max-model-len": 8000,
        "served-model-name": ["a b"],
    }


def test_json_holds_the_argv_the_relevant_environment_and_the_findings() -> None:
    ran = translate("env-to-args", "--format", "json", env=ENV)
    told = json.loads(ran.out)
    assert list(told) == ["argv", "env", "findings"]
    assert told["argv"] == TOKENS
    assert told["env"] == {"VLLM_USE_DEEP_GEMM": "1", "HF_TOKEN": "hf_secretsecret"}
    assert [list(item) for item in told["findings"]] == [
        ["code", "severity", "subject", "message", "hint"]
    ]
    assert "info[repaired-variable]" in ran.err
    assert "hf_secret" not in ran.err


def test_errors_are_told_all_at_once_and_nothing_is_printed() -> None:
    env = {
        "MODEL_NAME": "m",
        "ENFORCE_EAGER": "maybe",
        "MAX_MODEL_LEN": "25.6K",
        "TENSOR_PARALLEL_SIZE": "two",
        "DTYPE": "fp9",
        "HF_OVERRIDES": '{"a":',
        "MAX_LORA_RANK": "7",
    }
    ran = translate("env-to-args", env=env)
    assert (ran.status, ran.out) == (1, "")
    assert all(name in ran.err for name in env if name != "MODEL_NAME")
    assert ran.err.count("error[") == 6


def test_exit_status() -> None:
    warned = {"MODEL_NAME": "m", "TENSOR_PARALELL_SIZE": "2"}
    assert translate("env-to-args", env=warned).status == 0
    ran = translate("env-to-args", "--strict", env=warned)
    assert (ran.status, ran.out) == (3, "vllm serve m\n")
    assert translate("env-to-args", "--strict", env=ENV).status == 0
    assert translate("env-to-args", "--vllm", "0.4", env=ENV).status == 1
    assert translate("env-to-args", "--dialect", "none", env=ENV).status == 1
    assert translate("env-to-args", "--", "x", env=ENV).status == 2
    assert translate("env-to-args", "--format", "xml", env=ENV).status == 2


def test_the_version() -> None:
    env = {"MODEL_NAME": "m", "ENABLE_PREFIX_CACHING": "0"}
    assert translate("env-to-args", env=env).out == "vllm serve m --disable-prefix-caching\n"
    assert (
        translate("env-to-args", "--vllm=0.8.5", env=env).out
        == "vllm serve m --no-enable-prefix-caching\n"
    )
    assert (
        translate("env-to-args", env={**env, "TRANSLATE_VLLM_VERSION": "0.8.5"}).out
        == "vllm serve m --no-enable-prefix-caching\n"
    )
    assert (
        translate(
            "env-to-args", "--vllm=0.33.0", env={**env, "TRANSLATE_VLLM_VERSION": "0.8.5"}
        ).out
        == "vllm serve m --disable-prefix-caching\n"
    )


def test_files_of_both_conventions(tmp_path: Path) -> None:
    first, second, literal = tmp_path / "a.env", tmp_path / "b.env", tmp_path / "docker.env"
    first.write_text(
        "# a comment\nexport MODEL_NAME='org/m'\nSERVED_MODEL_NAME=\"a\\nb\" #"
        " note\nBASE=/data\nDOWNLOAD_DIR=${BASE}/x\n"
    )
    second.write_text("MODEL_NAME=org/other\nTOKENIZER=${MODEL_NAME}\n")
    ran = translate(
        "env-to-args",
        "--env-file",
        str(first),
        "--env-file",
        str(second),
        "--format",
        "json",
        env={"MAX_MODEL_LEN": "1"},
    )
    assert json.loads(ran.out)["argv"] == [
        "vllm",
        "serve",
        "org/other",
        "--download-dir=/data/x",
        "--served-model-name=a\nb",
        "--tokenizer=org/other",
    ]
    literal.write_text("#x\n  MODEL_NAME=org/m\nREVISION='a b'\nMAX_MODEL_LEN\nNOT_THERE\n")
    ran = translate(
        "env-to-args",
        "--env-file",
        str(literal),
        "--env-file-format",
        "docker",
        "--format",
        "lines",
        env={"MAX_MODEL_LEN": "8k"},
    )
    assert ran.out.splitlines() == [
        "vllm",
        "serve",
        "org/m",
        "--max-model-len=8000",
        "--revision='a b'",
    ]
    assert (
        translate("env-to-args", "--env-file", "-", stdin=b"MODEL_NAME=x").out == "vllm serve x\n"
    )


def test_a_file_never_takes_values_from_the_environment(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("MODEL_NAME=${SECRET_OF_MINE}\nREVISION=${NOPE:-main}\nLINE='open\n")
    ran = translate(
        "env-to-args", "--env-file", str(path), env={"SECRET_OF_MINE": "hf_secretsecret"}
    )
    assert (ran.status, ran.out) == (1, "")
    assert "shell-variable" in ran.err
    assert "bad-env-file" in ran.err
    assert "hf_secret" not in ran.err


def test_explain_tells_where_tokens_come_from_and_what_became_of_variables(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text(
        "MODEL_NAME=m\n\nMAX_MODEL_LEN=8k\nMAX_CONCURRENCY=3\nENFORCE_EAGER=false\nREVISION=\nWHAT=1\nVLLM_EXTRA_ARGS=--port"
        " 80\n"
    )
    ran = translate("env-to-args", "--env-file", str(path), "--explain")
    assert "--max-model-len=8000  <- MAX_MODEL_LEN (line 3)" in ran.err
    assert "--port=80             <- VLLM_EXTRA_ARGS (--port)" in ran.err
    assert "MAX_CONCURRENCY (line 4): ignored" in ran.err
    assert "REVISION (line 6): empty: sets nothing" in ran.err
    assert "1 other variable" in ran.err
    assert (
        ran.out == "vllm serve m --max-model-len=8000 --port=80\n"
        or "--no-enforce-eager" in ran.out
        or "--disable" in ran.out
    )


def test_bytes_that_are_not_utf8_pass_unharmed() -> None:
    env = {b"PYTHONPATH": HOME.encode(), b"MODEL_NAME": b"m", b"SERVED_MODEL_NAME": b"a\xffb"}
    done = subprocess.run(
        [PYTHON, "-m", "translator", "env-to-args", "--format", "nul"],
        env=env,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"vllm\0serve\0m\0--served-model-name=a\xffb\0"
    done = subprocess.run(
        [PYTHON, "-m", "translator", "env-to-args", "--format", "json"],
        env=env,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["argv"][3] == "--served-model-name=a\udcffb"
    done = subprocess.run(
        [PYTHON, "-m", "translator", "env-to-args", "--format", "yaml"],
        env=env,
        capture_output=True,
        check=False,
    )
    assert yaml.safe_load(done.stdout.decode())["served-model-name"] == ["a\udcffb"]


def test_worker_defaults_and_json_style() -> None:
    assert (
        "--gpu-memory-utilization=0.95"
        in translate("env-to-args", "--worker-defaults", env={"MODEL_NAME": "m"}).out
    )
    out = translate(
        "env-to-args", "--json-style", "dotted", env={"MODEL_NAME": "m", "HF_OVERRIDES": '{"a": 1}'}
    ).out
    assert out == "vllm serve m --hf-overrides.a=1\n"


@pytest.mark.parametrize(
    "line",
    [
        "env-to-args --vllm 0.8.5 --format json",
        "env-to-args --vllm=0.8.5 --format=json --json-style=compact --env-file-format=dotenv",
        "env-to-args --dialect sagemaker",
        "args-to-env m --format json",
        "args-to-env",
        "check a.yaml - --vllm 0.8.5 --vllm=0.9..",
        "check --manifest a.yaml --fix targets",
        "convert --to 0.9.0 a b",
        "explain dtype seed",
        "diff 0.8.5 --format json 0.9.0",
        "completion zsh",
        "completion cmd",
        "diff 0.8.5",
        "diff 0.8.5 0.9.0 0.9.1",
        "check --vllm",
        "check --targets a",
        "env-to-args a",
    ],
)
def test_the_quick_reader_of_options_and_argparse_agree(line: str) -> None:
    from translator.cli import app
    from translator.cli.command import module_of
    from translator.cli.exits import UsageError
    from translator.text import options as quick

    command, *arguments = line.split()
    _, parsers = app.build(command)
    fast = quick.read(arguments, module_of(command).OPTIONS)
    try:
        slow = vars(parsers[command].parse_args(arguments))
    except UsageError:
        assert fast is None
    else:
        assert {name: getattr(fast, name) for name in slow} == slow


def test_files_may_stand_among_options(tmp_path: Path) -> None:
    """argparse takes those that stand together only."""
    first, last = tmp_path / "a.env", tmp_path / "b.env"
    for file in (first, last):
        file.write_text("MODEL_NAME=m\n")
    done = translate("check", str(first), "--vllm", "0.27.1", str(last), "--format", "json")
    assert (done.status, len(json.loads(done.out)["checked"])) == (0, 2)
    done = translate("check", str(first), "--vllm", "0.27.1", str(last), "--formt", "json")
    assert "arguments: --formt, json (did you mean --format?)" in done.err


def test_argparse_is_not_imported_for_plain_options() -> None:
    heavy = "{'argparse', 're', 'json', 'typing', 'attr', 'pathlib'}"
    code = (
        "import sys; from translator.cli import main; main(['env-to-args', '--format', 'json']);"
        f" print(sorted({heavy} & set(sys.modules)))"
    )
    env = {"PYTHONPATH": HOME, "MODEL_NAME": "m", "MAX_MODEL_LEN": "8k"}
    assert (
        subprocess.run(
            [PYTHON, "-c", code], env=env, capture_output=True, text=True, check=True
        ).stdout.splitlines()[-1]
        == "[]"
    )


SECRET = "hf_Pa55word0123"


@pytest.mark.parametrize(
    "content",
    [
        f"HF_TOKEN='{SECRET}",
        f"A=1\n{SECRET}\n",
        f"HF_TOKEN\n {SECRET}=\n",
        f"{SECRET} x\n",
        f"export {SECRET}",
        f"HF_TOKEN=a${{X}}{SECRET}",
        f'HF_TOKEN="{SECRET}" x"',
    ],
)
@pytest.mark.parametrize("form", ["dotenv", "docker"])
def test_a_broken_file_shows_no_secret(content: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text(content)
    ran = translate("env-to-args", "--explain", "--env-file", str(path), "--env-file-format", form)
    assert SECRET not in ran.err + ran.out
