"""JSON Schemas of what the commands print as JSON, of the settings of `check`, and of a line of
each file in mappings/vllm: from the types that write and read them.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import attrs

from translator import documents
from translator.core.text.json_text import indented
from translator.maintain.model.catalog import Flag, Grammar, Shape, Variable
from translator.maintain.model.schema import file_name
from translator.maintain.records import fields
from translator.options import Option

Schema = dict[str, Any]

_PLAIN: Mapping[Any, Schema] = {
    Any: {},
    NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    int: {"type": "integer"},
    str: {"type": "string"},
}


def schemas(settings: Iterable[Option]) -> dict[str, str]:
    """Return the text of each schema, by the name of its file in docs.

    Args:
        settings: the options of `check` that a file may set.
    """
    facts = Literal[tuple(field.name for field in fields(Grammar))]  # type: ignore[valid-type]
    types = {
        "args-to-env": documents.VariablesJson,
        "check": documents.CheckJson,
        "diff": documents.DiffJson,
        "env-to-args": documents.TranslationJson,
        "explain": documents.ExplainJson,
        "tables-show": documents.CatalogJson,
        "upgrade": documents.UpgradeJson,
        "vllm-flags": _line("FlagLine", Flag) | _line("KeyLine", Shape, flag=str),
        "vllm-grammar": _line("GrammarLine", fact=facts, value=Any),
        "vllm-variables": _line("VariableLine", Variable),
    }
    every = {"translate.toml": _settings(settings)}
    for name, type_ in types.items():
        parts: dict[str, Schema] = {}
        every[name] = {**_of(type_, parts), "$defs": parts}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        f"schemas/{name}.json": indented({**head, "title": name, **schema})
        for name, schema in every.items()
    }


def _line(name: str, *bases: type, **own: Any) -> Any:
    """Return the class of a line of a table: what it says, and of which releases."""
    ends = {end: attrs.field(default="", type=str) for end in ("since", "until")}
    own = {key: attrs.field(type=type_) for key, type_ in own.items()}
    return attrs.make_class(name, own | ends, bases, kw_only=True)


def _settings(options: Iterable[Option]) -> Schema:
    properties = {}
    for option in options:
        plain = _PLAIN[str if option.metavar else bool]
        value: Schema = {"enum": [*option.choices]} if option.choices else plain
        if option.repeatable:
            value = {"anyOf": [value, {"type": "array", "items": value}]}
        properties[option.name[2:]] = {**value, "description": option.help}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _of(type_: Any, parts: dict[str, Schema]) -> Schema:
    origin, inside = get_origin(type_), get_args(type_)
    if type_ in _PLAIN:
        return _PLAIN[type_]
    if origin is Annotated:
        about = [note for note in inside[1:] if isinstance(note, str)]  # others are checks
        return _of(inside[0], parts) | ({"description": about[0]} if about else {})
    if origin is Literal:
        return {"enum": [*inside]}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(option, parts) for option in inside]}
    if origin is collections.abc.Mapping:
        return {"type": "object", "additionalProperties": _of(inside[1], parts)}
    if origin in (collections.abc.Sequence, tuple):
        return {"type": "array", "items": _of(inside[0], parts)}
    if type_.__name__ not in parts:
        parts[type_.__name__] = {}  # it may consist of itself
        parts[type_.__name__].update(_object(type_, parts))
    return {"$ref": f"#/$defs/{type_.__name__}"}


def _object(cls: Any, parts: dict[str, Schema]) -> Schema:
    """Return the schema of an object: a result may get further keys, a table has no others."""
    if is_typeddict(cls):
        types = get_type_hints(cls, include_extras=True)
        required = [name for name in types if name in cls.__required_keys__]
    else:
        types = {file_name(field): field.type for field in fields(cls)}
        required = [file_name(field) for field in fields(cls) if field.default is attrs.NOTHING]
    properties = {name: _of(type_, parts) for name, type_ in types.items()}
    closed = {} if is_typeddict(cls) else {"additionalProperties": False}
    return {"type": "object", "properties": properties, "required": required, **closed}
