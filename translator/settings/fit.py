"""Convert a flag's value to the form of another version's flag, or to the form a user writes."""

from __future__ import annotations

from translator.secrets.masking import MASK
from translator.settings.setting import is_token
from translator.tables.entries import JSON_KINDS, variable_of
from translator.tables.shapes import problems
from translator.text.json_text import JsonError, dumps, loads, repair, size
from translator.text.quoting import quote
from translator.values.errors import BadValue, assignment
from translator.values.tokens import boolean, from_token, named_object, text_of, tokens
from translator.values.variables import variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.naming.scope import Scope
    from translator.settings.setting import Setting
    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Flag


def flag_elsewhere(name: str, tables: Tables) -> Flag | None:
    """Return the flag from the newest version that has it."""
    for item in reversed(tables.knowing(name)):
        found = tables.catalog(item.partition("-")[2]).spellings().get(name)
        if found is not None:
            return found[0]
    return None


def word_of(value: Any) -> str:
    """Return a value as written in mappings/changes.toml."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def text_as(flag: Flag | None, value: Any) -> str:
    """Return a value as its flag's string (flag None: the value of a variable or a key)."""
    return text_of(flag, value) if flag is not None else word_of(value)


def fitted(flag: Flag, value: Any, was: Flag | None = None) -> Any:
    """Convert a typed value to the form of this version's flag, such as a string to a list of one.

    Args:
        flag: this version's flag.
        value: in the form of another flag, or of another version's.
        was: that other flag, if its syntax matters.

    Raises:
        BadValue: this version refuses the value.
    """
    if flag.kind in ("list", "append"):
        if value is None:
            return None
        items = value if isinstance(value, list) else [value]
        return [
            named_object(flag, item)
            if isinstance(item, dict) and flag.element.startswith("named-path")
            else from_token(flag, item if isinstance(item, str) else text_of(flag, item))
            for item in items
        ]
    if isinstance(value, list) and len(value) == 1 and flag.kind not in JSON_KINDS:
        value = value[0]
    if flag.boolean and not isinstance(value, bool):
        return boolean(text_as(was, value))
    if (
        value is None
        or isinstance(value, bool)
        or (isinstance(value, (dict, list)) and flag.kind in JSON_KINDS)
    ):
        return value
    if isinstance(value, (dict, list)):
        raise BadValue("bad-text", "json")
    return from_token(flag, text_as(was, value))


def as_written(made: Setting, scope: Scope) -> str:
    """Return a setting as the user would write it, in the form of its origin (variable, token)."""
    flag = scope.catalog.flag(made.flag) if not made.path else None
    if is_token(made.origin):
        if flag is not None:
            group = tokens(flag, made.value)
            if len(group) != 1 or not group[0].startswith(f"{made.flag}="):
                first, *items = group or [made.flag]
                shown = [quote(shown_value(made, item, scope)) for item in items]
                return " ".join((first, *shown))
            return assignment(made.flag, shown_value(made, group[0].partition("=")[2], scope))
        return assignment(shown_setting(made, scope), shown_value(made, _plain(made.value), scope))
    text = variable_text(flag, made.value) if flag is not None else None
    name = "__".join((variable_of(made.flag), *made.path)).upper()
    text = _plain(made.value) if text is None else text
    return assignment(scope.prefix + name, shown_value(made, text, scope))


def shown_setting(made: Setting, scope: Scope) -> str:
    """Return a flag, or a flag and a key, as messages show it."""
    return ".".join((made.flag, *made.path))


def shown_value(made: Setting, text: str, scope: Scope) -> str:
    """Return the value of a setting as messages may show it."""
    secrets = scope.secrets
    if made.flag in secrets.carriers or any(map(secrets.named, made.path)):
        return MASK
    return text


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def key_shape(catalog: Catalog, flag: Flag, path: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the shape of one key, if the version's parser defines one."""
    shape = catalog.shape(flag.flag) if flag.shaped else None
    for part in path:
        if shape is None:
            return None
        shape = shape.get("keys", {}).get(part) or shape.get("values")
    return shape


def key_value(text: str, shape: dict[str, Any] | None) -> Any:
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
    value = _json_value(text)
    if shape is None or kind not in ("str", "choice"):
        return value
    is_meant_as_text = (
        isinstance(value, (bool, int, float))
        and any(problems(value, shape))
        and not any(problems(text, shape))
    )
    return text if is_meant_as_text else value


def _json_value(text: str) -> Any:
    """Return a string as JSON, as a size, or as the JSON that was meant; otherwise the string."""
    readers: list[Callable[[str], Any]] = [loads, size]
    if text.strip()[:1] in "{[":
        readers.append(lambda text: repair(text)[0])
    for read in readers:
        try:
            return read(text)
        except JsonError:
            continue
    return text
