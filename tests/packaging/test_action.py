"""The action for pull requests, run as GitHub runs it: its script by bash, in a repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.program import HOME, PYTHON

ACTION = Path(__file__).parents[2] / ".github" / "actions" / "check" / "action.yml"
MANIFEST = """\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v%s
    args: ["--model", "org/m", "%s"]
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, and a program `translate` where the action installs it."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    program = tmp_path / "runner" / "translate" / "bin" / "translate"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\nPYTHONPATH='{HOME}' exec '{PYTHON}' -m translator \"$@\"\n")
    program.chmod(0o755)
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "llm.yaml").write_text(MANIFEST % ("0.9.2", "--seed=1"))
    (folder / "same.yaml").write_text(MANIFEST % ("0.9.2", "--no-such-flag"))
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "before")
    return folder


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, timeout=60)


def check(repository: Path) -> tuple[int, list[str]]:
    """Run the step; return its status and its annotations."""
    step: dict[str, Any] = yaml.safe_load(ACTION.read_text())["runs"]["steps"][-1]
    given = {"FILES": "*.yaml *.yml *.env", "BASE": "HEAD", "OPTIONS": ""}
    assert set(step["env"]) == set(given)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository,
        env={**given, "PATH": os.environ["PATH"], "RUNNER_TEMP": str(repository.parent / "runner")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("::")]


def test_a_new_image_is_checked_against_the_old_one(repository: Path) -> None:
    """Only the changed file, at its line: defaults that the image changes, and no failure."""
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--seed=1"))
    (repository / "notes.yaml").write_text("a: 1\n")
    git(repository, "add", ".")
    status, annotations = check(repository)
    assert status == 0, annotations
    assert {line.split(",")[0] for line in annotations} == {"::notice file=llm.yaml"}
    assert any("default-changed" in line and "0.9.2" in line for line in annotations)


def test_what_the_new_image_refuses_fails(repository: Path) -> None:
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    status, annotations = check(repository)
    assert status == 1
    assert any(line.startswith("::error file=llm.yaml,line=8") for line in annotations)


def test_a_file_that_is_new_has_no_image_before(repository: Path) -> None:
    (repository / "new file.yaml").write_text(MANIFEST % ("0.33.0", "--seed=1"))
    git(repository, "add", ".")
    status, annotations = check(repository)
    assert (status, len(annotations)) == (0, 1)
