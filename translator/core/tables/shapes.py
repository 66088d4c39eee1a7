"""The shape of a JSON flag's value: its keys and their types, as checked by vLLM's own pydantic
classes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from translator.core.tables.entries import Shape

    Bound = Literal["ge", "gt", "le", "lt"]


UNKNOWN_KEY = "unknown key"

REQUIRED_KEY = "required key"

# What pydantic's lax mode reads as a bool, besides true and false (source: its conversion table;
# tested by the harvest).
_BOOL_TEXTS = frozenset(("true", "false", "1", "0", "yes", "no", "on", "off", "t", "f", "y", "n"))


def same(value: Any, other: Any) -> bool:
    """Return whether two are equal as JSON: 1, 1.0 and true are three values."""
    return type(value) is type(other) and value == other


def problems(value: Any, shape: Shape, path: str = "") -> Iterator[tuple[str, Any, str]]:
    """Yield every mismatch of a JSON value: (dotted path, the value there, what was expected)."""
    if any(same(value, item) for item in shape.get("also", ())):
        return
    kind = shape["kind"]
    if any(same(value, item) for item in shape.get("not", ())):
        fits = False
    elif value is None:
        fits = kind == "json" or shape.get("nullable", False)
    elif kind in ("object", "map"):
        fits = isinstance(value, dict)
    elif kind == "list":
        fits = isinstance(value, list) and _length_fits(value, shape)
    elif kind == "union":
        fits = any(next(problems(value, option), None) is None for option in shape["of"])
    else:
        fits = _scalar_fits(value, kind, shape)
    if not fits:
        yield path, value, expectation(shape)
    elif value is None:
        return
    elif kind == "object":
        yield from _of_object(value, shape, path)
    elif kind == "map":
        for key, item in value.items():
            if key not in shape.get("key_choices", (key,)):
                yield _at(path, key), item, UNKNOWN_KEY
            yield from problems(item, shape["values"], _at(path, key))
    elif kind == "list":
        for index, item in enumerate(value):
            yield from problems(item, shape["items"], f"{path}[{index}]")


def _at(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _of_object(value: dict[str, Any], shape: Shape, path: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the mismatches of an object's keys."""
    for key, item in value.items():
        inner = _inner(shape, key)
        if inner is not None:
            yield from problems(item, inner, _at(path, key))
        elif shape.get("extra") is None:
            yield _at(path, key), item, UNKNOWN_KEY
    for key in shape.get("required", ()):
        if key not in value:
            yield _at(path, key), None, REQUIRED_KEY
    yield from _broken_rules(value, shape, path)


def _inner(shape: Shape, key: str) -> Shape | None:
    """Return the shape of an object's key; some classes take underscores in place of dashes."""
    keys = shape["keys"]
    other = key.replace("-", "_") if shape.get("dashes") else key
    inner: Shape | None = keys.get(key) or keys.get(other)
    return inner


def ignored(value: Any, shape: Shape, path: str = "") -> Iterator[str]:
    """Yield the dotted paths of keys that the class does not have and silently ignores."""
    kind = shape["kind"]
    if kind == "list" and isinstance(value, list):
        for index, item in enumerate(value):
            yield from ignored(item, shape["items"], f"{path}[{index}]")
    elif kind in ("object", "map") and isinstance(value, dict):
        for key, item in value.items():
            here = _at(path, key)
            inner = shape["values"] if kind == "map" else _inner(shape, key)
            if inner is not None:
                yield from ignored(item, inner, here)
            elif shape.get("extra") == "ignore":
                yield here


def _scalar_fits(value: Any, kind: str, shape: Shape) -> bool:
    if kind == "json":
        return True
    if kind == "never":
        return False
    if kind == "choice":
        if "fold" in shape and isinstance(value, str):
            return _folded(value, shape) in [
                _folded(item, shape) for item in shape["choices"] if isinstance(item, str)
            ]
        return any(same(value, item) for item in shape["choices"])
    if kind == "str":
        return (
            isinstance(value, str)
            and _length_fits(value, shape)
            and value.startswith(tuple(shape.get("prefixes", ("",))))
        )
    if kind == "bool":
        if isinstance(value, bool):
            return True
        return (
            value in (0, 1)
            if isinstance(value, (int, float))
            else isinstance(value, str) and value.lower() in _BOOL_TEXTS
        )
    number = _number(value, kind)
    if number is None:
        return False
    return (
        number >= shape.get("ge", number)
        and number <= shape.get("le", number)
        and ("gt" not in shape or number > shape["gt"])
        and ("lt" not in shape or number < shape["lt"])
    )


def _folded(text: str, shape: Shape) -> str:
    text = text.casefold()
    return text.replace("-", "_") if shape["fold"] == "case-dash" else text


def _length_fits(value: str | list[Any], shape: Shape) -> bool:
    length = len(value)
    if length != shape.get("length", length):
        return False
    return bool(shape.get("min_length", length) <= length <= shape.get("max_length", length))


def _broken_rules(value: dict[str, Any], shape: Shape, path: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the keys that are valid only next to another key, where that key is missing."""
    for rule in shape.get("rules", ()):
        key = rule["key"]
        if (
            key not in value
            or value[key] is None
            or ("values" not in rule and value[key] in ("", {}, []))
        ):
            continue
        if "values" in rule and not any(same(value[key], item) for item in rule["values"]):
            continue
        keys = shape.get("keys", {})
        if any(
            other in value and any(problems(value[other], keys.get(other, {"kind": "json"})))
            for other in rule["needs"]
        ):
            continue  # that key is there, and has a mistake of its own
        for other, allowed in rule["needs"].items():
            beside = value.get(other)
            if any(same(beside, item) for item in allowed) or (
                not allowed and isinstance(beside, str) and beside
            ):
                break
        else:
            needs = " or ".join(
                f"{other}" + (f" ({', '.join(str(item) for item in allowed)})" if allowed else "")
                for other, allowed in rule["needs"].items()
            )
            yield _at(path, key), value[key], f"the key {needs} beside it"


def _number(value: Any, kind: str) -> float | int | None:
    """Return a JSON value as pydantic's lax mode reads it for a number; None if it is rejected."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return _number_in(value, kind)
    if not isinstance(value, (int, float)) or (
        kind == "int" and isinstance(value, float) and not value.is_integer()
    ):
        return None
    return value


def _number_in(text: str, kind: str) -> float | int | None:
    """Return the number in a string; an integer may be "1.0" or " 1_000 ", not "1." or "1e3"."""
    whole, point, fraction = text.partition(".")
    try:
        if kind == "float":
            return float(text)
        return int(whole) if not point or (fraction and not fraction.strip("0")) else None
    except ValueError:
        return None


_CALLED = {
    "object": "a JSON object",
    "list": "a JSON array",
    "map": "a JSON object",
    "str": "a string",
    "bool": "true or false",
    "int": "an integer",
    "float": "a number",
    "json": "a JSON value",
    "never": "nothing that JSON can hold",
}
_KINDS: dict[type, str] = {str: "text", list: "array", dict: "object", type(None): "null"}
SIGNS: dict[Bound, str] = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def expectation(shape: Shape) -> str:
    """Return a description of valid values of this shape, for a message."""
    kind = shape["kind"]
    if kind == "choice":
        text = "one of " + ", ".join(str(item) for item in shape["choices"])
    elif kind == "union":
        text = " or ".join(expectation(item) for item in shape["of"])
    else:
        text = _CALLED[kind]
    if kind == "json" and "not" in shape:
        kinds = dict.fromkeys(_KINDS.get(type(item), "such number") for item in shape["not"])
        return f"a JSON value, but no {' and no '.join(kinds)}"
    limits = [f"{sign} {shape[name]}" for name, sign in SIGNS.items() if name in shape]
    if limits:
        text += " " + " and ".join(limits)
    return text + (" or null" if shape.get("nullable") else "")
