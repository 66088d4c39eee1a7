"""Units of systemd: what a service starts."""

from __future__ import annotations

from attrs import evolve

from translator.files.command import Command, Context
from translator.files.programs import serves
from translator.files.unwrap import Unwrapper, distinct
from translator.text.lines import continued
from translator.text.placed import beginning, joined, partition, split, stamped, whole
from translator.text.placed import stripped as blankless
from translator.text.quoting import words
from translator.text.references import NAME, NAME_START, Budget, hole, references

_PREFIXES = "@-:+!|"


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
    budget = Budget()
    for name, value in service:
        written = blankless(value, _PREFIXES, "") if name == "ExecStart" else ""
        tokens = _started(written, env, budget)
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
        name = token[1:]
        if token[:1] == "$" and name and name[0] in NAME_START and NAME.issuperset(name):
            value = budget.take(env.get(name, ""))
            made = [stamped(part, token) for part in split(value)]
            found += made if name in env else [hole(token)]
        else:
            found.append(_expanded(token, env, budget))
    return found


def _expanded(text: str, env: dict[str, str], budget: Budget) -> str:
    """Return a token with `${NAME}` replaced; `$$` is `$`."""
    parts: list[str] = []
    for part, name in references(text, "{}"):
        if name and NAME.issuperset(name):
            parts.append(budget.take(env[name]) if name in env else hole(part))
        else:
            parts.append(part)
    return joined(parts)
