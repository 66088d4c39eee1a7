"""A value of one flag as another version's flag takes it."""

from __future__ import annotations

from translator.findings import show
from translator.tables.entries import JSON_KINDS, variable_of
from translator.values.errors import BadValue
from translator.values.tokens import boolean, from_token, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Flag


def flag_elsewhere(name: str, tables: Tables) -> Flag | None:
    """The flag as the newest version that has it knows it."""
    for item in reversed(tables.knowing(name)):
        found = tables.catalog(item.partition("-")[2]).spellings().get(name)
        if found is not None:
            return found[0]
    return None


def _key(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _json(value: Any) -> str:
    from translator.text.json_text import dumps

    return dumps(value)


def _text(was: Flag | None, value: Any) -> str:
    return text_of(was, value) if was is not None else _key(value)


def fitted(flag: Flag, value: Any, was: Flag | None = None) -> Any:
    """A typed value as this version's flag has it: one text as a list of one, and the like.

    Args:
        flag: of this version.
        value: as another flag, or another version's, has it.
        was: that flag, where it says how its values are written.

    Raises:
        BadValue: this version refuses it.
    """
    if flag.kind in ("list", "append"):
        if value is None:
            return None
        items = value if isinstance(value, list) else [value]
        return [
            from_token(flag, item if isinstance(item, str) else text_of(flag, item))
            for item in items
        ]
    if isinstance(value, list) and len(value) == 1 and flag.kind not in JSON_KINDS:
        value = value[0]
    if flag.boolean and not isinstance(value, bool):
        return boolean(_text(was, value))
    if (
        value is None
        or isinstance(value, bool)
        or (isinstance(value, (dict, list)) and flag.kind in JSON_KINDS)
    ):
        return value
    if isinstance(value, (dict, list)):
        raise BadValue("bad-text", "json")
    return from_token(flag, _text(was, value))


def as_written(flag: str, path: tuple[str, ...], value: Any, origin: str) -> str:
    """How the person who wrote `origin` (a variable, or a token) would write a setting."""
    text = value if isinstance(value, str) else _json(value)
    if not origin.startswith("-"):
        return f"{'__'.join((variable_of(flag), *(part.upper() for part in path)))}={show(text)}"
    return flag if value is True and not path else f"{'.'.join((flag, *path))}={show(text)}"


def key_shape(catalog: Catalog, flag: Flag, path: tuple[str, ...]) -> dict[str, Any] | None:
    """The shape of one key, where the version's parser has one."""
    shape = catalog.shape(flag.flag) if flag.shaped else None
    for part in path:
        if shape is None:
            return None
        shape = shape.get("keys", {}).get(part) or shape.get("values")
    return shape


def key_value(text: str, shape: dict[str, Any] | None) -> Any:
    """The value of one key given as text: as vLLM reads it after a dotted key (JSON, else a size,
    else the text), but a text where the key takes only texts.
    """
    from translator.text import json_text as jsontext
    from translator.text.numbers import JsonError, size

    kind = shape.get("kind") if shape else None
    if kind == "bool":
        try:
            return boolean(text)
        except BadValue:
            return text
    try:
        value = jsontext.loads(text)
    except JsonError:
        try:
            value = size(text)
        except JsonError:
            if text.strip()[:1] in "{[":
                from translator.text.json_text import repair

                try:
                    return repair(text)[0]
                except JsonError:
                    pass
            return text
    if kind in ("str", "choice") and isinstance(value, (bool, int, float)) and shape is not None:
        from translator.tables.shapes import problems

        if any(problems(value, shape)) and not any(problems(text, shape)):
            return text
    return value
