"""Secrets: flags, variables and patterns of names."""

from __future__ import annotations

import attrs

from translator.authoring.schema.fields import FLAG, PATTERN, VARIABLE, checked, distinct, each


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
    """secrets.toml."""

    secret: tuple[Secret, ...] = ()
    patterns: tuple[str, ...] = checked(each(PATTERN), distinct, default=())
    public: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    key_patterns: tuple[str, ...] = checked(each(PATTERN), distinct, default=())
