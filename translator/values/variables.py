"""The value of a flag as the text of a variable, both ways."""

from __future__ import annotations

from translator.text import json_text as jsontext
from translator.text.json_text import repair
from translator.text.numbers import JsonError, size
from translator.values.errors import BadValue
from translator.values.hints import _close_brackets
from translator.values.tokens import (
    _bad_size,
    _choice,
    _float,
    _named_path,
    _number_choice,
    _object,
    boolean,
    element,
    pairs,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.tables.entries import Flag


def variable_text(flag: Flag, value: Any) -> str | None:
    """A value as a variable's text; None when no text says it."""
    if value is None:
        return None
    if flag.kind == "json":
        return text_of(flag, value) if flag.syntax is None else jsontext.dumps(value)
    if isinstance(value, bool) and flag.kind != "optional-str":
        return "true" if value else "false"
    if flag.kind in ("list", "append"):
        if len(value) == 1 and isinstance(value[0], dict):
            return jsontext.dumps(value[0])
        texts = [
            item if isinstance(item, str) else text_of(flag, item)
            for item in value
            if not isinstance(item, dict)
        ]
        if len(texts) == len(value) and all(
            text and text.strip() == text and "," not in text and text[0] not in "[{'\""
            for text in texts
        ):
            return ",".join(texts)
        return jsontext.dumps(value)
    if isinstance(value, (dict, list)):
        return jsontext.dumps(value)
    return text_of(flag, value) if value is not True else None


class Unset(Exception):
    """The text means that nothing is set."""


REPAIRS = {
    "quotes": "a stray pair of quotes around the JSON was taken away",
    "list-quotes": "a stray pair of quotes around the list was taken away",
    "literal": "a Python literal was read as JSON",
    "pairs": "KEY=NUMBER pairs, as vLLM took them up to 0.8, were read as JSON",
}


def from_variable(flag: Flag, text: str) -> tuple[Any, str]:
    """The value of a variable's text, and the repair that it needed ("" for none).

    Raises:
        BadValue: it is none.
        Unset: the text means that nothing is set.
    """
    kind = flag.kind
    if kind in ("switch", "toggle", "bool-value"):
        return boolean(text), ""
    if kind == "str" or kind == "optional-str":
        return (_choice(flag, text.strip()) if flag.choices is not None else text), ""
    if kind == "int":
        try:
            value = size(text)
        except JsonError as error:
            raise _bad_size(text, error) from None
        return (_number_choice(flag, value) if flag.choices is not None else value), ""
    if kind in ("size", "size-or-auto"):
        if kind == "size-or-auto" and text.strip().lower() == "auto":
            return -1, ""
        try:
            return size(text), ""  # suffixes that the version does not read are spelled out
        except JsonError as error:
            raise _bad_size(text, error, kind == "size-or-auto") from None
    if kind == "float":
        return _float(text), ""
    if kind in ("list", "append"):
        return _list(flag, text)
    return _json_variable(flag, text)


def _json_variable(flag: Flag, text: str) -> tuple[Any, str]:
    stripped = text.strip()
    # On a command line, vLLM reads a broken `{"a":` as plain text; in an environment it is taken
    # for the mistake that it is.
    if flag.kind == "json-or-str" and stripped.lstrip("'\"")[:1] != "{":
        return text, ""
    if flag.level and stripped in ("0", "1", "2", "3"):
        return {"level": int(stripped)}, ""
    try:
        value, done = repair(text)
    except JsonError as error:
        if "=" in text and stripped[:1] not in "{['\"":
            return pairs(text), "" if flag.syntax else "pairs"
        from translator.values.hints import array

        hint = array(text) if (flag.default or "").startswith("[") else _close_brackets(stripped)
        raise BadValue("bad-json", f"JSON: {error}", hint) from None
    if flag.kind == "json-or-str" and not isinstance(value, dict):
        return text, ""
    return _object(flag, value), done


def _list(flag: Flag, text: str) -> tuple[Any, str]:
    """A JSON array, or the elements separated by commas."""
    stripped = text.strip()
    done = ""
    items: list[Any]
    if stripped[:1] in ("[", "{", "'", '"') and stripped[-1:] in ("]", "}", "'", '"'):
        try:
            value, done = repair(text)
            items = value if isinstance(value, list) else [value]
        except JsonError as error:
            inner = stripped[1:-1]
            if stripped[0] != "'" or stripped[-1] != "'" or "'" in inner or not inner.strip():
                raise BadValue(
                    "bad-list", f"a JSON array, or elements separated by commas: {error}"
                ) from None
            items, done = (
                [item.strip() for item in inner.split(",")],
                "list-quotes",
            )  # docker's --env-file keeps the quotes of SERVED_MODEL_NAME='a b'
    else:
        items = [item.strip() for item in text.split(",")]
    return [_item(flag, item) for item in items], done


_WHAT: dict[type, str] = {dict: "an object", list: "an array"}


def _item(flag: Flag, item: Any) -> Any:
    if flag.element.startswith("named-path") and isinstance(item, dict):
        return _named_path(flag, jsontext.dumps(item))
    if isinstance(item, (dict, list)) or item is None:
        raise BadValue(
            "bad-list", f"elements that are texts or numbers, not {_WHAT.get(type(item), 'null')}"
        )
    text = item if isinstance(item, str) else jsontext.dumps(item)
    if flag.element == "int":
        try:
            return size(text)
        except JsonError as error:
            raise _bad_size(text, error) from None
    return element(flag, text)
