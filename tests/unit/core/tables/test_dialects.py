"""Rules of the shipped dialects, written down here once more from the documentation of each."""

import ast
import json
import re
import shlex
from pathlib import Path

import pytest
from cases import table
from support.consumers import tokens_for
from support.dialects import told

import translator
from translator.cli.main import main

RECORDED = table("dialects")


def test_convert_carries_a_file_from_one_dialect_to_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "lmi.env"
    file.write_text(
        "".join(f"{name}={shlex.quote(text)}\n" for name, text in RECORDED["lmi"]["env"].items())
    )
    line = f"convert --env-file {file} --from 0.27.1 --to 0.27.1 --from-dialect lmi --format json"
    assert main([*line.split(), "--to-dialect", "sagemaker"]) == 0
    wanted = {
        name: text for name, text in RECORDED["sagemaker"]["env"].items() if name != "SM_VLLM_PORT"
    }
    assert json.loads(capsys.readouterr().out)["env"] == wanted


@pytest.mark.parametrize("text", [" true ", "true ", "\tTRUE", " false"])
def test_a_word_with_blanks_around_it_is_a_text_to_the_script(text: str) -> None:
    """The program that came after it takes them off."""
    env = {"SM_VLLM_MODEL": "m", "SM_VLLM_ENFORCE_EAGER": text}
    assert told("sagemaker@shell", **env) == {("platform-differs", "SM_VLLM_ENFORCE_EAGER")}
    assert told("sagemaker", **env) == set()
    for dialect, made in (
        ("sagemaker@shell", ["--enforce-eager", text]),
        ("sagemaker", ["--enforce-eager"] if "true" in text.lower() else []),
    ):
        assert tokens_for(dialect, env) == ["m", "--port", "8080", *made]


def test_no_dialect_has_logic_of_its_own() -> None:
    """Everything about a platform is in its table: no room of the logic names one."""
    rooms = ("values", "settings", "argv", "env")
    names = re.compile(r"sagemaker|\blmi\b|nim_|opt/ml", re.IGNORECASE)
    core = Path(translator.__file__).parent / "core"
    paths = [path for room in rooms for path in (core / room).glob("*.py")]
    assert len(paths) > 15
    for path in paths:
        code = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
        docs = [
            ast.get_docstring(node, clean=False) or ""
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        ]
        found = set(names.findall(code)) - set(names.findall(" ".join(docs)))
        assert not found, path
