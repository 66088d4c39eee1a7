"""What is read of what people paste, as data (cases/pasted/MODULE.toml).

A case is a call, or has several, and what it says beside them is so of each that does not say
otherwise; `each` of a function has the texts that it reads one after the other. The name of a call's
function holds what it reads; `file` is its name, `known` and `outside` are the variables
that it may refer to, and `beside` the files that stand beside it. What must come of it (of
`read_commands`: of the one command, or for each `command`; how many, if `commands` says so; where
nothing is said, there is none):

    tokens, env, names, unknown, vllm, place, …   attributes of the command; `place` is its file and line,
                                                  `starts_vllm` is true where nothing else stands
    no_vllm                                       for None
    image_name                                    that of an image, or of what is installed, that
                                                  does not say which vLLM is in it
    codes, severity, says, …                      its findings, see findings_told.py
    checked_codes, …                              its findings as a check means them
"""

from collections.abc import Mapping
from typing import Any

import pytest

from cases import line_of, of_folder, steps
from cases.findings_told import compare
from translator.deployments.read import Command, Context
from translator.deployments.read.registry import read_behind, read_commands, read_text
from translator.deployments.read.unwrap import read_tokens

ATTRIBUTES = (
    "tokens", "env", "names", "unknown", "vllm", "place", "name", "contained", "starts_vllm",
    "by_variables", "is_guess",
)  # fmt: skip
# What says something of a command.
SAID = {*ATTRIBUTES, "no_vllm", "image_name", "codes", "checked_codes"}


def _context(call: Mapping[str, Any]) -> Context:
    files = call.get("beside")
    return Context(
        call.get("known", {}),
        outside=call.get("outside", {}),
        beside=None
        if files is None
        else lambda path: (path, files[path]) if path in files else None,
    )


def _commands(call: Mapping[str, Any]) -> list[Command]:
    context = _context(call)
    if "read_commands" in call:
        return read_commands(call["read_commands"], context, call.get("file", ""))
    if "read_text" in call:
        return [read_text(call["read_text"], context, call.get("file", ""))]
    if "read_behind" in call:
        return [read_behind(line_of(call["read_behind"]), context)]
    return [read_tokens(line_of(call["read_tokens"]), context)]


def _compare(wanted: dict[str, Any], made: Command) -> None:
    for name in ATTRIBUTES:
        if name in wanted:
            found = getattr(made, name)
            if name in ("names", "unknown"):
                found = sorted(found)
            elif name == "place":
                found = [found[0], found[1]]
            assert found == (line_of(wanted[name]) if name == "tokens" else wanted[name]), name
        assert "no_" + name not in wanted or getattr(made, name) is None
    if "image_name" in wanted:
        assert made.vllm is None
        assert made.pin.name == wanted["image_name"]
    if "codes" in wanted:
        compare(wanted, made.findings)
    if "checked_codes" in wanted:
        compare(wanted, made.for_check(), "checked_")


@pytest.mark.parametrize("case", of_folder("pasted"))
def test_what_is_read(case: dict[str, Any]) -> None:
    for call in steps(case, "call"):
        made = _commands(call)
        if "read_commands" not in call:
            _compare(call, made[0])
            continue
        # Of what starts nothing, only the version is read (test_program.py: upgrade_starts).
        made = [command for command in made if command.argv or command.name or command.starts_vllm]
        wanted = call.get("command", [call] if call.keys() & SAID else [])
        assert len(made) == call.get("commands", len(wanted))
        for one, command in zip(wanted, made):
            _compare({"starts_vllm": True, **one}, command)
