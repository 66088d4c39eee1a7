"""What the class of a JSON flag declares of its keys: pydantic's own schema of it, as a shape."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any, TypeAlias

from translator.core.tables.shapes import same

Shape: TypeAlias = dict[str, Any]

Again = Callable[[dict[str, Any]], Shape]
"""The shape of a schema inside another one."""

# Schemas around another one that say nothing more: where that is.
_AROUND: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "lax-or-strict": lambda schema: schema["lax_schema"],
    "json-or-python": lambda schema: schema["json_schema"],
    "chain": lambda schema: schema["steps"][0],
    "default": lambda schema: schema["schema"],
}
_LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length")


# --- facts as JSON --------------------------------------------------------------------------------


def jsonable(value: Any) -> Any:
    """Return a default or a choice as JSON; of objects that only Python can hold, None."""
    if isinstance(value, enum.Enum):
        return jsonable(value.value if isinstance(value.value, (str, int)) else value.name)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((jsonable(item) for item in value), key=str)
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    return value if isinstance(value, (bool, int, str)) else None


def unique(values: list[Any]) -> list[Any]:
    """Return the values, each of them once."""
    return [
        value
        for index, value in enumerate(values)
        if not any(same(value, other) for other in values[:index])
    ]


# --- schemas as shapes ----------------------------------------------------------------------------


def declared(target: type) -> Shape | None:
    """The shape of a dataclass or a pydantic model; None when pydantic cannot describe it."""
    from pydantic import TypeAdapter

    try:
        return _shape(TypeAdapter(target).core_schema, {})
    except Exception:  # a class that pydantic cannot describe has no keys to tell
        return None


def _shape(schema: dict[str, Any], definitions: dict[str, Any], depth: int = 0) -> Shape:
    """A pydantic core schema as a shape: kind, keys, choices, limits (see mappings/README.md)."""
    kind = schema["type"]

    def again(inner: dict[str, Any]) -> Shape:
        return _shape(inner, definitions, depth + 1)

    if depth > 24:
        return {"kind": "json"}
    if kind == "definitions":
        definitions.update({item["ref"]: item for item in schema["definitions"]})
        return again(schema["schema"])
    if kind == "definition-ref":
        return again(definitions[schema["schema_ref"]])
    if kind in _AROUND:
        return again(_AROUND[kind](schema))
    if kind == "nullable":
        return {**again(schema["schema"]), "nullable": True}
    if kind in ("function-before", "function-wrap", "function-after"):
        return {**again(schema["schema"]), "custom": True}
    if kind in ("dataclass", "model"):
        return _object(schema, again)
    if kind in ("list", "set", "frozenset", "tuple"):
        return _list(schema, again)
    if kind == "dict":
        return {"kind": "map", "values": _inside(schema.get("values_schema"), again)}
    if kind in ("union", "tagged-union"):
        return _union(schema["choices"], again)
    return _leaf(schema)


def _inside(schema: dict[str, Any] | None, again: Again) -> Shape:
    return again(schema) if schema else {"kind": "json"}


def _object(schema: dict[str, Any], again: Again) -> Shape:
    fields = schema["schema"]
    while fields["type"] not in ("dataclass-args", "model-fields"):
        fields = fields["schema"]
    items = fields["fields"]
    if not isinstance(items, dict):
        items = {item["name"]: item for item in items}
    given = {name: item for name, item in items.items() if item.get("init", True) is not False}
    shape: Shape = {
        "kind": "object",
        "keys": {
            item.get("validation_alias") or name: again(item["schema"])
            for name, item in given.items()
        },
    }
    config = schema.get("config") or {}
    extra = fields.get("extra_behavior") or config.get("extra_fields_behavior") or "ignore"
    if extra != "forbid":
        shape["extra"] = extra
    required = [
        name
        for name, item in given.items()
        if item["schema"]["type"] != "default" and item.get("required", True)
    ]
    return {**shape, "required": required} if required else shape


def _list(schema: dict[str, Any], again: Again) -> Shape:
    items = schema.get("items_schema")
    if schema["type"] != "tuple":
        return {"kind": "list", "items": _inside(items, again), **_limits(schema)}
    shape: Shape = {"kind": "list", "items": _inside(items[0] if items else None, again)}
    if schema.get("variadic_item_index") is None:
        shape["length"] = len(items or ())
    return shape


def _union(choices: Any, again: Again) -> Shape:
    options = [
        again(item[0] if isinstance(item, tuple) else item)
        for item in (choices.values() if isinstance(choices, dict) else choices)
    ]
    known = (item for item in options if item["kind"] != "never")
    options = unique([{name: item[name] for name in item if name != "custom"} for item in known])
    if any(item["kind"] == "json" for item in options):
        return {"kind": "json"}
    return options[0] if len(options) == 1 else {"kind": "union", "of": options}


def _limits(schema: dict[str, Any]) -> Shape:
    return {name: schema[name] for name in _LIMITS if name in schema}


def _leaf(schema: dict[str, Any]) -> Shape:
    """The shape of a schema without others inside."""
    kind = schema["type"]
    if kind == "literal":
        return {"kind": "choice", "choices": [jsonable(item) for item in schema["expected"]]}
    if kind == "enum":
        values = [jsonable(member.value) for member in schema["members"]]
        return {
            "kind": "choice",
            "choices": [item for item in values if item is not None],
            "names": [member.name for member in schema["members"]],
            "custom": True,
        }
    if kind in ("str", "bool", "int", "float"):
        return {"kind": kind, **_limits(schema)}
    if kind in ("is-instance", "callable", "is-subclass"):
        return {"kind": "never"}
    return {"kind": "json", "custom": kind == "function-plain"}
