"""`check` as a gate: which findings count, and which severity fails."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.program import translate

from translator.cli.check.targets import comments_in

ENV = """\
MODEL_NAME=org/m
# translate: ignore[bad-bool]
ENFORCE_EAGER=maybe
TENSOR_PARALELL_SIZE=2  # translate: ignore
MAX_MODEL_LEN=many
"""


def codes(ran: subprocess.CompletedProcess[str]) -> set[str]:
    return {item["code"] for item in json.loads(ran.out)["findings"]}


def check(*arguments: str) -> tuple[int, set[str]]:
    ran = translate("check", "--vllm", "0.33.0", "--format", "json", *arguments)
    return ran.status, codes(ran)


def test_severities_that_fail() -> None:
    warned = ("--", "vllm", "serve", "m", "--api-key", "sk-secretsecret")
    assert check(*warned)[0] == 0
    assert check("--fail-on", "warning", *warned)[0] == 1
    assert check("--strict", *warned)[0] == 3
    noted = ("--", "vllm", "serve", "m", "--seed", "1", "--seed", "2")
    assert [check("--fail-on", level, *noted)[0] for level in ("error", "warning", "info")] == [0, 0, 1]  # fmt: skip


def test_codes_that_count() -> None:
    line = ("--", "vllm", "serve", "m", "--seed", "x", "--swap-space", "4")
    every = {"bad-integer", "written-for-another", "dropped"}
    assert check(*line) == (1, every)
    assert check("--ignore", "bad-integer,dropped", *line) == (1, {"written-for-another"})
    assert check("--ignore", "bad-integer", "--ignore", "dropped,written-for-another", *line) == (0, set())  # fmt: skip
    assert check("--select", "bad-integer,dropped", "--ignore", "dropped", *line) == (1, {"bad-integer"})  # fmt: skip
    ran = translate("check", "--ignore", "bad-intger", *line)
    assert (ran.status, "did you mean bad-integer?" in ran.err) == (2, True)


def test_comments_of_a_file_of_variables(tmp_path: Path) -> None:
    path = tmp_path / "x.env"
    path.write_text(ENV)
    assert check(str(path)) == (1, {"bad-integer"})
    assert check("--env-file", str(path)) == (1, {"bad-integer"})
    path.write_text(ENV.replace("[bad-bool]", "[bad-json]"))
    assert check(str(path)) == (1, {"bad-integer", "bad-bool", "unused-ignore"})


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("a: 1 # translate: ignore", [(1, ())]),
        ("# translate: ignore[x, y]\n# translate: ignore[z]\n\n# why\na: 1", [(5, ("x", "y")), (5, ("z",))]),
        ("a: 'b# translate: ignore'\na: 1 # translate: ignores\n#translate:ignore[x", []),
        ("a: 1\n  # translate: ignore", [(0, ())]),
    ],
)  # fmt: skip
def test_lines_that_comments_are_about(text: str, about: list[tuple[int, tuple[str, ...]]]) -> None:
    assert [(one.about, one.codes) for one in comments_in(text)] == about


LINE = ("--format", "json", "--", "vllm", "serve", "m", "--seed", "x")


@pytest.mark.parametrize("name", ["translate.toml", "pyproject.toml"])
def test_options_of_a_project(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found upwards; the command line wins; `exec` does not read them."""
    head = "[tool.translate]\n" if name == "pyproject.toml" else ""
    (tmp_path / name).write_text(f"{head}vllm = ['0.19.1']\nignore = 'bad-integer'\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (below / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    monkeypatch.chdir(below)
    ran = translate("check", *LINE)
    assert (ran.status, codes(ran)) == (0, set())
    assert json.loads(ran.out)["checked"][0]["vllm"] == "0.19.1"
    ran = translate("check", "--vllm", "0.33.0", "--ignore", "bad-json", *LINE)
    assert (ran.status, codes(ran)) == (1, {"bad-integer"})
    (tmp_path / name).write_text(f"{head}no-such-key = 1\n")
    ran = translate("check", *LINE)
    assert (ran.status, "there is no key" in ran.err) == (2, True)
    assert translate("exec", "--dry-run", env={"MODEL_NAME": "m"}).status == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("vllm = 0.19", "`vllm` must be a string, or a list of strings"),
        ("strict = 'yes'", "`strict` must be true or false"),
        ("fail-on = 'never'", "`fail-on` must be one of error, warning, info"),
        ("fail_on = 'error'", "did you mean fail-on?"),
        ("fix = true", "write `translate check --fix`"),
        ("a = [", "not TOML"),
        ("a" + ".a" * 2000 + " = 1", "line 1: more than 1000 dots"),
        ("ignore = 'no-such-code'", "no finding of this code"),
    ],
)
def test_mistakes_in_a_project_s_options(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "translate.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    ran = translate("check", *LINE)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_a_project_s_dialect_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is relative to the file that names it."""
    (tmp_path / "translate.toml").write_text("prefix = 'MY_'\nenv-file = 'x.env'\n")
    (tmp_path / "x.env").write_text("MY_MODEL=m\nMY_SEED=x\n")
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    ran = translate("check", "--format", "json")
    assert (ran.status, codes(ran)) == (1, {"bad-integer"})
    assert json.loads(ran.out)["findings"][0]["line"] == 2
