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


def folded(text: str, *, dashes: bool = False) -> str:
    """Return the pattern of a text in any case; JSON Schema's patterns have no flag for it."""
    found = []
    for char in text:
        if dashes and char in "-_":
            found.append("[-_]")
        elif char.lower() != char.upper():
            found.append(f"[{char.lower()}{char.upper()}]")
        else:
            found.append(literal(char))
    return "".join(found)


def words(texts: Iterable[str]) -> str:
    """Return the pattern of one of several words, in any case."""
    return "|".join(folded(text) for text in texts)


def number(kind: str, suffixes: str) -> str:
    """Return the pattern of a number of one of NUMBERS, whose integers may have some suffixes."""
    if kind == "float":
        return NUMBER
    sized = rf"|\s*{_DIGIT}+(?:\.{_DIGIT}+)?[{suffixes}]\s*" if suffixes else ""
    return INTEGER + sized + (rf"|\s*{folded('auto')}\s*" if kind == "size-or-auto" else "")


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
        found.append(text(choice_pattern(texts, flag.fold)))
    if flag.kind == "int":
        found.append(text(INTEGER))
    return found


def choice_pattern(choices: Iterable[object], fold: str | None) -> str:
    """Return the pattern of choices, in the cases that are accepted."""
    texts = map(str, choices)
    if fold is None:
        return "|".join(map(literal, texts))
    return "|".join(folded(item, dashes=fold == "case-dash") for item in texts)


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
    kind = shape["kind"]
    match kind:
        case "union":
            return either([of_shape(item) for item in shape["of"]])
        case "object":
            return _object(shape)
        case "map":
            names = (
                {"propertyNames": {"enum": shape["key_choices"]}} if "key_choices" in shape else {}
            )
            return {"type": "object", "additionalProperties": of_shape(shape["values"]), **names}
        case "list":
            limited = {"minItems": "min_length", "maxItems": "max_length"}
            given = {name: shape.get("length", shape.get(key)) for name, key in limited.items()}
            given = {name: limit for name, limit in given.items() if limit is not None}
            return {"type": "array", "items": of_shape(shape["items"]), **given}
        case "choice":
            found: list[Schema] = [{"enum": list(shape["choices"])}]
            if "fold" in shape:
                words_of = (item for item in shape["choices"] if isinstance(item, str))
                found.append(text(choice_pattern(words_of, shape["fold"])))
            return either(found)
        case "str":
            prefixes = "|".join(map(literal, shape.get("prefixes", ())))
            given = {"pattern": f"^(?:{prefixes})"} if prefixes else {}
            for name, keyword in (("min_length", "minLength"), ("max_length", "maxLength")):
                given |= {keyword: shape[name]} if name in shape else {}
            return {"type": "string", **given}
        case "bool":
            said = text(words((*TRUE_OR_FALSE, *_MORE_WORDS)))
            return {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}, said]}
        case "int" | "float":
            within = {"type": "integer" if kind == "int" else "number", **limits(shape)}
            said = text(rf"{INTEGER}(?:\.[0_]*\s*)?" if kind == "int" else NUMBER)
            return {"anyOf": [within, {"type": "boolean"}, said]}
        case "never":
            return {"not": {}}
        case _:  # any JSON
            return {}


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
