"""Dialects: what a platform's variables mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import (
    FLAG,
    PATTERN,
    SPELLING,
    TARGET,
    URL,
    VARIABLE,
    VERSION,
    checked,
    distinct,
    each,
    line,
)

Role = Literal["flag", "choice", "worker", "environment", "reserved"]


@attrs.frozen
class DialectHead:
    """What a dialect is, who else reads it and where that is documented."""

    name: str = attrs.field(validator=[fields.DIALECT])
    sources: tuple[str, ...] = checked(each(URL), distinct, default=())
    consumer: str | None = checked(line, default=None)
    reader: str | None = checked(line, default=None)
    extends: str | None = checked(fields.DIALECT, default=None)
    prefix: str = checked(fields.PREFIX, default="")
    any_prefix: bool = False
    extra_args: str | None = checked(fields.VARIABLE_OR_NONE, default=None)
    config_file: str | None = checked(fields.VARIABLE_OR_NONE, default=None)
    arguments: tuple[str, ...] = ()
    model_directory: str | None = checked(line, default=None)
    limit_name: int | None = checked(fields.positive, default=None)
    limit_value: int | None = checked(fields.positive, default=None)
    limit_all: int | None = checked(fields.positive, default=None)
    baked_args: str | None = checked(fields.matching(r"/\S+", "an absolute path"), default=None)
    arguments_with: Mapping[str, tuple[str, ...]] = checked(each(FLAG), default=attrs.Factory(dict))
    required: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    own_names: tuple[str, ...] = checked(each(PATTERN), distinct, default=())


@attrs.frozen
class Generation:
    """Which releases of the consumer's program read the variables by this table, and on which vLLM.

    A table is for the releases from `release` on, up to the next table of the same dialect.
    """

    of: str = attrs.field(validator=[fields.DIALECT])
    release: str = attrs.field(validator=[fields.matching(r"\d+(\.\d+)*", "a release")])
    vllm: str = attrs.field(validator=[VERSION])
    instead: str | None = checked(line, default=None)


@attrs.frozen
class Breaks:
    """What a flag does to the consumer's program, and with which values it does not."""

    note: str = attrs.field(validator=[line])
    unless: tuple[str, ...] = checked(distinct, default=())


@attrs.frozen
class Appends:
    """What keeps the consumer from putting a flag with a value of its own behind everything else: a
    text in the variable of further tokens, or an assignment.
    """

    unless: tuple[str, ...] = checked(distinct, default=())
    assignment: str = checked(line, default="")


@attrs.frozen
class Relay:
    """A program that hands the command line on through a file of its own, in whose syntax some
    texts do not arrive; of older images, up to a vLLM version, more of them.
    """

    name: str = attrs.field(validator=[line])
    assignment: str = attrs.field(validator=[line])
    breaks: tuple[str, ...] = checked(distinct, default=())
    older: tuple[str, ...] = checked(distinct, default=())
    until: str | None = checked(VERSION, default=None)


@attrs.frozen
class Properties:
    """A file of settings that the consumer reads, in the syntax of Java's properties."""

    file: str = attrs.field(validator=[fields.matching(r"[A-Za-z0-9_.-]+", "a file's name")])
    keys: Mapping[str, str] = attrs.field(validator=[fields.nonempty, fields.to_prefixes])
    names: Mapping[str, str] = checked(fields.to_variables, default=attrs.Factory(dict))
    source: str | None = checked(URL, default=None)


@attrs.frozen
class Consumer:
    """What the consumer's own program makes of a variable: flag by flag (the lists), or by the
    value alone (`true` and what follows it).
    """

    vllm: str | None = checked(VERSION, default=None)
    extends: bool = False
    value_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    pair_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    switch_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    zero_unset: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    true_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    json_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    pairs_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    unset: tuple[str, ...] = checked(distinct, default=())
    true: Literal["bare", "value"] | None = None
    false: Literal["omit", "negative", "value"] | None = None
    empty: Literal["omit", "bare"] | None = None
    array: Literal["tokens", "token"] | None = None
    array_whole: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    objects: bool = False
    lines: bool = False
    exact: bool = False
    closed: bool = False
    plain: bool = False
    evaluated: bool = False
    any_text: bool = False
    true_words: tuple[str, ...] = checked(distinct, default=("true",))
    only_true: bool = False
    ignored: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    calculates: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    behind: Mapping[str, str] = checked(
        each(SPELLING), fields.assignments, default=attrs.Factory(dict)
    )
    breaks: Mapping[str, Breaks] = checked(each(FLAG), default=attrs.Factory(dict))
    partly: Mapping[str, str] = checked(each(FLAG), default=attrs.Factory(dict))
    elsewhere: Mapping[str, str] = checked(each(FLAG), default=attrs.Factory(dict))
    appends: Mapping[str, Appends] = checked(each(FLAG), default=attrs.Factory(dict))
    relay: Relay | None = None
    overrules: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    own_spelling: bool = False
    unknown: Literal["dropped", "passed"] | None = None

    def __attrs_post_init__(self) -> None:
        given = [name for name in self.rules() if getattr(self, name) is not None]
        if given and len(given) < len(self.rules()):
            raise ValueError(
                f"{', '.join(given)} without"
                f" {', '.join(name for name in self.rules() if name not in given)}"
            )
        if given and any(getattr(self, name) for name in (*self.closing(), "zero_unset")):
            raise ValueError("goes by the value alone, and by lists of flags")
        if self.exact and not given:
            raise ValueError("'exact' is of a consumer that goes by the value alone")

    @staticmethod
    def closing() -> tuple[str, ...]:
        """The lists of a consumer that passes on only what they name."""
        return (
            "value_flags",
            "pair_flags",
            "switch_flags",
            "true_flags",
            "json_flags",
            "pairs_flags",
        )

    @staticmethod
    def lists() -> tuple[str, ...]:
        return (
            *Consumer.closing(),
            "zero_unset",
            "array_whole",
            "ignored",
            "calculates",
            "overrules",
        )

    @staticmethod
    def rules() -> tuple[str, ...]:
        """What a consumer that goes by the value alone has to say, all of it."""
        return ("true", "false", "empty", "array")


@attrs.frozen
class DialectVariable:
    """One variable of a dialect."""

    name: str = attrs.field(validator=VARIABLE)
    role: Role
    flag: str | None = checked(TARGET, default=None)
    default: str | None = None
    unset: tuple[str, ...] = checked(distinct, default=())
    inverted: bool = False
    warn: bool = False
    fallback: bool = False
    values: Mapping[str, str] = attrs.Factory(dict)
    scheme: str | None = checked(line, default=None)
    unread: tuple[str, ...] = checked(distinct, default=())
    only: tuple[str, ...] = checked(distinct, default=())
    least: int | None = None
    most: int | None = None
    plain: bool = False
    known: tuple[str, ...] = checked(distinct, default=())
    read_only: bool = False
    otherwise: str | None = checked(line, default=None)
    positive: str | None = checked(line, default=None)
    sets: Mapping[str, Mapping[str, str]] = attrs.Factory(dict)
    note: str | None = checked(line, default=None)
    source: str | None = checked(URL, default=None)

    def __attrs_post_init__(self) -> None:
        for parts in self.sets.values():
            each(FLAG)(self, None, parts)
        if (self.role == "choice") != bool(self.sets):
            raise ValueError(
                f"a variable of role {self.role!r} with{'out' if self.role == 'choice' else ''}"
                " 'sets'"
            )
        of_flags = ("values", "scheme", "unread", "only", "plain", "known")
        if (self.fallback or self.read_only) and self.role not in ("flag", "choice"):
            raise ValueError(f"a variable of role {self.role!r} with 'fallback' or 'read_only'")
        if self.known and self.note is None:
            raise ValueError("'known' goes with a note: what becomes of any other value")
        if self.role != "flag" and (
            any(getattr(self, name) for name in of_flags)
            or self.least is not None
            or self.most is not None
        ):
            raise ValueError(
                f"a variable of role {self.role!r} with {', '.join(map(repr, of_flags))}, 'least'"
                " or 'most'"
            )
        for name in ("otherwise", "positive"):
            if getattr(self, name) is not None and getattr(self, name) not in self.sets:
                raise ValueError(f"{name!r} is none of the values in 'sets'")
        if self.unread and self.note is None:
            raise ValueError("'unread' goes with a note: what the consumer makes of these values")
        if (self.role == "flag") != (self.flag is not None):
            raise ValueError(
                f"a variable of role {self.role!r} with{'out' if self.role == 'flag' else ''}"
                " 'flag'"
            )
        if self.role != "flag" and (self.unset or self.inverted):
            raise ValueError(
                f"a variable of role {self.role!r} with {'unset' if self.unset else 'inverted'!r}"
            )
        if self.role in ("worker", "reserved") and self.note is None:
            raise ValueError(
                f"a variable of role {self.role!r} without 'note': what it is, and what to write"
                " instead"
            )
        if self.warn and (self.role != "environment" or self.note is None):
            raise ValueError("'warn' goes with the role 'environment' and a note")


@attrs.frozen
class Dialect:
    """One file of dialects/."""

    dialect: DialectHead
    generation: Generation | None = None
    consumer: Consumer | None = None
    properties: Properties | None = None
    variable: tuple[DialectVariable, ...] = ()
