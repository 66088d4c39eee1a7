"""The schema of a file of variables, for one version and one dialect: an object of strings.

An empty value and `None` set nothing, so that every variable may have them. Names that the schema
does not list stay in the environment, and may have any value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from translator.json_schema import values
from translator.json_schema.config_file import DIALECT
from translator.json_schema.values import Schema, described
from translator.naming.scope import Role, Scope, variable_for
from translator.pages.accepted import OWN_KINDS, where
from translator.tables.catalog import Tables
from translator.tables.entries import CHANGES, Flag, Variable
from translator.text.json_text import dumps

_NOTHING = r"\s*(?:None)?\s*"
_ROLES = {
    "worker": "For the platform's own program; sets nothing in vLLM.",
    "reserved": "Reserved; sets nothing in vLLM.",
    "environment": "Stays in the environment of vLLM.",
    "choice": "Sets several flags at once.",
    "extra-args": "Further flags, split as a POSIX shell splits them.",
    "config-file": "The path of a file for `vllm serve --config`, `*.yaml` or `*.yml`.",
}


def env_schema(scope: Scope) -> Schema:
    """Return the schema of the variables of a dialect, as vLLM's version reads them."""
    properties: dict[str, Any] = {}
    for name in _names(scope):
        role = scope.role(name)
        schema = _schema(role, scope) if role is not None else None
        if schema is not None:
            properties[name] = schema
    return {
        "$schema": DIALECT,
        "title": f"variables of {scope.name}, vLLM {scope.catalog.version}",
        "description": (
            "Every value is a string. An empty one and `None` set nothing. Of values, only words,"
            " numbers and choices are judged; `translate check` judges all of them."
        ),
        "type": "object",
        "properties": dict(sorted(properties.items())),
        "additionalProperties": {"type": "string"},
    }


def _names(scope: Scope) -> Iterator[str]:
    yield from scope.dialect.names
    yield from filter(None, (scope.extra_args, scope.config_file))
    for flag in scope.catalog.flags():
        name = variable_for(flag, scope)
        if name:
            yield name
    yield from scope.catalog.variable_names()


def _schema(role: Role, scope: Scope) -> Schema | None:
    listed = role.listed
    if role.kind == "flag" and role.flag is not None:
        found = _of_flag(role, role.flag, scope)
    elif role.kind == "native" and role.variable is not None:
        found = _of_own(role.variable)
    elif role.kind == "absent":
        flag = role.name.partition(".")[0]
        missing = f"vLLM {scope.catalog.version} does not have `{role.name}`"
        told = f"{missing}: {where(flag, scope.tables)}."
        found = {"type": "string", "description": told, "deprecated": True}
    elif role.kind in _ROLES:
        found = {"type": "string", "description": _ROLES[role.kind]}
    else:
        return None
    if listed.default:
        found["default"] = listed.default
    if listed.note:
        note = listed.note if listed.note.endswith(".") else f"{listed.note}."
        found["description"] = f"{found['description']} {note}"
    return found


def _of_flag(role: Role, flag: Flag, scope: Scope) -> Schema:
    if role.path:
        return {"type": "string", "description": f"Sets `{'.'.join((flag.flag, *role.path))}`."}
    found: Schema = {"type": "string", "description": described(flag, scope.catalog)}
    if flag.deprecated:
        found["deprecated"] = True
    listed = role.listed
    # The platform has names of its own for values.
    own = listed.values or listed.scheme or listed.unset or listed.only or listed.sets
    pattern = None if own else _pattern(flag, scope.tables)
    if pattern is None:
        return found
    # Values that the platform's program drops, of any flag.
    dropped = [*scope.consumer.unset, *(["false"] if scope.consumer.by_value else [])]
    pattern = "|".join([pattern, *(rf"\s*{values.folded(item)}\s*" for item in dropped)])
    if flag.choices:
        # For completion; the pattern is what counts.
        found["examples"] = [str(item) for item in flag.choices]
    return {**found, "pattern": values.whole(f"{pattern}|{_NOTHING}")}


def _pattern(flag: Flag, tables: Tables) -> str | None:
    """Return the pattern of a flag's values; None where any text may be one."""
    if flag.boolean:
        return rf"\s*(?:{values.words(values.TRUE_OR_FALSE)})\s*"
    if flag.choices is not None and flag.kind == "str":
        # Names of other versions are translated.
        begin = f"{flag.flag}="
        older = [name[len(begin) :] for name in tables.records(CHANGES) if name.startswith(begin)]
        found = values.choice_pattern(flag.choices, flag.fold)
        return rf"\s*(?:{'|'.join([found, *map(values.literal, older)])})\s*"
    return values.number(flag.kind, values.SUFFIXES) if flag.kind in values.NUMBERS else None


def _of_own(variable: Variable) -> Schema:
    """Return the schema of one of vLLM's own variables."""
    about = OWN_KINDS.get(variable.kind, variable.kind)
    if variable.default is not None:
        # Not as `default`: an editor would write it, and it need not be a string.
        about += f"; default {dumps(variable.default)}"
    found: Schema = {"type": "string", "description": f"Read by vLLM itself: {about}."}
    if variable.choices is not None:
        found["examples"] = list(variable.choices)
    pattern = _own_pattern(variable)
    if pattern is None:
        return found
    also = [values.literal(item) for item in variable.also]
    return {**found, "pattern": values.whole("|".join([pattern, *also, _NOTHING]))}


def _own_pattern(variable: Variable) -> str | None:
    """Return the pattern of what vLLM reads, or can be translated to what it reads."""
    if variable.choices is not None:
        if variable.kind == "list":
            return None
        return rf"\s*(?:{values.choice_pattern(variable.choices, 'case-dash')})\s*"
    if variable.kind in ("int", "bool-int"):
        whole = values.number("int", values.SUFFIXES)
        return rf"{whole}|\s*(?:{values.words(values.TRUE_OR_FALSE)})\s*"
    return values.NUMBER if variable.kind == "float" else None
