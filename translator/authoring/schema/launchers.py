"""Programs that start vLLM from a file with its arguments: what they make of it beside that."""

from __future__ import annotations

from dataclasses import dataclass

from translator.authoring.schema.field_types import (
    Distinct,
    FlagName,
    OwnName,
    Some,
    Url,
    VariableName,
)


@dataclass(frozen=True)
class Launcher:
    """A program: the flag that its file has a key of its own for, the flags that it sets itself,
    the variables of vLLM's server that nothing reads, and the options of that server which have an
    effect.
    """

    name: OwnName
    sources: Some[Url]
    served: FlagName | None = None
    left: Distinct[FlagName] = ()
    unread: Distinct[VariableName] = ()
    server: Distinct[FlagName] = ()


@dataclass(frozen=True)
class Launchers:
    """launchers.toml."""

    launcher: tuple[Launcher, ...] = ()
