"""Every example of README.md, executed: the console blocks by bash, the Python by doctest, the
manifests by a parser.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
import yaml

from translator.authoring.model import Grammar
from translator.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
ELLIPSIS = "…"


def sessions() -> list[tuple[str, list[str]]]:
    """Each `$ command` of the console blocks with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for language, text in BLOCKS:
        if language != "console":
            continue
        for line in text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def run(command: str) -> list[str]:
    """What a command says on stdout, then on stderr, in an environment with nothing of vLLM's."""
    bin_folder = Path(sys.executable).parent
    env = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
    }
    if shutil.which("translate", path=str(bin_folder)) is None:  # a checkout that is not installed
        env["PYTHONPATH"] = str(ROOT)
        command = re.sub(r"\btranslate(?= )", f"{sys.executable} -m translator", command, count=1)
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
        check=False,
        cwd="/",
    )
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("command", "expected"), sessions(), ids=[command[:60] for command, _ in sessions()]
)
def test_a_command_says_what_the_readme_says(command: str, expected: list[str]) -> None:
    """Line by line; an ellipsis at the end of a line stands for the rest of it."""
    said = run(command)
    shown = [
        line if ELLIPSIS not in wanted else line[: wanted.index(ELLIPSIS)] + ELLIPSIS
        for line, wanted in zip(said, expected, strict=False)
    ]
    assert shown + said[len(shown) :] == expected, "\n".join(said)


def test_the_python_examples() -> None:
    """As doctests."""
    examples = [text for language, text in BLOCKS if language == "python"]
    assert examples
    for text in examples:
        test = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_the_manifest_is_one_and_its_environment_translates() -> None:
    """The Pod of the entrypoint's quick start."""
    from translator import env_to_args

    pods = [yaml.safe_load(text) for language, text in BLOCKS if language == "yaml"]
    (container,) = pods[0]["spec"]["containers"]
    env = {item["name"]: item.get("value", "secret-of-the-cluster") for item in container["env"]}
    done = env_to_args(env, vllm="0.27.1", extra=container["args"])
    assert done.argv[2] == "org/model"
    assert "--port=8000" in done.argv
    assert "secret-of-the-cluster" not in " ".join(done.argv)


def test_the_two_commands_of_the_setup_are_there() -> None:
    """CI runs the second as it stands; the first is run by hand and by whoever starts."""
    commands = [text.strip() for language, text in BLOCKS if language == "sh"]
    assert len(commands) == 2
    assert commands[0].endswith("translate env-to-args --vllm 0.27.1")
    assert commands[1].endswith("pytest tests --ignore=tests/real -n auto")


def test_the_table_of_commands_is_complete() -> None:
    assert re.findall(r"^\| `translate ([a-z-]+)", README, re.MULTILINE) == list(COMMANDS)


def test_the_prose_of_the_schema_names_every_fact_of_a_grammar() -> None:
    prose = (
        (ROOT / "mappings" / "README.md")
        .read_text(encoding="utf-8")
        .partition("`grammar`, by asking")[2]
        .partition("\nA flag:")[0]
    )
    assert {field.name for field in attrs.fields(Grammar)} - set(
        re.findall(r"`(\w+)`", prose)
    ) == set()


def test_the_table_of_variables_is_fresh() -> None:
    """What `translate tables docs` makes of the tables now."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "translator",
            "tables",
            "docs",
            "--dialect",
            "runpod",
            "--vllm",
            "0.33.0",
            "--check",
            str(ROOT / "README.md"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
