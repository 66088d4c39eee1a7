"""What stands in front of the options."""

import pytest

from translator import check
from translator.core.argv.reader import strip_command

MODULE = "vllm.entrypoints.openai.api_server"


@pytest.mark.parametrize(
    "head", ["vllm serve", "/opt/venv/bin/vllm serve", "serve", "python -m vllm.entrypoints.cli.main serve", ""]
)  # fmt: skip
def test_the_program_is_taken_off(head: str) -> None:
    """`vllm serve` with or without a path, or nothing at all."""
    done = strip_command([*head.split(), "org/m", "--dtype", "half"])
    assert done == (["org/m", "--dtype", "half"], False, [])


@pytest.mark.parametrize(
    "head", ["python", "python3", "python3.11", "/usr/bin/python3.12", "python3 -u", "python -O"]
)
def test_the_older_module_is_taken_off(head: str) -> None:
    """It takes the model as an option in every version, so it is remembered."""
    done = strip_command([*head.split(), "-m", MODULE, "--model", "m"])
    assert done == (["--model", "m"], True, [])


@pytest.mark.parametrize("version", ["0.5.5", "0.6.6", "0.9.2", "0.27.1"])
@pytest.mark.parametrize("options", [["--port", "80"], ["--served-model-name", "m"]])
def test_the_older_module_needs_no_model(version: str, options: list[str]) -> None:
    """Its parser has a default for `--model`; `vllm serve` of some versions wants one in front."""
    found = check(["python3", "-m", MODULE, *options], version)
    assert [(item.code, item.severity) for item in found] == [("no-model", "warning")]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("vllm", ""), ("vllm bench serve", "`vllm bench`"), ("vllm chat", "`vllm chat`"), ("python serve.py", "`python serve.py`"),
        ("python3 -m http.server", ""), ("python3", ""), ("python3 -m", ""), ("python3 -m vllm.entrypoints.cli.main bench", ""),
        ("python x.py --seed=1", "`python x.py --seed=1`"),
    ],
)  # fmt: skip
def test_another_command_is_an_error(line: str, named: str) -> None:
    tokens, _, (found,) = strip_command(line.split())
    assert (tokens, found.code) == ([], "not-vllm-serve")
    assert found.message.startswith(named)


def test_a_model_may_look_like_a_program() -> None:
    """Only the first token counts, and only whole words."""
    for line in (["pythonic/model"], ["org/vllm-model"], []):
        assert strip_command(line) == (line, False, [])
