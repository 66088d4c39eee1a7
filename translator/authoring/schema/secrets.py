"""Secrets: flags, variables and patterns of names."""

from __future__ import annotations

import attrs

from translator.authoring.schema.fields import (
    FLAG,
    PATTERN,
    VARIABLE,
    checked,
    distinct,
    each,
    line,
)


@attrs.frozen
class Secret:
    """A flag whose value is secret, a variable whose value is, or both: the variable then carries
    the flag's meaning.
    """

    flag: str | None = checked(FLAG, default=None)
    variable: str | None = checked(VARIABLE, default=None)

    def __attrs_post_init__(self) -> None:
        if self.flag is None and self.variable is None:
            raise ValueError("names neither 'flag' nor 'variable'")


@attrs.frozen
class Secrets:
    """secrets.toml.

    Attributes:
        secret: the flags and the variables that are secret by their own names.
        patterns: names of variables, flags and keys that are secret.
        key_patterns: the same; earlier tables separated those of keys.
        public: names that fit a pattern and are no secret.
        beginnings: how secrets of well-known services begin.
    """

    secret: tuple[Secret, ...] = ()
    patterns: tuple[str, ...] = checked(each(PATTERN), distinct, default=())
    public: tuple[str, ...] = checked(each(PATTERN), distinct, default=())
    key_patterns: tuple[str, ...] = checked(each(PATTERN), distinct, default=())
    beginnings: tuple[str, ...] = checked(each(line), distinct, default=())
