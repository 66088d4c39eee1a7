"""Helm charts that start vLLM: what a chart's templates make of its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from translator.authoring.schema.field_types import (
    Distinct,
    Line,
    OwnName,
    Some,
    Url,
    matching,
    nonempty,
)

Key = Annotated[str, matching(r"[A-Za-z_][A-Za-z0-9_.]*", "a key, with those that it is in (a.b)")]


@dataclass(frozen=True)
class Argument:
    """Tokens that a template writes for a key of a model.

    The token `{}` is the key's value; `{key}` inside of one is another key's, `{key|text}` with a
    default.
    """

    key: Key
    tokens: tuple[Line, ...] = ()  # if its value is true, or any value
    otherwise: tuple[Line, ...] = ()  # if it is false
    there: bool = False  # if it is there, whatever its value
    within: Key | None = None
    several: bool = False  # a list of tokens
    given: Distinct[Key] = ()
    absent: Distinct[Key] = ()
    equal: Mapping[str, str] = field(default_factory=dict)
    unequal: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bool(self.tokens) == self.several:
            raise ValueError("either 'tokens' or 'several' says what is written")
        if self.within is not None and not self.otherwise:
            raise ValueError("'within' is for 'otherwise'")


@dataclass(frozen=True)
class Chart:
    """A chart, or one of its templates."""

    name: OwnName
    sources: Some[Url]
    models: Key
    model: Key
    image: Some[Key]
    start: Annotated[tuple[Line, ...], nonempty]
    argument: Annotated[tuple[Argument, ...], nonempty]
    enabled: Distinct[Key] = ()
    when: Key | None = None
    env: Key | None = None
    closed: Distinct[Key] = ()
    others: Distinct[Key] = ()
    extra: Key | None = None


@dataclass(frozen=True)
class Charts:
    """charts.toml: of the charts that fit a file of values, the first counts."""

    chart: tuple[Chart, ...] = ()
