"""JSON Schemas (draft 2020-12) of what editors complete: `--config` files and files of variables.

A schema never refuses what vLLM starts with. It may accept more: it sees one key at a time.

Of a `--config` file, vLLM makes a token of every value by `str()`, and judges the token. `false`
and an empty list make none, so that any key may have them. Of variables, an empty value and `None`
set nothing, so that each may have them; names that the schema does not list stay in the
environment, and may have any value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from translator.pages.accepted import KINDS, accepted, shape_text, where
from translator.pages.lookup import change_sections
from translator.pages.reference import description, effect, what_for
from translator.settings.names import variable_for
from translator.settings.scope import Role, Scope
from translator.tables.catalog import CHANGES, JSON_KINDS, MODEL, Catalog, Flag, Variable

if TYPE_CHECKING:
    from translator.tables.shapes import Shape

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NO_EFFECT = "`false` and an empty list set nothing."
_SWITCHES = ("switch", "toggle")
# What argparse reads as a value: no dash at the start, or a negative number, or a blank.
_WORD = r"^(?!-)|^-$|^-[0-9.]|[ ]|^-.*[^\x00-\x7F]"
_ANY = {"type": ["string", "number", "null"], "pattern": _WORD}
_LISTS = ("list", "append")
_NO_JSON = ("colons", "python")
_JSON_START = r"^\s*[\[{\"\-0-9tfnNI]"
# Python reads digits of every script, and a validator's `\\d` may not.
_DIGIT = r"(?:[0-9_]|[^\x00-\x7F])"
_INTEGER = rf"\s*[+-]?{_DIGIT}+\s*"
_NUMBER = rf"\s*[+-]?(?:{_DIGIT}|[.iInN]).*"
_NUMBERS = ("int", "size", "size-or-auto", "float")
_SUFFIXES = "kKmMgGtT"
_TRUE_OR_FALSE = ("true", "false", "1", "0", "yes", "no", "on", "off")
# In pydantic's lax mode, beside those.
_MORE_WORDS = ("t", "f", "y", "n")
_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")
_NOTHING = r"\s*(?:None)?\s*"


def config_schema(catalog: Catalog) -> Schema:
    """Return the schema of the `--config` files of a version; it refuses all if that reads none."""
    head: Schema = {
        "$schema": _DIALECT,
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
            patterns[_whole(spelled)] = {"$ref": f"#/properties/{key}"}
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
    """Return the pattern of keys with dashes or underscores, without abbreviations."""
    keys = (_literal(name.removeprefix("--")) for name in names if name.startswith("--"))
    return "|".join(key.replace("-", "[-_]") for key in keys)


def _flag_schema(flag: Flag, catalog: Catalog) -> Schema:
    if flag.flag == MODEL and catalog.grammar.model_option == "absent":
        return _unset(catalog)
    about = (description(flag.flag, catalog.tables), _described(flag, catalog))
    found: Schema = {"description": " ".join(about).strip()}
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
    scalars = list(_scalars(flag, catalog))
    free, is_json = _ANY in scalars, kind in JSON_KINDS
    if grammar.config_words and (kind == "bool-value" or free):
        yield {"type": "boolean"}
    elif kind == "optional-str" or (kind == "bool-value" and flag.bare):
        yield {"const": True}
    yield from scalars
    if is_json and grammar.config_dicts:
        shape = catalog.shape(flag.flag) if flag.shaped or flag.start else None
        yield _of_shape(shape) if shape is not None else {"type": "object"}
    elif free or is_json or kind in _LISTS:
        # Written by str(): of objects, only the empty one is JSON then.
        most = {"maxProperties": 0} if is_json and flag.syntax not in _NO_JSON else {}
        yield {"type": "object", **most}
        if not grammar.config_lists:
            yield {"type": "array"}
    if grammar.config_lists:  # an element is written by str(), whatever it is
        word = {} if kind == "json" else {"pattern": _WORD}
        items = word if free or is_json else _either(scalars)
        yield {"type": "array", "items": items, **({} if kind == "list" else {"maxItems": 1})}


def _scalars(flag: Flag, catalog: Catalog) -> Iterator[Schema]:
    """Yield the schemas of a scalar whose text is a token of the flag."""
    kind = flag.element if flag.kind in _LISTS else flag.kind
    if flag.nullable:
        yield {"enum": [None, "None"]}
    if flag.empty:
        yield {"const": ""}
    if flag.choices is not None:
        yield from _choices_of(flag)
    elif kind in _NUMBERS:
        bounds = _limits(flag.start if flag.kind not in JSON_KINDS else None)
        yield {"type": "number" if kind == "float" else "integer", **bounds}
        yield _text(_number(kind, flag.suffixes if kind != "int" else ""))
    elif kind == "bool-value" and flag.bare:
        yield _text(_words(("true", "false")))
    elif kind == "json":
        yield from _json_text(flag, catalog)
    elif kind in ("named-path", "named-path-once"):
        yield {"type": "string", "pattern": r"=|\{" if flag.objects else "="}
        if flag.objects:
            yield {"enum": [None, "", "None"]}
    else:
        yield _ANY


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


def env_schema(scope: Scope) -> Schema:
    """Return the schema of the variables of a dialect, as vLLM's version reads them."""
    properties: dict[str, Any] = {}
    for name in sorted({*_names(scope)}):
        role = scope.role(name)
        does = _description(name, role, scope) if role is not None else ""
        if role is not None and does:
            text = f"{what_for(name, scope)} {does}".strip()
            properties[name] = {"type": "string", "description": text, **_of(role, scope)}
    return {
        "$schema": _DIALECT,
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
    yield from filter(None, (variable_for(name, scope) for name in scope.catalog.flag_names()))
    yield from filter(None, (scope.extra_args, scope.config_file))
    yield from scope.catalog.variable_names()


def _description(name: str, role: Role, scope: Scope) -> str:
    """Return what a variable does; "" if it does nothing."""
    if role.kind == "native":
        text = f"Read by vLLM itself: {accepted(name, scope.catalog)}."
    elif role.kind == "flag" and role.flag is not None and not role.path:
        text = _described(role.flag, scope.catalog)
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
    return {**found, "pattern": _whole(f"{pattern}|{_NOTHING}")} if pattern else found


def _pattern(flag: Flag, scope: Scope) -> str | None:
    """Return the pattern of a flag's values; None where any text may be one."""
    if flag.boolean:
        found = rf"\s*(?:{_words(_TRUE_OR_FALSE)})\s*"
    elif flag.choices is not None and flag.kind == "str":
        # Names of other versions are translated.
        changes, begin = scope.tables.records(CHANGES), f"{flag.flag}="
        older = [name.removeprefix(begin) for name in changes if name.startswith(begin)]
        known = [_words(flag.choices, flag.fold), *map(_literal, older)]
        found = rf"\s*(?:{'|'.join(known)})\s*"
    elif flag.kind in _NUMBERS:
        found = _number(flag.kind, _SUFFIXES)
    else:
        return None
    # Values that the platform's program drops, of any flag.
    dropped = [*scope.consumer.unset, *(["false"] if scope.consumer.by_value else [])]
    return "|".join([found, *(rf"\s*{_words([item])}\s*" for item in dropped)])


def _own_pattern(variable: Variable) -> str | None:
    """Return the pattern of what vLLM reads, or can be translated to what it reads."""
    if variable.choices is not None and variable.kind != "list":
        found = rf"\s*(?:{_words(variable.choices, 'case-dash')})\s*"
    elif variable.kind in ("int", "bool-int"):
        integer = _number("int", _SUFFIXES)
        found = rf"{integer}|\s*(?:{_words(_TRUE_OR_FALSE)})\s*"
    elif variable.kind == "float":
        found = _NUMBER
    else:
        return None
    return "|".join([found, *map(_literal, variable.also)])


def _described(flag: Flag, catalog: Catalog) -> str:
    """Return a flag's kind, its other spellings, its bounds, and the versions that have it."""
    kind = "no value: true switches it on" if flag.kind == "switch" else KINDS[flag.kind]
    if flag.start is not None and flag.start["kind"] in ("int", "float"):
        kind += f"; the engine starts with {shape_text(flag.start)}"
    parts = [f"`{flag.flag}`: {kind}."]
    others = [*flag.aliases, *flag.negations]
    if others:
        parts.append(f"Also {' '.join(f'`{name}`' for name in others)}.")
    parts.append(f"vLLM has it {where(flag.flag, catalog.tables)}.")
    if flag.deprecated:
        parts.append(f"Deprecated in vLLM {catalog.version}.")
    return " ".join(parts)


def _literal(text: str) -> str:
    """Return the pattern of exactly a text."""
    return "".join("\\" + char if char in _SPECIAL else char for char in text)


def _words(texts: Iterable[object], fold: str | None = "case") -> str:
    """Return the pattern of one of several words, in any case if `fold` is "case", and with dashes
    or underscores, too, if it is "case-dash". JSON Schema's patterns have no flag for it.
    """

    def any_case(char: str) -> str:
        if fold == "case-dash" and char in "-_":
            return "[-_]"
        low, high = char.lower(), char.upper()
        return _literal(char) if low == high or fold is None else f"[{low}{high}]"

    return "|".join("".join(map(any_case, str(text))) for text in texts)


def _number(kind: str, suffixes: str) -> str:
    """Return the pattern of a number of one of _NUMBERS, whose integers may have some suffixes."""
    if kind == "float":
        return _NUMBER
    sized = rf"|\s*{_DIGIT}+(?:\.{_DIGIT}+)?[{suffixes}]\s*" if suffixes else ""
    return _INTEGER + sized + (rf"|\s*{_words(['auto'])}\s*" if kind == "size-or-auto" else "")


def _whole(pattern: str) -> str:
    """Return a pattern for the whole of a text."""
    return f"^(?:{pattern})$"


def _text(pattern: str) -> Schema:
    return {"type": "string", "pattern": _whole(pattern)}


def _either(schemas: Sequence[Schema]) -> Schema:
    """Return the schema of a value that fits one of several."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def _choices_of(flag: Flag) -> list[Schema]:
    """Return the schemas of a flag's choices, as YAML may hold them: `8` is a number there."""
    texts = [str(item) for item in flag.choices or []]
    numbers = [int(item) for item in texts if item.isdecimal() and item.isascii()]
    found: list[Schema] = [{"enum": [*texts, *numbers]}]
    if flag.fold is not None:
        found.append(_text(_words(texts, flag.fold)))
    if flag.kind == "int":
        found.append(_text(_INTEGER))
    return found


def _limits(shape: Shape | None) -> Schema:
    """Return the bounds of a number."""
    return {name: shape[sign] for sign, name in _LIMITS.items() if sign in shape} if shape else {}


def _of_shape(shape: Shape) -> Schema:
    """Return the schema of a JSON value that vLLM turns into a class, as pydantic reads it."""
    found = _of_kind(shape)
    also = list(shape.get("also", ()))
    if shape.get("nullable"):
        also.append(None)
    if also and found:
        found = _either([found, {"enum": also}])
    # A number is left out: 1 and 1.0 are one value to a validator, and not to pydantic.
    refused = [item for item in shape.get("not", ()) if not isinstance(item, (int, float))]
    return {**found, "not": {"enum": refused}} if refused else found


def _of_kind(shape: Shape) -> Schema:
    match shape["kind"]:
        case "union":
            return _either([_of_shape(item) for item in shape["of"]])
        case "object":
            return _object(shape)
        case "map":
            found: Schema = {"type": "object", "additionalProperties": _of_shape(shape["values"])}
            if "key_choices" in shape:
                found["propertyNames"] = {"enum": shape["key_choices"]}
            return found
        case "list":
            return {"type": "array", "items": _of_shape(shape["items"]), **_lengths(shape, "Items")}
        case "choice":
            found = {"enum": list(shape["choices"])}
            if "fold" not in shape:
                return found
            texts = (item for item in shape["choices"] if isinstance(item, str))
            return _either([found, _text(_words(texts, shape["fold"]))])
        case "str":
            prefixes = "|".join(map(_literal, shape.get("prefixes", ())))
            given = {"pattern": f"^(?:{prefixes})"} if prefixes else {}
            return {"type": "string", **given, **_lengths(shape, "Length")}
        case "bool":
            said = _text(_words((*_TRUE_OR_FALSE, *_MORE_WORDS)))
            return {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}, said]}
        case "int":
            said = _text(rf"{_INTEGER}(?:\.[0_]*\s*)?")
            return {"anyOf": [{"type": "integer", **_limits(shape)}, {"type": "boolean"}, said]}
        case "float":
            within = {"type": "number", **_limits(shape)}
            return {"anyOf": [within, {"type": "boolean"}, _text(_NUMBER)]}
        case "never":
            return {"not": {}}
        case _:  # any JSON
            return {}


def _lengths(shape: Shape, of: str) -> Schema:
    """Return the bounds of a length, as keywords such as minItems."""
    found = {
        f"{end}{of}": shape.get("length", shape.get(f"{end}_length")) for end in ("min", "max")
    }
    return {name: limit for name, limit in found.items() if limit is not None}


def _object(shape: Shape) -> Schema:
    keys = {key: _of_shape(inner) for key, inner in shape["keys"].items()}
    found: Schema = {"type": "object", "properties": keys}
    required = [*shape.get("required", ())]
    if shape.get("dashes"):
        spelled = {key: _literal(key).replace("_", "[-_]") for key in keys if "_" in key}
        found["patternProperties"] = {_whole(spelled[key]): keys[key] for key in spelled}
        required = [key for key in required if key not in spelled]
    if required:
        found["required"] = required
    if shape.get("extra") is None:
        found["additionalProperties"] = False
    return found
