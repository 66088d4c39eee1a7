"""Secrets: flags, variables and patterns of names."""

from __future__ import annotations

from typing import Annotated

from attrs import frozen

from translator.model.field_types import Distinct, FlagName, Line, Pattern, VariableName, once


@frozen
class Secret:
    """A flag whose value is secret, a variable whose value is, or both: the variable then carries
    the flag's meaning.
    """

    flag: FlagName | None = None
    variable: VariableName | None = None

    def __attrs_post_init__(self) -> None:
        if self.flag is None and self.variable is None:
            raise ValueError("names neither 'flag' nor 'variable'")


@frozen
class Secrets:
    """secrets.toml.

    Attributes:
        secret: the flags and the variables that are secret by their own names.
        patterns: names of variables, flags and keys that are secret.
        public: names that fit a pattern and are no secret.
        beginnings: how secrets of well-known services begin.
    """

    secret: Annotated[tuple[Secret, ...], once("flag", "variable")] = ()
    patterns: Distinct[Pattern] = ()
    public: Distinct[Pattern] = ()
    beginnings: Distinct[Line] = ()
