"""What runs, written from the model: plain classes, so that the start path imports no attrs, and
types of the entries that stay dictionaries. No field is declared twice; what the classes do stands
in subclasses of them.
"""

from __future__ import annotations

import collections.abc
import json
import keyword
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import attrs

from translator.maintain.model import SINGLE
from translator.maintain.model.catalog import Flag, Grammar, Variable
from translator.maintain.model.changes import Gone, Same, Split, ValueChange
from translator.maintain.model.platforms import (
    ClusterFile,
    Consumer,
    Dialect,
    DialectHead,
    DialectVariable,
    MachineFlags,
)
from translator.maintain.model.programs import Images, Plugin
from translator.maintain.model.schema import defaults_of, file_name

CLASSES: tuple[type, ...] = (
    Grammar,
    Flag,
    Variable,
    Consumer,
    DialectHead,
    DialectVariable,
    Plugin,
)

KINDS: Mapping[type, str] = {Same: "same", Split: "split", Gone: "gone", ValueChange: "value"}
"""What tells the entries of changes.toml apart where they are compiled."""
_NAMES = dict.fromkeys((Same, Split, Gone), "Change")  # they are looked up as one

_HEAD = '''\
"""What the compiled tables hold, as plain classes. Generated from translator/maintain/model by
`translate tables compile`: do not edit.
"""
# ruff: noqa: E741  # an option is called -O

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.core.tables import entries

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

_TYPES = '''\
"""What the compiled tables hold, as dictionaries: for mypy alone. Generated from maintain/model by
`translate tables compile`: do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
'''


def source() -> str:
    """Return the text of the module of classes."""
    return _HEAD + "".join(map(_class, CLASSES))


def types() -> str:
    """Return the text of the module of types: of all that tables and flags consist of."""
    types: dict[str, dict[str, str]] = {}
    tables = (*SINGLE.values(), Dialect, ClusterFile, Flag)
    for type_ in (*(item.type for table in tables for item in fields(table)), Images, MachineFlags):
        _collect(type_, types)
    return "\n\n".join((_TYPES, *(_type(*item) for item in types.items())))


def _collect(type_: Any, types: dict[str, dict[str, str]]) -> None:
    """Add the fields of the classes of the model that a type consists of, by their names."""
    parts = get_args(type_)
    if attrs.has(type_) and (type_ in _NAMES or type_.__name__ not in types):
        own = types.setdefault(_NAMES.get(type_, type_.__name__), {})
        own |= {"kind": "str"} if type_ in KINDS else {}
        for item in fields(type_):  # what would be None is left out
            own[file_name(item)] = _written(item.type).removesuffix(" | None")
        parts = tuple(item.type for item in fields(type_))
    for part in parts:
        _collect(part, types)


def _type(name: str, fields: Mapping[str, str]) -> str:
    if not any(map(keyword.iskeyword, fields)):
        lines = [f"    {key}: {type_}" for key, type_ in fields.items()]
        return "\n".join((f"class {name}(TypedDict, total=False):", *lines, ""))
    lines = [f'        "{key}": "{type_}",' for key, type_ in fields.items()]
    head = f'{name} = TypedDict(\n    "{name}",\n    {{'
    return "\n".join((head, *lines, "    },\n    total=False,\n)\n"))


def fields(cls: type) -> Sequence[attrs.Attribute[Any]]:
    """Return the fields of a class of the model."""
    return tuple(attrs.fields(attrs.resolve_types(cls)))


def _class(cls: type) -> str:
    lines = [f"class {cls.__name__}(Record):"]
    renamed = {file_name(item): item.name for item in fields(cls) if file_name(item) != item.name}
    if renamed:
        lines.append(f"    _renamed = {json.dumps(renamed)}")
    for item in fields(cls):
        line = f"    {item.name}: {_written(item.type, 'entries.')}"
        default = defaults_of(cls)[item.name]
        text = json.dumps(default) if isinstance(default, str) else repr(default)
        text = "_NOTHING" if default == {} else text
        lines.append(line if default is attrs.NOTHING else f"{line} = {text}")
    return "\n\n" + "\n".join(lines) + "\n"


def _written(type_: Any, room: str = "") -> str:
    """Return a type as it is written; `room` is what stands before an entry's."""
    origin, inside = get_origin(type_), get_args(type_)
    if origin is Annotated:  # its checks are over when a table is compiled
        return _written(inside[0], room)
    if origin is Literal:
        return "str"
    if origin is tuple:
        return f"Sequence[{_written(inside[0], room)}]"
    if origin is collections.abc.Mapping:
        return f"Mapping[{', '.join(_written(item, room) for item in inside)}]"
    if origin in (Union, UnionType):
        return " | ".join(_written(item, room) for item in inside)
    if type_ is Any or type_ is type(None):
        return "None" if type_ is not Any else "Any"
    if attrs.has(type_):
        return f"{room}{type_.__name__}"  # it stays as it is read
    return str(type_.__name__)
