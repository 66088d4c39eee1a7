"""The writer of a container's variables, in a dialect: for ourselves, and for the dialect's own consumer at the same time.

What the consumer cannot carry in a variable of its own goes into the dialect's variable for further tokens. Every text is read back before it is
trusted: a variable is used only when reading it gives the value that was to be said.
"""

from __future__ import annotations

from translator import jsontext
from translator.argv import CONFIG, MODEL, about_model_name
from translator.argv import stands as argv_stands
from translator.catalog import variable_of
from translator.findings import Finding, finding
from translator.scope import MOST_KNOWN, Role
from translator.settings import NOTHING
from translator.values import BadValue, Unset, from_token, from_variable, survives_alone, text_of, tokens
from translator.version import parse as parse_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from translator.assemble import Assembled
    from translator.catalog import Flag
    from translator.consumer import Consumer
    from translator.scope import Scope


class Slot:
    """How one flag is said in a dialect: the variable, and what the dialect's consumer makes of that variable.

    Attributes:
        variable: the variable that sets the flag; None when none does.
        unset: texts that set nothing.
        rule: "free" (the consumer's vLLM has no such flag, or there is no consumer), "pair", "switch", "value", or "none" (it must go into further tokens).
        theirs: the flag as the consumer's vLLM knows it.
        zero_unset: whether the consumer takes 0 for nothing.
        said: (type, text) of a plain value → the variable's text for it, where there is nothing more to say.
        newer: whether the flag is newer than the consumer's vLLM.
    """

    __slots__ = ("alone", "fields", "newer", "plain", "rule", "said", "theirs", "unset", "variable", "zero_unset")

    def __init__(self, flag: Flag, scope: Scope) -> None:
        self.variable = variable_for(flag, scope)
        role = scope.role(self.variable) if self.variable else None
        self.unset = tuple(role.fields.get("unset", ())) if role is not None else ()
        version = scope.dialect.get("@dialect", {}).get("vllm")
        self.newer = False
        self.theirs = scope.tables.catalog(version).flag(flag.flag) if version else flag if scope.closed else None
        self.fields: Mapping[str, Any] = role.fields if role is not None else {}
        self.plain: bool = scope.plain or self.fields.get("plain", False)
        self.zero_unset = _listed("zero_unset", flag, scope)
        self.alone: Callable[[str], bool] = survives_alone
        if flag.flag == MODEL:  # the consumer's own vLLM moves it to the front, where more may stand
            self.alone = lambda text: argv_stands(text, scope.catalog)
        self.said: dict[tuple[type, str], str] = {}
        self.rule = "none"
        if self.theirs is None or flag.flag == CONFIG:
            self.rule = "free"
            self.newer = bool(version) and flag.flag != CONFIG and _is_newer(scope.catalog.version, str(version))
        elif _listed("pair_flags", flag, scope):
            self.rule = "pair"
        elif _listed("switch_flags", flag, scope):
            self.rule = "switch"
        elif _listed("value_flags", flag, scope) or self.variable != scope.prefix + variable_of(flag.flag):
            self.rule = "value"  # under its own name, or under an alias only (the model)

    def carries(self, text: str, value: Any) -> bool:
        """Whether the consumer makes the same of the text: one token for a value, a bare flag for a boolean."""
        if self.rule == "free":
            return True
        if self.plain and not _PLAIN.issuperset(text):
            return False
        if self.rule in ("pair", "switch"):
            return value is True or (value is False and self.rule == "pair")
        if self.rule == "none" or text.strip() != text or not self.alone(text) or (self.zero_unset and text == "0"):
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


def _is_newer(one: str, other: str) -> bool:
    mine, theirs = parse_version(one), parse_version(other)
    return mine is not None and theirs is not None and mine > theirs


def _listed(part: str, flag: Flag, scope: Scope) -> bool:
    found: list[str] = scope.dialect.get(f"@consumer.{part}", {}).get(part, [])
    return flag.flag in found


def slot_of(flag: Flag, scope: Scope) -> Slot:
    found: Slot | None = scope.slots.get(flag.flag)
    if found is None:
        found = scope.slots[flag.flag] = Slot(flag, scope)
    return found


def write(done: Assembled, scope: Scope) -> tuple[dict[str, str], list[Finding]]:
    """The variables that say what is set.

    Args:
        done: what is set.
        scope: the version and the dialect.

    Returns:
        The variables, in the order of the flags' names, and what to tell about them.
    """
    env: dict[str, str] = {}
    findings: list[Finding] = []
    extra: list[str] = []
    in_extra: list[str] = []
    newer: list[str] = []
    on_argv: list[Finding] = []  # about secrets; where they cannot be said at all, that is enough
    carriers = scope.secrets.carriers
    slots: dict[str, Slot] = scope.slots
    adds = _adds(scope)
    chosen = _by_choice(done, scope, env) if scope.watched else ()
    for name in sorted(done.values):
        if name in chosen:
            continue
        value = done.values[name]
        known, key = slots.get(name), _kept_as(value)
        if known is not None and key is not None:
            text = known.said.get(key)
            if text is not None:
                env[known.variable] = text  # type: ignore[index]
                continue
        flag = scope.catalog.flag(name)
        assert flag is not None
        said = name in adds and same(adds[name][0], value)  # the consumer says it without being asked
        if any(isinstance(item, str) and "\0" in item for item in (value if isinstance(value, list) else (value,))):
            findings.append(finding("bad-text", done.origins[name][0].partition("=")[0], f"{name}: a NUL byte cannot stand on a command line"))
            continue
        if name == MODEL and isinstance(value, str):
            findings += about_model_name(value, done.origins[name][0], scope.catalog)
        carrier = carriers.get(name)
        if carrier:
            if value is None:
                continue  # the default
            from translator import secretflags

            where, text = secretflags.placed(value)
            about = secretflags.told(where, name, carrier)
            if where == secretflags.CARRIED:
                env[carrier] = text
                findings += [*about, *secretflags.unused(carrier, scope)]
                continue
            on_argv += about
        if value is False and not flag.off and flag.kind == "switch":
            continue
        elif flag.flag in scope.ignored and not said:
            message = f"{name} cannot be said in the dialect {scope.name}: the program that reads it does not pass it on"
            findings.append(finding("cannot-be-said", name, message))
            continue
        elif scope.consumer is not None:
            found = _by_value(flag, value, scope, scope.consumer)
            if found is not None:
                env[found[0]] = found[1]
                continue
        else:
            slot = slot_of(flag, scope)
            text = None
            if slot.variable and slot.rule != "none":
                text = jsontext.dumps(value) if carrier and isinstance(value, list) else variable_text(flag, value)  # a secret is not split at commas
            if text is not None and slot.fields and slot.variable:
                text = _said_there(slot.fields, text)
            if text is not None and slot.carries(text, value) and _reads_back(slot, text, flag, value):
                env[slot.variable] = text  # type: ignore[index]
                if slot.newer:
                    newer.append(name)
                elif key is not None and len(text) < _LONG and len(slot.said) < MOST_KNOWN and not (name == MODEL and text.startswith("-")):
                    slot.said[key] = text  # 0.3 µs for a flag instead of 3, of the 100 µs that a line of 20 tokens may take
                continue
        if said and not scope.extra_args:
            continue
        made = _in_extra(flag, value, done.origins[name][0], scope, findings)
        extra += made
        in_extra += [name] if made else []
        if made and scope.watched:
            env.update(_unopposed(flag, value, scope))
    unsaid = {item.subject for item in findings if item.code == "cannot-be-said"} if on_argv else set()
    findings += [item for item in on_argv if item.subject not in unsaid]
    if extra:
        env[scope.extra_args] = " ".join(quote(item) for item in extra)
        message = f"{scope.extra_args} carries {', '.join(in_extra)}: no variable says it to every reader of the dialect {scope.name}"
        findings.append(finding("kept-in-extra-args", scope.extra_args, message))
    if newer:
        message = f"the program that reads the dialect {scope.name} runs vLLM {scope.facts['vllm']}, which has no {', '.join(newer)}"
        findings.append(finding("newer-than-consumer", ", ".join(newer), message))
    for name, text in done.variables.items():
        env.setdefault(name, text)
    if not _LIMITS.isdisjoint(scope.facts):
        findings += _beyond_limits(env, scope)
    if scope.calculates:
        from translator.consumed import calculated

        findings += calculated(done.values, scope)
    findings += [
        finding("consumer-default", name, f"the program that reads the dialect {scope.name} adds {tokens[-1]} {value} of its own")
        for name, (value, tokens) in adds.items()
        if name not in done.values
    ]
    lacking = [name for name in scope.facts.get("required", ()) if name not in env]
    if lacking:
        message = f"the program that reads the dialect {scope.name} does not start without {', '.join(lacking)}"
        findings.append(finding("consumer-needs", ", ".join(lacking), message, f"set {', '.join(lacking)}"))
    return env, findings


def _by_choice(done: Assembled, scope: Scope, env: dict[str, str]) -> set[str]:
    """The flags that a variable says by one of its values, which goes into `env`: only all that the variable could set, together."""
    said: set[str] = set()
    for name, fields in scope.dialect.items():
        if fields.get("role") != "choice":
            continue
        sets = jsontext.loads(fields["sets"])
        of_it = {flag for parts in sets.values() for flag in parts}
        given = {flag: done.values[flag] for flag in of_it if flag in done.values}
        if not given or said & of_it or any(scope.catalog.flag(flag) is None for flag in of_it):
            continue
        for value, parts in sets.items():
            if parts.keys() == given.keys() and all(same(_read(flag, text, scope), given[flag]) for flag, text in parts.items()):
                env[name] = value
                said |= of_it
                break
    return said


def _read(name: str, text: str, scope: Scope) -> Any:
    flag = scope.catalog.flag(name)
    assert flag is not None
    return from_variable(flag, text)[0]


def _unopposed(flag: Flag, value: Any, scope: Scope) -> dict[str, str]:
    """The variables that keep the consumer from putting a token behind the further ones that says the opposite."""
    from translator.consumed import behind

    opposite = {assignment for _, sets, assignment in behind(scope) if flag.flag in sets and not same(sets[flag.flag], value)}
    return {name: text for name, _, text in (assignment.partition("=") for assignment in opposite)}


def _kept_as(value: Any) -> tuple[type, str] | None:
    """What tells a value from every other one; None when its text is not kept."""
    kind = type(value)
    if kind in _KEPT:
        return kind, str(value)
    return (kind, value[0]) if kind is list and len(value) == 1 and type(value[0]) is str else None


def _by_value(flag: Flag, value: Any, scope: Scope, consumer: Consumer) -> tuple[str, str] | None:
    """A variable and its text of which the dialect's consumer, and then vLLM, make this value; None when there is none."""
    from translator.consumer import Refused, value_of

    names = [(name, flag.flag) for name in _names(flag, scope)]
    off = scope.prefix + variable_of(flag.off) if flag.off and not consumer.own_spelling else None
    if off and value is False and _sets(off, flag, scope):
        names.append((off, flag.off or ""))
    for name, spelled in names:
        fields: Mapping[str, Any] = scope.dialect.get(name, {})
        for given in _texts(flag, value):
            text = _said_there(fields, given)
            if text is None or text == "None" or text in fields.get("unset", ()) or not consumer.arrives(text):
                continue
            tokens = consumer.tokens(spelled, _meant(fields, text))
            try:
                if tokens is not None and same(value_of(tokens, flag, scope.catalog), value):
                    return name, text
            except Refused:
                continue
    return None


def _texts(flag: Flag, value: Any) -> list[str]:
    """The texts that may say a value, the plainest first."""
    if isinstance(value, bool):
        return ["true" if value else "false", "true", ""]
    found = [variable_text(flag, value)]
    if isinstance(value, list):
        found = [text_of(flag, value[0]) if len(value) == 1 and not isinstance(value[0], dict) else None, *found, jsontext.dumps(value)]
    return [text for text in found if text is not None]


def _said_there(fields: Mapping[str, Any], text: str) -> str | None:
    """A text as the dialect's consumer calls it; None when it does not take it."""
    if _ALIASES.isdisjoint(fields):
        return text
    from translator.aliases import inward, outward, taken

    said = outward(fields, text)
    return said if inward(fields, said) == text and taken(fields, said) else None


def _meant(fields: Mapping[str, Any], text: str) -> str:
    """A variable's text as vLLM calls it."""
    if _ALIASES.isdisjoint(fields):
        return text
    from translator.aliases import inward

    return inward(fields, text)


def _sets(name: str, flag: Flag, scope: Scope) -> bool:
    role = scope.role(name)
    return role is not None and role.kind == "flag" and role.flag is not None and role.flag.flag == flag.flag and not role.path


def _names(flag: Flag, scope: Scope) -> list[str]:
    """The variables of a dialect that set a flag, the best first: its name in capitals, then the aliases of the table."""
    aliases = [name for name, fields in scope.dialect.items() if fields.get("flag") == flag.flag and not fields.get("key")]
    names = dict.fromkeys((scope.prefix + variable_of(flag.flag), *sorted(aliases, key=lambda name: bool(scope.dialect[name].get("fallback")))))
    return [name for name in names if not scope.dialect.get(name, {}).get("inverted") and _sets(name, flag, scope)]


def _beyond_limits(env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """What is longer than the platform takes, in bytes."""
    facts = scope.facts
    found = []
    sizes = {name: (len(name.encode("utf-8", "surrogateescape")), len(text.encode("utf-8", "surrogateescape"))) for name, text in env.items()}
    for name, (of_name, of_text) in sizes.items():
        if of_name > facts.get("limit_name", of_name):
            message = f"{name}: the name has {of_name} bytes, the platform of the dialect {scope.name} takes {facts['limit_name']}"
            found.append(finding("over-limit", name, message))
        if of_text > facts.get("limit_value", of_text):
            message = f"{name}: the value has {of_text} bytes, the platform of the dialect {scope.name} takes {facts['limit_value']}"
            found.append(finding("over-limit", name, message, "put it into a file, where the flag takes one"))
    total = sum(of_name + of_text for of_name, of_text in sizes.values())
    if total > facts.get("limit_all", total):
        message = f"the variables have {total} bytes together, the platform of the dialect {scope.name} takes {facts['limit_all']}"
        found.append(finding("over-limit", "environment", message))
    return found


def _adds(scope: Scope) -> dict[str, tuple[Any, list[str]]]:
    """What the consumer adds of its own where nothing else is said: flag → value, and the tokens it is from."""
    if "arguments" not in scope.facts:
        return {}
    from translator.grammar import parse, settings_of

    return settings_of(parse(scope.facts["arguments"], scope.catalog, partial=True, module=True).occurrences)


def _in_extra(flag: Flag, value: Any, origin: str, scope: Scope, findings: list[Finding]) -> list[str]:
    version = scope.catalog.version
    try:
        made = tokens(flag, value, lambda text: argv_stands(text, scope.catalog))
    except BadValue as error:
        findings.append(finding(error.code, origin.partition("=")[0], f"{flag.flag} of vLLM {version} needs {error.expected}", error.hint))
        return []
    if not scope.extra_args or (scope.plain and not all(item and _SAFE.issuperset(item) for item in made)):
        findings.append(finding("cannot-be-said", flag.flag, f"{flag.flag} with this value cannot be said in the dialect {scope.name}"))
        return []
    return [flag.flag, str(value)] if flag.flag == CONFIG else made


def variable_for(flag: Flag, scope: Scope) -> str | None:
    """The variable of the dialect that sets a flag: its name in capitals, or an alias where that name means something else."""
    if flag.flag == CONFIG:
        return scope.config_file or None
    names = [name for name in _names(flag, scope) if not (scope.role(name) or _NO_ROLE).fields.get("inverted")]
    if scope.closed and not scope.facts.get("vllm"):
        # The table is all that is known: its names come before the flag's own, which is known only if a list has the flag.
        dialect = scope.dialect
        passed = any(_listed(part, flag, scope) for part in _LISTS)
        names = [name for name in names if passed or name in dialect]
        names.sort(key=lambda name: (dialect.get(name, {}).get("fallback", False), name not in dialect))
    return names[0] if names else None


def variable_text(flag: Flag, value: Any) -> str | None:
    """A value as a variable's text; None when no text says it."""
    if value is None:
        return None
    if flag.kind == "json":
        return text_of(flag, value) if flag.syntax is None else jsontext.dumps(value)
    if isinstance(value, bool) and flag.kind != "optional-str":
        return "true" if value else "false"
    if flag.kind in ("list", "append"):
        if len(value) == 1 and isinstance(value[0], dict):
            return jsontext.dumps(value[0])
        texts = [item if isinstance(item, str) else text_of(flag, item) for item in value if not isinstance(item, dict)]
        if len(texts) == len(value) and all(text and text.strip() == text and "," not in text and text[0] not in "[{'\"" for text in texts):
            return ",".join(texts)
        return jsontext.dumps(value)
    if isinstance(value, (dict, list)):
        return jsontext.dumps(value)
    return text_of(flag, value) if value is not True else None


def _reads_back(slot: Slot, text: str, flag: Flag, value: Any) -> bool:
    """Whether our own reader makes the same value of the text."""
    stripped = text.strip()
    if stripped in NOTHING or stripped in slot.unset or "\0" in text:
        return False
    if (type(value) is str and flag.kind == "str" and flag.choices is None) or flag.flag == CONFIG:
        return bool(_meant(slot.fields, text) == value)
    try:
        found, repaired = from_variable(flag, _meant(slot.fields, text))
    except (BadValue, Unset):
        return False
    return same(found, value) and not repaired


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1 from True and 1.0, and takes nan for equal to itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(same(mine, theirs) for mine, theirs in zip(one, other, strict=True))
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124  # nan


_ALIASES = frozenset(("values", "scheme", "only", "unread", "least", "most"))  # fields of a variable that say something of its texts
_KEPT = frozenset((str, int, float, bool))
_LONG = 200  # characters of a text; longer ones are not kept
_NO_ROLE = Role("")
_LIMITS = frozenset(("limit_name", "limit_value", "limit_all"))
_LISTS = ("value_flags", "pair_flags", "switch_flags")
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


_PLAIN = _SAFE | frozenset("\"'{}<>|&;()#!^$`,")  # an unquoted expansion of a shell splits at blanks and expands * ? [ only


def quote(text: str) -> str:
    """A token as a POSIX shell (and shlex) reads it back."""
    if text and _SAFE.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
