"""`translate check FILE`: what a file refers to, and what is said all the same where that is not
known.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.program import codes, translate

COMPOSE = """services:
  llm:
    image: vllm/vllm-openai:v0.19.1
    command: --model ${M:-m} --max-model-len ${LEN} --seed x
    environment: {HF_HOME: "${CACHE}"}
"""


POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "llm"},
    "spec": {
        "containers": [
            {
                "name": "vllm",
                "image": "vllm/vllm-openai:v0.19.1",
                "args": ["--model", "m", "--seed", "1", "--served-model-name", "\U0001f600"],
                "env": [{"name": "HF_HOME", "value": "/x"}],
            }
        ]
    },
}


@pytest.mark.parametrize(("name", "indent"), [("p.json", None), ("p.yaml", 4), ("p.json", "\t")])
@pytest.mark.parametrize(
    "whole",
    [
        POD,
        {"apiVersion": "v1", "kind": "List", "items": [POD]},
        [POD],
        {"services": {"a": POD["spec"]["containers"][0]}},
    ],
)
def test_a_manifest_in_json(
    name: str, indent: int | str | None, whole: object, tmp_path: Path
) -> None:
    """`kubectl get -o json` was taken for a shell script."""
    path = tmp_path / name
    text = json.dumps(whole, indent=indent)
    if "services" in text:
        text = text.replace('"args"', '"command"').replace('"env"', '"labels"')
    path.write_text(text)
    for arguments in ([str(path)], ["--manifest", str(path)]):
        ran = translate("check", *arguments)
        assert (ran.status, codes(ran.out)) == (0, [])
        assert "vLLM 0.19.1" in ran.err
    ran = translate("args-to-env", "--file", str(path))
    assert (ran.status, "SEED=1\n" in ran.out, "\U0001f600" in ran.out) == (0, True, True)
    path.write_text(text.replace('"1"', '"x"'))
    ran = translate("check", str(path))
    assert codes(ran.out) == [("error", "bad-integer")]
    path.write_text(text[: len(text) // 2])
    ran = translate("check", str(path))
    assert (ran.status, "not YAML" in ran.err) == (2, True)


def test_the_env_file_beside_a_compose_file(tmp_path: Path) -> None:
    """Compose reads it; the process's own variables and `--env-file` win."""
    path, beside, given = tmp_path / "c.yaml", tmp_path / ".env", tmp_path / "given.env"
    path.write_text(COMPOSE.replace(" --seed x", ""))
    assert "`$CACHE`, `$LEN` are known only where" in translate("check", str(path)).out
    beside.write_text("LEN=8000x\nCACHE=/x\n")
    ran = translate("check", str(path))
    assert (codes(ran.out), "value-not-known" in ran.out) == ([("error", "bad-integer")], False)
    assert codes(translate("check", str(path), env={"LEN": "8000"}).out) == []
    given.write_text("LEN=8000\n")
    assert codes(translate("check", str(path), "--env-file", str(given)).out) == []
    beside.write_bytes(b"\xff")
    assert translate("check", str(path)).status == 2


# The forms of public scripts: a server that a function starts twice on one of two paths, another
# environment's program, a name of our own for the binary, and what a script does beside all that.
SCRIPT = """#!/bin/bash
set -euo pipefail
PORT=8000
launch() {
  local quant=(); [[ -n "$QUANT" ]] && quant=(--quantization "$QUANT")
  echo "$1 on $2"
  vllm serve "$1" --served-model-name "$2" --port $PORT --dtype $DTYPE "${quant[@]}" --foo >"$LOG" 2>&1 &
}
launch org/a a
launch org/b b
VLLM_USE_V1=0
VLLM_BIN=/opt/bin/vllm
nohup "$CONDA_EXE" run -n vllm bash -c "vllm serve org/c --config /opt/c.yaml --bar" | tee log
doppler run --config prd -- vllm serve org/d --baz
"""


def test_a_script_is_told_what_is_wrong_and_nothing_beside_it(tmp_path: Path) -> None:
    """What stands around a command was told as if it had been pasted, each finding once for every
    path and server of a line, and each value that is not known.
    """
    path = tmp_path / "s.sh"
    path.write_text(SCRIPT)
    ran = translate("check", str(path), "--vllm", "0.27.1")
    told = [
        line.split("]")[0] + line[line.index("`") :].split(" is ")[0]
        for line in ran.out.splitlines()
    ]
    assert [item.removeprefix(str(path)) for item in told] == [
        ":7:86: error[unknown-flag`--foo`",
        ":7:15: info[value-not-known`$1`, `$2`, `$DTYPE`, `${quant[@]}` are known only where the command runs: their values are not checked.",
        ":13:79: error[unknown-flag`--bar`",
        ":11:1: info[cut-off`VLLM_USE_V1=…` sets a variable of the shell, which vLLM does not see. (Write `export` in front of it if vLLM needs it.)",
        ":13:67: info[config-file-kept`--config /opt/c.yaml` cannot be read here and stays a file. (Make sure that it exists where vLLM runs.)",
        ":14:46: error[unknown-flag`--baz`",
    ]
    assert len(ran.err.splitlines()) == 3


def test_what_containers_have_in_common_is_told_once(tmp_path: Path) -> None:
    """A variable of all presets was told for each of them."""
    path = tmp_path / "hub.json"
    config = {
        "env": [{"key": name, "value": "x"} for name in ("MODEL_NAME", "SEED")],
        "presets": [{"name": "a", "defaults": {}}, {"name": "b", "defaults": {"SEED": "y"}}],
    }
    path.write_text(json.dumps({"config": config}))
    ran = translate("check", str(path), "--vllm", "0.33.0")
    assert [line.count("`SEED=x`") for line in ran.out.splitlines() if "error" in line] == [1, 0]
    assert ran.err.count("1 error, 1 of them above") == 1


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    """In a folder, or of a pattern; one that the command line names has to be readable."""
    (tmp_path / "good.sh").write_text("vllm serve m --seed x\n")
    (tmp_path / "latin.sh").write_bytes(b"# \xfc\nvllm serve m\n")
    (tmp_path / "nul.json").write_bytes(b"vllm\0serve")
    os.mkfifo(tmp_path / "pipe.yaml")  # nobody writes to it
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    for target in (str(tmp_path), str(tmp_path / "*.*")):
        ran = translate("check", target)
        assert (ran.status, codes(ran.out)) == (1, [("error", "bad-integer")])
        assert "2 of 3 files cannot be read: " in ran.err
        assert "latin.sh: not UTF-8" in ran.err
    ran = translate("check", str(tmp_path / "good.sh"), str(tmp_path / "latin.sh"))
    assert (ran.status, ran.out) == (2, "")
    assert "latin.sh: not UTF-8" in ran.err
    ran = translate("check", str(tmp_path / "no*such"))
    assert (ran.status, "No such file" in ran.err) == (2, True)


def test_a_secret_of_one_container_is_masked_in_findings_about_another(tmp_path: Path) -> None:
    """What is equal to a secret of the same file, whichever container has it."""
    services = """services:
  one:
    image: vllm/vllm-openai:v0.27.1
    environment: {HF_TOKEN: correct-horse-battery}
    command: --model m
  two:
    image: vllm/vllm-openai:v0.27.1
    command: --model m --dtype correct-horse-battery
"""
    (tmp_path / "compose.yaml").write_text(services)
    ran = translate("check", "compose.yaml", cwd=tmp_path)
    assert "--dtype ***" in ran.out
    assert "horse" not in ran.out + ran.err


def test_a_web_applications_env_file_is_not_vllms(tmp_path: Path) -> None:
    """SEED and ALLOWED_ORIGINS were errors, and --fix rewrote the second."""
    path = tmp_path / ".env"
    path.write_text("SEED=abc\nALLOWED_ORIGINS=http://localhost:3000\n")
    for options in ((), ("--fix",)):
        ran = translate("check", *options, str(path))
        assert (ran.status, ran.out) == (0, "")
        assert "nothing in it starts vLLM" in ran.err
    assert path.read_text() == "SEED=abc\nALLOWED_ORIGINS=http://localhost:3000\n"
    path.write_text("SEED=abc\nMAX_MODEL_LEN=8k\n")
    assert translate("check", str(path)).status == 1
