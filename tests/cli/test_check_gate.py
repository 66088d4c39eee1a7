"""`check` as a gate: the comments of a file (cases/program/check_gate.toml has the rest)."""

from pathlib import Path

import pytest
from support.program import translate

from translator.deployments.read.targets import comments_in


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


def test_options_that_nest_deep(tmp_path: Path) -> None:
    (tmp_path / "translate.toml").write_text("a" + ".a" * 2000 + " = 1")
    ran = translate("check", "--", "vllm", "serve", "m", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "line 1: more than 1000 dots" in ran.err
