"""What the class of a JSON flag declares of its keys: pydantic's own schema of it, as a shape."""

from __future__ import annotations

from typing import Any, TypeAlias

from translator.authoring.harvest.probes import jsonable, unique

Shape: TypeAlias = dict[str, Any]

_LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length")


def declared(target: type) -> Shape | None:
    """The shape of a dataclass or a pydantic model; None when pydantic cannot describe it."""
    from pydantic import TypeAdapter

    try:
        return _shape(TypeAdapter(target).core_schema, {})
    except Exception:  # a class that pydantic cannot describe has no keys to tell
        return None


def _shape(schema: dict[str, Any], definitions: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """A pydantic core schema as a shape: kind, keys, choices, limits (see mappings/README.md)."""
    kind = schema["type"]

    def again(inner: dict[str, Any]) -> dict[str, Any]:
        return _shape(inner, definitions, depth + 1)

    if depth > 24:
        return {"kind": "json"}
    if kind == "definitions":
        definitions.update({item["ref"]: item for item in schema["definitions"]})
        return again(schema["schema"])
    if kind == "definition-ref":
        return again(definitions[schema["schema_ref"]])
    if kind in ("default", "nullable"):
        inner = again(schema["schema"])
        if kind == "nullable":
            inner["nullable"] = True
        elif "default" in schema and inner["kind"] != "object":
            inner["default"] = jsonable(schema["default"])
        return inner
    if kind in ("function-before", "function-wrap", "function-after"):
        return {**again(schema["schema"]), "custom": True}
    if kind in ("dataclass", "model"):
        fields = schema["schema"]
        while fields["type"] not in ("dataclass-args", "model-fields"):
            fields = fields["schema"]
        items = fields["fields"]
        pairs = (
            items.items() if isinstance(items, dict) else [(item["name"], item) for item in items]
        )
        config = schema.get("config") or {}
        extra = fields.get("extra_behavior") or config.get("extra_fields_behavior") or "ignore"
        keys = {
            item.get("validation_alias") or name: again(item["schema"])
            for name, item in pairs
            if item.get("init", True) is not False
        }
        required = [
            name
            for name, item in pairs
            if item["schema"]["type"] != "default"
            and item.get("required", True)
            and item.get("init", True) is not False
        ]
        found: dict[str, Any] = {"kind": "object", "keys": keys}
        if extra != "forbid":
            found["extra"] = extra
        if required:
            found["required"] = required
        return found
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
    if kind in ("list", "set", "frozenset"):
        elements = schema.get("items_schema")
        found = {"kind": "list", "items": again(elements) if elements else {"kind": "json"}}
        return {**found, **{name: schema[name] for name in _LIMITS if name in schema}}
    if kind == "tuple":
        items = schema["items_schema"]
        variadic = schema.get("variadic_item_index")
        found = {"kind": "list", "items": again(items[0]) if items else {"kind": "json"}}
        if variadic is None:
            found["length"] = len(items)
        return found
    if kind == "dict":
        inside = schema.get("values_schema")
        return {"kind": "map", "values": again(inside) if inside else {"kind": "json"}}
    if kind in ("union", "tagged-union"):
        choices = schema["choices"]
        options = [
            again(item[0] if isinstance(item, tuple) else item)
            for item in (choices.values() if isinstance(choices, dict) else choices)
        ]
        options = unique(
            [
                {name: item[name] for name in item if name != "custom"}
                for item in options
                if item["kind"] != "never"
            ]
        )
        if any(item["kind"] == "json" for item in options):
            return {"kind": "json"}
        return options[0] if len(options) == 1 else {"kind": "union", "of": options}
    if kind == "lax-or-strict":
        return again(schema["lax_schema"])
    if kind == "json-or-python":
        return again(schema["json_schema"])
    if kind == "chain":
        return again(schema["steps"][0])
    if kind in ("str", "bool", "int", "float"):
        return {"kind": kind, **{name: schema[name] for name in _LIMITS if name in schema}}
    if kind in ("is-instance", "callable", "is-subclass"):
        return {"kind": "never"}
    return {"kind": "json", "custom": kind == "function-plain"}
