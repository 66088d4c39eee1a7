"""`translate env-to-args`, as a process."""

from __future__ import annotations

import json
import subprocess

import pytest
import yaml
from support.program import HOME, PYTHON


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
