"""Changes between versions, and what vLLM refuses at its start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from translator.authoring.schema.field_types import (
    Distinct,
    FlagName,
    Json,
    Line,
    Name,
    Several,
    Some,
    Source,
    VersionName,
    nonempty,
)


@dataclass(frozen=True)
class Same:
    """One meaning under several names, oldest first."""

    carriers: Several[Name]
    source: Source
    inverted: Distinct[str] = ()
    values: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    since: Mapping[str, VersionName] = field(default_factory=dict)
    until: Mapping[str, VersionName] = field(default_factory=dict)
    rename_keys: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    beside: Mapping[str, Mapping[Name, Json]] = field(default_factory=dict)
    only_speed: bool = False
    note: Line | None = None

    def __post_init__(self) -> None:
        for part in ("inverted", *self.tables()):
            strange = [name for name in getattr(self, part) if name not in self.carriers]
            if strange:
                raise ValueError(
                    f"{part!r} names {', '.join(strange)}, which is not among the carriers"
                )

    @staticmethod
    def tables() -> tuple[str, ...]:
        """The fields that hold something by carrier."""
        return ("values", "since", "until", "rename_keys", "beside")

    @property
    def names(self) -> tuple[str, ...]:
        return self.carriers


@dataclass(frozen=True)
class Split:
    """One value of a name becomes several settings."""

    name: Name
    source: Source
    values: Annotated[Mapping[str, Mapping[Name, Json]], nonempty]
    note: Line | None = None

    def __post_init__(self) -> None:
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


@dataclass(frozen=True)
class Gone:
    """Names that nothing carries."""

    names: Some[Name]
    why: Line
    source: Source
    default_when: str | None = None
    only_speed: bool = False


@dataclass(frozen=True)
class ValueChange:
    """The name stayed, a value of it was renamed."""

    name: Name
    values: Several[str]
    source: Source
    note: Line | None = None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Refusal:
    """A flag that vLLM does not start with: without another, beside another, or at all with such a
    value.
    """

    flag: FlagName
    source: Source
    when: Word = "true"
    needs: Mapping[str, Word] = field(default_factory=dict)
    excludes: Mapping[str, Word] = field(default_factory=dict)
    unless: Mapping[str, Word] = field(default_factory=dict)
    since: VersionName | None = None
    until: VersionName | None = None

    def __post_init__(self) -> None:
        if self.needs and self.excludes:
            raise ValueError("'needs' and 'excludes' are two rules")
        if not self.needs and not self.excludes and self.when in ("true", "set"):
            raise ValueError("neither 'needs' nor 'excludes' says what is wrong with it")


@dataclass(frozen=True)
class AtStart:
    """What vLLM decides when it starts, where its parser has no default: a value, or what it
    depends on.
    """

    value: str | None = None
    depends: Line | None = None
    since: VersionName | None = None
    until: VersionName | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.depends is None):
            raise ValueError("either 'value' or 'depends' says what vLLM decides")


@dataclass(frozen=True)
class Default:
    """A flag or a variable whose default matters."""

    name: Name
    effect: Line
    source: Source
    at_start: tuple[AtStart, ...] = ()


@dataclass(frozen=True)
class Defaults:
    """defaults.toml: the weightiest first."""

    default: Annotated[tuple[Default, ...], nonempty]


@dataclass(frozen=True)
class Requires:
    """requires.toml."""

    refusal: tuple[Refusal, ...] = ()
