"""Python values as text that two processes can compare: equal text if and only if equal meaning.

The namespaces of vLLM's parser hold dataclasses, pydantic models, enums and functions. Their text
tells 1 from True and from 1.0, knows the class of every object, and holds no address and no order
that means nothing. Runs inside the real vLLM's process.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

ADDRESS = re.compile(r" at 0x[0-9a-f]+")
PLAIN = (type(None), bool, int, float, complex, str, bytes)
MAX_DEPTH = 40


def fields(value: Any) -> dict[str, Any] | None:
    """The declared fields of a dataclass, a pydantic model or a msgspec struct; None for any other
    value.
    """
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        names: Iterable[str] = [field.name for field in dataclasses.fields(value)]
    elif isinstance(getattr(type(value), "model_fields", None), dict):
        names = type(value).model_fields
    elif hasattr(type(value), "__struct_fields__"):
        names = type(value).__struct_fields__
    else:
        return None
    unset = Unset()
    return {name: getattr(value, name, unset) for name in names}


class Unset:
    """Stands for a declared field that an object does not have."""


def text(value: Any, depth: int = 0) -> str:
    """One value as text."""
    if type(value) in PLAIN:
        return repr(value)
    if depth > MAX_DEPTH:
        return "..."
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}={value.value!r}"
    if isinstance(value, PurePath):
        return f"Path({str(value)!r})"
    if isinstance(value, Unset):
        return "<unset>"
    if isinstance(value, (list, collections.deque)):
        return "[" + ", ".join(text(item, depth + 1) for item in value) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(text(item, depth + 1) for item in value) + ",)"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(text(item, depth + 1) for item in value)) + "}"
    if isinstance(value, Mapping):
        pairs = (f"{text(key, depth + 1)}: {text(item, depth + 1)}" for key, item in value.items())
        return "{" + ", ".join(sorted(pairs)) + "}"
    declared = fields(value)
    if declared is not None:
        pairs = (f"{name}={text(item, depth + 1)}" for name, item in declared.items())
        return f"{type(value).__name__}({', '.join(pairs)})"
    if isinstance(value, functools.partial):
        parts = (value.func, value.args, value.keywords)
        return f"partial({', '.join(text(part, depth + 1) for part in parts)})"
    if hasattr(value, "__qualname__"):
        return f"<{getattr(value, '__module__', '')}.{value.__qualname__}>"
    if getattr(type(value), "__repr__", None) is object.__repr__ and hasattr(value, "__dict__"):
        return f"{type(value).__name__}{text(vars(value), depth + 1)}"
    return f"{type(value).__name__}:{ADDRESS.sub('', repr(value))}"


def flat(name: str, value: Any) -> dict[str, str]:
    """A value as `{name: text}`, an object with fields as `{name: class, name.field: text,
    ...}`.
    """
    declared = fields(value)
    if declared is None:
        return {name: text(value)}
    found = {name: f"<{type(value).__name__}>"}
    for key, item in declared.items():
        found.update(flat(f"{name}.{key}", item))
    return found


class Namespaces:
    """What sets a namespace apart from the one of a bare command line.

    Two namespaces are the same if and only if `difference` gives the same for both: it is short,
    quick and readable.
    """

    def __init__(self, bare: Mapping[str, Any], drop: Iterable[str]) -> None:
        """`bare` is the namespace to compare with; the names in `drop` mean nothing."""
        self.drop = frozenset(drop)
        self.values = {name: value for name, value in bare.items() if name not in self.drop}
        self.texts = {name: flat(name, value) for name, value in self.values.items()}

    def difference(self, namespace: Mapping[str, Any]) -> dict[str, str]:
        """Each name (or field) whose value is another than in the bare namespace, with its text."""
        found: dict[str, str] = {}
        unset = Unset()
        usual_value = self.values.get
        for name, value in namespace.items():
            if value is usual_value(name, unset) or name in self.drop:
                continue
            usual = self.texts.get(name, {})
            mine = flat(name, value)
            if mine != usual:
                found.update({key: item for key, item in mine.items() if usual.get(key) != item})
        found.update({name: "<absent>" for name in self.values if name not in namespace})
        return found

    def spoilt(self) -> list[str]:
        """Names whose shared default object was changed by a parse: from then on no comparison
        could be trusted.
        """
        return [
            name for name, value in self.values.items() if flat(name, value) != self.texts[name]
        ]
