"""What the hook for pre-commit gives to `check`."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


SEEN = "deploy/pod.yaml compose.yml llm.env deploy/.env Dockerfile docker/Dockerfile.vllm docker/vllm.Dockerfile Containerfile run.sh train.slurm vllm.service"  # fmt: skip


def test_what_the_hook_for_pre_commit_sees() -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text())
    assert all(re.search(hook["files"], path) for path in SEEN.split())
    for path in ("docs/Dockerfiles", "app.py", "environment"):
        assert not re.search(hook["files"], path), path
