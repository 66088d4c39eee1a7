"""Plugins of vLLM: which variables they read that vLLM itself does not."""

from __future__ import annotations

from dataclasses import dataclass

from translator.authoring.schema.field_types import (
    Distinct,
    Line,
    OwnName,
    Prefix,
    Some,
    Url,
    VariableName,
)


@dataclass(frozen=True)
class Plugin:
    """A plugin, the hardware that it is for, and its variables; every name that begins with one of
    its prefixes is its own, too.
    """

    name: OwnName
    hardware: Line
    sources: Some[Url]
    variables: Some[VariableName]
    prefixes: Distinct[Prefix] = ()


@dataclass(frozen=True)
class Plugins:
    """plugins.toml."""

    plugin: tuple[Plugin, ...] = ()
