"""What the hook for pre-commit gives to `check`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


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
