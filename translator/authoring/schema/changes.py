"""Changes between versions, and what vLLM refuses at its start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import (
    FLAG,
    NAME,
    SOURCE,
    VERSION,
    checked,
    distinct,
    each,
    jsonable,
    line,
)


@attrs.frozen
class Same:
    """One meaning under several names, oldest first."""

    carriers: tuple[str, ...] = attrs.field(validator=[fields.several, each(NAME), distinct])
    source: str = attrs.field(validator=SOURCE)
    inverted: tuple[str, ...] = checked(distinct, default=())
    values: Mapping[str, Mapping[str, Any]] = checked(jsonable, default=attrs.Factory(dict))
    since: Mapping[str, str] = attrs.Factory(dict)
    until: Mapping[str, str] = attrs.Factory(dict)
    rename_keys: Mapping[str, Mapping[str, str]] = attrs.Factory(dict)
    beside: Mapping[str, Mapping[str, Any]] = checked(jsonable, default=attrs.Factory(dict))
    only_speed: bool = False
    note: str | None = checked(line, default=None)

    def __attrs_post_init__(self) -> None:
        for field in ("inverted", *self.tables()):
            strange = [name for name in getattr(self, field) if name not in self.carriers]
            if strange:
                raise ValueError(
                    f"{field!r} names {', '.join(strange)}, which is not among the carriers"
                )
        for version in (*self.since.values(), *self.until.values()):
            VERSION(self, None, version)
        for parts in self.beside.values():
            each(NAME)(self, None, parts)

    @staticmethod
    def tables() -> tuple[str, ...]:
        """The fields that hold something by carrier."""
        return ("values", "since", "until", "rename_keys", "beside")

    @property
    def names(self) -> tuple[str, ...]:
        return self.carriers


@attrs.frozen
class Split:
    """One value of a name becomes several settings."""

    name: str = attrs.field(validator=NAME)
    source: str = attrs.field(validator=SOURCE)
    values: Mapping[str, Mapping[str, Any]] = attrs.field(validator=[fields.nonempty, jsonable])
    note: str | None = checked(line, default=None)

    def __attrs_post_init__(self) -> None:
        for value, parts in self.values.items():
            for target in parts:
                NAME(self, None, target)
                if target == self.name:
                    raise ValueError(f"{value!r} becomes {target} itself")

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


@attrs.frozen
class Gone:
    """Names that nothing carries."""

    names: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(NAME), distinct])
    why: str = attrs.field(validator=line)
    source: str = attrs.field(validator=SOURCE)
    default_when: str | None = None
    only_speed: bool = False


@attrs.frozen
class ValueChange:
    """The name stayed, a value of it was renamed."""

    name: str = attrs.field(validator=NAME)
    values: tuple[str, ...] = attrs.field(validator=[fields.several, distinct])
    source: str = attrs.field(validator=SOURCE)
    note: str | None = checked(line, default=None)


@attrs.frozen
class Changes:
    """changes.toml."""

    same: tuple[Same, ...] = ()
    split: tuple[Split, ...] = ()
    gone: tuple[Gone, ...] = ()
    value: tuple[ValueChange, ...] = ()

    def entries(self) -> Iterator[tuple[str, Same | Split | Gone]]:
        """Every entry about a name's existence, with its path in the file."""
        for part in ("same", "split", "gone"):
            for index, entry in enumerate(getattr(self, part)):
                yield f"$.{part}[{index}]", entry


Word = Literal["true", "set", "positive", "negative", "many", "not-one"]


@attrs.frozen
class Refusal:
    """A flag that vLLM does not start with: without another, beside another, or at all with such a
    value.
    """

    flag: str = attrs.field(validator=FLAG)
    source: str = attrs.field(validator=SOURCE)
    when: Word = "true"
    needs: Mapping[str, Word] = attrs.Factory(dict)
    excludes: Mapping[str, Word] = attrs.Factory(dict)
    unless: Mapping[str, Word] = attrs.Factory(dict)
    since: str | None = checked(VERSION, default=None)
    until: str | None = checked(VERSION, default=None)

    def __attrs_post_init__(self) -> None:
        if self.needs and self.excludes:
            raise ValueError("'needs' and 'excludes' are two rules")
        if not self.needs and not self.excludes and self.when in ("true", "set"):
            raise ValueError("neither 'needs' nor 'excludes' says what is wrong with it")


@attrs.frozen
class AtStart:
    """What vLLM decides when it starts, where its parser has no default: a value, or what it
    depends on.
    """

    value: str | None = None
    depends: str | None = checked(line, default=None)
    since: str | None = checked(VERSION, default=None)
    until: str | None = checked(VERSION, default=None)

    def __attrs_post_init__(self) -> None:
        if (self.value is None) == (self.depends is None):
            raise ValueError("either 'value' or 'depends' says what vLLM decides")


@attrs.frozen
class Default:
    """A flag or a variable whose default matters."""

    name: str = attrs.field(validator=NAME)
    effect: str = attrs.field(validator=line)
    source: str = attrs.field(validator=SOURCE)
    at_start: tuple[AtStart, ...] = ()


@attrs.frozen
class Defaults:
    """defaults.toml: the weightiest first."""

    default: tuple[Default, ...] = attrs.field(validator=fields.nonempty)


@attrs.frozen
class Requires:
    """requires.toml."""

    refusal: tuple[Refusal, ...] = ()
