"""Files of every kind: the commands in them, and their lines."""

from __future__ import annotations

import pytest

from translator.files import Command, Context
from translator.files.registry import read_commands
from translator.text.json_text import YamlError
from translator.text.words import place


def read(name: str, text: str) -> list[Command]:
    return [item for item in read_commands(text, Context(), name) if item.starts_vllm]


@pytest.mark.parametrize(
    ("between", "wanted"),
    [
        ("  # --enforce-eager \\\n", [(3, 3)]),
        ("  #\n", [(3, 3)]),
        ("", []),
        ("  --enforce-eager # why\n", []),  # as if the backslash were lost
    ],
)
def test_a_comment_between_the_lines_of_a_command(
    between: str, wanted: list[tuple[int, int]]
) -> None:
    """The shell runs what follows it as another command."""
    (made,) = read("x.sh", f"vllm serve m \\\n{between}  --port 80\n")
    assert made.tokens[-2:] == ["--port", "80"]
    told = [item for item in made.findings if item.code == "comment-in-command"]
    assert [place(item.subject) for item in told] == [("", *at) for at in wanted]
    last = f"vllm serve m \\\n  --port 80 \\\n{between}vllm serve n\n"
    assert not any(
        item.code == "comment-in-command" for it in read("x.sh", last) for item in it.findings
    )


def test_yaml_without_vllm_is_no_script() -> None:
    assert read("x.yaml", "a: vllm serve\nb: c\n") == []
    with pytest.raises(YamlError):
        read("x.yaml", "services: [\n")
