"""Rules for plugins.toml: each variable is the plugin's, and no vLLM's."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.sources import PLUGINS, Problem


def names_once(context: Context) -> Iterator[Problem]:
    """A plugin, a prefix and a variable stand once in the file."""
    found = context.tables.plugins
    seen: dict[str, str] = {}
    for plugin in found.plugin if found is not None else ():
        for name in (plugin.name, *plugin.prefixes, *plugin.variables):
            if name in seen:
                yield Problem(PLUGINS, "$.plugin", f"{name} is also one of {seen[name]}")
            seen[name] = plugin.name


def not_in_the_newest(context: Context) -> Iterator[Problem]:
    """The newest vLLM does not read a plugin's variable."""
    found = context.tables.plugins
    newest = context.catalogs[-1] if context.catalogs else None
    own = {variable.name for variable in newest.env} if newest is not None else set()
    for plugin in found.plugin if found is not None else ():
        for name in plugin.variables:
            if newest is not None and name in own:
                text = f"vLLM {newest.version} reads {name} itself"
                yield Problem(PLUGINS, f"$.plugin.{plugin.name}", text)


RULES = (names_once, not_in_the_newest)
