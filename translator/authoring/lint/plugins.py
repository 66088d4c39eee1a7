"""Rules for plugins.toml: each variable is the plugin's, and no vLLM's."""

from __future__ import annotations

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.model.programs import Plugins


@rule_for("plugins")
def names_once(plugins: Plugins, _: Context) -> Wrong:
    """A plugin, a prefix and a variable stand once in the file."""
    names = [
        name
        for plugin in plugins.plugin
        for name in (plugin.name, *plugin.prefixes, *plugin.variables)
    ]
    for name in twice(names):
        yield "$.plugin", f"{name} stands twice"


@rule_for("plugins")
def not_in_the_newest(plugins: Plugins, context: Context) -> Wrong:
    """The newest vLLM does not read a plugin's variable."""
    for newest in context.catalogs[-1:]:
        for plugin in plugins.plugin:
            for name in plugin.variables:
                if name in newest.variables:
                    yield f"$.plugin.{plugin.name}", f"vLLM {newest.version} reads {name} itself"


RULES = (names_once, not_in_the_newest)
