"""Write a container's variables in a dialect, for this translator and for the platform's own
program at the same time.

Values that the program cannot read from a separate variable go into the dialect's variable for
extra tokens. Every value is read back first: a variable is used only if reading it returns the
original value.
"""

from __future__ import annotations

from translator.core.argv.parser import Misread, value_of
from translator.core.argv.parser import stands as argv_stands
from translator.core.argv.writer import about_model_name, moved_secret
from translator.core.env.consumer import about_added, agrees, arguments_of, pairs_text, relayed
from translator.core.env.reader import unused_secret
from translator.core.findings import Finding, finding
from translator.core.settings import same
from translator.core.settings.scope import names_for, older_generation, sets, variable_for
from translator.core.tables.catalog import CONFIG, JSON_KINDS, MODEL, variable_of
from translator.core.tables.dialects import NOTHING
from translator.core.tables.versions import Version
from translator.core.text import json_text as jsontext
from translator.core.text.words import quote_value, unusable
from translator.core.values import BadValue, text_of, tokens
from translator.core.values.mistakes import bad_value
from translator.core.values.variables import from_variable, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Flag
    from translator.core.text.words import Origin

    Assignment = tuple[str, str]  # a variable and its value


def write_env(resolved: Resolved, scope: Scope) -> tuple[dict[str, str], list[Finding]]:
    """Return the settings as variables, in the order of the flags' names, and the findings."""
    older = older_generation(scope)
    writer = _Writer(resolved, scope, older)
    chosen = writer.choices() if scope.consumer.compared else ()
    for name in sorted(resolved.values):
        if name not in chosen:
            writer.put(name)
    env, findings = writer.env, [*writer.findings, *writer.put_extra()]
    if older is None and scope.consumer.breaks:
        findings += scope.consumer.breaking(resolved.values, scope.reader)
    relay, made = scope.consumer.relay, dict(env)
    for name, text in resolved.variables.items():
        env.setdefault(name, text)
    if relay is not None and (changed := tuple(relayed(made, env, relay, scope))):
        name, _, env[name] = relay["assignment"].partition("=")
        facts = {"assignment": relay["assignment"], "program": relay["name"]}
        findings.append(finding("platform-differs", name, variables=changed, **facts))
    findings += _about_env(env, scope)
    reading = older or scope  # the program that runs the version
    adds = arguments_of(reading).items()
    will_add = {name: added for name, added in adds if name not in resolved.values}
    return env, findings + about_added("will-add", will_add, resolved.values, reading)


def _about_env(env: Mapping[str, str], scope: Scope) -> Iterator[Finding]:
    """Yield findings about texts that no variable can hold, or that are longer than the platform
    allows, in bytes.
    """
    unfit = [(name, case) for name, text in env.items() if (case := unusable(text))]
    for name, case in unfit:
        yield finding("bad-text", name, case=case, name=name)
    dialect, reader, total = scope.dialect, scope.reader, 0
    if unfit or not (dialect.limit_name or dialect.limit_value or dialect.limit_all):
        return
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


class _Writer:
    """Writes flags one by one, so that the program's generation for the version reads them, too,
    if it can.

    Attributes:
        env: the variables.
        findings: about single values.
    """

    def __init__(self, resolved: Resolved, scope: Scope, older: Scope | None) -> None:
        self._done, self._scope, self._older = resolved, scope, older
        self._adds = arguments_of(scope)
        self.env: dict[str, str] = {}
        self.findings: list[Finding] = []
        self._extra: list[str] = []  # tokens
        # Flags: in the extra tokens; newer than the program's vLLM; not read by the older program.
        self._in_extra: list[str] = []
        self._newer: list[str] = []
        self._lost: list[str] = []

    def choices(self) -> set[str]:
        """Write the variables that set several flags by one value, only if that value sets exactly
        the flags that are set; return these.
        """
        dialect, written = self._scope.dialect, set[str]()
        for name in dialect.with_role("choice"):
            listed = dialect.listed(name)
            flags = {flag for parts in listed.sets.values() for flag in parts}
            given = {flag: value for flag, value in self._done.values.items() if flag in flags}
            if listed.read_only or not given or written & flags:
                continue
            for value, parts in listed.sets.items():
                if parts.keys() == given.keys() and all(
                    (flag := self._scope.catalog.flag(part)) is not None
                    and same(from_variable(flag, text)[0], given[part])
                    for part, text in parts.items()
                ):
                    self.env[name] = value
                    written |= flags
                    break
        return written

    def put(self, name: str) -> None:
        """Write one flag's value as a variable or as extra tokens."""
        scope, findings = self._scope, self.findings
        value, origin = self._done.values[name], self._done.origins[name][0]
        flag = scope.catalog.flag(name)
        assert flag is not None
        items = value if isinstance(value, list) else (value,)
        if any(isinstance(item, str) and "\0" in item for item in items):
            findings.append(finding("bad-text", origin.name, case="nul", name=name))
            return
        if name == MODEL and isinstance(value, str):
            findings += about_model_name(value, origin, scope.catalog)
        remarks: list[Finding] = []
        if variable := scope.secrets.variables.get(name):
            if value is None:
                return  # the default
            text, remarks = moved_secret(value, name, variable)
            if text is not None:
                self.env[variable] = text
                findings += [*remarks, *unused_secret(variable, self._older or scope)]
                return
        # No variable is needed if the program adds the same value itself.
        is_added = name in self._adds and same(self._adds[name][0], value)
        if self._is_not_passed_on(name, value, is_added):
            return
        is_off = value is False and not flag.off and flag.kind == "switch"
        if (
            is_off
            or self._as_variable(flag, value)
            or (is_added and not scope.extra_args)
            or self._as_tokens(flag, value, origin)
        ):
            findings += remarks

    def _is_not_passed_on(self, name: str, value: Any, is_added: bool) -> bool:
        """Tell a flag that the program does not pass on or sets by itself; return whether it is."""
        scope, consumer = self._scope, self._scope.consumer
        facts = {"flag": name, "reader": scope.reader}
        if name in consumer.ignored and not is_added:
            self.findings.append(self._impossible(name, "not-passed-on"))
            return True
        if name in consumer.elsewhere:
            if value != scope.dialect.model_directory:
                where = consumer.elsewhere[name]
                self.findings.append(finding("set-elsewhere", name, where=where, **facts))
            return True
        if name in consumer.partly:
            note = consumer.partly[name]
            self.findings.append(finding("platform-differs", name, note=note, **facts))
        return False

    def _as_variable(self, flag: Flag, value: Any) -> bool:
        """Write a value as one variable; return whether there is one that holds it."""
        scope, older, assignment = self._scope, self._older, None
        if older is not None and flag.flag not in older.consumer.ignored:
            assignment = _assignment(flag, value, older)
        if older is not None and assignment is None:
            self._lost.append(flag.flag)
        assignment = assignment or _assignment(flag, value, scope)
        if assignment is None:
            return False
        name, text = assignment
        self.env[name] = text
        listed = scope.dialect.listed(name)
        # A zero that only the older program reads is written as extra tokens, too.
        return text not in listed.unset

    def _as_tokens(self, flag: Flag, value: Any, origin: Origin) -> bool:
        """Write a value as extra tokens; return whether they can hold it."""
        name, scope = flag.flag, self._scope
        try:
            made = tokens(flag, value, lambda text: argv_stands(text, scope.catalog))
        except BadValue as error:
            self.findings.append(bad_value(error, origin.name, flag, scope.catalog))
            return True
        slot = None if scope.consumer.by_value else _slot_of(flag, scope)
        if not scope.extra_args:
            exists = slot is None or slot.exists
            self.findings.append(self._impossible(name, "" if exists else "not-passed-on"))
            return False
        (self._newer if slot is not None and slot.newer else self._in_extra).append(name)
        # vLLM ignores a file joined to the flag by =
        self._extra += [CONFIG, str(value)] if name == CONFIG else made
        return True

    def _impossible(self, name: str, case: str) -> Finding:
        """Return the finding about a flag that neither a variable nor an extra token can set."""
        facts = {"reader": self._scope.reader, "instead": self._scope.dialect.instead}
        return finding("not-expressible", name, case=case, flag=name, **facts)

    def put_extra(self) -> Iterator[Finding]:
        """Write the variable of the extra tokens; yield findings about flags that the program does
        not read from variables of their own.
        """
        scope, older = self._scope, self._older
        name, facts = scope.extra_args, {"variable": scope.extra_args, "reader": scope.reader}
        if self._extra:
            self.env[name] = " ".join(map(quote_value, self._extra))
        if flags := tuple(self._in_extra):
            yield finding("kept-in-extra-args", name, flags=flags, **facts)
        if flags := tuple(self._newer):
            newer, vllm = ", ".join(flags), scope.consumer.vllm
            yield finding("newer-than-platform", newer, flags=flags, vllm=vllm, **facts)
        if self._lost and older is not None:
            facts, flags = {"version": scope.catalog.version}, tuple(self._lost)
            facts |= {"reader": older.reader, "instead": older.dialect.instead}
            yield finding("older-platform", ", ".join(flags), flags=flags, **facts)


def _assignment(flag: Flag, value: Any, scope: Scope) -> Assignment | None:
    """Return a variable and a value that we and the platform's program both read as the given
    value; None if there is none.
    """
    consumer, dialect = scope.consumer, scope.dialect
    if not consumer.by_value:
        return _slot_of(flag, scope).assignment(value)
    from translator.core.platforms.programs import program_of

    words = program_of(scope).words
    assert words is not None
    spellings = [(name, flag.flag) for name in names_for(flag.flag, scope)]
    if value is False and flag.off and not consumer.own_spelling:
        name = scope.prefix + variable_of(flag.off)
        spellings += [(name, flag.off)] if sets(name, flag.flag, scope) else []
    for name, spelled in spellings:
        listed = dialect.listed(name)
        for meant in _texts(flag, value):
            text = listed.to_platform(meant)
            if text is None or text in ("None", *listed.unset):
                continue
            made = words(spelled, meant)
            try:
                if made is not None and same(value_of(made, flag, scope.catalog), value):
                    return name, text
            except Misread:
                continue
    return None


def _texts(flag: Flag, value: Any) -> list[str]:
    """Return the possible spellings of a value, plainest first."""
    if isinstance(value, bool):
        return ["true" if value else "false", "true", ""]
    found = [variable_text(flag, value)]
    if isinstance(value, list):
        one = text_of(flag, value[0]) if len(value) == 1 and type(value[0]) is not dict else None
        found = [one, *found, jsontext.dumps(value)]
    return [text for text in found if text is not None]


_KEPT, _MOST_KEPT = frozenset((bool, int, float)), 32  # no text, which may be secret, or long


def _slot_of(flag: Flag, scope: Scope) -> _Slot:
    """Return the variable of a flag of the scope's version."""
    slot: _Slot | None = scope.slots.get(flag.flag)
    if slot is None:
        slot = scope.slots[flag.flag] = _Slot(flag, scope)
    return slot


class _Slot:
    """The variable of one flag, where the platform's program knows flags one by one or does not
    exist. It keeps what some values were written as, from call to call.

    Attributes:
        exists: whether the program has a variable for the flag at all.
        newer: whether the flag is newer than the program's vLLM, which drops its variable.
    """

    def __init__(self, flag: Flag, scope: Scope) -> None:
        consumer, is_file = scope.consumer, flag.flag == CONFIG
        self._flag, self._scope = flag, scope
        self._variable = variable_for(flag.flag, scope) or ""
        self._listed = scope.dialect.listed(self._variable)
        # The flag in the vLLM version of the program.
        theirs = flag if consumer.closed else None
        if consumer.vllm:
            theirs = scope.tables.catalog(consumer.vllm).flag(flag.flag)
        self._theirs = theirs or flag
        is_new = bool(consumer.vllm) and theirs is None and not is_file
        self.newer = is_new and Version(scope.catalog.version) > Version(consumer.vllm)
        # How the program reads the variable, as in `Consumer.how`; "any" if its vLLM no longer has
        # the flag, or there is no program; "none" if the flag must go into the extra tokens.
        self._how = "none" if self.newer and scope.extra_args else "any"
        if theirs is not None and not is_file:
            # The model is read under an alias only.
            is_alias = self._variable != scope.prefix + variable_of(flag.flag)
            self._how = consumer.how.get(flag.flag, "value" if is_alias else "none")
        self.exists = bool(self._variable) and self._how != "none"
        self._kept: dict[tuple[type, Any], Assignment | None] = {}

    def assignment(self, value: Any) -> Assignment | None:
        """Return the variable and a value that we and the program both read as the given value;
        None if there is none.
        """
        if type(value) not in _KEPT:
            return self._written(value)
        key = type(value), value  # 1 is no 1.0
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._written(value)
        return self._kept[key]

    def _written(self, value: Any) -> Assignment | None:
        meant = self._text(value) if self.exists else None
        text = self._listed.to_platform(meant) if meant is not None else None
        if meant is None or text is None or not self._reads(text, meant, value):
            return None
        return self._variable, text

    def _text(self, value: Any) -> str | None:
        """Return a value as the string of the variable; None if no string can hold it."""
        if self._how == "pairs":
            return pairs_text(value)
        # A secret is not split at commas.
        whole = self._how == "json" or self._flag.flag in self._scope.secrets.variables
        if isinstance(value, list) and whole:
            return jsontext.dumps(value)
        if type(value) is float and value.is_integer() and self._listed.least is not None:
            return str(int(value))
        return variable_text(self._flag, value)

    def _reads(self, text: str, meant: str, value: Any) -> bool:
        """Return whether the program, and our own reader, read a text as the value."""
        flag, how, consumer = self._flag, self._how, self._scope.consumer
        stripped = text.strip()
        if stripped in NOTHING or stripped in self._listed.unset:
            return False
        # An object is written as JSON, and both read JSON.
        both_read_json = isinstance(value, dict) and all(
            item.kind in JSON_KINDS and item.syntax is None for item in (flag, self._theirs)
        )
        if how != "any":
            if stripped in consumer.unset:
                return False
            is_zero = text == "0" and flag.flag in consumer.zero_unset
            if how == "value" and (stripped != text or is_zero):
                return False
            if (how != "value" or not both_read_json) and not agrees(
                how, self._theirs, value, meant, self._scope.catalog
            ):
                return False
        if both_read_json:
            return True
        if flag.flag == CONFIG or (type(value) is str and flag.kind == "str" and not flag.choices):
            return bool(meant == value)
        try:
            found, repaired = from_variable(flag, meant)
        except BadValue:
            return False
        return same(found, value) and repaired in ("", how)
