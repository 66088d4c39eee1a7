"""Public deployment files of all kinds (cases/files): the commands that they start are those that
were established apart from this project.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cases import table
from translator.files import Context, reader
from translator.files.programs import serves
from translator.files.registry import read_commands
from translator.tables.catalog import shipped
from translator.text.json_text import YamlError
from translator.text.references import END, UNKNOWN

if TYPE_CHECKING:
    from translator.files import Command

FOLDER = Path(__file__).parent / "files"
FILES: list[dict[str, Any]] = table("files/index")["file"]
HOLE = "@@"
_MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
PARTS = 6


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


def text_of(entry: dict[str, Any], path: str = "") -> str:
    """The text of a file, or of one beside it."""
    name = entry["beside"][os.path.normpath(path)] if path else entry["file"]
    return (FOLDER / name).read_text(encoding="utf-8")


@functools.lru_cache(maxsize=1)
def commands_of(number: int) -> list[Command]:
    """The commands in the file of a number."""
    entry = FILES[number]

    def beside(path: str) -> tuple[str, str] | None:
        known = os.path.normpath(path) in entry.get("beside", {})
        return (path, text_of(entry, path)) if known else None

    return read_commands(text_of(entry), Context(beside=beside), entry["path"])


def reading(entry: dict[str, Any]) -> tuple[bool, set[tuple[str, ...]]]:
    """Whether a file can be read, and the commands in it."""
    commands = commands_of(FILES.index(entry))
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
    except YamlError:
        return False
    true = {tuple(command) for command in entry["commands"]}
    return (
        readable == entry.get("readable", True)
        and all(any(fits(one, other) for other in found) for one in true)
        and all(any(fits(one, other) for one in true) for other in found)
    )


def misplaced(entry: dict[str, Any]) -> list[str]:
    """The tokens that do not begin at their place in the file, nor with a reference there.

    A token that the file does not contain is made of the value that stands there, by a chart.
    """
    found = []
    for command in commands_of(FILES.index(entry)):
        for token, place in zip(command.tokens, command.token_places):
            if place is None:
                continue
            file, line, column = place
            text = text_of(entry, file)
            rest = text.split("\n")[line - 1][column - 1 :]
            begins = rest[0] == "$" or token.startswith(re.split(r"[\s\"'\\$}]", rest)[0] or "\0")
            if not begins and token in text and not rest.startswith(token):
                found.append(f"{line}:{column}: {token}")
    return found


def unplaced(entry: dict[str, Any]) -> list[str]:
    """The flags without a place, of those that the file contains."""
    return [
        token
        for command in commands_of(FILES.index(entry))
        for token, place in zip(command.tokens, command.token_places)
        if place is None and token.startswith("--") and token in text_of(entry)
    ]


@pytest.mark.parametrize("part", range(PARTS))
def test_the_commands_of_public_files_are_the_true_ones(part: int) -> None:
    """And each of their tokens begins where its place says."""
    chosen = [
        entry
        for entry in FILES[part::PARTS]
        if "explained" not in entry and "variables" not in entry
    ]
    wrong = [f"{entry['repository']} {entry['path']}" for entry in chosen if not is_right(entry)]
    assert not wrong
    readable = [entry for entry in chosen if entry.get("readable", True)]
    assert {entry["path"]: found for entry in readable if (found := misplaced(entry))} == {}
    assert {entry["path"]: found for entry in readable if (found := unplaced(entry))} == {}


def test_the_versions_of_public_files_are_the_true_ones() -> None:
    """Those of images, and those that a script, its setup or its requirements install."""
    known = [entry for entry in FILES if "vllm" in entry]
    assert known
    for entry in known:
        found = {item.vllm for item in commands_of(FILES.index(entry)) if item.starts_vllm}
        assert found == {entry["vllm"]}, f"{entry['repository']} {entry['path']}"


def test_the_variables_of_public_files_are_the_true_ones() -> None:
    reads = reader("runpod", shipped())
    for entry in FILES:
        if "variables" not in entry:
            continue
        commands = read_commands(text_of(entry), Context(reads=reads), entry["path"])
        found = [command for command in commands if command.starts_vllm]
        assert [command.env for command in found] == entry["variables"], entry["repository"]
        assert not any(command.findings for command in found)


def test_nearly_all_are_read() -> None:
    """What is explained is still wrong; otherwise its explanation is old."""
    explained = [entry for entry in FILES if "explained" in entry]
    assert len(FILES) >= 150
    assert len(explained) <= 0.03 * len(FILES)
    assert not any(map(is_right, explained))
