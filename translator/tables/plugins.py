"""Which plugin of vLLM a variable belongs to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.tables.catalog import Tables

PLUGINS = "plugins.json"
"""The compiled file: plugin → its hardware, sources, prefixes and variables."""


class Plugin:
    """A plugin that a variable belongs to.

    Attributes:
        name: of the plugin, as it is installed.
        hardware: what it is for.
        sources: where its variables are defined.
        variables: those that are known.
        prefix: with which the variable begins, if it is not among those; else "".
    """

    __slots__ = ("hardware", "name", "prefix", "sources", "variables")

    def __init__(self, name: str, fields: dict[str, object], prefix: str) -> None:
        self.name, self.prefix = name, prefix
        self.hardware: str = fields["hardware"]  # type: ignore[assignment]
        self.sources: list[str] = fields["sources"]  # type: ignore[assignment]
        self.variables: list[str] = fields["variables"]  # type: ignore[assignment]


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
