"""The shape of a JSON flag's value: which keys it has and what each takes, as vLLM's own pydantic classes check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Shape = dict[str, Any]
# What pydantic's lax mode reads as a bool, besides true and false (source: its conversion table; probed in the harvest).
_BOOL_TEXTS = frozenset(("true", "false", "1", "0", "yes", "no", "on", "off", "t", "f", "y", "n"))


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and value == other


def problems(value: Any, shape: Shape, path: str = "") -> Iterator[tuple[str, Any, str]]:
    """Every way in which a JSON value does not fit: (dotted path, the value there, what was expected).

    An unknown key has the expectation "unknown key".
    """
    if any(_same(value, item) for item in shape.get("also", ())):
        return
    if any(_same(value, item) for item in shape.get("not", ())):
        yield path, value, expectation(shape)
        return
    kind = shape["kind"]
    if value is None:
        if not shape.get("nullable") and kind not in ("json",):
            yield path, value, expectation(shape)
        return
    if kind == "object":
        if not isinstance(value, dict):
            yield path, value, expectation(shape)
            return
        keys = shape["keys"]
        for key, item in value.items():
            here = f"{path}.{key}" if path else key
            if key in keys:
                yield from problems(item, keys[key], here)
            elif shape.get("extra") is None:
                yield here, item, "unknown key"
        for key in shape.get("required", ()):
            if key not in value:
                yield (f"{path}.{key}" if path else key), None, "required key"
    elif kind == "union":
        found = [list(problems(value, option, path)) for option in shape["of"]]
        if all(found):
            yield path, value, expectation(shape)
    elif kind == "list":
        if not isinstance(value, list) or ("length" in shape and len(value) != shape["length"]):
            yield path, value, expectation(shape)
            return
        for index, item in enumerate(value):
            yield from problems(item, shape["items"], f"{path}[{index}]")
    elif kind == "map":
        if not isinstance(value, dict):
            yield path, value, expectation(shape)
            return
        for key, item in value.items():
            yield from problems(item, shape["values"], f"{path}.{key}" if path else key)
    elif not _scalar_fits(value, kind, shape):
        yield path, value, expectation(shape)


def _scalar_fits(value: Any, kind: str, shape: Shape) -> bool:
    if kind == "json":
        return True
    if kind == "never":
        return False
    if kind == "choice":
        return any(_same(value, item) for item in shape["choices"])
    if kind == "str":
        return isinstance(value, str) and shape.get("min_length", 0) <= len(value)
    if kind == "bool":
        if isinstance(value, bool):
            return True
        return value in (0, 1) if isinstance(value, (int, float)) else isinstance(value, str) and value.lower() in _BOOL_TEXTS
    number = _number(value, kind)
    if number is None:
        return False
    return (
        number >= shape.get("ge", number) and number <= shape.get("le", number)
        and ("gt" not in shape or number > shape["gt"]) and ("lt" not in shape or number < shape["lt"])
    )  # fmt: skip


def _number(value: Any, kind: str) -> float | int | None:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            try:
                value = float(value)
            except ValueError:
                return None
    if not isinstance(value, (int, float)):
        return None
    if kind == "int" and isinstance(value, float) and not value.is_integer():
        return None
    return value


def expectation(shape: Shape) -> str:
    """What a value of this shape looks like, for a message."""
    kind = shape["kind"]
    if kind == "choice":
        text = "one of " + ", ".join(str(item) for item in shape["choices"])
    elif kind == "union":
        text = " or ".join(expectation(item) for item in shape["of"])
    else:
        text = {
            "object": "a JSON object", "list": "a JSON array", "map": "a JSON object", "str": "a string", "bool": "true or false", "int": "an integer",
            "float": "a number", "json": "a JSON value", "never": "nothing that JSON can hold",
        }[kind]  # fmt: skip
    limits = [f"{sign} {shape[name]}" for name, sign in (("ge", "at least"), ("gt", "more than"), ("le", "at most"), ("lt", "less than")) if name in shape]
    if limits:
        text += " " + " and ".join(limits)
    return text + (" or null" if shape.get("nullable") else "")
