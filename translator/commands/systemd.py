"""Units of systemd: what a service starts."""

from __future__ import annotations

from translator.commands.command import Command, Context
from translator.commands.programs import serves
from translator.commands.unwrap import Unwrapper, distinct
from translator.text.expansion import Budget
from translator.text.holes import hole
from translator.text.parameter_expansion import NAME, NAME_START
from translator.text.placed import cut, joined, partition, place, split, stamped
from translator.text.placed import stripped as blankless
from translator.text.quoting import words

_PREFIXES = "@-:+!|"


def read_unit(text: str, context: Context) -> list[Command] | None:
    """Read the services of a unit; None for any other text."""
    found = _assignments(text)
    if not any(name == "ExecStart" for _, name, _ in found):
        return None
    env: dict[str, str] = {}
    assigned: list[str] = []
    for _, name, value in found:
        if name == "Environment":
            for word in _words(value):
                variable, sign, part = partition(word, "=")
                if sign:
                    env[str(variable)] = part
                    assigned.append(word)
    made: list[Command] = []
    budget = Budget()
    for line, name, value in found:
        tokens = _started(value, {**context.env, **env}, budget) if name == "ExecStart" else []
        if not tokens or not (serves(tokens) or any("vllm" in token for token in tokens)):
            continue
        at = place(value) or ("", line, 0)
        for command in distinct(Unwrapper(context).unwrap([*assigned, *tokens])):
            made.append(command.replaced(place=at))
    return made


def _assignments(text: str) -> list[tuple[int, str, str]]:
    """Return the assignments of the section [Service]: line, name, value."""
    found: list[tuple[int, str, str]] = []
    section = ""
    parts: list[str] = []
    start = 0
    for number, line in enumerate(split(text, "\n"), 1):
        stripped = blankless(line)
        if stripped.startswith(("#", ";")) or (not stripped and not parts):
            continue
        if stripped.startswith("[") and not parts:
            section = stripped
            continue
        start = start if parts else number
        parts.append(cut(stripped, 0, len(stripped.removesuffix("\\"))))
        if stripped.endswith("\\"):
            continue
        name, sign, value = partition(joined(parts, " "), "=")
        parts = []
        if sign and section == "[Service]":
            found.append((start, name.strip(), blankless(value)))
    return found


def _words(text: str) -> list[str]:
    try:
        return words(text)
    except ValueError:  # a quote that is not closed: systemd ignores the line
        return []


def _started(text: str, env: dict[str, str], budget: Budget) -> list[str]:
    """Return the tokens of a command; `$NAME` alone is split at blanks, as systemd does."""
    found: list[str] = []
    for number, word in enumerate(_words(text)):
        token = blankless(word, _PREFIXES, "") if not number else word
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
    at = 0
    while at < len(text):
        dollar = text.find("$", at)
        if dollar < 0:
            dollar = len(text)
        parts.append(cut(text, at, dollar))
        at = dollar
        end = text.find("}", dollar) if text[dollar + 1 : dollar + 2] == "{" else -1
        name = text[dollar + 2 : end] if end > 0 else ""
        if name and NAME.issuperset(name):
            written = cut(text, dollar, end + 1)
            parts.append(budget.take(env[name]) if name in env else hole(written))
            at = end + 1
        elif text[dollar : dollar + 2] == "$$":
            parts.append(cut(text, dollar, dollar + 1))
            at += 2
        elif dollar < len(text):
            parts.append(cut(text, dollar, dollar + 1))
            at += 1
    return joined(parts)
