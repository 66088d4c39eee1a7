"""The schemas of single values: of a token's text, and of the keys of a JSON flag; and what a
schema says of a flag, in our own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from translator.pages.accepted import KINDS, shape_text, where
from translator.tables.catalog import Catalog
from translator.tables.entries import Flag

if TYPE_CHECKING:
    from translator.tables.shapes import Shape

Schema = dict[str, Any]

# Python reads digits of every script, and a validator's `\\d` may not.
_DIGIT = r"(?:[0-9_]|[^\x00-\x7F])"
INTEGER = rf"\s*[+-]?{_DIGIT}+\s*"
NUMBER = rf"\s*[+-]?(?:{_DIGIT}|[.iInN]).*"
NUMBERS = ("int", "size", "size-or-auto", "float")
SUFFIXES = "kKmMgGtT"
TRUE_OR_FALSE = ("true", "false", "1", "0", "yes", "no", "on", "off")
# In pydantic's lax mode, beside those.
_MORE_WORDS = ("t", "f", "y", "n")
_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")


def described(flag: Flag, catalog: Catalog) -> str:
    """Return a flag's kind, its other spellings, its bounds, and the versions that have it."""
    kind = "no value: true switches it on" if flag.kind == "switch" else KINDS[flag.kind]
    if flag.start is not None and flag.start["kind"] in ("int", "float"):
        kind += f"; the engine starts with {shape_text(flag.start)}"
    parts = [f"`{flag.flag}`: {kind}."]
    others = [*flag.aliases, *flag.negations]
    if others:
        parts.append(f"Also {' '.join(f'`{name}`' for name in others)}.")
    parts.append(f"vLLM has it in {where(flag.flag, catalog.tables).removeprefix('it is in ')}.")
    if flag.deprecated:
        parts.append(f"Deprecated in vLLM {catalog.version}.")
    return " ".join(parts)


def literal(text: str) -> str:
    """Return the pattern of exactly a text."""
    return "".join("\\" + char if char in _SPECIAL else char for char in text)


def words(texts: Iterable[object], fold: str | None = "case") -> str:
    """Return the pattern of one of several words, in any case if `fold` is "case", and with dashes
    or underscores, too, if it is "case-dash". JSON Schema's patterns have no flag for it.
    """

    def any_case(char: str) -> str:
        if fold == "case-dash" and char in "-_":
            return "[-_]"
        low, high = char.lower(), char.upper()
        return literal(char) if low == high or fold is None else f"[{low}{high}]"

    return "|".join("".join(map(any_case, str(text))) for text in texts)


def number(kind: str, suffixes: str) -> str:
    """Return the pattern of a number of one of NUMBERS, whose integers may have some suffixes."""
    if kind == "float":
        return NUMBER
    sized = rf"|\s*{_DIGIT}+(?:\.{_DIGIT}+)?[{suffixes}]\s*" if suffixes else ""
    return INTEGER + sized + (rf"|\s*{words(['auto'])}\s*" if kind == "size-or-auto" else "")


def whole(pattern: str) -> str:
    """Return a pattern for the whole of a text."""
    return f"^(?:{pattern})$"


def text(pattern: str) -> Schema:
    return {"type": "string", "pattern": whole(pattern)}


def either(schemas: Sequence[Schema]) -> Schema:
    """Return the schema of a value that fits one of several."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def choices_of(flag: Flag) -> list[Schema]:
    """Return the schemas of a flag's choices, as YAML may hold them: `8` is a number there."""
    texts = [str(item) for item in flag.choices or []]
    numbers = [int(item) for item in texts if item.isdecimal() and item.isascii()]
    found: list[Schema] = [{"enum": [*texts, *numbers]}]
    if flag.fold is not None:
        found.append(text(words(texts, flag.fold)))
    if flag.kind == "int":
        found.append(text(INTEGER))
    return found


def limits(shape: Shape | None) -> Schema:
    """Return the bounds of a number."""
    return {name: shape[sign] for sign, name in _LIMITS.items() if sign in shape} if shape else {}


def of_shape(shape: Shape) -> Schema:
    """Return the schema of a JSON value that vLLM turns into a class, as pydantic reads it."""
    found = _of_kind(shape)
    also = list(shape.get("also", ()))
    if shape.get("nullable"):
        also.append(None)
    if also and found:
        found = either([found, {"enum": also}])
    # A number is left out: 1 and 1.0 are one value to a validator, and not to pydantic.
    refused = [item for item in shape.get("not", ()) if not isinstance(item, (int, float))]
    return {**found, "not": {"enum": refused}} if refused else found


def _of_kind(shape: Shape) -> Schema:
    match shape["kind"]:
        case "union":
            return either([of_shape(item) for item in shape["of"]])
        case "object":
            return _object(shape)
        case "map":
            found: Schema = {"type": "object", "additionalProperties": of_shape(shape["values"])}
            if "key_choices" in shape:
                found["propertyNames"] = {"enum": shape["key_choices"]}
            return found
        case "list":
            return {"type": "array", "items": of_shape(shape["items"]), **_lengths(shape, "Items")}
        case "choice":
            found = {"enum": list(shape["choices"])}
            if "fold" not in shape:
                return found
            texts = (item for item in shape["choices"] if isinstance(item, str))
            return either([found, text(words(texts, shape["fold"]))])
        case "str":
            prefixes = "|".join(map(literal, shape.get("prefixes", ())))
            given = {"pattern": f"^(?:{prefixes})"} if prefixes else {}
            return {"type": "string", **given, **_lengths(shape, "Length")}
        case "bool":
            said = text(words((*TRUE_OR_FALSE, *_MORE_WORDS)))
            return {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}, said]}
        case "int":
            said = text(rf"{INTEGER}(?:\.[0_]*\s*)?")
            return {"anyOf": [{"type": "integer", **limits(shape)}, {"type": "boolean"}, said]}
        case "float":
            within = {"type": "number", **limits(shape)}
            return {"anyOf": [within, {"type": "boolean"}, text(NUMBER)]}
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
    keys = {key: of_shape(inner) for key, inner in shape["keys"].items()}
    found: Schema = {"type": "object", "properties": keys}
    required = [*shape.get("required", ())]
    if shape.get("dashes"):
        spelled = {key: literal(key).replace("_", "[-_]") for key in keys if "_" in key}
        found["patternProperties"] = {whole(spelled[key]): keys[key] for key in spelled}
        required = [key for key in required if key not in spelled]
    if required:
        found["required"] = required
    if shape.get("extra") is None:
        found["additionalProperties"] = False
    return found
