"""Public deployment files of all kinds (cases/files): the commands that they start are those that
were established apart from this project.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from translator.commands.command import Context, ManifestError
from translator.commands.programs import serves
from translator.commands.registry import read_commands
from translator.commands.translate_exec import reader
from translator.tables.catalog import shipped
from translator.text.holes import END, UNKNOWN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "files"
HOLE = "@@"
_MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
PARTS = 6


@functools.cache
def files() -> list[dict[str, Any]]:
    index: list[dict[str, Any]] = tomllib.loads(
        (FOLDER / "index.toml").read_text(encoding="utf-8")
    )["file"]
    return index


def plain(tokens: list[str]) -> tuple[str, ...]:
    """The arguments of a command, with one mark for whatever is not known."""
    if re.fullmatch(r"(.*/)?python3?(\.\d+)?", tokens[0]):
        tokens = tokens[tokens.index("-m") - 1 :]
        tokens = tokens[3:] if tokens[2] == _MODULE[2] else ["python3", *tokens[1:]]
    elif tokens[0].rpartition("/")[2] == "vllm":
        tokens = tokens[2:]
    found: list[str] = []
    for token in tokens:
        text = re.sub(f"{UNKNOWN}.*?{END}", HOLE, token, flags=re.DOTALL)
        text = re.sub(r"\{\{[^{}]*\}\}", HOLE, text)
        text = re.sub(f"(?:{HOLE})+", HOLE, text)
        if (text, *found[-1:]) != (HOLE, HOLE):
            found.append(text)
    return tuple(found)


def fits(true: tuple[str, ...], read: tuple[str, ...]) -> bool:
    """A value that is not known may be anything, and so may a whole token, also none."""
    pattern = "\0".join(
        ".*" if item == HOLE else re.escape(item).replace(HOLE, ".*") for item in read
    )
    if re.fullmatch(pattern, "\0".join(true), re.DOTALL):
        return True
    return [item for item in true if item != HOLE] == [item for item in read if item != HOLE]


def reading(entry: dict[str, Any]) -> tuple[bool, set[tuple[str, ...]]]:
    """Whether a file can be read, and the commands in it."""
    text = (FOLDER / entry["file"]).read_text(encoding="utf-8")
    if entry["path"].endswith((".py", ".tf", ".hcl")):
        return False, set()

    def beside(path: str) -> tuple[str, str] | None:
        name = entry.get("beside", {}).get(os.path.normpath(path))
        return None if name is None else (path, (FOLDER / name).read_text(encoding="utf-8"))

    commands = read_commands(text, Context(beside=beside), entry["path"])
    readable = not any(
        item.code == "unreadable-file" for command in commands for item in command.findings
    )
    return readable, {
        plain(list(command.marked or command.tokens))
        for command in commands
        if command.starts_vllm and serves(command.tokens)
    }


def is_right(entry: dict[str, Any]) -> bool:
    try:
        readable, found = reading(entry)
    except ManifestError:
        return False
    true = {tuple(command) for command in entry["commands"]}
    return (
        readable == entry.get("readable", True)
        and all(any(fits(one, other) for other in found) for one in true)
        and all(any(fits(one, other) for one in true) for other in found)
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_the_commands_of_public_files_are_the_true_ones(part: int) -> None:
    chosen = [
        entry
        for entry in files()[part::PARTS]
        if "explained" not in entry and "variables" not in entry
    ]
    wrong = [f"{entry['repository']} {entry['path']}" for entry in chosen if not is_right(entry)]
    assert not wrong


def test_the_variables_of_public_files_are_the_true_ones() -> None:
    reads = reader("runpod", shipped())
    for entry in files():
        if "variables" not in entry:
            continue
        text = (FOLDER / entry["file"]).read_text(encoding="utf-8")
        commands = read_commands(text, Context(reads=reads), entry["path"])
        found = [command for command in commands if command.starts_vllm]
        assert [command.env for command in found] == entry["variables"], entry["repository"]
        assert not any(command.findings for command in found)


def test_nearly_all_are_read() -> None:
    """What is explained is still wrong; otherwise its explanation is old."""
    explained = [entry for entry in files() if "explained" in entry]
    assert len(files()) >= 150
    assert len(explained) <= 0.03 * len(files())
    assert not any(map(is_right, explained))
