"""Convert the value of a flag to the value of a variable and back."""

from __future__ import annotations

from translator.core.text.json_text import JsonError, dumps, loads, repair, size
from translator.core.values import (
    LEVELS,
    BadValue,
    bad_json,
    boolean,
    choice,
    colons,
    from_token,
    named_object,
    not_null,
    number,
    pairs,
    plain,
    text_of,
    whole_number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.core.tables.catalog import Catalog, Flag
    from translator.core.tables.entries import Shape


_BEGIN_JSON = ("", "[", "{", "'", '"')


def variable_text(flag: Flag, value: Any) -> str | None:
    """Return a value as the string of a variable; None if no string can hold it."""
    if value is None:
        return None
    if flag.kind == "json":
        return text_of(flag, value) if flag.syntax is None else dumps(value)
    if isinstance(value, bool) and flag.kind != "optional-str":
        return "true" if value else "false"
    if flag.kind in ("list", "append"):
        if len(value) == 1 and isinstance(value[0], dict):
            return dumps(value[0])
        texts = ["" if isinstance(item, dict) else text_of(flag, item) for item in value]
        is_plain = all(
            text.strip() == text and text[:1] not in _BEGIN_JSON and "," not in text
            for text in texts
        )
        return ",".join(texts) if is_plain else dumps(value)
    if isinstance(value, (dict, list)):
        return dumps(value)
    return text_of(flag, value) if value is not True else None


# Repairs that get a finding, and what the value has.
REPAIRS = {
    "quotes": "quotes around the JSON",
    "list-quotes": "quotes around the list",
    "literal": "a Python literal",
    "comma": "a comma behind the JSON",
    "pairs": "KEY=NUMBER pairs, the form of vLLM up to 0.8",
}


def from_variable(flag: Flag, text: str) -> tuple[Any, str]:
    """Read the value of a variable.

    It accepts more than a token: sizes for every integer, words for booleans, and JSON that can be
    repaired.

    Returns:
        The value, and the repair that it needed ("" for none; see `REPAIRS`).

    Raises:
        BadValue: the flag does not accept it.
    """
    kind = flag.kind
    if kind in ("switch", "toggle", "bool-value"):
        return boolean(text), ""
    if kind == "str" or kind == "optional-str":
        return (choice(flag, text.strip()) if flag.choices is not None else text), ""
    if kind in ("int", "size", "size-or-auto"):
        return whole_number(flag, kind, text, in_variable=True), ""
    if kind == "float":
        return number(text), ""
    if kind in ("list", "append"):
        return _list(flag, text)
    return _json_variable(flag, text)


def _json_variable(flag: Flag, text: str) -> tuple[Any, str]:
    stripped = text.strip()
    # On a command line, vLLM reads a broken `{"a":` as a plain string; in a variable, it is
    # reported as a mistake.
    if flag.kind == "json-or-str" and stripped.lstrip("'\"")[:1] != "{":
        return text, ""
    if flag.level and stripped in LEVELS:
        return {"level": int(stripped)}, ""
    try:
        value, repaired = repair(text)
    except JsonError as error:
        if flag.syntax == "colons" and ":" in text and stripped[:1] not in "{['\"":
            return colons(stripped), ""
        if "=" in text and stripped[:1] not in "{['\"":
            return pairs(text), "" if flag.syntax else "pairs"
        raise bad_json(flag, text, str(error)) from None
    if flag.kind == "json-or-str" and not isinstance(value, dict):
        return text, ""
    return not_null(flag, value), repaired


def _list(flag: Flag, text: str) -> tuple[Any, str]:
    """Read a JSON array, or elements separated by commas."""
    stripped = text.strip()
    repaired = ""
    items: list[Any]
    if stripped[:2] in ("('", '("') and stripped[-1:] == ")":  # a tuple of Python's
        text = stripped = f"[{stripped[1:-1]}]"
        repaired = "literal"
    if stripped[:1] in ("[", "{", "'", '"') and stripped[-1:] in ("]", "}", "'", '"'):
        try:
            value, form = repair(text)
            items = value if isinstance(value, list) else [value]
            repaired = form or repaired
        except JsonError as error:
            inner = stripped[1:-1]
            if stripped[0] != "'" or stripped[-1] != "'" or "'" in inner or not inner.strip():
                raise BadValue("bad-list", reason=str(error)) from None
            # docker's --env-file keeps the quotes of SERVED_MODEL_NAME='a b'
            items, repaired = [item.strip() for item in inner.split(",")], "list-quotes"
    else:
        items = [item.strip() for item in text.split(",")]
    return [_item(flag, item) for item in items], repaired


_JSON_TYPES: dict[type, str] = {dict: "object", list: "array"}


def _item(flag: Flag, item: Any) -> Any:
    if flag.element.startswith("named-path") and isinstance(item, dict):
        return named_object(flag, item)
    if isinstance(item, (dict, list)) or item is None:
        raise BadValue(
            "bad-list", element="a string or a number", type=_JSON_TYPES.get(type(item), "null")
        )
    text = plain(item)
    if flag.element == "int":
        return whole_number(flag, "int", text, in_variable=True)
    return from_token(flag, text)


# --- one key of a JSON flag


def key_shape(catalog: Catalog, flag: Flag, path: tuple[str, ...]) -> Shape | None:
    """Return the shape of one key, if the version's parser defines one."""
    shape = catalog.shape(flag.flag) if flag.shaped else None
    for part in path:
        if shape is None:
            return None
        shape = shape.get("keys", {}).get(part) or shape.get("values")
    return shape


def key_value(text: str, shape: Shape | None) -> Any:
    """Return the value of one key as vLLM reads it after a dotted key.

    The value is JSON, otherwise a size, otherwise the string; it is always the string if the key
    accepts only strings.
    """
    kind = shape.get("kind") if shape else None
    if kind == "bool":
        try:
            return boolean(text)
        except BadValue:
            return text
    value: Any = text
    for read in (loads, size, _repaired):
        try:
            value = read(text)
            break
        except JsonError:
            continue
    if shape is None or kind not in ("str", "choice") or not isinstance(value, (bool, int, float)):
        return value
    from translator.core.tables.shapes import problems

    is_meant_as_text = any(problems(value, shape)) and not any(problems(text, shape))
    return text if is_meant_as_text else value


def _repaired(text: str) -> Any:
    """Return the JSON that a text was meant as; a text that begins as none stays one."""
    return repair(text)[0] if text.strip()[:1] in ("{", "[") else text
