"""Programs that start vLLM from a file with its arguments: what they make of it beside that."""

from __future__ import annotations

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import (
    DIALECT,
    FLAG,
    URL,
    VARIABLE,
    checked,
    distinct,
    each,
)


@attrs.frozen
class Launcher:
    """A program: the flag that its file has a key of its own for, the flags that it sets itself,
    the variables of vLLM's server that nothing reads, and the options of that server which have an
    effect.
    """

    name: str = attrs.field(validator=DIALECT)
    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    served: str | None = attrs.field(default=None, validator=attrs.validators.optional(FLAG))
    left: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    unread: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    server: tuple[str, ...] = checked(each(FLAG), distinct, default=())


@attrs.frozen
class Launchers:
    """launchers.toml."""

    launcher: tuple[Launcher, ...] = ()
