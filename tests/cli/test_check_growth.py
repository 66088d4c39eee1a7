"""What `check` does grows with its input, and no faster: counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from translator.cli import main
from translator.cli.check import checker, fix
from translator.findings import finding
from translator.tables.catalog import shipped
from translator.text import yaml_nodes


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> Callable[[], int]:
    """Count the calls of a function."""
    calls = 0
    real = getattr(owner, name)

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, call)
    return lambda: calls


def test_each_argument_is_looked_at_once_for_all_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.sh"
    path.write_text("vllm serve m " + " ".join(f"--seed x{number}" for number in range(60)))
    looked = counted(monkeypatch, checker, "named_flag")
    assert main(["check", "--vllm", "0.33.0", str(path)]) == 1
    assert 60 <= looked() <= 60 * 5


def test_targets_whose_fix_is_not_clear_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with each other: a flag that is given twice is not fixed."""
    args = '[m, --swap-space, "4", --swap-space, "4"]'
    path = tmp_path / "pod.yaml"
    container = f"  - {{image: vllm/vllm-openai:v0.33.0, args: {args}}}\n"
    path.write_text("kind: Pod\nspec:\n  containers:\n" + container * 20)
    tried = counted(monkeypatch, fix, "change_of")
    assert main(["check", "--vllm", "0.33.0", "--fix", str(path)]) == 1
    assert 20 <= tried() <= 20 * 4


@pytest.mark.parametrize(
    ("subject", "facts", "at"),
    [
        ("--seed", {"given": "--seed x1"}, 3), ("--seed", {"value": "x0"}, 1), ("--seed", {"value": "y"}, 3),
        ("--max_model_len", {}, 5), ("--compilation-config.mode", {}, 6), ("--compilation-config", {"given": "--compilation-config.mode=1"}, 6), ("stray", {}, 7),
        ("--zz", {}, 8), ("--none", {}, None), ("SEED", {}, None),
    ],
)  # fmt: skip
def test_the_argument_that_a_finding_names(
    subject: str, facts: dict[str, str], at: int | None
) -> None:
    tokens = ["m", "--seed", "x0", "--seed", "x1", "--max-model-len=8", "--compilation-config.mode=1", "stray", "--zz"]  # fmt: skip
    arguments = checker.Arguments(tokens, shipped().catalog("0.33.0"))
    assert arguments.named(finding("bad-integer", subject, **facts)) == at


def test_sarif_reads_a_file_a_few_times_and_not_once_for_each_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pods.yaml"
    args = '["--model", "m", "--swap-space=4", "--task=embed"]'
    pod = (
        f"kind: Pod\nspec: {{containers: [{{image: 'vllm/vllm-openai:v0.33.0', args: {args}}}]}}\n"
    )
    path.write_text("---\n".join([pod] * 120))
    read = counted(monkeypatch, yaml_nodes, "documents")
    assert main(["check", "--format", "sarif", str(path)]) == 1
    assert read() <= 20


def test_a_config_file_with_mistakes_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the file is that somebody names by mistake."""
    path = tmp_path / "foreign.yaml"
    path.write_text("".join(f"key{number}: [1, 2]\n" for number in range(100)))
    read = counted(monkeypatch, yaml_nodes, "documents")
    assert main(["check", "--", "vllm", "serve", "m", "--config", str(path)]) == 1
    assert read() == 1
