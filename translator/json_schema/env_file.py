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
from translator.pages.accepted import accepted
from translator.pages.reference import effect
from translator.tables.entries import CHANGES, Flag, Variable

_NOTHING = r"\s*(?:None)?\s*"


def env_schema(scope: Scope) -> Schema:
    """Return the schema of the variables of a dialect, as vLLM's version reads them."""
    properties: dict[str, Any] = {}
    for name in sorted({*_names(scope)}):
        role = scope.role(name)
        description = _description(name, role, scope) if role is not None else ""
        if role is not None and description:
            properties[name] = {"type": "string", "description": description, **_of(role, scope)}
    return {
        "$schema": DIALECT,
        "title": f"variables of {scope.name}, vLLM {scope.catalog.version}",
        "description": (
            "Every value is a string. An empty one and `None` set nothing. Of values, only words,"
            " numbers and choices are judged; `translate check` judges all of them."
        ),
        "type": "object",
        "properties": properties,
        "additionalProperties": {"type": "string"},
    }


def _names(scope: Scope) -> Iterator[str]:
    yield from scope.dialect.names
    yield from filter(None, (variable_for(flag, scope) for flag in scope.catalog.flags()))
    yield from filter(None, (scope.extra_args, scope.config_file))
    yield from scope.catalog.variable_names()


def _description(name: str, role: Role, scope: Scope) -> str:
    """Return what a variable does; "" if it does nothing."""
    if role.kind == "native":
        text = f"Read by vLLM itself: {accepted(name, scope.catalog)}."
    elif role.kind == "flag" and role.flag is not None and not role.path:
        text = described(role.flag, scope.catalog)
    else:
        sets = effect(role, scope).sets
        text = f"Sets {sets}." if sets else ""
    note = role.listed.note.rstrip(".")
    return f"{text} {note}." if text and note else text


def _of(role: Role, scope: Scope) -> Schema:
    """Return what a schema says of a variable's values."""
    listed, flag, found = role.listed, role.flag, Schema()
    choices, pattern = None, None
    if role.kind == "absent" or (role.kind == "flag" and flag is not None and flag.deprecated):
        found["deprecated"] = True
    if role.kind == "native" and role.variable is not None:
        choices, pattern = role.variable.choices, _own_pattern(role.variable)
    elif role.kind == "flag" and flag is not None and not role.path:
        # The platform may have names of its own for values.
        own = listed.values or listed.scheme or listed.unset or listed.only or listed.sets
        choices, pattern = flag.choices, None if own else _pattern(flag, scope)
    if listed.default:
        found["default"] = listed.default
    if choices and (pattern is not None or role.kind == "native"):
        # For completion; the pattern is what counts.
        found["examples"] = [str(item) for item in choices]
    return {**found, "pattern": values.whole(f"{pattern}|{_NOTHING}")} if pattern else found


def _pattern(flag: Flag, scope: Scope) -> str | None:
    """Return the pattern of a flag's values; None where any text may be one."""
    if flag.boolean:
        found = rf"\s*(?:{values.words(values.TRUE_OR_FALSE)})\s*"
    elif flag.choices is not None and flag.kind == "str":
        # Names of other versions are translated.
        changes, begin = scope.tables.records(CHANGES), f"{flag.flag}="
        older = [name.removeprefix(begin) for name in changes if name.startswith(begin)]
        known = [values.words(flag.choices, flag.fold), *map(values.literal, older)]
        found = rf"\s*(?:{'|'.join(known)})\s*"
    elif flag.kind in values.NUMBERS:
        found = values.number(flag.kind, values.SUFFIXES)
    else:
        return None
    # Values that the platform's program drops, of any flag.
    dropped = [*scope.consumer.unset, *(["false"] if scope.consumer.by_value else [])]
    return "|".join([found, *(rf"\s*{values.words([item])}\s*" for item in dropped)])


def _own_pattern(variable: Variable) -> str | None:
    """Return the pattern of what vLLM reads, or can be translated to what it reads."""
    if variable.choices is not None and variable.kind != "list":
        found = rf"\s*(?:{values.words(variable.choices, 'case-dash')})\s*"
    elif variable.kind in ("int", "bool-int"):
        whole = values.number("int", values.SUFFIXES)
        found = rf"{whole}|\s*(?:{values.words(values.TRUE_OR_FALSE)})\s*"
    elif variable.kind == "float":
        found = values.NUMBER
    else:
        return None
    return "|".join([found, *map(values.literal, variable.also)])
