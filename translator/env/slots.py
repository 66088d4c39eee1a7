"""How each flag is written as a variable of a dialect, so that the dialect's program reads the
same.
"""

from __future__ import annotations

from translator.argv.parser import stands as argv_stands
from translator.naming.dialect import UNLISTED
from translator.settings.setting import NOTHING, same
from translator.tables.entries import CONFIG, JSON_KINDS, MODEL, variable_of
from translator.tables.versions import Version
from translator.text import json_text as jsontext
from translator.text.quoting import _SAFE
from translator.values.errors import BadValue
from translator.values.tokens import from_token, survives_alone, text_of
from translator.values.variables import from_variable, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.scope import Scope
    from translator.tables.entries import Flag

    Assignment = tuple[str, str]  # a variable and its value


# An unquoted shell expansion splits at blanks, and expands only * ? [.
_PLAIN = _SAFE | frozenset("\"'{}<>|&;()#!^$`,")


class Slot:
    """The variable of one flag, where the platform's program knows flags one by one or does not
    exist.

    Attributes:
        listed: what the dialect's table says of the variable.
        exists: whether the program has a variable for the flag at all.
        newer: whether the flag is newer than the program's vLLM.
    """

    __slots__ = (
        "_flag",
        "_json",
        "_rule",
        "_scope",
        "_theirs",
        "_variable",
        "exists",
        "listed",
        "newer",
    )

    def __init__(self, flag: Flag, scope: Scope) -> None:
        consumer = scope.consumer
        self._flag, self._scope = flag, scope
        self._variable = variable_for(flag, scope) or ""
        self.listed = scope.dialect.listed(self._variable)
        # The flag in the vLLM version of the program.
        self._theirs = flag if consumer.closed else None
        if consumer.vllm:
            self._theirs = scope.tables.catalog(consumer.vllm).flag(flag.flag)
        # An object is written as JSON, and both read JSON.
        self._json = all(
            item is None or (item.kind in JSON_KINDS and item.syntax is None)
            for item in (flag, self._theirs)
        )
        self._rule = self._find_rule()
        self.exists = bool(self._variable) and self._rule != "none"
        self.newer = (
            bool(consumer.vllm)
            and self._theirs is None
            and flag.flag != CONFIG
            and Version(scope.catalog.version) > Version(consumer.vllm)
        )

    def _find_rule(self) -> str:
        """Return how the program reads the variable, as in `Consumer.how`; "any" if its vLLM has no
        such flag, or there is no program; "none" if the flag must go into the extra tokens.
        """
        name = self._flag.flag
        if self._theirs is None or name == CONFIG:
            return "any"
        # The model is read under an alias only.
        is_alias = self._variable != self._scope.prefix + variable_of(name)
        return self._scope.consumer.how.get(name, "value" if is_alias else "none")

    def assignment(self, value: Any) -> Assignment | None:
        """Return a variable and a value that we and the program both read as the given value; None
        if there is none.
        """
        if not self._variable or self._rule == "none":
            return None
        text = meant = self._text(value)
        if text is not None and self.listed is not UNLISTED:
            text = self.listed.to_platform(text)
            meant = None if text is None else self.listed.to_vllm(text)
        if text is None or meant is None:
            return None
        if not self._arrives(text, meant, value) or not self._reads_back(text, meant, value):
            return None
        return self._variable, text

    def _text(self, value: Any) -> str | None:
        """Return a value as the string of the variable; None if no string can hold it."""
        if self._rule == "pairs":
            return pairs_text(value)
        if isinstance(value, list) and (
            self._rule == "json"
            or self._flag.flag in self._scope.secrets.carriers  # a secret is not split at commas
        ):
            return jsontext.dumps(value)
        is_whole = type(value) is float and value.is_integer()
        if is_whole and self.listed.least is not None:
            return str(int(value))
        return variable_text(self._flag, value)

    def _arrives(self, text: str, meant: str, value: Any) -> bool:
        """Return whether the program reads a value identically: one token for a value, a bare flag
        for a boolean.
        """
        if self._rule == "any":
            return True
        consumer, flag, theirs = self._scope.consumer, self._flag, self._theirs
        if text.strip() in consumer.unset:
            return False
        plain = consumer.plain or self.listed.plain
        if plain and not (_SAFE if consumer.evaluated else _PLAIN).issuperset(text):
            return False
        if self._rule in ("pair", "true", "switch"):
            return value is True or (value is False and self._rule != "switch")
        if self._rule == "json":
            return read_as_json(flag, value, text)
        if self._rule == "pairs":
            return True
        alone = (
            argv_stands(text, self._scope.catalog)  # moved to the front, where more is valid
            if flag.flag == MODEL
            else survives_alone(text)
        )
        zero = text == "0" and flag.flag in consumer.zero_unset
        if text.strip() != text or not alone or zero:
            return False
        assert theirs is not None
        if type(value) is str and theirs.kind == "str" and theirs.choices is None:
            return meant == value
        if self._json and isinstance(value, dict):
            return True
        try:
            found = from_token(theirs, meant, json_sizes=True)
        except BadValue:
            return False
        return same([found] if theirs.kind in ("list", "append") else found, value)

    def _reads_back(self, text: str, meant: str, value: Any) -> bool:
        """Return whether our own reader parses the same value from the text."""
        flag, listed = self._flag, self.listed
        stripped = text.strip()
        if stripped in NOTHING or "\0" in text or stripped in listed.unset:
            return False
        if flag.flag == CONFIG or (
            type(value) is str and flag.kind == "str" and flag.choices is None
        ):
            return bool(meant == value)
        if self._json and isinstance(value, dict):
            return True
        try:
            found, repaired = from_variable(flag, meant)
        except BadValue:
            return False
        return same(found, value) and (not repaired or repaired == self._rule)


def pairs_text(value: Any) -> str | None:
    """Return an object of integers as `key=number,key=number`; None if it is something else."""
    if not isinstance(value, dict) or not value:
        return None
    found = [f"{key}={number}" for key, number in value.items() if type(number) is int]
    text = ",".join(found)
    return text if len(found) == len(value) == text.count("=") == text.count(",") + 1 else None


def read_as_json(flag: Flag, value: Any, text: str) -> bool:
    """Return whether a program that parses a variable as JSON, and keeps what is not JSON as a
    string, reads a value.
    """
    if flag.element.startswith("named-path") and not (
        isinstance(value, list) and all(isinstance(item, dict) for item in value)
    ):
        return False
    try:
        return same(jsontext.loads(text), value)
    except jsontext.JsonError:
        return bool(text == value)


class ValueSlot:
    """The variables of one flag, where the platform's program looks only at values.

    Attributes: see `Slot`.
    """

    __slots__ = ("_flag", "_names", "_scope", "exists", "newer")

    def __init__(self, flag: Flag, scope: Scope) -> None:
        self.newer, self.exists = False, True
        self._flag, self._scope = flag, scope
        self._names = [(name, flag.flag) for name in _names(flag, scope)]

    def assignment(self, value: Any) -> Assignment | None:
        """Return a variable and a value that the program, and then vLLM, read as the given value;
        None if there is none.
        """
        from translator.argv.parser import Misread, value_of

        flag, scope, consumer = self._flag, self._scope, self._scope.consumer
        names = self._names
        if flag.off and value is False and not consumer.own_spelling:
            off = scope.prefix + variable_of(flag.off)
            if _sets(off, flag, scope):
                names = [*names, (off, flag.off)]
        for name, spelled in names:
            listed = scope.dialect.listed(name)
            for given in _texts(flag, value):
                text = listed.to_platform(given)
                if text is None or text in ("None", *listed.unset) or not consumer.arrives(text):
                    continue
                tokens = consumer.tokens(spelled, listed.to_vllm(text))
                try:
                    if tokens is not None and same(value_of(tokens, flag, scope.catalog), value):
                        return name, text
                except Misread:
                    continue
        return None


def slot_of(flag: Flag, scope: Scope) -> Slot | ValueSlot:
    """Return how a flag is written in a dialect."""
    found: Slot | ValueSlot | None = scope.slots.get(flag.flag)
    if found is None:
        make = ValueSlot if scope.consumer.by_value else Slot
        found = scope.slots[flag.flag] = make(flag, scope)
    return found


def variable_for(flag: Flag, scope: Scope) -> str | None:
    """Return the dialect's variable for a flag: its name in capitals, or an alias if that name has
    another meaning.
    """
    if flag.flag == CONFIG:
        return scope.config_file or None
    names = _names(flag, scope)
    consumer = scope.consumer
    if consumer.closed and not consumer.vllm:
        # Only the table is certain: its names come before the flag's own name, which is known only
        # if a list contains the flag.
        listed = {
            item.name: item for item in scope.dialect.setting(flag.flag) if not item.read_only
        }
        passed = flag.flag in consumer.how
        names = [name for name in names if passed or name in listed]
        names.sort(key=lambda name: (name in listed and listed[name].fallback, name not in listed))
    return names[0] if names else None


def _names(flag: Flag, scope: Scope) -> list[str]:
    """Return the variables that set a flag, best first: its name in capitals, then the table's
    aliases.
    """
    written = [item for item in scope.dialect.setting(flag.flag) if not item.read_only]
    aliases = sorted(written, key=lambda item: item.fallback)
    names = dict.fromkeys((scope.prefix + variable_of(flag.flag), *(item.name for item in aliases)))
    return [name for name in names if _sets(name, flag, scope, inverted=False)]


def _sets(name: str, flag: Flag, scope: Scope, *, inverted: bool = True) -> bool:
    """Return whether a variable sets a whole flag."""
    role = scope.role(name)
    return (
        role is not None
        and role.flag is not None
        and role.kind == "flag"
        and role.flag.flag == flag.flag
        and not role.path
        and (inverted or not role.inverted)
    )


def _texts(flag: Flag, value: Any) -> list[str]:
    """Return the possible spellings of a value, plainest first."""
    if isinstance(value, bool):
        return ["true" if value else "false", "true", ""]
    found = [variable_text(flag, value)]
    if isinstance(value, list):
        found = [
            text_of(flag, value[0]) if len(value) == 1 and not isinstance(value[0], dict) else None,
            *found,
            jsontext.dumps(value),
        ]
    return [text for text in found if text is not None]
