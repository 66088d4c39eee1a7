"""Rules for images.toml, charts.toml, launchers.toml and plugins.toml: each name stands once, and
what they say of vLLM is so.
"""

from __future__ import annotations

from collections.abc import Iterable

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.model.programs import Charts, Images, Launchers, Plugins
from translator.tables.versions import Version


def _once(path: str, names: Iterable[str]) -> Wrong:
    for name in twice(names):
        yield path, f"{name} stands twice"


@rule_for("images")
def repositories_once(images: Images, _: Context) -> Wrong:
    """A repository is in one entry."""
    return _once("$.image", (name for image in images.image for name in image.names))


@rule_for("charts")
def charts_once(charts: Charts, _: Context) -> Wrong:
    """A chart, or template of one, stands once in the file."""
    return _once("$.chart", (chart.name for chart in charts.chart))


@rule_for("launchers")
def launchers_once(launchers: Launchers, _: Context) -> Wrong:
    """A program stands once in the file."""
    return _once("$.launcher", (item.name for item in launchers.launcher))


@rule_for("plugins")
def plugins_once(plugins: Plugins, _: Context) -> Wrong:
    """A plugin, a prefix and a variable stand once in the file."""
    names = ((item.name, *item.prefixes, *item.variables) for item in plugins.plugin)
    return _once("$.plugin", (name for group in names for name in group))


@rule_for("images")
def versions_are_vllms(images: Images, context: Context) -> Wrong:
    """What an image holds is a published vLLM, or a candidate for one."""
    if context.tables.releases is None:
        return
    known = {Version(version).base for version in context.tables.releases.published}
    for index, image in enumerate(images.image):
        for tag, version in image.versions.items():
            if Version(version).base not in known:
                yield f"$.image[{index}].versions", f"{tag}: {version} is no release of vLLM"


@rule_for("charts")
def flags_of_charts_exist(charts: Charts, context: Context) -> Wrong:
    """Each flag exists in some version, or switches one off."""
    for number, chart in enumerate(charts.chart):
        tokens = [("start", token) for token in chart.start]
        for index, argument in enumerate(chart.argument):
            written = (*argument.tokens, *argument.otherwise)
            tokens += [(f"argument[{index}]", token) for token in written]
        for place, token in tokens:
            if token.startswith("--") and token not in context.spellings:
                yield f"$.chart[{number}].{place}", f"no vLLM has a flag {token}"


@rule_for("launchers")
def flags_of_launchers_exist(launchers: Launchers, context: Context) -> Wrong:
    """Each flag exists in some version, and the options of the server are some version's."""
    for number, item in enumerate(launchers.launcher):
        path = f"$.launcher[{number}]"
        for name in (*filter(None, (item.served,)), *item.left):
            if name not in context.flags:
                yield path, f"no vLLM has a flag {name}"
        for name in item.server:
            if not any(flag.server for flag in context.flags.get(name, ())):
                yield path, f"{name} is no option of vLLM's server"


@rule_for("plugins")
def not_in_the_newest(plugins: Plugins, context: Context) -> Wrong:
    """The newest vLLM does not read a plugin's variable."""
    for newest in context.catalogs[-1:]:
        for plugin in plugins.plugin:
            for name in plugin.variables:
                if name in newest.variables:
                    yield f"$.plugin.{plugin.name}", f"vLLM {newest.version} reads {name} itself"


RULES = (
    repositories_once,
    charts_once,
    launchers_once,
    plugins_once,
    versions_are_vllms,
    flags_of_charts_exist,
    flags_of_launchers_exist,
    not_in_the_newest,
)
