"""Helm charts that start vLLM: what a chart's templates make of its values."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import DIALECT, URL, checked, distinct, each, line

KEY = attrs.validators.matches_re(r"[A-Za-z_][A-Za-z0-9_.]*")  # of nested mappings, outermost first


@attrs.frozen
class Argument:
    """Tokens that a template writes for a key of a model.

    The token `{}` is the key's value; `{key}` inside of one is another key's, `{key|text}` with a
    default.
    """

    key: str = attrs.field(validator=KEY)
    tokens: tuple[str, ...] = checked(each(line), default=())  # if its value is true, or any value
    otherwise: tuple[str, ...] = checked(each(line), default=())  # if it is false
    there: bool = False  # if it is there, whatever its value
    within: str | None = attrs.field(default=None, validator=attrs.validators.optional(KEY))
    several: bool = False  # a list of tokens
    given: tuple[str, ...] = checked(each(KEY), distinct, default=())
    absent: tuple[str, ...] = checked(each(KEY), distinct, default=())
    equal: Mapping[str, str] = attrs.Factory(dict)
    unequal: Mapping[str, str] = attrs.Factory(dict)

    def __attrs_post_init__(self) -> None:
        if bool(self.tokens) == self.several:
            raise ValueError("either 'tokens' or 'several' says what is written")
        if self.within is not None and not self.otherwise:
            raise ValueError("'within' is for 'otherwise'")


@attrs.frozen
class Chart:
    """A chart, or one of its templates."""

    name: str = attrs.field(validator=DIALECT)
    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    models: str = attrs.field(validator=KEY)
    model: str = attrs.field(validator=KEY)
    image: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(KEY), distinct])
    start: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(line)])
    argument: tuple[Argument, ...] = attrs.field(validator=fields.nonempty)
    enabled: tuple[str, ...] = checked(each(KEY), distinct, default=())
    when: str | None = attrs.field(default=None, validator=attrs.validators.optional(KEY))
    env: str | None = attrs.field(default=None, validator=attrs.validators.optional(KEY))
    closed: tuple[str, ...] = checked(each(KEY), distinct, default=())
    others: tuple[str, ...] = checked(each(KEY), distinct, default=())
    extra: str | None = attrs.field(default=None, validator=attrs.validators.optional(KEY))


@attrs.frozen
class Charts:
    """charts.toml: of the charts that fit a file of values, the first counts."""

    chart: tuple[Chart, ...] = ()
