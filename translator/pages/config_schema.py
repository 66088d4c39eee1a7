"""A JSON Schema (draft 2020-12) of the files of `vllm serve --config`, for editors.

It never refuses what vLLM starts with, but for abbreviated keys. It may accept more: vLLM makes a
token of every value by `str()` and judges that, and `translate check` does the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from translator.pages.accepted import KINDS, shape_of, shape_text, where
from translator.pages.lookup import change_sections
from translator.pages.reference import description
from translator.tables.catalog import CHANGES, JSON_KINDS, MODEL, Catalog, Flag

if TYPE_CHECKING:
    from translator.tables.entries import Shape
    from translator.tables.shapes import Bound

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_UNSET: list[Any] = [False, []]  # what makes no token, in most versions
_LIMITS: dict[Bound, str] = {"ge": "minimum", "gt": "exclusiveMinimum"}
_LIMITS |= {"le": "maximum", "lt": "exclusiveMaximum"}
_NUMBERS = {"int": "integer", "size": "integer", "size-or-auto": "integer", "float": "number"}
# A number as a text, such as 8k: Python reads digits of every script.
_NUMERIC = r"[0-9]|[^\x00-\x7F]|^\s*(?:auto|[+-]?[iInN][nNaA])"


def config_schema(catalog: Catalog) -> Schema:
    """Return the schema of the `--config` files of a version; it refuses all if that reads none."""
    head = {"$schema": _DIALECT, "title": f"vllm serve --config, vLLM {catalog.version}"}
    if not catalog.knows("--config"):
        return {**head, "description": f"vLLM {catalog.version} reads no file.", "not": {}}
    properties, patterns = dict[str, Schema](), dict[str, Any]()
    for names, schema in _keys(catalog):
        key = names[0].removeprefix("--")
        properties[key] = schema
        if spelled := _spelled(names):
            patterns[f"^(?:{spelled})$"] = {"$ref": f"#/properties/{key}"}
    if catalog.grammar.dotted:
        known = (flag for flag in catalog.flags() if flag.kind in JSON_KINDS)
        dotted = (_spelled((flag.flag, *flag.aliases)) for flag in known)
        patterns[rf"^(?:{'|'.join(dotted)})[.+]"] = {"description": "A key of a JSON flag."}
    # `key=value: true` is the token `--key=value`; with a blank, argparse reads a value.
    patterns["[= ]|^$"] = True
    return {
        **head,
        "description": "A key is a flag without its dashes. Values are judged one by one.",
        "type": "object",
        "properties": dict(sorted(properties.items())),
        "patternProperties": patterns,
        "additionalProperties": {"enum": _UNSET},
    }


def _keys(catalog: Catalog) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Yield the spellings of every key, and its schema; of removed flags, what became of them."""
    tables = catalog.tables
    for name in tables.records(CHANGES):
        is_flag = name.startswith("--") and {".", "="}.isdisjoint(name)
        if is_flag and not catalog.begins_a_spelling(name):
            sections = change_sections(name, tables)
            told = [f"{heading}: {' '.join(lines)}." for heading, lines in sections if lines]
            text = f"vLLM {catalog.version} does not have `{name}`: {where(name, tables)}."
            about = {"description": " ".join([text, *told]), "deprecated": True}
            yield (name,), {**about, "enum": _UNSET}
    for flag in catalog.flags():
        names = (flag.flag, *flag.aliases)
        if flag.flag == MODEL and catalog.grammar.model_option == "absent":
            yield names, {"enum": _UNSET}
            continue
        found: Schema = {"description": _described(flag, catalog)}
        if flag.default is not None:
            found["default"] = flag.default
        if flag.deprecated:
            found["deprecated"] = True
        yield names, {**found, **_value(flag, catalog)}
        if flag.off is not None:
            off = {"type": ["boolean", "array"], "description": f"Switches `{flag.flag}` off."}
            yield tuple(flag.negations), off


def _spelled(names: Iterable[str]) -> str:
    """Return the pattern of keys with dashes or underscores, without abbreviations."""
    keys = (name.removeprefix("--") for name in names if name.startswith("--"))
    return "|".join(key.replace("-", "[-_]") for key in keys)


def _described(flag: Flag, catalog: Catalog) -> str:
    """Return what a flag is for, its kind, its bounds, and the versions that have it."""
    kind = KINDS[flag.kind]
    if flag.start is not None and flag.start["kind"] in ("int", "float"):
        kind += f"; the engine starts with {shape_text(flag.start)}"
    found = f"{description(flag.flag, catalog.tables)} `{flag.flag}`: {kind}."
    return f"{found} vLLM has it {where(flag.flag, catalog.tables)}.".strip()


def _value(flag: Flag, catalog: Catalog) -> Schema:
    """Return the schema of a flag's values; {} where any may be one."""
    kind = flag.element if flag.kind in ("list", "append") else flag.kind
    known = shape_of(flag, catalog) if flag.kind in JSON_KINDS else None
    if kind in ("switch", "toggle"):
        return {"type": ["boolean", "array"], "maxItems": 0}
    if kind == "json" and flag.syntax is None and not catalog.grammar.config_dicts:
        return {"maxProperties": 0}  # written by str(): of objects, only the empty one is JSON then
    if known is not None and catalog.grammar.config_dicts:
        others = {"type": ["string", "number", "null", "array"], "maxItems": 0}
        return {"anyOf": [_of_shape(known), others, {"const": False}]}
    if flag.choices is not None and flag.fold is None:
        texts = [str(item) for item in flag.choices]
        one: Schema = {"enum": [*texts, *(int(text) for text in texts if text.isdecimal())]}
    elif flag.choices is None and kind in _NUMBERS:
        one = {"type": [_NUMBERS[kind], "string"], "pattern": _NUMERIC, **_limits(flag.start)}
    else:
        return {}
    nothing = [*_UNSET, *([None, "None"] if flag.nullable else []), *([""] if flag.empty else [])]
    most = {} if flag.kind == "list" else {"maxItems": 1}
    return {"anyOf": [one, {"type": "array", "items": one, **most}, {"enum": nothing}]}


def _limits(shape: Shape | None) -> Schema:
    """Return the bounds of a number."""
    return {name: shape[sign] for sign, name in _LIMITS.items() if sign in shape} if shape else {}


def _of_shape(shape: Shape) -> Schema:
    """Return the schema of a JSON value that vLLM turns into a class; {} where any may be one."""
    kind, found = shape["kind"], Schema()
    if kind == "union":
        found = {"anyOf": [_of_shape(item) for item in shape["of"]]}
    elif kind == "object":
        keys = {key: _of_shape(inner) for key, inner in shape["keys"].items()}
        is_open = "extra" in shape or "dashes" in shape
        found = {"type": "object", "properties": keys, "additionalProperties": is_open}
    elif kind in ("map", "list"):
        found = {"type": "object" if kind == "map" else "array"}
    elif kind == "choice" and "fold" not in shape:
        found = {"enum": list(shape["choices"])}
    elif kind in ("bool", "int", "float"):
        # pydantic reads each from these
        found = {"type": ["number", "string", "boolean"], **_limits(shape)}
    others = [*shape.get("also", ()), *([None] if shape.get("nullable") else [])]
    return {"anyOf": [found, {"enum": others}]} if others else found
