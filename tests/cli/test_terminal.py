"""What a person sees: findings as blocks on a terminal, wrapped and coloured; one a line elsewhere."""

import re
import sys
from pathlib import Path

import pytest
from support.program import translate
from support.terminal import seen

from translator.cli import terminal
from translator.cli.terminal import block, blocks, count_of, table, wrapped
from translator.core.findings import finding

WRONG = {"MODEL_NAME": "m", "TENSOR_PARALLEL_SIZE": "two", "ENFORCE_EAGER": "maybe"}


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_finding_is_a_block() -> None:
    """Severity, code and subject; the message; the remedy."""
    shown = seen("env-to-args", "--vllm", "0.33.0", env=WRONG)
    assert "\x1b[1;31merror[bad-integer]\x1b[0m \x1b[1mTENSOR_PARALLEL_SIZE\x1b[0m\n  " in shown
    lines = plain(shown).splitlines()
    at = lines.index("error[bad-bool] ENFORCE_EAGER")
    assert lines[at + 1].startswith("  `ENFORCE_EAGER=maybe` is invalid")
    assert any(line.startswith("  help: ") for line in lines[at:])
    assert lines[-1].startswith("2 errors; `translate explain bad-")


@pytest.mark.parametrize("columns", [64, 80, 120])
def test_texts_are_wrapped_at_the_width(columns: int) -> None:
    lines = ("env-to-args", "exec --dry-run", "check", "check --vllm 0.30..", "explain bad-integer --task", "explain")  # fmt: skip
    for arguments in map(str.split, lines):
        shown = plain(seen(*arguments, env=WRONG, columns=columns))
        links = re.sub(r"https?://\S+", "", shown)
        assert max(map(len, links.splitlines())) <= columns, arguments


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_on_a_terminal(env: dict[str, str], coloured: bool) -> None:
    for arguments in (["explain", "--task"], ["env-to-args"]):
        assert ("\x1b[" in seen(*arguments, env={**WRONG, **env})) is coloured


def test_elsewhere_a_finding_is_one_plain_line() -> None:
    for arguments, begin in ((["env-to-args"], ""), (["exec"], "translate: ")):
        log = translate(*arguments, "--vllm", "0.33.0", env=WRONG).err
        assert "\x1b" not in log
        found = [line for line in log.splitlines() if "[bad-" in line]
        assert len(found) == 2
        assert all(line.startswith(f"{begin}error[bad-") for line in found)
    forced = translate("env-to-args", "--vllm", "0.33.0", env={**WRONG, "FORCE_COLOR": "1"}).err
    assert plain(forced) == translate("env-to-args", "--vllm", "0.33.0", env=WRONG).err
    assert forced.startswith("\x1b[1;31merror[bad-")


def test_no_value_reaches_a_terminal_with_its_control_characters() -> None:
    evil = "a\x1b]0;x\x07\rb"
    env = {"MODEL_NAME": evil, "ENFORCE_EAGER": evil, "NO_COLOR": "1"}
    for arguments in (["env-to-args"], ["check"], ["explain", evil], ["exec", "--dry-run"]):
        assert not set("\x1b\x07\r") & set(seen(*arguments, env=env)), arguments
    env = {"MODEL_NAME": "m", "SERVED_MODEL_NAME": evil, "NO_COLOR": "1"}
    for form in ("shell", "lines", "nul", "json", "yaml"):
        shown = seen("env-to-args", "--format", form, env=env)
        assert not set("\x1b\x07\0\r") & set(shown), form
    assert evil in translate("env-to-args", "--format", "nul", env=env).out


@pytest.mark.parametrize(("columns", "lines"), [(80, 1), (50, 2)])
def test_the_place_of_a_finding_fits(columns: int, lines: int) -> None:
    item = finding("bad-bool", "ENFORCE_EAGER", given="ENFORCE_EAGER=maybe")
    made = block(item, columns, "deploy/base/pod.yaml:120:13")
    shown = ["".join(part if isinstance(part, str) else part[1] for part in line) for line in made]
    assert "pod.yaml" in shown[lines - 1]
    assert all(len(line) <= columns for line in shown)


def test_layouts() -> None:
    assert wrapped("a bc def", 4) == ["a bc", "def"]
    assert wrapped("abcdefgh i", 4) == ["abcdefgh", "i"]
    assert list(table(("name", "what"), [("a", "x y"), ("long", "z")], 80)) == [
        [("bold", "name  what")],
        "a     x y",
        "long  z",
    ]
    found = [finding("bad-bool", "A", given="A=x", flag="--a", version="0.33.0")]
    assert count_of(found * 2) == "2 errors"
    first, *_ = blocks(found, 80)
    assert first == [("error", "error[bad-bool]"), " ", ("bold", "A")]
    assert list(blocks([], 80)) == []


def test_a_finding_in_a_file_shows_its_line(tmp_path: Path) -> None:
    """With a mark below it; a line with a secret is not shown."""
    path = tmp_path / "run.sh"
    path.write_text("vllm serve m --seed=x\nvllm serve m --seed=y --api-key sk-12345678abcdefgh\n")
    lines = plain(seen("check", "--vllm", "0.33.0", str(path), env={})).splitlines()
    at = lines.index("  1 | vllm serve m --seed=x")
    assert lines[at + 1] == "    |              ^^^^^^"
    assert not any(line.startswith("  2 |") for line in lines)


def test_long_work_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "write", shown.append)
    times = iter((0, 0.5, 1.5, 2.5))
    monkeypatch.setattr(terminal, "monotonic", lambda: next(times))
    assert list(terminal.progress("abc", "files", 3)) == ["a", "b", "c"]
    assert shown == ["\r1 of 3 files", "\r2 of 3 files", "\r\x1b[K"]
