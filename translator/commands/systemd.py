"""Units of systemd: what a service starts, and what a container of Podman's Quadlet does.

https://docs.podman.io/en/latest/markdown/podman-systemd.unit.5.html
"""

from __future__ import annotations

from translator.commands.command import Command, Container, Context
from translator.commands.programs import serves
from translator.commands.unwrap import started_at
from translator.text.expansion import Budget
from translator.text.holes import hole
from translator.text.json_array import parse_json_array
from translator.text.lines import continued
from translator.text.parameter_expansion import NAME, NAME_START
from translator.text.placed import beginning, joined, partition, split, stamped, whole
from translator.text.placed import stripped as blankless
from translator.text.quoting import words
from translator.text.references import references

_PREFIXES = "@-:+!|"


def read_unit(text: str, context: Context) -> list[Command] | None:
    """Read the services and the containers of units; None for any other text."""
    service, container = _assignments(text)
    if not any(name in ("ExecStart", "Image") for name, _ in [*service, *container]):
        return None
    assigned = _variables(service)
    env = {**context.env, **_values(assigned)}
    made: list[Command] = []
    budget = Budget()
    for name, value in service:
        written = blankless(value, _PREFIXES, "") if name == "ExecStart" else ""
        tokens = _started(written, env, budget)
        if not tokens or not (serves(tokens) or any("vllm" in token for token in tokens)):
            continue
        made += started_at(beginning(value), [*assigned, *tokens], context)
    return [*made, *_contained(container, env, context, budget)]


def _contained(
    given: list[tuple[str, str]], env: dict[str, str], context: Context, budget: Budget
) -> list[Command]:
    """Return what a container starts that is vLLM.

    Args:
        given: the assignments of its section.
        env: what its arguments may refer to: the variables of its service, not its own.
        context: what it is read in.
        budget: how much references may add to it.
    """
    from translator.commands.manifest import commands_of

    last = dict(given)
    if "Image" not in last:
        return []
    entrypoint = last.get("Entrypoint", "")
    variables = _variables(given)
    container = Container(
        str(last.get("ContainerName", "the container")),
        beginning(last.get("Exec", last["Image"])),
        last["Image"],
        parse_json_array(entrypoint) or _started(entrypoint, env, budget) or None,
        _started(last.get("Exec", ""), env, budget),
        _values(variables),
        {word.partition("=")[0]: beginning(word) for word in variables},
    )
    return [item for item in commands_of(container, context, budget) if item.starts_vllm]


def _variables(given: list[tuple[str, str]]) -> list[str]:
    """Return the variables that the assignments of a section set, as `NAME=value`."""
    found = [word for name, value in given if name == "Environment" for word in _words(value)]
    return [word for word in found if "=" in word]


def _values(variables: list[str]) -> dict[str, str]:
    """Return `NAME=value` as name → value."""
    pairs = [partition(word, "=") for word in variables]
    return {str(name): value for name, _, value in pairs}


def _assignments(text: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the assignments of the sections [Service] and [Container]: name, value."""
    found: dict[str, list[tuple[str, str]]] = {"[Service]": [], "[Container]": []}
    section = ""
    lines = [blankless(line) for line in split(whole(text), "\n")]
    for line in continued(line for line in lines if not line.startswith(("#", ";"))):
        name, sign, value = partition(line, "=")
        if line.startswith("["):
            section = line
        elif sign and section in found:
            found[section].append((name.strip(), blankless(value)))
    return found["[Service]"], found["[Container]"]


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
