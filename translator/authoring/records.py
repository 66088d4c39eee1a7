"""The classes that run, written from the model: plain, so that the start path imports no attrs, and
no field is declared twice. What they do stands in subclasses of them.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import attrs

from translator.model.catalog import Flag, Grammar, Variable
from translator.model.changes import Refusal
from translator.model.platforms import (
    Appends,
    Breaks,
    Consumer,
    DialectHead,
    DialectVariable,
    Joined,
    Relay,
)
from translator.model.programs import Plugin
from translator.model.schema import file_name

# Each after those that it holds.
CLASSES: tuple[type, ...] = (
    Grammar,
    Flag,
    Variable,
    Breaks,
    Appends,
    Relay,
    Consumer,
    DialectHead,
    DialectVariable,
    Refusal,
    Joined,
    Plugin,
)

_HEAD = '''\
"""What the compiled tables hold, as plain classes. Generated from translator/model by
`translate tables compile`: do not edit.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_NOTHING: Mapping[str, Any] = {}
'''


def source() -> str:
    """Return the text of the module."""
    return _HEAD + "".join(map(_class, CLASSES))


def fields(cls: type) -> Sequence[attrs.Attribute[Any]]:
    """Return the fields of a class of the model."""
    return tuple(attrs.fields(attrs.resolve_types(cls)))


def _class(cls: type) -> str:
    lines = [f"class {cls.__name__}:", f'    """`{cls.__name__}` of the model."""', ""]
    lines += ["    def __init__(self, record: Mapping[str, Any]) -> None:"]
    if any(item.default is not attrs.NOTHING for item in fields(cls)):
        lines += ["        get = record.get"]
    lines += [line for item in fields(cls) for line in _field(item)]
    return "\n\n" + "\n".join(lines) + "\n"


def _field(field: attrs.Attribute[Any]) -> Iterator[str]:
    """Yield the lines that make a field's value of what the compiled record holds."""
    name, default = file_name(field), _default(field.default)
    value = f'record["{name}"]' if default is None else f'get("{name}", {default})'
    type_ = _bare(field.type)
    parts = [part for part in get_args(type_) if part is not type(None)]
    if get_origin(type_) is collections.abc.Mapping and attrs.has(parts[1]):
        yield f"        self.{field.name}: {_written(type_)} = {{"
        yield f"            name: {parts[1].__name__}(item) for name, item in {value}.items()"
        yield "        }"
        return
    if parts and parts[0] in CLASSES:
        yield f'        held = get("{name}")'
        value = f"{parts[0].__name__}(held) if held is not None else None"
    yield f"        self.{field.name}: {_written(type_)} = {value}"


def _default(default: Any) -> str | None:
    """Return a field's default as source; None if it has none."""
    if default is attrs.NOTHING:
        return None
    made = default.factory() if hasattr(default, "factory") else default
    if made == {}:
        return "_NOTHING"
    return f'"{made}"' if isinstance(made, str) else repr(made)


def _bare(type_: Any) -> Any:
    """Return a type without what `Annotated` checks, which is checked before it is compiled."""
    return _bare(get_args(type_)[0]) if get_origin(type_) is Annotated else type_


def _is_union(type_: Any) -> bool:
    return get_origin(type_) in (Union, UnionType)


def _written(type_: Any) -> str:
    """Return a type as it is written in the module."""
    type_ = _bare(type_)
    origin, inside = get_origin(type_), get_args(type_)
    if origin is Literal:
        return "str"
    if origin is tuple:
        return f"Sequence[{_written(inside[0])}]"
    if origin is collections.abc.Mapping:
        return f"Mapping[{', '.join(map(_written, inside))}]"
    if _is_union(type_):
        return " | ".join(map(_written, inside))
    if type_ is Any or type_ is type(None):
        return "None" if type_ is not Any else "Any"
    if attrs.has(type_) and type_ not in CLASSES:
        return "dict[str, Any]"  # it stays as it is read
    return str(type_.__name__)
