"""Configurations of supervisord: what its programs start.

https://supervisord.org/configuration.html#program-x-section-settings
"""

from __future__ import annotations

import re

from translator.commands.command import Command, Context
from translator.commands.programs import serves
from translator.commands.unwrap import started_at
from translator.text.holes import hole
from translator.text.placed import beginning, cut, joined, partition, replaced, split, whole
from translator.text.placed import stripped as blankless
from translator.text.quoting import words

_REFERENCE = re.compile(r"%%|%\((?:ENV_)?(\w+)\)s")
_COMMENT = re.compile(r"\s;.*")
_VARIABLE = re.compile(r"""(?<!\w)[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^,]*)""")


def read_programs(text: str, context: Context) -> list[Command] | None:
    """Read the programs of a configuration; None for any other text."""
    programs = _programs(text)
    made: list[Command] = []
    for program in programs:
        env = program.get("environment", "")
        set_by = [cut(env, *item.span()) for item in _VARIABLE.finditer(env)]
        try:
            assigned = [word for item in set_by for word in words(item)]
            tokens = words(replaced(program.get("command", ""), _REFERENCE, _expanded))
        except ValueError:  # a quote that is not closed: supervisord refuses the file
            continue
        if serves(tokens):
            made += started_at(beginning(program["command"]), [*assigned, *tokens], context)
    return made if programs else None


def _expanded(written: str) -> str:
    """Return what a reference stands for, whose value only supervisord knows."""
    match = _REFERENCE.fullmatch(written)
    return hole(f"${match[1]}") if match is not None and match[1] else "%"


def _programs(text: str) -> list[dict[str, str]]:
    """Return the settings of each program; a value goes on in lines that begin with a blank."""
    found: list[dict[str, list[str]]] = []
    section, name = "", ""
    for line in split(whole(text), "\n"):
        written = replaced(blankless(line), _COMMENT, lambda _: "")
        if not written or written.startswith((";", "#")):
            continue
        if written.startswith("["):
            section, name = written, ""
            found += [{}] if section.startswith("[program:") else []
        elif line[0] in " \t" and name:
            found[-1][name].append(written)
        elif section.startswith("[program:"):
            name, _, value = partition(written, "=")
            name = str(name.strip())
            found[-1][name] = [blankless(value)]
    return [{name: joined(parts, " ") for name, parts in item.items()} for item in found]
