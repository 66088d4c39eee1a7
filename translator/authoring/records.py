"""The classes that run, written from the model: plain, so that the start path imports no attrs, and
no field is declared twice. What they do stands in subclasses of them.
"""

from __future__ import annotations

import collections.abc
import json
from collections.abc import Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import attrs

from translator.model.catalog import Flag, Grammar, Variable
from translator.model.changes import Refusal
from translator.model.platforms import Consumer, DialectHead, DialectVariable
from translator.model.programs import Plugin
from translator.model.schema import defaults_of, file_name

CLASSES: tuple[type, ...] = (
    Grammar,
    Flag,
    Variable,
    Consumer,
    DialectHead,
    DialectVariable,
    Refusal,
    Plugin,
)

_HEAD = '''\
"""What the compiled tables hold, as plain classes. Generated from translator/model by
`translate tables compile`: do not edit.
"""
# ruff: noqa: E741  # an option is called -O

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_NOTHING: Mapping[str, Any] = {}


class Record:
    """An entry of a compiled table; a field that it does not have is at its default."""

    _renamed: Mapping[str, str] = {}  # fields that have another name in the tables

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.__dict__.update(record)
        for name, own in self._renamed.items():
            if name in record:
                self.__dict__[own] = record[name]
'''


def source() -> str:
    """Return the text of the module."""
    return _HEAD + "".join(map(_class, CLASSES))


def fields(cls: type) -> Sequence[attrs.Attribute[Any]]:
    """Return the fields of a class of the model."""
    return tuple(attrs.fields(attrs.resolve_types(cls)))


def _class(cls: type) -> str:
    lines = [f"class {cls.__name__}(Record):"]
    renamed = {file_name(item): item.name for item in fields(cls) if file_name(item) != item.name}
    if renamed:
        lines.append(f"    _renamed = {json.dumps(renamed)}")
    for item in fields(cls):
        line = f"    {item.name}: {_written(item.type)}"
        default = defaults_of(cls)[item.name]
        said = (
            "_NOTHING"
            if default == {}
            else json.dumps(default)
            if isinstance(default, str)
            else repr(default)
        )
        lines.append(line if default is attrs.NOTHING else f"{line} = {said}")
    return "\n\n" + "\n".join(lines) + "\n"


def _written(type_: Any) -> str:
    """Return a type as it is written in the module."""
    origin, inside = get_origin(type_), get_args(type_)
    if origin is Annotated:  # its checks are over when a table is compiled
        return _written(inside[0])
    if origin is Literal:
        return "str"
    if origin is tuple:
        return f"Sequence[{_written(inside[0])}]"
    if origin is collections.abc.Mapping:
        return f"Mapping[{', '.join(map(_written, inside))}]"
    if origin in (Union, UnionType):
        return " | ".join(map(_written, inside))
    if type_ is Any or type_ is type(None):
        return "None" if type_ is not Any else "Any"
    if attrs.has(type_):
        return "dict[str, Any]"  # it stays as it is read
    return str(type_.__name__)
