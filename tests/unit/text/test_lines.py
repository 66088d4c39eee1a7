"""Commands as documents write them for PowerShell and cmd."""

from __future__ import annotations

import pytest

from translator.files.command import Context
from translator.files.registry import read_commands
from translator.text.lines import with_posix_lines

LINES = (
    "docker run --gpus all {0}\n  -p 8000:8000 {0}\n  vllm/vllm-openai:v0.10.0 {0}\r\n  --model m\n"
)


@pytest.mark.parametrize("sign", ["`", "^"])
def test_a_line_goes_on_behind_the_sign_of_its_shell(sign: str) -> None:
    text = "Run\n\n```powershell\n" + LINES.format(sign) + "```\n"
    assert with_posix_lines(LINES.format(sign)) == LINES.format("\\")
    (command,) = read_commands(text, Context(), "README.md")
    assert (command.tokens[-2:], command.vllm) == (["--model", "m"], "0.10.0")
    assert command.token_places[-1] == ("", 7, 11)


@pytest.mark.parametrize(
    "text", ["x=`\ndocker run y\n`\n", "echo a ^\nvllm serve m\n", "vllm serve m `cat a`\n"]
)
def test_what_a_posix_shell_reads_stays(text: str) -> None:
    assert with_posix_lines(text) == text


def test_a_command_has_one_sign() -> None:
    assert with_posix_lines("vllm serve m `\n--port 1 ^\n") == "vllm serve m \\\n--port 1 ^\n"
