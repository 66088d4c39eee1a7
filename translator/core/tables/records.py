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


class Grammar(Record):
    model: str = "positional"
    model_required: bool = False
    dotted: bool = False
    plus: bool = False
    dotted_sizes: bool = False
    dotted_texts: bool = False
    dotted_underscores: bool = False
    model_option: str | None = None
    model_option_empty: bool = False
    served_needs_model: str | None = None
    config_lists: bool = False
    config_dicts: bool = False
    config_false: bool = False
    config_words: bool = False
    config_first: bool = False
    O: Mapping[str, str | None] = _NOTHING
    O_dotted: bool = False
    json_sizes: bool = False


class Flag(Record):
    flag: str
    kind: str
    aliases: Sequence[str] = ()
    negations: Sequence[str] = ()
    choices: Sequence[Any] | None = None
    fold: str | None = None
    nullable: bool = False
    empty: bool = False
    suffixes: str = ""
    element: str = "str"
    objects: bool = False
    object_keys: Sequence[str] = ()
    syntax: str | None = None
    level: bool = False
    false: str | None = None
    bare: bool = False
    const: Any = None
    default: Any = None
    deprecated: bool = False
    required: bool = False
    server: bool = False
    shape: entries.Shape | None = None
    start: entries.Shape | None = None


class Variable(Record):
    _renamed = {"not": "refused"}
    name: str
    kind: str
    true: Sequence[str] = ()
    choices: Sequence[str] | None = None
    fold: str | None = None
    default: Any = None
    also: Sequence[str] = ()
    refused: Sequence[str] = ()
    flags_refused: Sequence[str] = ()
    flags_ignored: Sequence[str] = ()
    unless: Sequence[str] = ()


class Consumer(Record):
    vllm: str = ""
    program: str = ""
    aliases: Sequence[str] = ()
    extends: bool = False
    value_flags: Sequence[str] = ()
    pair_flags: Sequence[str] = ()
    switch_flags: Sequence[str] = ()
    zero_unset: Sequence[str] = ()
    true_flags: Sequence[str] = ()
    json_flags: Sequence[str] = ()
    pairs_flags: Sequence[str] = ()
    unset: Sequence[str] = ()
    closed: bool = False
    evaluated: bool = False
    any_text: bool = False
    ignored: Sequence[str] = ()
    calculates: Sequence[str] = ()
    breaks: Mapping[str, entries.Breaks] = _NOTHING
    partly: Mapping[str, str] = _NOTHING
    elsewhere: Mapping[str, str] = _NOTHING
    relay: entries.Relay | None = None
    overrules: Sequence[str] = ()
    own_spelling: bool = False


class DialectHead(Record):
    _renamed = {"consumer": "about"}
    name: str
    sources: Sequence[str] = ()
    about: str = ""
    reader: str = ""
    extends: str | None = None
    prefix: str = ""
    any_prefix: bool = False
    extra_args: str | None = None
    config_file: str | None = None
    arguments: Sequence[str] = ()
    model_directory: str = ""
    limit_name: int = 0
    limit_value: int = 0
    limit_all: int = 0
    baked_args: str = ""
    image: str = ""
    arguments_with: Mapping[str, Sequence[str]] = _NOTHING
    own_names: Sequence[str] = ()
    reads: Sequence[entries.Reads] = ()


class DialectVariable(Record):
    _renamed = {"flag": "target"}
    name: str
    role: str = "flag"
    target: str = ""
    default: str | None = None
    unset: Sequence[str] = ()
    inverted: bool = False
    meant: str = ""
    meant_by: Sequence[str] = ()
    fallback: bool = False
    values: Mapping[str, str] = _NOTHING
    scheme: str = ""
    unread: Sequence[str] = ()
    only: Sequence[str] = ()
    least: int | None = None
    read_only: bool = False
    otherwise: str | None = None
    sets: Mapping[str, Mapping[str, str]] = _NOTHING
    note: str = ""
    source: str = ""


class Plugin(Record):
    name: str
    hardware: str
    sources: Sequence[str]
    variables: Sequence[str] = ()
    prefixes: Sequence[str] = ()
    names: Sequence[str] = ()
