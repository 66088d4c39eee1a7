"""Rules for clusters/_flags.toml: what a place among several machines becomes exists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from translator.authoring.lint.rules import Context, Wrong, rule_for
from translator.model.clusters import MachineFlags


@rule_for("machines")
def flags_exist(machines: MachineFlags, context: Context) -> Wrong:
    """Each flag exists in some version, under its own name; and some version takes the word of what
    joins machines.
    """
    for path, name in _flags(machines, "$"):
        if name not in context.flags:
            yield path, f"no vLLM has a flag {name}"
    joined = machines.joined
    joining = context.flags.get(joined.flag, [])
    if joining and all(
        flag.choices is not None and joined.value not in flag.choices for flag in joining
    ):
        yield "$.joined.value", f"no version accepts {joined.value!r} for {joined.flag}"


def _flags(part: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every flag in a part of the table, with its path."""
    if attrs.has(type(part)):
        for field in attrs.fields(type(part)):
            yield from _flags(getattr(part, field.name), f"{path}.{field.name}")
    elif isinstance(part, tuple):
        for index, item in enumerate(part):
            yield from _flags(item, f"{path}[{index}]")
    elif isinstance(part, str) and part.startswith("--"):
        yield path, part


RULES = (flags_exist,)
