"""The files that the hook for pre-commit and the action for pull requests give to `check` are those
of the kinds that it reads (translator/formats/kinds.py).
"""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from support.readers import needs

from translator.formats.kinds import READ

CHECKOUT = Path(__file__).parents[2]
HOOKS = CHECKOUT / ".pre-commit-hooks.yaml"
ACTION = CHECKOUT / ".github" / "actions" / "check" / "action.yml"
SEEN = "deploy/pod.yaml compose.yml llm.env deploy/.env .env.prod Dockerfile docker/Dockerfile.vllm docker/vllm.Dockerfile Containerfile run.sh train.slurm vllm.service vllm.service.d.conf a.container app.py README.md"  # fmt: skip
UNSEEN = "Dockerfiles.d/a.txt env environment main.go chart/_helpers.tpl Makefile a.SH yaml"


def hook_pattern() -> str:
    """What pre-commit searches for in the path of a file."""
    ends = [end for kind in READ for end in kind.ends]
    parts = [part for kind in READ for part in kind.parts]
    begins = [begin for kind in READ for begin in kind.begins]
    words = ("|".join(map(re.escape, some)) for some in (ends, begins, parts))
    return "({})$|(^|/)({})[^/]*$|(?i:{})[^/]*$".format(*words)


def pathspecs() -> str:
    """What the action gives to git."""
    ends = [f"*{end}" for kind in READ for end in kind.ends]
    begins = [f":(glob)**/{begin}*" for kind in READ for begin in kind.begins]
    parts = [f":(glob,icase)**/*{part}*" for kind in READ for part in kind.parts]
    return " ".join([*ends, *begins, *parts])


def test_they_are_made_from_the_kinds() -> None:
    """What to write into the two files after a change of the kinds."""
    (hook,) = yaml.safe_load(HOOKS.read_text())
    assert hook["files"] == hook_pattern()
    assert yaml.safe_load(ACTION.read_text())["inputs"]["files"]["default"] == pathspecs()


@pytest.mark.parametrize("path", [*SEEN.split(), *UNSEEN.split()])
def test_what_the_hook_sees(path: str) -> None:
    is_seen = any(kind.has(path.rpartition("/")[2]) for kind in READ)
    assert is_seen == (path in SEEN.split())
    assert bool(re.search(hook_pattern(), path)) == is_seen


@needs("git")
def test_what_the_action_sees(tmp_path: Path) -> None:
    for path in (*SEEN.split(), *UNSEEN.split()):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    command = ["git", "ls-files", "--", *pathspecs().split()]
    seen = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert sorted(seen.stdout.split()) == sorted(SEEN.split())


def test_a_kind_has_no_sign_of_a_pattern() -> None:
    """Which the patterns above would have to escape."""
    words = (word for kind in READ for word in (*kind.ends, *kind.parts, *kind.begins))
    assert [word for word in words if not re.fullmatch(r"[\w.]+", word)] == []
