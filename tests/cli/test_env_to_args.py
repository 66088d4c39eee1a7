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
    from translator.cli.exits import UsageError
    from translator.cli.options import module_of
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
