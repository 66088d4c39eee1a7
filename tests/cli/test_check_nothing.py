"""Files without vLLM: a note and status 0 for `check`, an error where something is to be written."""

from __future__ import annotations

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


def test_beside_others_each_is_named(others: Path) -> None:
    (others / "llm.sh").write_text("vllm serve m --no-such-flag\n")
    paths = [str(others / name) for name in ("notes.yaml", "llm.sh", "Dockerfile")]
    ran = translate("check", *paths)
    assert (ran.status, codes(ran.out)) == (1, [("error", "unknown-flag")])
    assert [line for line in ran.err.splitlines() if line.startswith("note:")][1:] == [
        f"note: {paths[2]}: nothing in it starts vLLM"
    ]


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
