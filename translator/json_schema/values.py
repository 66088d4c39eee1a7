"""The schemas of single values: of a token's text, and of the keys of a JSON flag."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from translator.tables.entries import Flag
    from translator.tables.shapes import Shape

    Schema = dict[str, Any]


# Python reads digits of every script, and a validator's `\\d` may not.
_DIGIT = r"(?:[0-9_]|[^\x00-\x7F])"
INTEGER = rf"\s*[+-]?{_DIGIT}+\s*"
NUMBER = rf"\s*[+-]?(?:{_DIGIT}|[.iInN]).*"
SUFFIXES = "kKmMgGtT"
TRUE_OR_FALSE = ("true", "false", "1", "0", "yes", "no", "on", "off")
# In pydantic's lax mode, beside those.
_MORE_WORDS = ("t", "f", "y", "n")
_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")


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


def size(suffixes: str) -> str:
    """Return the pattern of an integer with one of some suffixes, or with none."""
    return rf"{INTEGER}|\s*{_DIGIT}+(?:\.{_DIGIT}+)?[{suffixes}]\s*" if suffixes else INTEGER


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
    choices = flag.choices or []
    texts = [str(item) for item in choices]
    numbers = [int(item) for item in texts if item.isdecimal() and item.isascii()]
    found: list[Schema] = [{"enum": [*texts, *numbers]}]
    if flag.fold is not None:
        found.append(text(choice_pattern(flag)))
    if flag.kind == "int":
        found.append(text(INTEGER))
    return found


def choice_pattern(flag: Flag) -> str:
    """Return the pattern of a flag's choices, in the cases that it accepts."""
    texts = [str(item) for item in flag.choices or []]
    if flag.fold is None:
        return "|".join(map(literal, texts))
    return "|".join(folded(item, dashes=flag.fold == "case-dash") for item in texts)


def limits(shape: Shape | None) -> Schema:
    """Return the bounds of a number."""
    return {name: shape[sign] for sign, name in _LIMITS.items() if sign in shape} if shape else {}


def of_shape(shape: Shape) -> Schema:
    """Return the schema of a JSON value that vLLM turns into a class, as pydantic reads it."""
    kind = shape["kind"]
    if kind == "union":
        found = either([of_shape(item) for item in shape["of"]])
    else:
        found = _KINDS[kind](shape)
    also = list(shape.get("also", ()))
    if shape.get("nullable"):
        also.append(None)
    if also and found:
        found = either([found, {"enum": also}])
    # A number is left out: 1 and 1.0 are one value to a validator, and not to pydantic.
    refused = [item for item in shape.get("not", ()) if not isinstance(item, (int, float))]
    return {**found, "not": {"enum": refused}} if refused else found


def _object(shape: Shape) -> Schema:
    found: Schema = {"type": "object"}
    keys = {key: of_shape(inner) for key, inner in shape["keys"].items()}
    found["properties"] = keys
    required = [*shape.get("required", ())]
    if shape.get("dashes"):
        spelled = {key: literal(key).replace("_", "[-_]") for key in keys if "_" in key}
        found["patternProperties"] = {
            f"^(?!{literal(key)}$){pattern}$": keys[key] for key, pattern in spelled.items()
        }
        required = [key for key in required if key not in spelled]
    if required:
        found["required"] = required
    if shape.get("extra") is None:
        found["additionalProperties"] = False
    return found


def _map(shape: Shape) -> Schema:
    found: Schema = {"type": "object", "additionalProperties": of_shape(shape["values"])}
    if "key_choices" in shape:
        found["propertyNames"] = {"enum": list(shape["key_choices"])}
    return found


def _list(shape: Shape) -> Schema:
    found: Schema = {"type": "array", "items": of_shape(shape["items"])}
    least = shape.get("length", shape.get("min_length"))
    most = shape.get("length", shape.get("max_length"))
    return {
        **found,
        **({} if least is None else {"minItems": least}),
        **({} if most is None else {"maxItems": most}),
    }


def _choice(shape: Shape) -> Schema:
    found: list[Schema] = [{"enum": list(shape["choices"])}]
    if "fold" in shape:
        dashes = shape["fold"] == "case-dash"
        texts = [item for item in shape["choices"] if isinstance(item, str)]
        found.append(text("|".join(folded(item, dashes=dashes) for item in texts)))
    return either(found)


def _str(shape: Shape) -> Schema:
    found: Schema = {"type": "string"}
    if "prefixes" in shape:
        found["pattern"] = f"^(?:{'|'.join(literal(item) for item in shape['prefixes'])})"
    for name, keyword in (("min_length", "minLength"), ("max_length", "maxLength")):
        if name in shape:
            found[keyword] = shape[name]
    return found


def _bool(_: Shape) -> Schema:
    return either(
        [{"type": "boolean"}, {"enum": [0, 1]}, text(words((*TRUE_OR_FALSE, *_MORE_WORDS)))]
    )


def _int(shape: Shape) -> Schema:
    within: Schema = {"type": "integer", **limits(shape)}
    return either([within, {"type": "boolean"}, text(rf"{INTEGER}(?:\.[0_]*\s*)?")])


def _float(shape: Shape) -> Schema:
    within: Schema = {"type": "number", **limits(shape)}
    return either([within, {"type": "boolean"}, text(NUMBER)])


def _json(_: Shape) -> Schema:
    return {}


def _never(_: Shape) -> Schema:
    return {"not": {}}


_KINDS: dict[str, Callable[[Shape], Schema]] = {
    "object": _object,
    "map": _map,
    "list": _list,
    "choice": _choice,
    "str": _str,
    "bool": _bool,
    "int": _int,
    "float": _float,
    "json": _json,
    "never": _never,
}
