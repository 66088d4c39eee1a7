"""Plugins of vLLM: which variables they read that vLLM itself does not."""

from __future__ import annotations

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import (
    DIALECT,
    PREFIX,
    URL,
    VARIABLE,
    checked,
    distinct,
    each,
    line,
)


@attrs.frozen
class Plugin:
    """A plugin, the hardware that it is for, and its variables; every name that begins with one of
    its prefixes is its own, too.
    """

    name: str = attrs.field(validator=DIALECT)
    hardware: str = attrs.field(validator=line)
    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    variables: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(VARIABLE), distinct])
    prefixes: tuple[str, ...] = checked(each(PREFIX), distinct, default=())


@attrs.frozen
class Plugins:
    """plugins.toml."""

    plugin: tuple[Plugin, ...] = ()
