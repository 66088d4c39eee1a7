"""How each flag is said in a dialect, and what the dialect's own program makes of it."""

from __future__ import annotations

from translator.argv.reader import stands as argv_stands
from translator.dialects.scope import Role
from translator.settings.setting import same
from translator.tables.entries import CONFIG, MODEL, variable_of
from translator.tables.versions import Version
from translator.text.quoting import _SAFE
from translator.values.errors import BadValue
from translator.values.tokens import from_token, survives_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from translator.dialects.scope import Scope
    from translator.tables.entries import Flag


class Slot:
    """How one flag is said in a dialect: the variable, and what the dialect's consumer makes of
    that variable.

    Attributes:
        variable: the variable that sets the flag; None when none does.
        unset: texts that set nothing.
        rule: "free" (the consumer's vLLM has no such flag, or there is no consumer), "pair",
            "switch", "value", or "none" (it must go into further tokens).
        theirs: the flag as the consumer's vLLM knows it.
        zero_unset: whether the consumer takes 0 for nothing.
        said: (type, text) of a plain value → the variable's text for it, where there is nothing
            more to say.
        newer: whether the flag is newer than the consumer's vLLM.
    """

    __slots__ = (
        "alone",
        "fields",
        "newer",
        "plain",
        "rule",
        "said",
        "theirs",
        "unset",
        "variable",
        "zero_unset",
    )

    def __init__(self, flag: Flag, scope: Scope) -> None:
        self.variable = variable_for(flag, scope)
        role = scope.role(self.variable) if self.variable else None
        self.unset = tuple(role.fields.get("unset", ())) if role is not None else ()
        version = scope.dialect.get("@dialect", {}).get("vllm")
        self.newer = False
        self.theirs = (
            scope.tables.catalog(version).flag(flag.flag)
            if version
            else flag
            if scope.closed
            else None
        )
        self.fields: Mapping[str, Any] = role.fields if role is not None else {}
        self.plain: bool = scope.plain or self.fields.get("plain", False)
        self.zero_unset = _listed("zero_unset", flag, scope)
        self.alone: Callable[[str], bool] = survives_alone
        if (
            flag.flag == MODEL
        ):  # the consumer's own vLLM moves it to the front, where more may stand
            self.alone = lambda text: argv_stands(text, scope.catalog)
        self.said: dict[tuple[type, str], str] = {}
        self.rule = "none"
        if self.theirs is None or flag.flag == CONFIG:
            self.rule = "free"
            self.newer = (
                bool(version)
                and flag.flag != CONFIG
                and Version(scope.catalog.version) > Version(str(version))
            )
        elif _listed("pair_flags", flag, scope):
            self.rule = "pair"
        elif _listed("switch_flags", flag, scope):
            self.rule = "switch"
        elif _listed("value_flags", flag, scope) or self.variable != scope.prefix + variable_of(
            flag.flag
        ):
            self.rule = "value"  # under its own name, or under an alias only (the model)

    def carries(self, text: str, value: Any) -> bool:
        """Whether the consumer makes the same of the text: one token for a value, a bare flag for a
        boolean.
        """
        if self.rule == "free":
            return True
        if self.plain and not _PLAIN.issuperset(text):
            return False
        if self.rule in ("pair", "switch"):
            return value is True or (value is False and self.rule == "pair")
        if (
            self.rule == "none"
            or text.strip() != text
            or not self.alone(text)
            or (self.zero_unset and text == "0")
        ):
            return False
        assert self.theirs is not None
        text = _meant(self.fields, text)
        if type(value) is str and self.theirs.kind == "str" and self.theirs.choices is None:
            return text == value
        try:
            found = from_token(self.theirs, text, json_sizes=True)
        except BadValue:
            return False
        return same([found] if self.theirs.kind in ("list", "append") else found, value)


def _listed(part: str, flag: Flag, scope: Scope) -> bool:
    found: list[str] = scope.dialect.get(f"@consumer.{part}", {}).get(part, [])
    return flag.flag in found


def slot_of(flag: Flag, scope: Scope) -> Slot:
    found: Slot | None = scope.slots.get(flag.flag)
    if found is None:
        found = scope.slots[flag.flag] = Slot(flag, scope)
    return found


def _said_there(fields: Mapping[str, Any], text: str) -> str | None:
    """A text as the dialect's consumer calls it; None when it does not take it."""
    if _ALIASES.isdisjoint(fields):
        return text
    from translator.dialects.value_names import inward, outward, taken

    said = outward(fields, text)
    return said if inward(fields, said) == text and taken(fields, said) else None


def _meant(fields: Mapping[str, Any], text: str) -> str:
    """A variable's text as vLLM calls it."""
    if _ALIASES.isdisjoint(fields):
        return text
    from translator.dialects.value_names import inward

    return inward(fields, text)


def _sets(name: str, flag: Flag, scope: Scope) -> bool:
    role = scope.role(name)
    return (
        role is not None
        and role.kind == "flag"
        and role.flag is not None
        and role.flag.flag == flag.flag
        and not role.path
    )


def _names(flag: Flag, scope: Scope) -> list[str]:
    """The variables of a dialect that set a flag, the best first: its name in capitals, then the
    aliases of the table.
    """
    aliases = [
        name
        for name, fields in scope.dialect.items()
        if fields.get("flag") == flag.flag and not fields.get("key")
    ]
    names = dict.fromkeys(
        (
            scope.prefix + variable_of(flag.flag),
            *sorted(aliases, key=lambda name: bool(scope.dialect[name].get("fallback"))),
        )
    )
    return [
        name
        for name in names
        if not scope.dialect.get(name, {}).get("inverted") and _sets(name, flag, scope)
    ]


def variable_for(flag: Flag, scope: Scope) -> str | None:
    """The variable of the dialect that sets a flag: its name in capitals, or an alias where that
    name means something else.
    """
    if flag.flag == CONFIG:
        return scope.config_file or None
    names = [
        name
        for name in _names(flag, scope)
        if not (scope.role(name) or _NO_ROLE).fields.get("inverted")
    ]
    if scope.closed and not scope.facts.get("vllm"):
        # The table is all that is known: its names come before the flag's own, which is known only
        # if a list has the flag.
        dialect = scope.dialect
        passed = any(_listed(part, flag, scope) for part in _LISTS)
        names = [name for name in names if passed or name in dialect]
        names.sort(
            key=lambda name: (dialect.get(name, {}).get("fallback", False), name not in dialect)
        )
    return names[0] if names else None


_ALIASES = frozenset(
    ("values", "scheme", "only", "unread", "least", "most")
)  # fields of a variable that say something of its texts


_NO_ROLE = Role("")


_LISTS = ("value_flags", "pair_flags", "switch_flags")


_PLAIN = _SAFE | frozenset(
    "\"'{}<>|&;()#!^$`,"
)  # an unquoted expansion of a shell splits at blanks and expands * ? [ only
