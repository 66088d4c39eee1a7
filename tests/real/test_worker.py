"""Law 4: what is printed for RunPod's worker, by the worker's published rules, is the same
configuration for its own vLLM. And the module of docs/runpod-worker.md, in the place of the
worker's own, in its repository.

TRANSLATE_WORKER_VLLM names a clone of that repository, where there is no network.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from laws.test_runpod_worker import VERSION
from support import forms
from support.consumers import RUNPOD_PINNED, runpod
from support.documents import ROOT, blocks

from translator import args_to_env

from .laws import SECRET_DESTS, Case, Ours, Tally, accepted, assignments, compare, ours, shell
from .parsers import Parsers


@pytest.fixture(autouse=True)
def of_the_worker(version: str) -> None:
    if version != VERSION:
        pytest.skip(f"the worker runs vLLM {VERSION}")


def test_every_flag_reaches_the_workers_vllm(version: str, parsers: Parsers, tally: Tally) -> None:
    """Every flag in every spelling that the round trip asks, for the version that the worker
    runs.
    """
    lines = [
        line for line in forms.of(version) if not any(token.startswith("--conf") for token in line)
    ]
    pinned = {name.removeprefix("--") for name in RUNPOD_PINNED}
    cases: list[Case] = []
    for line in accepted(parsers, version, lines):
        done = ours(lambda line=line: args_to_env(["vllm", "serve", *line], vllm=version))
        if done.value is None:
            continue
        mine = {name.partition("=")[0] for name in line if name.startswith("--") and name != "--"}
        hidden = set(SECRET_DESTS) | {
            name for name in pinned if not any(f"--{name}".startswith(item) for item in mine)
        }
        tokens = Ours(tuple(runpod(done.value.env)))
        shown = f"variables: {assignments(done.value.env)}"
        cases.append(Case(shell(line), tokens, line, hidden=hidden, shown=shown))
    compare(parsers, tally, cases)
    tally.settle()


REPOSITORY, TAG = "https://github.com/runpod-workers/worker-vllm", "v2.25.2"
MODULE = ROOT / "docs" / "runpod-worker.md"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worker's repository, with our module in place."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    folder = tmp_path_factory.mktemp("worker")
    source = os.environ.get("TRANSLATE_WORKER_VLLM") or REPOSITORY
    command = ["git", "clone", "-q", "--depth=1", f"--branch={TAG}", source, str(folder)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{source} was not cloned within two minutes")
    if ran.returncode:
        pytest.skip(f"{source} cannot be cloned: {ran.stderr.strip()}")
    (folder / "src" / "args_builder.py").write_text("".join(blocks(MODULE, "python")))
    return folder


def run(repository: Path, *arguments: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    ran = subprocess.run(command, cwd=repository, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_their_tests_pass_with_our_module(repository: Path) -> None:
    said = run(
        repository, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_args_builder.py"
    )
    assert "20 passed" in said


def test_no_flag_is_unmapped(version: str, parsers: Parsers, repository: Path) -> None:
    """By the worker's own script, of the flags of the real parser."""
    script, snapshot = repository / "scripts" / "check_vllm_flags.py", repository / "flags.json"
    snapshot.write_text(json.dumps(parsers.ask(version, op="classified", script=str(script))))
    said = run(repository, str(script), "check", "--strict", "--snapshot", str(snapshot))
    assert "no drift" in said
