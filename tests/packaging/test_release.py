"""The release workflow, whose steps are run here without publishing anything."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import program

from translator.version import __version__

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
PLACE = "https://github.com/acme/otter"
# What goes out, by the action that sends it.
SENDS = ("pypi-publish", "deploy-pages", "login-action", "attest-")


def steps() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each step, with its job and the name of that."""
    jobs = WORKFLOW["jobs"].items()
    return [(name, job, step) for name, job in jobs for step in job["steps"]]


def run(title: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    (step,) = (step for _, _, step in steps() if step.get("name") == title)
    return program.step(step["run"], cwd, GITHUB_SERVER_URL="https://github.com", **env)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a person leaves behind before a release: the address is written everywhere."""
    for name in ("translator/version.py", "CHANGELOG.md", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for path in [*tmp_path.rglob("*.md")]:
        path.write_text(path.read_text("utf-8").replace("OWNER/REPOSITORY", "acme/otter"), "utf-8")
    version = tmp_path / "translator" / "version.py"
    lines = re.sub('(?m)^REPOSITORY = ".*"$', f'REPOSITORY = "{PLACE}"', version.read_text())
    version.write_text(lines)
    return tmp_path


@pytest.mark.parametrize(
    ("tag", "repository", "spoilt", "status"),
    [
        (f"v{__version__}", "acme/otter", "", 0),
        ("v9.9.9", "acme/otter", "", 1),
        (f"v{__version__}", "acme/badger", "", 1),
        (f"v{__version__}", "acme/otter", "docs/ci.md", 1),
        (f"v{__version__}", "acme/otter", "CHANGELOG.md", 1),
    ],
)
def test_only_this_release_of_this_repository(
    tag: str, repository: str, spoilt: str, status: int, checkout: Path
) -> None:
    if spoilt:
        (checkout / spoilt).write_text("uses: OWNER/REPOSITORY\n")
    title = "The checkout is this release, of this repository"
    done = run(title, checkout, GITHUB_REF_NAME=tag, GITHUB_REPOSITORY=repository)
    assert (done.returncode, done.stderr) == (status, "")


def test_the_name_of_the_image(tmp_path: Path) -> None:
    output = tmp_path / "output"
    title = "Names of images have no capitals"
    done = run(title, tmp_path, GITHUB_REPOSITORY="Acme/Otter", GITHUB_OUTPUT=str(output))
    assert done.returncode == 0, done.stderr
    assert output.read_text() == "name=ghcr.io/acme/otter\n"


def test_a_run_by_hand_publishes_nothing() -> None:
    assert set(WORKFLOW[True]) == {"release", "workflow_dispatch"}  # YAML 1.1 reads `on` so
    sent = [item for item in steps() if any(word in item[2].get("uses", "") for word in SENDS)]
    assert {name for name, _, _ in sent} == set(WORKFLOW["jobs"])
    condition = "github.event_name == 'release'"
    assert all(condition in (job.get("if"), step.get("if")) for _, job, step in sent)
    (built,) = (step for _, _, step in steps() if "build-push-action" in step.get("uses", ""))
    assert built["with"]["push"] == f"${{{{ {condition} }}}}"


def test_the_site_has_the_python_that_is_tested() -> None:
    """The paste page runs on the Pyodide that .ci/run asks."""
    pinned = r"pyodide@[\d.]+"
    (step,) = (step for _, _, step in steps() if step.get("name") == "The site")
    assert re.findall(pinned, step["run"]) == re.findall(pinned, (ROOT / ".ci/run").read_text())


def test_the_documents_install_this_version() -> None:
    """What is to be pasted, in README.md and docs/."""
    pinned = r"vllm-env-translator==([\d.]*\d)|actions/check@v([\d.]*\d)|rev: v([\d.]*\d)|docker run .*ghcr\.io/.*:v([\d.]*\d)"  # fmt: skip
    named = [
        (path.name, *filter(None, match))
        for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
        for match in re.findall(pinned, path.read_text("utf-8"))
    ]
    assert [item for item in named if item[1] != __version__] == []
    assert len([path for path, _ in named if path == "ci.md"]) == 5
