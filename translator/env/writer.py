"""Write a container's variables in a dialect, for this translator and for the platform's own
program at the same time.

Values that the program cannot read from a separate variable go into the dialect's variable for
extra tokens. Every value is read back first: a variable is used only if reading it returns the
original value.
"""

from __future__ import annotations

from translator.argv.parser import Misread, value_of
from translator.argv.parser import stands as argv_stands
from translator.argv.writer import about_model_name
from translator.env.consumer import (
    about_arguments,
    agrees,
    arguments_of,
    behind,
    breaking,
    calculated,
    pairs_text,
    relayed,
)
from translator.env.reader import unused_secret
from translator.env.vllm_variables import placed
from translator.findings import Finding, finding
from translator.naming.dialect import NOTHING
from translator.naming.scope import names_for, older_generation, sets, variable_for
from translator.settings.setting import same
from translator.tables.entries import CONFIG, JSON_KINDS, MODEL, variable_of
from translator.tables.versions import Version
from translator.text import json_text as jsontext
from translator.text.quoting import _SAFE, quote, quoted_words, unusable
from translator.values.errors import BadValue
from translator.values.tokens import text_of, tokens
from translator.values.variables import from_variable, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from translator.naming.scope import Scope
    from translator.settings.setting import Assembled
    from translator.tables.entries import Flag

    Assignment = tuple[str, str]  # a variable and its value


# An unquoted shell expansion splits at blanks, and expands only * ? [.
_PLAIN = _SAFE | frozenset("\"'{}<>|&;()#!^$`,")


class Said:
    """The variables or tokens for one flag's value.

    Attributes:
        env: variables.
        extra: tokens for the variable for extra tokens.
        findings: findings about the value.
        newer: whether the flag is newer than the program's vLLM.
        lost: whether the program's generation for this version does not read it.
    """

    __slots__ = ("env", "extra", "findings", "lost", "newer")

    def __init__(
        self,
        findings: Sequence[Finding] = (),
        *,
        env: Mapping[str, str] | None = None,
        extra: Sequence[str] = (),
        newer: bool = False,
        lost: bool = False,
    ) -> None:
        self.findings, self.extra, self.newer, self.lost = findings, extra, newer, lost
        self.env: Mapping[str, str] = env or {}


def write_env(done: Assembled, scope: Scope) -> tuple[dict[str, str], list[Finding]]:
    """Write the settings as variables.

    Args:
        done: the settings.
        scope: the version and the dialect.

    Returns:
        The variables, in the order of the flags' names, and the findings.
    """
    env: dict[str, str] = _choices(done, scope) if scope.consumer.compared else {}
    chosen = {flag for name in env for flag in _flags_of_choice(name, scope)}
    older = older_generation(scope)
    writer = _Writer(scope, older)
    told: dict[str, Said] = {}
    for name in sorted(done.values):
        if name in chosen:
            continue
        value = done.values[name]
        said = told[name] = writer.say(name, value, done.origins[name][0])
        env.update(said.env)
    findings = [item for said in told.values() for item in said.findings]
    extra = [token for said in told.values() for token in said.extra]
    if extra:
        # An unquoted expansion removes no quotes.
        parts = extra if scope.consumer.plain else [quote(item) for item in extra]
        env[scope.extra_args] = " ".join(parts)
    findings += _about_flags(told, scope, older)
    if older is None and scope.consumer.breaks:
        findings += [
            finding("platform-breaks", name, flag=name, note=note, reader=scope.reader)
            for name, note in breaking(done.values, scope)
        ]
    for name, text in done.variables.items():
        env.setdefault(name, text)
    if scope.consumer.relay:
        findings += _past_relay(env, done.variables, scope)
    return env, [*findings, *_about_env(env, done, scope, older or scope)]


def _about_flags(told: Mapping[str, Said], scope: Scope, older: Scope | None) -> Iterator[Finding]:
    """Yield findings about flags that the program does not read from variables of their own."""
    in_extra = tuple([name for name, said in told.items() if said.extra])
    newer = tuple([name for name, said in told.items() if said.newer])
    lost = tuple([name for name, said in told.items() if said.lost])
    if in_extra:
        name = scope.extra_args
        facts = {"variable": name, "reader": scope.reader}
        yield finding("kept-in-extra-args", name, flags=in_extra, **facts)
    if newer:
        facts = {"vllm": scope.consumer.vllm, "reader": scope.reader}
        yield finding("newer-than-consumer", ", ".join(newer), flags=newer, **facts)
    if lost and older is not None:
        facts = {"reader": older.reader, "instead": older.dialect.instead}
        version = scope.catalog.version
        yield finding("older-consumer", ", ".join(lost), flags=lost, version=version, **facts)


def _about_env(
    env: Mapping[str, str], done: Assembled, scope: Scope, reading: Scope
) -> Iterator[Finding]:
    """Yield findings about the variables as a whole.

    Args:
        env: the variables.
        done: the settings.
        scope: the version and the dialect.
        reading: the same of the program that runs the version.
    """
    unfit = [(name, case) for name, text in env.items() if (case := unusable(text))]
    for name, case in unfit:
        yield finding("bad-text", name, case=case, name=name)
    dialect = scope.dialect
    if not unfit and (dialect.limit_name or dialect.limit_value or dialect.limit_all):
        yield from _over_limits(env, scope)
    consumer = reading.consumer
    if consumer.calculates or consumer.overrules or consumer.appends:
        yield from calculated(reading, done.values, env)
    adds = arguments_of(reading) if reading.dialect.arguments else {}
    will_add = {name: added for name, added in adds.items() if name not in done.values}
    yield from about_arguments("will-add", will_add, reading)


class _Writer:
    """Writes flags one by one, so that the program's generation for the version reads them, too,
    if it can.
    """

    def __init__(self, scope: Scope, older: Scope | None) -> None:
        self._scope, self._older = scope, older
        self._adds = arguments_of(scope)

    def say(self, name: str, value: Any, origin: str) -> Said:
        """Write one flag's value as variables or tokens."""
        scope, consumer = self._scope, self._scope.consumer
        flag = scope.catalog.flag(name)
        assert flag is not None
        items = value if isinstance(value, list) else (value,)
        if any(isinstance(item, str) and "\0" in item for item in items):
            return Said([finding("bad-text", origin.partition("=")[0], case="nul", name=name)])
        about: list[Finding] = []
        if name == MODEL and isinstance(value, str):
            about = about_model_name(value, origin, scope.catalog)
        findings = about
        carrier = scope.secrets.carriers.get(name)
        if carrier:
            if value is None:
                return Said()  # the default
            text, findings = placed(value, name, carrier)
            if text is not None:
                findings += unused_secret(carrier, self._older or scope)
                return Said(findings, env={carrier: text})
        if name in consumer.elsewhere:
            if value != scope.dialect.model_directory:
                facts = {"reader": scope.reader, "where": consumer.elsewhere[name]}
                findings = [*findings, finding("set-elsewhere", name, flag=name, **facts)]
            return Said(findings)
        if name in consumer.partly:
            facts = {"flag": name, "reader": scope.reader, "note": consumer.partly[name]}
            findings = [*findings, finding("consumer-differs", name, **facts)]
        if value is False and not flag.off and flag.kind == "switch":
            return Said(findings)
        # No variable is needed if the program adds the same value itself.
        is_added = name in self._adds and same(self._adds[name][0], value)
        if name in consumer.ignored and not is_added:
            return Said([*about, self._impossible(name, "not-passed-on")])
        said = self._variable(flag, value, findings)
        if said.env:
            return said
        if is_added and not scope.extra_args:
            return Said(findings)
        try:
            made = tokens(flag, value, lambda text: argv_stands(text, scope.catalog))
        except BadValue as error:
            return Said([*findings, _bad_value(flag, origin, error, scope)])
        if not self._fits_extra(made):
            exists = slot_of(flag, scope).exists
            return Said([*about, self._impossible(name, "" if exists else "not-passed-on")])
        if name == CONFIG:
            made = [CONFIG, str(value)]  # vLLM ignores a file joined to the flag by =
        # The variables that keep the program from appending a contradicting token.
        unopposed = {
            item.name: item.text
            for item in behind(scope)
            if name in item.sets and not same(item.sets[name], value)
        }
        return Said(findings, env=unopposed, extra=made, lost=said.lost)

    def _variable(self, flag: Flag, value: Any, findings: list[Finding]) -> Said:
        """Write a value as one variable, if there is one that holds it."""
        scope, older = self._scope, self._older
        slot, assignment = slot_of(flag, scope), None
        if older is not None and flag.flag not in older.consumer.ignored:
            assignment = slot_of(flag, older).assignment(value)
        lost = older is not None and assignment is None
        assignment = assignment or slot.assignment(value)
        if assignment is None:
            return Said(findings, lost=lost)
        listed = scope.dialect.listed(assignment[0])
        if listed.known and assignment[1] not in listed.known:
            facts = {"given": assignment[1], "stops": listed.note}
            findings = [*findings, scope.differs(assignment[0], **facts)]
        return Said(findings, env=dict([assignment]), newer=slot.newer, lost=lost)

    def _fits_extra(self, made: list[str]) -> bool:
        """Return whether the variable for extra tokens can hold some."""
        if not self._scope.extra_args or not self._scope.consumer.plain:
            return bool(self._scope.extra_args)
        return all(item and _PLAIN.issuperset(item) and not quoted_words(item) for item in made)

    def _impossible(self, name: str, case: str) -> Finding:
        """Return the finding about a flag that neither a variable nor an extra token can set."""
        facts = {"reader": self._scope.reader, "instead": self._scope.dialect.instead}
        return finding("cannot-be-said", name, case=case, flag=name, **facts)


def _bad_value(flag: Flag, origin: str, error: BadValue, scope: Scope) -> Finding:
    return finding(
        error.code,
        origin.partition("=")[0],
        case=error.case,
        flag=flag.flag,
        version=scope.catalog.version,
        **error.facts,
    )


def _choices(done: Assembled, scope: Scope) -> dict[str, str]:
    """Return the variables that set several flags by one value, only if that value sets exactly the
    flags that are set.
    """
    env: dict[str, str] = {}
    said: set[str] = set()
    for name in scope.dialect.with_role("choice"):
        listed, flags = scope.dialect.listed(name), _flags_of_choice(name, scope)
        given = {flag: done.values[flag] for flag in flags if flag in done.values}
        known = {flag: found for flag in flags if (found := scope.catalog.flag(flag)) is not None}
        if listed.read_only or not given or said & flags or len(known) < len(flags):
            continue
        for value, parts in listed.sets.items():
            if parts.keys() == given.keys() and all(
                same(from_variable(known[flag], text)[0], given[flag])
                for flag, text in parts.items()
            ):
                env[name] = value
                said |= flags
                break
    return env


def _flags_of_choice(name: str, scope: Scope) -> set[str]:
    return {flag for parts in scope.dialect.listed(name).sets.values() for flag in parts}


def _past_relay(env: dict[str, str], untouched: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Add the assignment with which the values arrive that another program would change on the way
    to vLLM; return the finding about it.
    """
    texts = {name: text for name, text in env.items() if name not in untouched}
    changed = tuple(relayed(texts, scope))
    relay = scope.consumer.relay
    if relay is None:
        return []
    name, _, text = relay.assignment.partition("=")
    if not changed or env.get(name) == text:
        return []
    env[name] = text
    facts = {"assignment": relay.assignment, "program": relay.name}
    return [finding("consumer-differs", name, variables=changed, **facts)]


def _over_limits(env: Mapping[str, str], scope: Scope) -> Iterator[Finding]:
    """Yield findings for values longer than the platform allows, in bytes."""
    dialect, reader, total = scope.dialect, scope.reader, 0
    for name, text in env.items():
        for part, limit, what in (
            (name, dialect.limit_name, "name"),
            (text, dialect.limit_value, "variable"),
        ):
            size = len(part.encode("utf-8", "surrogateescape"))
            total += size
            if limit and size > limit:
                facts = {what: name, "reader": reader}
                yield finding("over-limit", name, case="", size=size, limit=limit, **facts)
    if dialect.limit_all and total > dialect.limit_all:
        limit = dialect.limit_all
        yield finding("over-limit", "environment", size=total, limit=limit, reader=reader)


class Slot:
    """The variable of one flag, where the platform's program knows flags one by one or does not
    exist.

    Attributes:
        listed: what the dialect's table says of the variable.
        exists: whether the program has a variable for the flag at all.
        newer: whether the flag is newer than the program's vLLM.
    """

    def __init__(self, flag: Flag, scope: Scope) -> None:
        consumer = scope.consumer
        self._flag, self._scope = flag, scope
        self._variable = variable_for(flag, scope) or ""
        self.listed = scope.dialect.listed(self._variable)
        # The flag in the vLLM version of the program.
        theirs = flag if consumer.closed else None
        if consumer.vllm:
            theirs = scope.tables.catalog(consumer.vllm).flag(flag.flag)
        self._theirs = theirs or flag
        # An object is written as JSON, and both read JSON.
        self._json = all(
            item.kind in JSON_KINDS and item.syntax is None for item in (flag, self._theirs)
        )
        # How the program reads the variable, as in `Consumer.how`; "any" if its vLLM has no such
        # flag, or there is no program; "none" if the flag must go into the extra tokens.
        self._how = "any"
        if theirs is not None and flag.flag != CONFIG:
            # The model is read under an alias only.
            is_alias = self._variable != scope.prefix + variable_of(flag.flag)
            self._how = consumer.how.get(flag.flag, "value" if is_alias else "none")
        self.exists = bool(self._variable) and self._how != "none"
        self.newer = (
            bool(consumer.vllm)
            and theirs is None
            and flag.flag != CONFIG
            and Version(scope.catalog.version) > Version(consumer.vllm)
        )

    def assignment(self, value: Any) -> Assignment | None:
        """Return a variable and a value that we and the program both read as the given value; None
        if there is none.
        """
        meant = self._text(value) if self.exists else None
        if meant is None:
            return None
        text = self.listed.to_platform(meant)
        if text is None:
            return None
        if not self._arrives(text, meant, value) or not self._reads_back(text, meant, value):
            return None
        return self._variable, text

    def _text(self, value: Any) -> str | None:
        """Return a value as the string of the variable; None if no string can hold it."""
        if self._how == "pairs":
            return pairs_text(value)
        # A secret is not split at commas.
        whole = self._how == "json" or self._flag.flag in self._scope.secrets.carriers
        if isinstance(value, list) and whole:
            return jsontext.dumps(value)
        if type(value) is float and value.is_integer() and self.listed.least is not None:
            return str(int(value))
        return variable_text(self._flag, value)

    def _arrives(self, text: str, meant: str, value: Any) -> bool:
        """Return whether the program reads a value identically."""
        if self._how == "any":
            return True
        consumer, flag, theirs = self._scope.consumer, self._flag, self._theirs
        if text.strip() in consumer.unset:
            return False
        plain = consumer.plain or self.listed.plain
        if plain and not (_SAFE if consumer.evaluated else _PLAIN).issuperset(text):
            return False
        if self._how == "value":
            zero = text == "0" and flag.flag in consumer.zero_unset
            if text.strip() != text or zero:
                return False
            if self._json and isinstance(value, dict):
                return True
        return agrees(self._how, theirs, value, meant, self._scope.catalog)

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
        return same(found, value) and (not repaired or repaired == self._how)


class ValueSlot:
    """The variables of one flag, where the platform's program looks only at values.

    Attributes: see `Slot`.
    """

    newer, exists = False, True

    def __init__(self, flag: Flag, scope: Scope) -> None:
        self._flag, self._scope = flag, scope
        self._names = [(name, flag.flag) for name in names_for(flag, scope)]
        off = scope.prefix + variable_of(flag.off) if flag.off else ""
        has_off = bool(off) and not scope.consumer.own_spelling and sets(off, flag, scope)
        self._off = [(off, flag.off)] if has_off else []

    def assignment(self, value: Any) -> Assignment | None:
        """Return a variable and a value that the program, and then vLLM, read as the given value;
        None if there is none.
        """
        flag, scope, consumer = self._flag, self._scope, self._scope.consumer
        for name, spelled in [*self._names, *(self._off if value is False else ())]:
            listed = scope.dialect.listed(name)
            for given in _texts(flag, value):
                text = listed.to_platform(given)
                if text is None or text in ("None", *listed.unset) or not consumer.arrives(text):
                    continue
                tokens = consumer.tokens(spelled, given)
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
