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

from translator.cli.processes import spread

COMPOSE = """services:
  llm:
    image: vllm/vllm-openai:v0.19.1
    command: --model ${M:-m} --max-model-len ${LEN} --seed x
    environment: {HF_HOME: "${CACHE}"}
"""


def test_the_variables_of_a_file_are_what_a_command_refers_to(tmp_path: Path) -> None:
    """They were checked by themselves, while the command's were not known: the hint told to do what
    had been done.
    """
    script, variables, compose = tmp_path / "s.sh", tmp_path / "l.env", tmp_path / "c.yaml"
    script.write_text("vllm serve m --max-model-len $LEN\n")
    compose.write_text(COMPOSE.replace(" --seed x", ""))
    variables.write_text("LEN=8000\nCACHE=/x\n")
    for path in (script, compose):
        ran = translate("check", str(path), "--env-file", str(variables))
        assert (ran.status, codes(ran.out), len(ran.err.splitlines())) == (0, [], 1)
    variables.write_text("LEN=8000x\nCACHE=/x\n")
    for path in (script, compose):
        ran = translate("check", str(path), "--env-file", str(variables))
        assert codes(ran.out) == [("error", "bad-integer")]
    variables.write_text("'LEN\n")
    ran = translate("check", str(script), "--env-file", str(variables))
    assert f"{variables}: error[bad-env-file]" in ran.out


def test_files_of_variables_are_checked_each(tmp_path: Path) -> None:
    for name in ("a.env", "b.env"):
        (tmp_path / name).write_text("MODEL_NAME=m\nSEED=x\n")
    ran = translate("check", str(tmp_path / "a.env"), "--env-file", str(tmp_path / "b.env"))
    assert codes(ran.out) == [("error", "bad-integer")] * 2


def test_what_is_not_known_hides_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(COMPOSE)
    ran = translate("check", str(path))
    assert (ran.status, codes(ran.out)) == (
        1,
        [("error", "bad-integer")],
    )
    assert "--seed x" in ran.out
    assert "`$CACHE`, `$LEN` are known only where" in ran.out
    assert "vLLM 0.19.1" in ran.err
    path = tmp_path / "s.sh"
    path.write_text("vllm serve m --max-model-len $LEN --seed x --port $(cat port)\n")
    ran = translate("check", str(path))
    assert codes(ran.out) == [
        ("error", "bad-integer"),
    ]
    path = tmp_path / "ours.yaml"
    path.write_text(
        "services: {a: {image: x, command: --port 8x, environment: {MODEL_NAME: $M, MAX_MODEL_LEN: 8k, SEED: x}}}\n"
    )
    ran = translate("check", str(path))
    assert codes(ran.out) == [
        ("error", "bad-integer"),
        ("error", "bad-integer"),
    ]
    assert translate("args-to-env", "--file", str(path)).status == 1


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


@pytest.mark.parametrize("form", ["dotenv", "docker"])
def test_a_variable_that_is_set_twice(form: str, tmp_path: Path) -> None:
    path = tmp_path / "x.env"
    path.write_text(
        "MODEL_NAME=m\nSEED=1\nMODEL_NAME=n\nSEED=1\nHF_TOKEN=hf_secretsecret1\nHF_TOKEN=hf_secretsecret2\n"
    )
    for command in ("check", "env-to-args"):
        ran = translate(command, "--env-file", str(path), "--env-file-format", form)
        assert ran.status == 0
        told = ran.out + ran.err
        assert codes(told) == [("warning", "repeated-variable")] * 2
        assert f"{path}, line 3: `MODEL_NAME` overrides the different value of line 1." in told
        assert "secretsecret" not in told
    path.write_text("MODEL_NAME=m\nMODEL_NAME=org/${MODEL_NAME}\n")
    assert codes(translate("check", "--env-file", str(path)).out) == []


def test_a_value_of_a_secret_may_be_anything_that_its_flag_takes(tmp_path: Path) -> None:
    """`--port=$(PORT)` of a ConfigMap was "not an integer"."""
    path = tmp_path / "p.yaml"
    path.write_text("""apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.19.1
    args: [--model=$(MODEL), --port=$(PORT), --max-model-len, $(LEN), --seed, "1"]
    env:
    - {name: PORT, valueFrom: {configMapKeyRef: {name: c, key: port}}}
    - {name: MODEL, valueFrom: {configMapKeyRef: {name: c, key: model}}}
    - {name: LEN, value: "8000"}
""")
    ran = translate("check", str(path))
    assert (ran.status, {item for item in codes(ran.out) if item[0] == "error"}) == (0, set())
    path.write_text(path.read_text().replace('"1"', "x"))
    assert ("error", "bad-integer") in codes(translate("check", str(path)).out)
    path.write_text(path.read_text().replace("$(PORT)", "$(NOWHERE)"))
    assert codes(translate("check", str(path)).out).count(("error", "bad-integer")) == 2


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


@pytest.mark.parametrize(
    "line",
    [
        "doppler run --config prd -- vllm serve m --foo",
        "$TOOL run -n vllm vllm serve m --foo",
        "mytool vllm serve m --foo",
        "srun --container-name vllm vllm serve m --foo",
    ],
)
def test_a_program_that_is_not_known_may_start_vllm(line: str) -> None:
    """Its words were arguments of vLLM's, and refused one by one."""
    ran = translate("check", "--vllm", "0.33.0", "--", line)
    assert codes(ran.out) == [("error", "unknown-flag")]
    assert codes(translate("check", "--", "m --served-model-name vllm serve").out) == []


def test_the_remedy_of_a_removed_flag_with_a_models_own_keys() -> None:
    """Nobody was told what to write: the keys of a model's configuration were not known, and hid
    the remedy with them.
    """
    value = '{"rope_type":"yarn","original_max_position_embeddings":32768}'
    ran = translate(
        "check", "--vllm", "0.33.0", "--", "vllm", "serve", "m", "--rope-scaling", value
    )
    assert f"Use `--hf-overrides.rope_parameters '{value}'`." in ran.out
    value = '{"rope_type":"yarn","zorkquibblefrotz":"abcdefghijklmnopq"}'
    ran = translate(
        "check", "--vllm", "0.33.0", "--", "vllm", "serve", "m", "--rope-scaling", value
    )
    assert f"Use `--hf-overrides.rope_parameters '{value}'`." in ran.out


def test_a_variable_from_where_the_command_runs_is_no_mistake() -> None:
    """And of one that vLLM does not read there is nothing to tell."""
    for name, told in (("VLLM_LOGGING_LEVEL", True), ("HF_TOKEN", False)):
        line = f"docker run -e {name}=${name} vllm/vllm-openai:v0.10.2 m"
        ran = translate("check", "--", line)
        assert codes(ran.out) == []
        assert (f"`{name}` is known only where the command runs" in ran.out) is told


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


def test_findings_about_a_configuration_file_are_at_its_lines(tmp_path: Path) -> None:
    """They stood at the command's `--config`, with variables as remedies: the file has flags."""
    config, script = tmp_path / "c.yaml", tmp_path / "run.sh"
    config.write_text(
        'model: m\n# what it does\ntask: embed\n"enable_auto_tool_choice": true\nfoo: 3\n'
    )
    script.write_text(f"vllm serve --config {config}\n")
    ran = translate("check", str(script), "--vllm", "0.33.0", "--format", "json")
    found = {item["code"]: item for item in json.loads(ran.out)["findings"]}
    places = {code: (item["file"], item["line"], item["column"]) for code, item in found.items()}
    assert places == {
        "written-for-another": (str(config), 3, 1),
        "carried": (str(config), 3, 1),
        "refused-at-start": (str(config), 4, 2),
        "unknown-flag": (str(config), 5, 1),
    }
    assert found["carried"]["message"].startswith("`c.yaml: --task embed` was removed")
    assert found["carried"]["hint"] == "Use `--runner pooling --convert embed`."
    assert found["refused-at-start"]["hint"] == "Set `--tool-call-parser`."


def test_a_finding_in_further_arguments_is_at_their_variable(tmp_path: Path) -> None:
    path = tmp_path / "a.env"
    path.write_text("MODEL_NAME=m\nVLLM_EXTRA_ARGS=--seed 1 x\n")
    ran = translate("check", str(path))
    assert f"{path}:2:1: error[stray-token]" in ran.out


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


def test_where_no_further_process_may_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refused)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert spread(str, range(500), "") == [str(number) for number in range(500)]
