"""Rules for launchers.toml: its flags are vLLM's."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.sources import LAUNCHERS, Problem


def flags_exist(context: Context) -> Iterator[Problem]:
    """Each flag exists in some version, and the options of the server are some version's."""
    found = context.tables.launchers
    known = {flag.flag for catalog in context.catalogs for flag in catalog.flags}
    of_the_server = {
        flag.flag for catalog in context.catalogs for flag in catalog.flags if flag.server
    }
    for number, item in enumerate(found.launcher if found is not None else ()):
        path = f"$.launcher[{number}]"
        for name in (*filter(None, (item.served,)), *item.left):
            if name not in known:
                yield Problem(LAUNCHERS, path, f"no vLLM has a flag {name}")
        for name in item.server:
            if name not in of_the_server:
                yield Problem(LAUNCHERS, path, f"{name} is no option of vLLM's server")


def names_once(context: Context) -> Iterator[Problem]:
    """A program stands once in the file."""
    found = context.tables.launchers
    seen: set[str] = set()
    for item in found.launcher if found is not None else ():
        if item.name in seen:
            yield Problem(LAUNCHERS, "$.launcher", f"{item.name} stands twice")
        seen.add(item.name)


RULES = (flags_exist, names_once)
