"""Files without vLLM: a note and status 0 for `check`, an error where something is to be written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from support.program import codes, translate

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
OTHERS = {
    "notes.yaml": "a: 1\n",
    "web.yaml": "services: {web: {image: nginx}}\n",
    "pod.yaml": "kind: Pod\nspec: {containers: [{name: a, image: nginx, args: [-x]}]}\n",
    "template.yaml": "a: {{ .Values.x }}\n  b: {{- if x }}\n",
    "build.sh": "set -e\nfor i in 1 2; do echo $i; done\nnpm run build && ls\n",
    "hello.sh": "echo vllm is fine\n",
    "Dockerfile": 'FROM nginx\nCMD ["nginx"]\n',
}


@pytest.fixture
def others(tmp_path: Path) -> Path:
    for name, text in OTHERS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_without_vllm_is_a_note(name: str, others: Path) -> None:
    ran = translate("check", str(others / name))
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.startswith(f"note: {others / name}: nothing in it starts vLLM")
    assert ran.err.count("\n") == 1
    assert translate("check", "--fix", str(others / name)).status == 0
    ran = translate("check", "--format", "json", str(others / name))
    assert json.loads(ran.out) == {"checked": [], "findings": []}


def test_within_a_folder_there_is_no_note(others: Path) -> None:
    (others / "llm.sh").write_text("vllm serve m\n")
    ran = translate("check", str(others))
    assert ran.status == 0
    assert ran.err.splitlines() == [f"{others}/llm.sh, vLLM 0.33.0: nothing to report"]


def test_a_folder_without_vllm_is_a_note(others: Path) -> None:
    ran = translate("check", str(others))
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == f"note: {others}: no file in this directory starts vLLM\n"


def test_beside_others_each_is_named(others: Path) -> None:
    (others / "llm.sh").write_text("vllm serve m --no-such-flag\n")
    paths = [str(others / name) for name in ("notes.yaml", "llm.sh", "Dockerfile")]
    ran = translate("check", *paths)
    assert (ran.status, codes(ran.out)) == (1, [("error", "unknown-flag")])
    assert [line for line in ran.err.splitlines() if line.startswith("note:")][1:] == [
        f"note: {paths[2]}: nothing in it starts vLLM"
    ]


@pytest.mark.parametrize("command", ["args-to-env", "convert"])
@pytest.mark.parametrize("name", OTHERS)
def test_there_is_nothing_to_write(command: str, name: str, others: Path) -> None:
    ran = translate(command, "--file", str(others / name))
    assert (ran.status, ran.out) == (1, "")
    assert "error[" in ran.err


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("deploy/pod.yaml", True),
        ("compose.yml", True),
        ("llm.env", True),
        ("deploy/.env", True),
        ("Dockerfile", True),
        ("docker/Dockerfile.vllm", True),
        ("docker/vllm.Dockerfile", True),
        ("Containerfile", True),
        ("run.sh", True),
        ("train.slurm", True),
        ("vllm.service", True),
        ("docs/Dockerfiles", False),
        ("app.py", False),
        ("environment", False),
    ],
)
def test_what_the_hook_for_pre_commit_sees(path: str, seen: bool) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text())
    assert bool(re.search(hook["files"], path)) == seen
