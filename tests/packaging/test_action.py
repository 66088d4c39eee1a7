"""The action for pull requests, run as GitHub runs it: its script by bash, in a repository; and of
all workflows, what they run.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import program
from support.program import HOME, PYTHON

GITHUB = Path(__file__).parents[2] / ".github"
ACTION = GITHUB / "actions" / "check" / "action.yml"
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
    script = tmp_path / "runner" / "translate" / "bin" / "translate"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\nPYTHONPATH='{HOME}' exec '{PYTHON}' -m translator \"$@\"\n")
    script.chmod(0o755)
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
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, timeout=600)


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    return found


def check(repository: Path, base: str = "HEAD") -> tuple[int, list[str]]:
    """Run the step; return its status and its annotations."""
    step = steps()[-1]
    files = yaml.safe_load(ACTION.read_text())["inputs"]["files"]["default"]
    given = {"FILES": files, "BASE": base, "OPTIONS": ""}
    assert set(step["env"]) == set(given)
    runner = str(repository.parent / "runner")
    done = program.step(step["run"], repository, **given, RUNNER_TEMP=runner)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("::")]


def test_a_new_image_is_checked_against_the_old_one(repository: Path) -> None:
    """Only the changed file, at its line: defaults that the image changes, and no failure. A new
    file has no image before.
    """
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--seed=1"))
    (repository / "notes.yaml").write_text("a: 1\n")
    (repository / "new file.yaml").write_text(MANIFEST % ("0.33.0", "--seed=1"))
    git(repository, "add", ".")
    status, annotations = check(repository)
    assert status == 0, annotations
    assert {line.split(",")[0] for line in annotations} == {"::notice file=llm.yaml"}
    assert any("default-changed" in line and "0.9.2" in line for line in annotations)


def test_what_the_new_image_refuses_fails(repository: Path) -> None:
    """The name of a file is no option."""
    for name in ("llm.yaml", "--help.yaml"):
        (repository / name).write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    (repository / "-x.yaml").write_text(MANIFEST % ("0.33.0", "--seed=1"))
    git(repository, "add", ".")
    status, annotations = check(repository)
    assert status == 1
    for name in ("llm.yaml", "./--help.yaml"):
        assert any(line.startswith(f"::error file={name},line=8") for line in annotations)
    (repository / "llm.yaml").write_bytes(b"\xff vllm serve")
    assert check(repository)[0] == 1


def test_python_imports_nothing_of_the_checkout(repository: Path) -> None:
    for name in ("json", "sys", "yaml", "translator", "sitecustomize"):
        (repository / f"{name}.py").write_text("open('imported', 'w')\nraise SystemExit(0)\n")
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--seed=1"))
    git(repository, "add", ".")
    status, annotations = check(repository)
    assert (status, (repository / "imported").exists()) == (0, False)
    assert any("default-changed" in line and "0.9.2" in line for line in annotations)


def test_it_is_installed_away_from_the_checkout(repository: Path, tmp_path: Path) -> None:
    """By a Python that neither reads its folder nor PYTHONPATH."""
    bin_, runner, log = tmp_path / "bin", tmp_path / "fresh", tmp_path / "log"
    bin_.mkdir()
    runner.mkdir()
    python = bin_ / "python3"
    made = runner / "translate" / "bin"
    python.write_text(
        f'#!/bin/sh\necho "$PWD: $*" >> {log}\n'
        f"[ -e {made} ] || {{ mkdir -p {made}; cp $0 {made}/python; }}\n"
    )
    python.chmod(0o755)
    path, action = f"{bin_}:{os.environ['PATH']}", "/action/.github/actions/check"
    env = {"PATH": path, "RUNNER_TEMP": str(runner), "GITHUB_ACTION_PATH": action}
    assert program.step(steps()[0]["run"], repository, **env).returncode == 0
    source = "/action/.github/actions/check/../../.."
    assert log.read_text().splitlines() == [
        f"{runner}: -I -m venv translate",
        f"{runner}: -I -m pip install --quiet --constraint {source}/.ci/tools.txt hatchling",
        f"{runner}: -I -m pip install --quiet --no-build-isolation {source}",
    ]


def test_a_pull_request_cannot_switch_the_check_off(repository: Path) -> None:
    """Not by a new file of options, and not by a change of one; that of the base counts."""
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    (repository / "translate.toml").write_text('ignore = ["unknown-flag"]\n')
    git(repository, "add", ".")
    assert check(repository)[0] == 1
    git(repository, "commit", "--quiet", "--message", "the project's options")
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--another-one"))
    (repository / "translate.toml").unlink()
    assert check(repository)[0] == 0
    assert check(repository, base="1" * 40)[0] == 1, "a base that is not there counts as none"


def test_the_files_that_the_base_excludes(repository: Path) -> None:
    """Its patterns count from the checkout, wherever the action puts the file."""
    (repository / "translate.toml").write_text('exclude = ["/llm.yaml"]\n')
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "the project's options")
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    assert check(repository) == (0, [])
    (repository / "same.yaml").write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    assert check(repository)[0] == 1


def test_the_table_in_pyproject_of_the_base_counts(repository: Path) -> None:
    (repository / "pyproject.toml").write_text('[tool.translate]\nignore = ["unknown-flag"]\n')
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "the project's options")
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    (repository / "pyproject.toml").write_text("[tool.translate]\nno-such-key = 1\n")
    assert check(repository)[0] == 0


def test_a_link_out_of_the_checkout_is_not_followed(repository: Path) -> None:
    """Nor one to what git keeps, such as a token in its configuration; one within it is."""
    secret = repository.parent / "secret.yaml"
    for path in (secret, repository / ".git" / "llm.yaml", repository / "within.txt"):
        path.write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    (repository / "out.yaml").symlink_to(secret)
    (repository / "git.yaml").symlink_to(".git/llm.yaml")
    git(repository, "add", ".")
    assert check(repository) == (0, [])
    (repository / "within.yaml").symlink_to("within.txt")
    git(repository, "add", ".")
    status, annotations = check(repository)
    assert status == 1
    assert {line.split(",")[0] for line in annotations} == {"::error file=within.yaml"}


def test_the_base_is_no_option(repository: Path) -> None:
    (repository / "llm.yaml").write_text(MANIFEST % ("0.33.0", "--no-such-flag"))
    git(repository, "add", ".")
    assert check(repository, base="--output=written")[0] == 1
    assert not list(repository.rglob("written*"))


def test_what_a_workflow_runs_is_pinned() -> None:
    """Every action by its commit, and the tool that builds by its version."""
    for path in GITHUB.rglob("*.yml"):
        text = path.read_text()
        for action in re.findall(r"uses: (\S+)", text):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), f"{path}: {action}"
        for line in re.findall(r"pip install .*", text):
            assert "tools.txt" in line or "--no-build-isolation" in line, f"{path}: {line}"
    assert "hatchling==" in (GITHUB.parent / ".ci" / "tools.txt").read_text()
