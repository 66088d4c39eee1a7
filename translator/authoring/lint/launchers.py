"""Rules for launchers.toml: its flags are vLLM's."""

from __future__ import annotations

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.model.programs import Launchers


@rule_for("launchers")
def flags_exist(launchers: Launchers, context: Context) -> Wrong:
    """Each flag exists in some version, and the options of the server are some version's."""
    for number, item in enumerate(launchers.launcher):
        path = f"$.launcher[{number}]"
        for name in (*filter(None, (item.served,)), *item.left):
            if name not in context.flags:
                yield path, f"no vLLM has a flag {name}"
        for name in item.server:
            if not any(flag.server for flag in context.flags.get(name, ())):
                yield path, f"{name} is no option of vLLM's server"


@rule_for("launchers")
def names_once(launchers: Launchers, _: Context) -> Wrong:
    """A program stands once in the file."""
    for name in twice(item.name for item in launchers.launcher):
        yield "$.launcher", f"{name} stands twice"


RULES = (flags_exist, names_once)
