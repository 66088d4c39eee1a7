"""The writer of a container's variables, in a dialect: for ourselves, and for the dialect's own
consumer at the same time.

What the consumer cannot carry in a variable of its own goes into the dialect's variable for further
tokens. Every text is read back before it is
trusted: a variable is used only when reading it gives the value that was to be said.
"""

from __future__ import annotations

from translator.argv.reader import stands as argv_stands
from translator.argv.writer import about_model_name
from translator.dialects.scope import MOST_KNOWN
from translator.env.slots import _meant, _names, _said_there, _sets, slot_of
from translator.findings import Finding, finding
from translator.settings.setting import NOTHING, same
from translator.tables.entries import CONFIG, MODEL, variable_of
from translator.text import json_text as jsontext
from translator.text.quoting import _SAFE, quote
from translator.values.errors import BadValue
from translator.values.tokens import text_of, tokens
from translator.values.variables import from_variable, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.dialects.consumer import Consumer
    from translator.dialects.scope import Scope
    from translator.env.slots import Slot
    from translator.settings.assembled import Assembled
    from translator.tables.entries import Flag


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
        said = name in adds and same(
            adds[name][0], value
        )  # the consumer says it without being asked
        if any(
            isinstance(item, str) and "\0" in item
            for item in (value if isinstance(value, list) else (value,))
        ):
            findings.append(
                finding(
                    "bad-text",
                    done.origins[name][0].partition("=")[0],
                    name=name,
                )
            )
            continue
        if name == MODEL and isinstance(value, str):
            findings += about_model_name(value, done.origins[name][0], scope.catalog)
        carrier = carriers.get(name)
        if carrier:
            if value is None:
                continue  # the default
            from translator.env import secret_flags as secretflags

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
            message = (
                f"{name} cannot be said in the dialect {scope.name}: the program that reads it does"
                " not pass it on"
            )
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
                text = (
                    jsontext.dumps(value)
                    if carrier and isinstance(value, list)
                    else variable_text(flag, value)
                )  # a secret is not split at commas
            if text is not None and slot.fields and slot.variable:
                text = _said_there(slot.fields, text)
            if (
                text is not None
                and slot.carries(text, value)
                and _reads_back(slot, text, flag, value)
            ):
                env[slot.variable] = text  # type: ignore[index]
                if slot.newer:
                    newer.append(name)
                elif (
                    key is not None
                    and len(text) < _LONG
                    and len(slot.said) < MOST_KNOWN
                    and not (name == MODEL and text.startswith("-"))
                ):
                    # 0.3 µs for a flag instead of 3, of the 100 µs that a line of 20 tokens may
                    # take
                    slot.said[key] = text
                continue
        if said and not scope.extra_args:
            continue
        made = _in_extra(flag, value, done.origins[name][0], scope, findings)
        extra += made
        in_extra += [name] if made else []
        if made and scope.watched:
            env.update(_unopposed(flag, value, scope))
    unsaid = (
        {item.subject for item in findings if item.code == "cannot-be-said"} if on_argv else set()
    )
    findings += [item for item in on_argv if item.subject not in unsaid]
    if extra:
        env[scope.extra_args] = " ".join(quote(item) for item in extra)
        message = (
            f"{scope.extra_args} carries {', '.join(in_extra)}: no variable says it to every reader"
            f" of the dialect {scope.name}"
        )
        findings.append(finding("kept-in-extra-args", scope.extra_args, message))
    if newer:
        message = (
            f"the program that reads the dialect {scope.name} runs vLLM {scope.facts['vllm']},"
            f" which has no {', '.join(newer)}"
        )
        findings.append(finding("newer-than-consumer", ", ".join(newer), message))
    for name, text in done.variables.items():
        env.setdefault(name, text)
    if not _LIMITS.isdisjoint(scope.facts):
        findings += _beyond_limits(env, scope)
    if scope.calculates:
        from translator.env.divergence import calculated

        findings += calculated(done.values, scope)
    findings += [
        finding(
            "consumer-default",
            name,
            f"the program that reads the dialect {scope.name} adds {tokens[-1]} {value} of its own",
        )
        for name, (value, tokens) in adds.items()
        if name not in done.values
    ]
    lacking = [name for name in scope.facts.get("required", ()) if name not in env]
    if lacking:
        message = (
            f"the program that reads the dialect {scope.name} does not start without"
            f" {', '.join(lacking)}"
        )
        findings.append(
            finding("consumer-needs", ", ".join(lacking), message, f"set {', '.join(lacking)}")
        )
    return env, findings


def _by_choice(done: Assembled, scope: Scope, env: dict[str, str]) -> set[str]:
    """The flags that a variable says by one of its values, which goes into `env`: only all that the
    variable could set, together.
    """
    said: set[str] = set()
    for name, fields in scope.dialect.items():
        if fields.get("role") != "choice":
            continue
        sets = fields["sets"]
        of_it = {flag for parts in sets.values() for flag in parts}
        given = {flag: done.values[flag] for flag in of_it if flag in done.values}
        if not given or said & of_it or any(scope.catalog.flag(flag) is None for flag in of_it):
            continue
        for value, parts in sets.items():
            if parts.keys() == given.keys() and all(
                same(_read(flag, text, scope), given[flag]) for flag, text in parts.items()
            ):
                env[name] = value
                said |= of_it
                break
    return said


def _read(name: str, text: str, scope: Scope) -> Any:
    flag = scope.catalog.flag(name)
    assert flag is not None
    return from_variable(flag, text)[0]


def _unopposed(flag: Flag, value: Any, scope: Scope) -> dict[str, str]:
    """The variables that keep the consumer from putting a token behind the further ones that says
    the opposite.
    """
    from translator.env.divergence import behind

    opposite = {
        assignment
        for _, sets, assignment in behind(scope)
        if flag.flag in sets and not same(sets[flag.flag], value)
    }
    return {name: text for name, _, text in (assignment.partition("=") for assignment in opposite)}


def _kept_as(value: Any) -> tuple[type, str] | None:
    """What tells a value from every other one; None when its text is not kept."""
    kind = type(value)
    if kind in _KEPT:
        return kind, str(value)
    return (kind, value[0]) if kind is list and len(value) == 1 and type(value[0]) is str else None


def _by_value(flag: Flag, value: Any, scope: Scope, consumer: Consumer) -> tuple[str, str] | None:
    """A variable and its text of which the dialect's consumer, and then vLLM, make this value; None
    when there is none.
    """
    from translator.argv.reader import Misread, value_of

    names = [(name, flag.flag) for name in _names(flag, scope)]
    off = scope.prefix + variable_of(flag.off) if flag.off and not consumer.own_spelling else None
    if off and value is False and _sets(off, flag, scope):
        names.append((off, flag.off or ""))
    for name, spelled in names:
        fields: Mapping[str, Any] = scope.dialect.get(name, {})
        for given in _texts(flag, value):
            text = _said_there(fields, given)
            if (
                text is None
                or text == "None"
                or text in fields.get("unset", ())
                or not consumer.arrives(text)
            ):
                continue
            tokens = consumer.tokens(spelled, _meant(fields, text))
            try:
                if tokens is not None and same(value_of(tokens, flag, scope.catalog), value):
                    return name, text
            except Misread:
                continue
    return None


def _texts(flag: Flag, value: Any) -> list[str]:
    """The texts that may say a value, the plainest first."""
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


def _beyond_limits(env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """What is longer than the platform takes, in bytes."""
    facts = scope.facts
    found = []
    sizes = {
        name: (
            len(name.encode("utf-8", "surrogateescape")),
            len(text.encode("utf-8", "surrogateescape")),
        )
        for name, text in env.items()
    }
    for name, (of_name, of_text) in sizes.items():
        if of_name > facts.get("limit_name", of_name):
            message = (
                f"{name}: the name has {of_name} bytes, the platform of the dialect {scope.name}"
                f" takes {facts['limit_name']}"
            )
            found.append(finding("over-limit", name, message))
        if of_text > facts.get("limit_value", of_text):
            message = (
                f"{name}: the value has {of_text} bytes, the platform of the dialect {scope.name}"
                f" takes {facts['limit_value']}"
            )
            found.append(
                finding("over-limit", name, message, "put it into a file, where the flag takes one")
            )
    total = sum(of_name + of_text for of_name, of_text in sizes.values())
    if total > facts.get("limit_all", total):
        message = (
            f"the variables have {total} bytes together, the platform of the dialect {scope.name}"
            f" takes {facts['limit_all']}"
        )
        found.append(finding("over-limit", "environment", message))
    return found


def _adds(scope: Scope) -> dict[str, tuple[Any, list[str]]]:
    """What the consumer adds of its own where nothing else is said: flag → value, and the tokens it
    is from.
    """
    if "arguments" not in scope.facts:
        return {}
    from translator.argv.reader import parse, settings_of

    return settings_of(
        parse(scope.facts["arguments"], scope.catalog, partial=True, module=True).occurrences
    )


def _in_extra(
    flag: Flag, value: Any, origin: str, scope: Scope, findings: list[Finding]
) -> list[str]:
    version = scope.catalog.version
    try:
        made = tokens(flag, value, lambda text: argv_stands(text, scope.catalog))
    except BadValue as error:
        findings.append(
            finding(
                error.code,
                origin.partition("=")[0],
                case=error.case,
                flag=flag.flag,
                version=version,
                **error.facts,
            )
        )
        return []
    if not scope.extra_args or (
        scope.plain and not all(item and _SAFE.issuperset(item) for item in made)
    ):
        findings.append(
            finding(
                "cannot-be-said",
                flag.flag,
                f"{flag.flag} with this value cannot be said in the dialect {scope.name}",
            )
        )
        return []
    return [flag.flag, str(value)] if flag.flag == CONFIG else made


def _reads_back(slot: Slot, text: str, flag: Flag, value: Any) -> bool:
    """Whether our own reader makes the same value of the text."""
    stripped = text.strip()
    if stripped in NOTHING or stripped in slot.unset or "\0" in text:
        return False
    if (type(value) is str and flag.kind == "str" and flag.choices is None) or flag.flag == CONFIG:
        return bool(_meant(slot.fields, text) == value)
    try:
        found, repaired = from_variable(flag, _meant(slot.fields, text))
    except BadValue:
        return False
    return same(found, value) and not repaired


_KEPT = frozenset((str, int, float, bool))


_LONG = 200  # characters of a text; longer ones are not kept


_LIMITS = frozenset(("limit_name", "limit_value", "limit_all"))
