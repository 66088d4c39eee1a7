"""Changes between versions, and what vLLM refuses at its start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from attrs import field, frozen

from translator.maintain.model.schema import (
    Distinct,
    FlagName,
    Json,
    Line,
    Name,
    Release,
    Searched,
    Several,
    Some,
    Source,
    VersionName,
    among,
    nonempty,
    once,
    stand_once,
)


@frozen
class Product:
    """A number that keys of an object make together, where others have these values."""

    of: Several[str]
    since: VersionName
    where: Mapping[str, Json] = field(factory=dict)


@frozen
class Same:
    """One meaning under several names, oldest first."""

    carriers: Several[Name]
    source: Source
    inverted: Distinct[str] = ()
    values: Mapping[str, Mapping[str, Json]] = field(factory=dict)
    since: Mapping[str, VersionName] = field(factory=dict)
    until: Mapping[str, VersionName] = field(factory=dict)
    rename_keys: Mapping[str, Mapping[str, str]] = field(factory=dict)
    beside: Mapping[str, Mapping[Name, Json]] = field(factory=dict)
    product: Mapping[str, Mapping[Name, Product]] = field(factory=dict)
    only_speed: bool = False
    note: Line | None = None

    def __attrs_post_init__(self) -> None:
        for part in ("inverted", "values", "since", "until", "rename_keys", "beside", "product"):
            text = f"{part!r} names {{}}, which is not among the carriers"
            among(getattr(self, part), self.carriers, text)

    @property
    def names(self) -> tuple[str, ...]:
        return self.carriers


@frozen
class Split:
    """One value of a name becomes several settings."""

    name: Name
    source: Source
    values: Annotated[Mapping[str, Mapping[Name, Json]], nonempty]
    needs: Distinct[Name] = ()

    def __attrs_post_init__(self) -> None:
        for value, parts in self.values.items():
            if self.name in parts:
                raise ValueError(f"{value!r} becomes {self.name} itself")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def targets(self) -> Iterator[tuple[str, str, Any]]:
        """Each setting that a value becomes: the value, the name set, what it is set to."""
        return (
            (value, target, text)
            for value, parts in self.values.items()
            for target, text in parts.items()
        )


@frozen
class Gone:
    """Names that nothing carries."""

    names: Some[Name]
    why: Line
    source: Source
    default_when: str | None = None
    only_speed: bool = False


@frozen
class ValueChange:
    """The name stayed, a value of it was renamed."""

    name: Name
    values: Several[str]
    source: Source


@frozen
class Changes:
    """changes.toml."""

    same: tuple[Same, ...] = ()
    split: tuple[Split, ...] = ()
    gone: tuple[Gone, ...] = ()
    value: tuple[ValueChange, ...] = ()

    def __attrs_post_init__(self) -> None:
        stand_once(name for entry in self.entries() for name in entry.names)
        stand_once(f"{item.name}={value}" for item in self.value for value in item.values)

    def entries(self) -> tuple[Same | Split | Gone, ...]:
        """Every entry about a name's existence."""
        return (*self.same, *self.split, *self.gone)


Word = Literal["true", "set", "positive", "negative", "many", "not-one"]


@frozen
class Refusal:
    """A flag that vLLM does not start with: without another, beside another, or with a value; or
    one that has no effect unless a key of its value, `switch`, is true.
    """

    flag: FlagName
    source: Source
    when: Word = "true"
    needs: Mapping[FlagName, Word] = field(factory=dict)
    excludes: Mapping[FlagName, Word] = field(factory=dict)
    unless: Mapping[FlagName, Word] = field(factory=dict)
    switch: str | None = None
    since: Release | None = None
    until: Release | None = None

    def __attrs_post_init__(self) -> None:
        if self.needs and self.excludes:
            raise ValueError("'needs' and 'excludes' are two rules")
        is_bare = not (self.needs or self.excludes or self.switch)
        if is_bare and self.when in ("true", "set"):
            raise ValueError("neither 'needs' nor 'excludes' says what is wrong with it")


@frozen
class AtStart:
    """What vLLM decides when it starts, where its parser has no default."""

    value: str | None = None
    depends: Line | None = None
    since: Release | None = None
    until: Release | None = None

    def __attrs_post_init__(self) -> None:
        if (self.value is None) == (self.depends is None):
            raise ValueError("either 'value' or 'depends' says what vLLM decides")


@frozen
class Default:
    """A flag or a variable whose default matters."""

    name: Name
    effect: Line
    source: Source
    at_start: tuple[AtStart, ...] = ()


@frozen
class Defaults:
    """defaults.toml: the weightiest first."""

    default: Annotated[tuple[Default, ...], nonempty, once("name")]


@frozen
class Requires:
    """requires.toml."""

    refusal: tuple[Refusal, ...] = ()


@frozen
class Message:
    """What is said when the engine does not start: `says` is a regular expression, whose groups the
    others may name. Either a command `line` is checked, or `why` and `remedy` are told, of a flag
    where one is at fault.
    """

    says: Searched
    source: Source
    line: tuple[str, ...] = ()
    flag: FlagName | None = None
    why: Line | None = None
    remedy: Line | None = None

    def __attrs_post_init__(self) -> None:
        groups = {name: name for name in re.compile(self.says).groupindex}
        if bool(self.line) == bool(self.why and self.remedy):
            raise ValueError("either 'line', or 'why' and 'remedy'")
        for text in (*self.line, self.why, self.remedy):
            try:
                (text or "").format(**groups)
            except (KeyError, ValueError) as error:
                raise ValueError(f"no group of `says` is {error}") from None


@frozen
class Messages:
    """messages.toml."""

    message: tuple[Message, ...] = ()


@frozen
class ModelRule:
    """What a model's config.json says of the value of a flag.

    `divides` and `at-most` are about the number of the first of `keys` (the smallest, of
    `at-most`); `present` is about there being one; `one-of` allows `values` where the key has the
    value `of`; `at-least` is about the length of the model, without `beside`. What the engine
    `says` is a regular expression with the groups `value` and `have`.
    """

    flag: FlagName
    kind: Literal["divides", "at-most", "present", "one-of", "at-least"]
    keys: Distinct[str]
    source: Source
    of: str | None = None
    values: Distinct[str] = ()
    above: str | None = None
    unless: Name | None = None
    beside: FlagName | None = None
    says: Searched | None = None
    since: Release | None = None
    until: Release | None = None

    def __attrs_post_init__(self) -> None:
        if (self.kind == "one-of") != (self.of is not None):
            raise ValueError("'of' and 'values' are about the kind 'one-of'")


@frozen
class ModelRules:
    """model_rules.toml: what was asked of the models of `families`, whose texts' keys may be
    `nested`. Those of `dense` have no experts unless they say so. `lengthens`: the kinds of RoPE
    scaling, each with the last release in which it lengthens a model ("" for all), and `keeps`:
    those that do not.
    """

    nested: Distinct[str]
    scaling: Distinct[str]
    original: str
    lengthens: Mapping[str, str]
    keeps: Distinct[str]
    families: Distinct[str]
    dense: Distinct[str]
    rule: tuple[ModelRule, ...]
