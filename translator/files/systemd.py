"""Units of systemd: what a service starts."""

from __future__ import annotations

import re

from attrs import evolve

from translator.files.command import Command, Context
from translator.files.programs import serves
from translator.files.unwrap import Unwrapper, distinct
from translator.text.lines import continued
from translator.text.placed import beginning, partition, replaced, split, stamped, whole
from translator.text.placed import stripped as blankless
from translator.text.quoting import words
from translator.text.references import Budget, hole

_PREFIXES = "@-:+!|"
_NAME = re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)
_REFERENCE = re.compile(r"\$(?:\$|\{\w{1,250}\})", re.ASCII)


def read_unit(text: str, context: Context) -> list[Command] | None:
    """Read the service of a unit; None for any other text."""
    service = _assignments(text)
    if not any(name == "ExecStart" for name, _ in service):
        return None
    given = [word for name, value in service if name == "Environment" for word in _words(value)]
    assigned = [word for word in given if "=" in word]
    pairs = [partition(word, "=") for word in assigned]
    env = {**context.env, **{str(name): value for name, _, value in pairs}}
    made: list[Command] = []
    for name, value in service:
        written = blankless(value, _PREFIXES, "") if name == "ExecStart" else ""
        tokens = _started(written, env, context.budget)
        if not tokens or not (serves(tokens) or any("vllm" in token for token in tokens)):
            continue
        found = distinct(Unwrapper(context).unwrap([*assigned, *tokens]))
        made += [evolve(item, place=beginning(value)) for item in found]
    return made


def _assignments(text: str) -> list[tuple[str, str]]:
    """Return the assignments of the section [Service]: name, value."""
    found: list[tuple[str, str]] = []
    section = ""
    lines = [blankless(line) for line in split(whole(text), "\n")]
    for line in continued(line for line in lines if not line.startswith(("#", ";"))):
        name, sign, value = partition(line, "=")
        if line.startswith("["):
            section = line
        elif sign and section == "[Service]":
            found.append((name.strip(), blankless(value)))
    return found


def _words(text: str) -> list[str]:
    try:
        return words(text)
    except ValueError:  # a quote that is not closed: systemd ignores the line
        return []


def _started(text: str, env: dict[str, str], budget: Budget) -> list[str]:
    """Return the tokens of a command; `$NAME` alone is split at blanks, as systemd does."""
    found: list[str] = []
    for token in _words(text):
        name = _NAME.fullmatch(token)
        if name is not None and name[1] in env:
            found += [stamped(part, token) for part in split(budget.take(env[name[1]]))]
        elif name is not None:
            found.append(hole(token))
        else:
            found.append(_expanded(token, env, budget))
    return found


def _expanded(text: str, env: dict[str, str], budget: Budget) -> str:
    """Return a token with `${NAME}` replaced; `$$` is `$`."""

    def value(written: str) -> str:
        name = written[2:-1]
        if not name:
            return "$"
        return budget.take(env[name]) if name in env else hole(written)

    return replaced(text, _REFERENCE, value)
