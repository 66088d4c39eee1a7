"""Which plugin of vLLM a variable belongs to."""

from __future__ import annotations

from translator.tables import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.tables.catalog import Tables

PLUGINS = "plugins.json"
"""The compiled file: plugin → its hardware, sources, prefixes and variables."""


class Plugin(records.Plugin):
    """A plugin that a variable belongs to.

    Attributes:
        prefix: with which the variable begins, if it is not among the listed ones; else "".
    """

    def __init__(self, name: str, fields: Mapping[str, Any], prefix: str) -> None:
        super().__init__({"name": name, **fields})
        self.prefix = prefix


def plugin_of(name: str, tables: Tables) -> Plugin | None:
    """Return the plugin that reads a variable, by its name or else by a prefix of it."""
    plugins = tables.records(PLUGINS)
    for plugin, fields in plugins.items():
        if name in fields["variables"]:
            return Plugin(plugin, fields, "")
    for plugin, fields in plugins.items():
        for prefix in fields.get("prefixes", ()):
            if name.startswith(prefix) and name != prefix:
                return Plugin(plugin, fields, prefix)
    return None
