"""Changes between versions, and what vLLM refuses at its start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

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
