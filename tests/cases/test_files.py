"""Files of every kind, as people have them, cut to what each one shows (cases/files/*.toml).

["PATH"]      a file of this name, which may tell its kind; what it shows stands behind it
text          the file
beside        the files beside it
commands      what it starts, behind vLLM's own words; `@@` is a value that only the machine knows
variables     of a file without a command: those of each container
vllm          the version that it starts, where the file says it
explained     why it is read otherwise on purpose

`silent` are files that start nothing, `unread` those of which a note says that they are not read.

What a file starts was told by another program than this one: bash ran the scripts with programs that
note their words, and public files of the same shapes had been followed with bash, Helm and the rules
of their platforms.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cases import HERE, table
from translator.deployments.read import Context
from translator.deployments.read.programs import serves
from translator.deployments.read.registry import read_commands
from translator.formats.references import END, UNKNOWN

if TYPE_CHECKING:
    from translator.deployments.read import Command

Tokens = tuple[str, ...]
HOLE = "@@"
_MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]


def _entries() -> Iterator[dict[str, Any]]:
    for file in sorted((HERE / "files").glob("*.toml")):
        for name, entry in table(f"files/{file.stem}").items():
            if name not in ("silent", "unread"):
                yield {"path": name, **entry}
                continue
            for path, text in entry.items():
                yield {"path": path, "text": text, "commands": [], "unread": name == "unread"}


FILES = list(_entries())
NAMES = [entry["path"] for entry in FILES]


def plain(tokens: list[str]) -> Tokens:
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


def fits(true: Tokens, read: Tokens) -> bool:
    """A value that is not known may be anything, and so may a whole token, also none."""
    pattern = "\0".join(
        ".*" if item == HOLE else re.escape(item).replace(HOLE, ".*") for item in read
    )
    if re.fullmatch(pattern, "\0".join(true), re.DOTALL):
        return True
    return [item for item in true if item != HOLE] == [item for item in read if item != HOLE]


def _text(entry: dict[str, Any], path: str = "") -> str:
    """The text of a file, or of one beside it."""
    text: str = entry["beside"][os.path.normpath(path)] if path else entry["text"]
    return text


@functools.cache
def commands_of(name: str) -> list[Command]:
    """The commands in the file of a name."""
    entry = FILES[NAMES.index(name)]

    def beside(path: str) -> tuple[str, str] | None:
        known = os.path.normpath(path) in entry.get("beside", {})
        return (path, _text(entry, path)) if known else None

    context = Context(beside=beside, dialect="runpod")
    return read_commands(entry["text"], context, name)


def differences(entry: dict[str, Any]) -> tuple[list[Tokens], list[Tokens]]:
    """The commands of a file that are not read, and what is read instead."""
    found = {
        plain(command.marked)
        for command in commands_of(entry["path"])
        if command.starts_vllm and serves(command.tokens)
    }
    true = [tuple(shlex.split(line)) for line in entry["commands"]]
    missed = [one for one in true if not any(fits(one, other) for other in found)]
    return missed, [other for other in found if not any(fits(one, other) for one in true)]


def misplaced(entry: dict[str, Any]) -> list[str]:
    """The tokens that do not begin at their place in the file, nor with a reference there; and the
    flags without a place, of those that the file contains.

    A token that the file does not contain is made of the value that stands there, by a chart.
    """
    found = []
    for command in commands_of(entry["path"]):
        for token, place in zip(command.tokens, command.token_places):
            if place is None:
                found += [token] if token.startswith("--") and token in entry["text"] else []
                continue
            file, line, column = place
            text = _text(entry, file)
            rest = text.split("\n")[line - 1][column - 1 :]
            begins = rest[0] == "$" or token.startswith(re.split(r"[\s\"'\\$}]", rest)[0] or "\0")
            if not begins and token in text and not rest.startswith(token):
                found.append(f"{line}:{column}: {token}")
    return found


@pytest.mark.parametrize("name", [entry["path"] for entry in FILES if "commands" in entry])
def test_what_a_file_starts(name: str) -> None:
    """And each token begins where its place says."""
    entry = FILES[NAMES.index(name)]
    findings = [item for command in commands_of(name) for item in command.findings]
    assert any(item.code == "unreadable-file" for item in findings) == entry.get("unread", False)
    if "explained" in entry:  # read rightly, its explanation is old
        assert differences(entry) != ([], [])
        return
    assert differences(entry) == ([], [])
    assert misplaced(entry) == []
    found = {item.vllm for item in commands_of(name) if item.starts_vllm}
    assert "vllm" not in entry or found == {entry["vllm"]}


@pytest.mark.parametrize("name", [entry["path"] for entry in FILES if "variables" in entry])
def test_the_variables_of_a_file(name: str) -> None:
    found = [command for command in commands_of(name) if command.starts_vllm]
    assert [command.env for command in found] == FILES[NAMES.index(name)]["variables"]
    assert not any(command.findings for command in found)


def test_nearly_all_are_read() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 45
    assert sum("explained" in entry for entry in FILES) <= 1
