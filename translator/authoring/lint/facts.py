"""Rules for catalogs, releases, and the tables of what hangs on them: secrets, defaults, refusals,
images, charts, launchers, plugins and machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from translator.authoring.lint.rules import Context, Wrong, rule_for
from translator.authoring.names import all_keys, keys_of, reads, takes, within
from translator.authoring.sources import Problem
from translator.model.catalog import Catalog, Shape, Variable
from translator.model.changes import AtStart, Defaults, Requires
from translator.model.clusters import MachineFlags
from translator.model.programs import Charts, Images, Launchers, Plugins
from translator.model.tables import RELEASES, Releases, Secrets, catalog_file
from translator.tables.versions import Version
from translator.text.names import SecretNames, snake

_NUMBERS = ("positive", "negative", "many", "not-one")


def every_release(context: Context) -> Iterator[Problem]:
    """Every release of releases.toml has a catalog, and nothing else has one."""
    if not context.complete or context.tables.releases is None:
        return
    promised = context.tables.releases.published.keys()
    there = {catalog.version for catalog in context.catalogs}
    missing = "is missing: `translate tables add` harvests it where that vLLM is installed"
    for version in sorted(promised - there, key=Version):
        yield Problem(catalog_file(version), "", missing)
    more = f"{RELEASES} does not have this version: list it there, or take the catalog away"
    for version in sorted(there - promised, key=Version):
        yield Problem(catalog_file(version), "", more)


@rule_for("releases")
def days_in_order(releases: Releases, _: Context) -> Wrong:
    """releases.toml follows the order of the versions, and so do the days."""
    days = releases.published
    if list(days) != sorted(days, key=Version) or list(days.values()) != sorted(days.values()):
        yield "$.published", "not in the order of the versions and of the days"


@rule_for("catalogs")
def something_in_it(catalog: Catalog, _: Context) -> Wrong:
    """A catalog knows flags (the model's own among them) and variables."""
    if "--model" not in catalog.spellings:
        yield "$.flags", "has no --model"
    if not catalog.env:
        yield "$.env", "is empty"


@rule_for("catalogs")
def keys_that_hang_together(catalog: Catalog, _: Context) -> Wrong:
    """The keys of a shape can be written dotted, and its rules speak of keys that it has."""
    for index, flag in enumerate(catalog.flags):
        for part in ("shape", "start"):
            shape = getattr(flag, part)
            if shape is not None:
                for path, text in _bad_keys(shape, f"$.flags[{index}].{part}"):
                    yield path, f"{flag.flag}: {text}"


def _bad_keys(shape: Shape, path: str) -> Iterator[tuple[str, str]]:
    keys = keys_of(shape)
    for key, inner in keys.items():
        if not key or any(sign in key for sign in ".= \t\n"):
            yield path, f"the key {key!r} cannot be written as a dotted key"
        yield from _bad_keys(inner, f"{path}.keys.{key}")
    rules = shape.rules or ()
    named = [*(shape.required or ()), *(name for rule in rules for name in (rule.key, *rule.needs))]
    for key in named:
        if key not in keys:
            yield path, f"names the key {key!r}, which it does not have"


@rule_for("secrets")
def secrets_exist(secrets: Secrets, context: Context) -> Wrong:
    """A secret flag takes a text; a secret variable that would be vLLM's own is in its table."""
    variables = {name for catalog in context.catalogs for name in catalog.variables}
    for index, entry in enumerate(secrets.secret):
        if any(flag.boolean for flag in context.flags.get(entry.flag or "", ())):
            yield f"$.secret[{index}].flag", f"{entry.flag} has no value that could be secret"
        name = entry.variable or ""
        if name.startswith("VLLM_") and name not in variables:
            yield f"$.secret[{index}].variable", f"no vLLM reads a variable {name}"


@rule_for("secrets")
def patterns_catch_nothing_harmless(secrets: Secrets, context: Context) -> Wrong:
    """A known name that a pattern matches is a secret, or listed as `public`."""
    names = SecretNames(secrets.patterns, secrets.public)
    for name in sorted(_harmless_names(secrets, context)):
        if names.match(name):
            text = f"a pattern makes {name} a secret: list it under [[secret]] or as public"
            yield "$.patterns", text


def _harmless_names(secrets: Secrets, context: Context) -> set[str]:
    """Every name that is known not to be secret: flags, vLLM's and the dialects' variables, and the
    keys that vLLM declares.
    """
    known = set(context.spellings)
    for catalog in context.catalogs:
        known.update(catalog.variables)
        for flag in catalog.flags:
            if flag.shape is not None:
                known.update(all_keys(flag.shape))
    for dialect in context.tables.dialects.values():
        known.update(variable.name for variable in dialect.variable)
    named = {name for entry in secrets.secret for name in (entry.flag, entry.variable) if name}
    secret = set(map(snake, named))
    return {name for name in known if snake(name) not in secret}


@rule_for("defaults")
def defaults_that_change(defaults: Defaults, context: Context) -> Wrong:
    """The default of a name in defaults.toml changes between versions."""
    for index, item in enumerate(defaults.default):
        entries = [catalog.names.get(item.name) for catalog in context.catalogs]
        # A version without a default, and without a word on what vLLM decides, is not compared.
        known = {str(it.default) for it in entries if it is not None and it.default is not None}
        if len(known) + len(item.at_start) < 2:
            yield f"$.default[{index}]", f"{item.name} has one known default in all versions"


@rule_for("defaults")
def only_what_vllm_decides(defaults: Defaults, context: Context) -> Wrong:
    """`at_start` is about versions that have the name and whose parser has no default of it, and
    what it says can be set in each of them; its spans are in order, apart, and begin and end with
    versions that are known.
    """
    known = {catalog.version for catalog in context.catalogs}
    for index, item in enumerate(defaults.default):
        path = f"$.default[{index}].at_start"
        for number, span in enumerate(item.at_start):
            for version in (span.since, span.until):
                if version is not None and version not in known:
                    yield f"{path}[{number}]", f"{version} is no known version"
            for text, versions in _wrong(item.name, span, context.catalogs).items():
                yield f"{path}[{number}]", f"{', '.join(versions)}: {text}"
        for one, other in zip(item.at_start, item.at_start[1:]):
            apart = one.until is not None and other.since is not None
            if not apart or Version(other.since or "") <= Version(one.until or ""):
                yield path, f"{item.name}: not in order, or not apart"


def _wrong(name: str, span: AtStart, catalogs: Sequence[Catalog]) -> dict[str, list[str]]:
    """Return what is wrong with a span, each with the versions where it is."""
    found: dict[str, list[str]] = {}
    for catalog in catalogs:
        if within(catalog, span.since, span.until):
            text = _wrong_in(name, span, catalog)
            if text:
                found.setdefault(text, []).append(catalog.version)
    return found


def _wrong_in(name: str, span: AtStart, catalog: Catalog) -> str:
    entry = catalog.names.get(name)
    if entry is None:
        return f"there is no {name}"
    if entry.default is not None:
        return f"the parser has a default of {name}"
    if span.value is None or (
        takes(name, span.value, (catalog,))
        and (isinstance(entry, Variable) or reads(entry, span.value))
    ):
        return ""
    return f"{name} does not accept {span.value!r}"


@rule_for("requires")
def refusals_fit(requires: Requires, context: Context) -> Wrong:
    """The flag of a refusal exists in its span, whose ends are known versions; every other flag in
    all versions of it that have the flag; a word about numbers is of a flag that holds one.
    """
    known = {catalog.version for catalog in context.catalogs}
    for index, entry in enumerate(requires.refusal):
        path = f"$.refusal[{index}]"
        for name in ("since", "until"):
            version = getattr(entry, name)
            if version is not None and version not in known:
                yield f"{path}.{name}", f"{version} is no known version"
        versions = [
            catalog
            for catalog in context.catalogs
            if within(catalog, entry.since, entry.until) and entry.flag in catalog.names
        ]
        if not versions:
            yield path, f"no version in its range has the flag {entry.flag}"
        for other in (*entry.needs, *entry.excludes):
            lacking = [catalog.version for catalog in versions if other not in catalog.names]
            if lacking:
                hint = "`since` and `until` say which versions are meant"
                yield path, f"no flag {other} in {', '.join(lacking)}: {hint}"
        words = {entry.flag: entry.when, **entry.needs, **entry.excludes, **entry.unless}
        for catalog in versions:
            for flag in catalog.flags:
                if words.get(flag.flag) in _NUMBERS and flag.kind not in ("int", "size", "float"):
                    yield path, f"{flag.flag} of {catalog.version} is no number"


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
def options_of_the_server(launchers: Launchers, context: Context) -> Wrong:
    """What a launcher hands to vLLM's server is an option of it in some version."""
    for number, item in enumerate(launchers.launcher):
        for name in item.server:
            if not any(flag.server for flag in context.flags.get(name, ())):
                yield f"$.launcher[{number}]", f"{name} is no option of vLLM's server"


@rule_for("plugins")
def not_in_the_newest(plugins: Plugins, context: Context) -> Wrong:
    """The newest vLLM does not read a plugin's variable."""
    for newest in context.catalogs[-1:]:
        for plugin in plugins.plugin:
            for name in plugin.variables:
                if name in newest.variables:
                    yield f"$.plugin.{plugin.name}", f"vLLM {newest.version} reads {name} itself"


@rule_for("machines")
def joined_by_a_choice(machines: MachineFlags, context: Context) -> Wrong:
    """Some version takes the word of what joins machines."""
    joined = machines.joined
    if not takes(joined.flag, joined.value, context.catalogs):
        yield "$.joined.value", f"no version accepts {joined.value!r} for {joined.flag}"


RULES = (
    every_release,
    days_in_order,
    something_in_it,
    keys_that_hang_together,
    secrets_exist,
    patterns_catch_nothing_harmless,
    defaults_that_change,
    only_what_vllm_decides,
    refusals_fit,
    versions_are_vllms,
    flags_of_charts_exist,
    options_of_the_server,
    not_in_the_newest,
    joined_by_a_choice,
)
