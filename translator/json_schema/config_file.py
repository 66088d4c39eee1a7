"""The schema of the file of `vllm serve --config`, for one version.

vLLM makes a token of every value by `str()`, and judges the token. `false` and an empty list make
none, so that any key may have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from translator.json_schema import values
from translator.json_schema.values import Schema, described
from translator.pages.accepted import where
from translator.pages.lookup import change_sections
from translator.tables.catalog import Catalog
from translator.tables.entries import JSON_KINDS, MODEL, Flag

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NO_EFFECT = "`false` and an empty list set nothing."
_SWITCHES = ("switch", "toggle")
# What argparse reads as a value: no dash at the start, or a negative number, or a blank.
_WORD = r"^(?!-)|^-$|^-[0-9.]|[ ]|^-.*[^\x00-\x7F]"
_LISTS = ("list", "append")
_NO_JSON = ("colons", "python")
_JSON_START = r"^\s*[\[{\"\-0-9tfnNI]"


def config_schema(catalog: Catalog) -> Schema:
    """Return the schema of the version's `--config` files; of a version that reads none, a schema
    that refuses every file.
    """
    head: Schema = {
        "$schema": DIALECT,
        "title": f"vllm serve --config, vLLM {catalog.version}",
    }
    if not catalog.knows("--config"):
        return {**head, "description": f"vLLM {catalog.version} reads no file.", "not": {}}
    flags = list(catalog.flags())
    entries = [((flag.flag, *flag.aliases), _flag_schema(flag, catalog)) for flag in flags]
    entries += [(tuple(flag.negations[::-1]), _negation(flag)) for flag in flags if flag.negations]
    properties: dict[str, Any] = {}
    patterns: dict[str, Any] = {}
    for names, schema in entries:
        key, spelled = names[0].removeprefix("--"), _spelled(names)
        properties.setdefault(key, schema)
        if spelled != key:
            patterns[values.whole(spelled)] = {"$ref": f"#/properties/{key}"}
    dotted = [_spelled((flag.flag, *flag.aliases)) for flag in flags if flag.kind in JSON_KINDS]
    if catalog.grammar.dotted:
        patterns[rf"^(?:{'|'.join(dotted)})[.+]"] = {"description": "A key of a JSON flag."}
    for name, schema in _removed(catalog):
        properties.setdefault(name, schema)
    # `key=value: true` is the token `--key=value`; with a blank, argparse reads a value.
    patterns["[= ]|^$"] = True
    return {
        **head,
        "description": (
            "A key is a flag without its dashes. Values are judged one by one: that two flags"
            " exclude each other is not seen. " + _NO_EFFECT
        ),
        "type": "object",
        "properties": dict(sorted(properties.items())),
        "patternProperties": patterns,
        "additionalProperties": _unset(catalog),
        "$defs": {"unset": {**_unset(catalog), "description": _NO_EFFECT}},
    }


def _unset(catalog: Catalog) -> Schema:
    """Return the schema of the values that make no token."""
    grammar = catalog.grammar
    nothing = [] if grammar.config_words else [False]
    return {"enum": [*nothing, *([[]] if grammar.config_lists else [])]}


def _spelled(names: Iterable[str]) -> str:
    """Return the pattern of keys with dashes or underscores. An abbreviation is to be written out,
    although vLLM reads it.
    """
    keys = (values.literal(name.removeprefix("--")) for name in names if name.startswith("--"))
    return "|".join(key.replace("-", "[-_]") for key in keys)


def _flag_schema(flag: Flag, catalog: Catalog) -> Schema:
    if flag.flag == MODEL and catalog.grammar.model_option == "absent":
        return _unset(catalog)
    found: Schema = {"description": described(flag, catalog)}
    if flag.default is not None:
        found["default"] = flag.default
    if flag.deprecated:
        found["deprecated"] = True
    options = list(_values(flag, catalog))
    return {**found, "anyOf": [*options, {"$ref": "#/$defs/unset"}]}


def _negation(flag: Flag) -> Schema:
    return {
        "description": f"Switches `{flag.flag}` off.",
        "anyOf": [{"const": True}, {"$ref": "#/$defs/unset"}],
    }


def _removed(catalog: Catalog) -> Iterator[tuple[str, Schema]]:
    """Yield the keys of other versions' flags: allowed is only what sets nothing."""
    tables = catalog.tables
    for name, known in tables.index().items():
        if not name.startswith("--") or "of" in known or catalog.begins_a_spelling(name):
            continue
        sections = change_sections(name, tables)
        told = [f"{heading}: {' '.join(lines)}" for heading, lines in sections if lines]
        text = f"vLLM {catalog.version} does not have `{name}`: {where(name, tables)}."
        schema = {"description": " ".join([text, *told]), "deprecated": True}
        yield name.removeprefix("--"), {**schema, "$ref": "#/$defs/unset"}


def _values(flag: Flag, catalog: Catalog) -> Iterator[Schema]:
    """Yield the schemas of what sets a flag."""
    grammar, kind = catalog.grammar, flag.kind
    if kind in _SWITCHES:  # with `config_words`, true and false are the tokens True and False
        yield {"not": {}} if grammar.config_words else {"const": True}
        return
    free, is_json = _is_free(flag), kind in JSON_KINDS
    if grammar.config_words and (kind == "bool-value" or free):
        yield {"type": "boolean"}
    elif kind == "optional-str" or (kind == "bool-value" and flag.bare):
        yield {"const": True}
    scalars = list(_scalars(flag, catalog))
    yield from scalars
    if is_json and grammar.config_dicts:
        shape = catalog.shape(flag.flag) if flag.shaped or flag.start else None
        yield values.of_shape(shape) if shape is not None else {"type": "object"}
    elif free or is_json or kind in _LISTS:
        # Written by str(): of objects, only the empty one is JSON then.
        most = {"maxProperties": 0} if is_json and flag.syntax not in _NO_JSON else {}
        yield {"type": "object", **most}
        if not grammar.config_lists:
            yield {"type": "array"}
    if grammar.config_lists:  # an element is written by str(), whatever it is
        word = {} if kind == "json" else {"pattern": _WORD}
        items = word if free or is_json else values.either(scalars)
        yield {"type": "array", "items": items, **({} if kind == "list" else {"maxItems": 1})}


def _is_free(flag: Flag) -> bool:
    """Tell whether any text is a value of a flag, or of an element of it."""
    kind = flag.element if flag.kind in _LISTS else flag.kind
    return flag.choices is None and (
        kind in ("str", "optional-str", "json-or-str") or (kind == "bool-value" and not flag.bare)
    )


def _scalars(flag: Flag, catalog: Catalog) -> Iterator[Schema]:
    """Yield the schemas of a scalar whose text is a token of the flag."""
    kind = flag.element if flag.kind in _LISTS else flag.kind
    if flag.nullable:
        yield {"enum": [None, "None"]}
    if flag.empty:
        yield {"const": ""}
    if flag.choices is not None:
        yield from values.choices_of(flag)
    elif kind in values.NUMBERS:
        bounds = values.limits(flag.start if flag.kind not in JSON_KINDS else None)
        yield {"type": "number" if kind == "float" else "integer", **bounds}
        yield values.text(values.number(kind, flag.suffixes if kind != "int" else ""))
    elif kind == "bool-value" and flag.bare:
        yield values.text(values.words(("true", "false")))
    elif kind == "json":
        yield from _json_text(flag, catalog)
    elif kind in ("named-path", "named-path-once"):
        yield {"type": "string", "pattern": r"=|\{" if flag.objects else "="}
        if flag.objects:
            yield {"enum": [None, "", "None"]}
    else:
        yield {"type": ["string", "number", "null"], "pattern": _WORD}


def _json_text(flag: Flag, catalog: Catalog) -> Iterator[Schema]:
    """Yield the schemas of JSON as a text, or of a number that is one."""
    shape = catalog.shape(flag.flag) if flag.shaped else None
    start = r"^\s*\{" if not flag.syntax else ""
    if shape is None or shape["kind"] != "object":
        yield {"type": "number"}
        start = _JSON_START if flag.syntax in (None, "python") else ""
    elif flag.level:
        yield {"enum": [0, 1, 2, 3, "0", "1", "2", "3"]}
    yield {"type": "string", **({"pattern": start} if start else {})}
