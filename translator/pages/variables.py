"""The page of a variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from translator.naming.dialect import UNLISTED, DialectVariable
from translator.naming.scope import Role, Scope
from translator.pages.flags import change_sections, flag_lines, where
from translator.pages.page import KINDS, Accepted, Page, Section, periods, some, version_lines
from translator.tables.catalog import Catalog, Tables
from translator.tables.entries import CHANGES, Flag, Plugin
from translator.tables.versions import ranges
from translator.text.json_text import dumps
from translator.values.errors import BadValue
from translator.values.tokens import tokens
from translator.values.variables import from_variable

READ = "vLLM reads it in"
"""Heading of the section about the versions that read a variable."""

# Kind of a flag → a value to show.
_EXAMPLES = {
    "switch": "true",
    "toggle": "false",
    "bool-value": "false",
    "int": "8",
    "size": "8k",
    "size-or-auto": "8k",
    "float": "0.9",
    "json": '{"key": 1}',
    "json-or-str": '{"key": 1}',
    "list": "a,b",
    "append": "a,b",
}
# Role of a variable that sets no flag → what it does.
_SETS = {
    "worker": "nothing in vLLM: for the platform's own program",
    "reserved": "nothing in vLLM",
    "environment": "no flag: it stays in the environment of vLLM",
}
_MOST_CHOICES = 6
# Kind of a variable of vLLM's own → what it accepts.
OWN_KINDS = {
    "bool-int": "0 or 1 (true crashes vLLM)",
    "int": "integer",
    "str": "string",
    "float": "number",
    "json": "JSON",
    "list": "values with commas between them",
    "bool": "true or false",
}


def variable_page(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    """Return the page of a variable; None when neither the dialect nor vLLM reads it.

    Args:
        name: of the variable.
        scope: the version that is shown where one has to be, and the dialect.
        versions: the versions that matter.
    """
    tables = scope.tables
    listed = scope.dialect.listed(name)
    role = scope.role(name)
    known = tables.knowing(name)
    if listed is UNLISTED and not known and not _is_meant(name, role, scope):
        return None
    accepted = periods(versions, lambda version: _accepted(name, tables.catalog(version)))
    sections = [
        *_meaning(name, role, scope),
        (f"in {scope.name}", _documented(listed)),
    ]
    if known:
        sections.append((READ, _read_in(name, tables, versions)))
    plugin = tables.plugin(name) if role is None or role.kind != "native" else None
    if plugin is not None:
        sections.append(("plugin", _about_plugin(plugin)))
    if scope.secrets.named(name):
        secret = "its value never appears on a command line, in a log or in a finding"
        sections.append(("secret", [secret]))
    sections += change_sections(name, tables)
    if role is not None and role.kind in ("flag", "absent"):
        sections += change_sections(_target(role), tables)
    if role is not None and role.flag is not None and not role.path:
        flag = role.flag.flag
        sections.append((f"{flag} in vLLM", flag_lines(flag, (), tables, versions)))
    return Page(f"{name}: a variable", sections, accepted)


def _is_meant(name: str, role: Role | None, scope: Scope) -> bool:
    """Tell whether a name that is listed nowhere is a variable all the same."""
    is_read = role is not None and role.kind != "unknown-vllm"
    return name == name.upper() and (is_read or name in scope.tables.records(CHANGES))


def _documented(listed: DialectVariable) -> list[str]:
    default = f"default {listed.default}" if listed.default else ""
    return [text for text in (default, listed.source) if text]


def _read_in(name: str, tables: Tables, versions: Sequence[str]) -> list[str]:
    """Return what vLLM reads in a variable of its own, a line for each run of versions."""

    def fact(version: str) -> str | None:
        found = _accepted(name, tables.catalog(version))
        if found is None:
            return None
        return found.value + (f"; one of {some(found.choices)}" if found.choices else "")

    return version_lines(versions, fact) or [where(name, tables)]


def _about_plugin(plugin: Plugin) -> list[str]:
    """Which plugin reads a variable, and where that is seen."""
    if plugin.prefix:
        known = f"{plugin.prefix} is a prefix of {plugin.name}; no variable of this name is known"
        return [f"{known} ({plugin.hardware})", *plugin.sources]
    return [f"read by {plugin.name} ({plugin.hardware}), not by vLLM itself", *plugin.sources]


def _target(role: Role) -> str:
    """The flag, or the key of one, that a variable sets."""
    return ".".join((role.flag.flag, *role.path)) if role.flag is not None else role.name


def _meaning(name: str, role: Role | None, scope: Scope) -> list[Section]:
    """What a variable does, by its role in the dialect."""
    if name == scope.extra_args:
        value = "further flags, split as a POSIX shell splits them; they override other variables"
        example = f"{name}=--port=8080 --served-model-name 'my model'"
        return [("value", [value]), ("example", [example])]
    if name == scope.config_file:
        return [("value", ["the path of a file for --config"])]
    if role is None:
        return []
    found = effect(role, scope)
    notes = ("note", [note.replace("`", "") for note in found.notes])
    if role.kind == "choice":
        sets = []
        for value, parts in role.listed.sets.items():
            flags = " ".join(f"{flag}={text}" for flag, text in parts.items())
            sets.append(f"{value}: {flags or 'nothing'}")
        other = [f"counts as {role.listed.otherwise}"] if role.listed.otherwise else []
        return [("sets", sets), ("any other value", other), notes]
    sections = [("sets", [found.sets]), ("value", [found.value])]
    if role.flag is not None and found.value:
        sections.append(("example", [_example(name, role.flag, role.path)]))
    told: list[Section] = [
        (heading, [line.replace("`", "") for line in lines if line]) for heading, lines in sections
    ]
    return [*told, notes]


@frozen
class Effect:
    """What a variable does; names and values are in backquotes.

    Attributes:
        sets: the flag, or in words.
        value: how it is written; may be empty.
        notes: what else is to be known.
    """

    sets: str = ""
    value: str = ""
    notes: Sequence[str] = ()


def effect(role: Role, scope: Scope) -> Effect:
    """Return what a variable with a role does in a version and a dialect."""
    notes = [role.listed.note] if role.listed.note else []
    if role.listed.unset:
        notes.append(f"{' or '.join(f'`{text}`' for text in role.listed.unset)} means not set")
    if role.kind == "choice":
        flags = dict.fromkeys(flag for parts in role.listed.sets.values() for flag in parts)
        return Effect(_quoted(flags, ", "), _quoted(role.listed.sets, " or "), notes)
    if role.kind == "no-flag":
        return Effect(f"nothing: no vLLM has `{role.name}`", "", notes)
    if role.kind not in ("flag", "absent"):
        return Effect(_SETS.get(role.kind, ""), "", notes)
    target, flag = _target(role), role.flag
    if flag is None:
        known = ranges(scope.tables.knowing(target.partition(".")[0]))
        return Effect(f"`{target}`, in vLLM {known} only", "", notes)
    secret = scope.secrets.carriers.get(flag.flag)
    if secret:
        return Effect(f"`{target}`, which is secret: vLLM gets it as `{secret}`", "", notes)
    inverted = " (inverted: true here is false there)" if role.inverted else ""
    if role.path:
        value = "JSON, a size or a string"
    elif flag.choices and len(flag.choices) <= _MOST_CHOICES:
        value = _quoted(map(str, flag.choices), " or ")
    else:
        value = KINDS[flag.kind]
    return Effect(f"`{target}`{inverted}", value, notes)


def _quoted(texts: Iterable[str], between: str) -> str:
    return between.join(f"`{text}`" for text in texts)


def _accepted(name: str, catalog: Catalog) -> Accepted | None:
    """What a version of vLLM accepts as the value of one of its own variables."""
    variable = catalog.variable(name)
    if variable is None:
        return None
    value = OWN_KINDS.get(variable.kind, variable.kind)
    if variable.kind == "bool" and variable.true:
        value += f" (true: {', '.join(variable.true)})"
    choices = tuple(variable.choices or ())
    return Accepted(value, choices, default=dumps(variable.default))


def _example(name: str, flag: Flag, path: tuple[str, ...]) -> str:
    if path:
        return f"{name}=…: {'.'.join((flag.flag, *path))}"
    text = str(flag.choices[0]) if flag.choices else _EXAMPLES.get(flag.kind, "text")
    try:
        value, _ = from_variable(flag, text)
        return f"{name}={text}: {' '.join(tokens(flag, value)) or 'nothing'}"
    except BadValue:
        return f"{name}=…: {flag.flag}=…"
