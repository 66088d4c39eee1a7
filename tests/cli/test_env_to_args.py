"""`translate env-to-args`, as a process."""

import json
import subprocess

import pytest
import yaml
from support.program import HOME, PYTHON

from translator import options as quick
from translator.cli import app
from translator.cli.options import module_of
from translator.core.findings import UsageError


@pytest.mark.parametrize("form", ["nul", "json", "yaml"])
def test_bytes_that_are_not_utf8_pass_unharmed(form: str) -> None:
    env = {b"PYTHONPATH": HOME.encode(), b"MODEL_NAME": b"m", b"SERVED_MODEL_NAME": b"a\xffb"}
    command = [PYTHON, "-m", "translator", "env-to-args", "--format", form]
    written = subprocess.run(command, env=env, capture_output=True, check=False).stdout
    if form == "nul":
        assert written == b"vllm\0serve\0m\0--served-model-name=a\xffb\0"
    elif form == "json":
        assert json.loads(written)["argv"][3] == "--served-model-name=a\udcffb"
    else:
        assert yaml.safe_load(written.decode())["served-model-name"] == ["a\udcffb"]


@pytest.mark.parametrize(
    "line",
    [
        "env-to-args --vllm 0.8.5 --format json",
        "env-to-args --vllm=0.8.5 --format=json --json-style=compact --env-file-format=dotenv",
        "env-to-args --dialect sagemaker", "args-to-env m --format json", "args-to-env",
        "check a.yaml - --vllm 0.8.5 --vllm=0.9..", "check --env-file a.env --fix targets",
        "convert --to 0.9.0 a b", "explain dtype seed", "diff 0.8.5 --format json 0.9.0",
        "completion zsh", "completion cmd", "diff 0.8.5", "diff 0.8.5 0.9.0 0.9.1", "check --vllm",
        "check --targets a", "env-to-args a",
    ],
)  # fmt: skip
def test_the_quick_reader_of_options_and_argparse_agree(line: str) -> None:

    command, *arguments = line.split()
    _, parsers = app.build(command)
    fast = quick.read(arguments, module_of(command).OPTIONS)
    try:
        slow = vars(parsers[command].parse_args(arguments))
    except UsageError:
        assert isinstance(fast, str)
    else:
        assert {name: getattr(fast, name) for name in slow} == slow
