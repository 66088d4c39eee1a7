"""Where a variable says something to this program that it does not say to the one that the dialect
was made for: the findings of reading one.
"""

from __future__ import annotations

from translator.dialects.value_names import chosen
from translator.findings import Finding, finding
from translator.settings.setting import Setting, same
from translator.tables.entries import flag_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from translator.dialects.scope import Role, Scope
    from translator.tables.entries import Flag


LISTS = ("value_flags", "pair_flags", "switch_flags")


_SPLIT = frozenset(" \t\n*?[")  # what an unquoted expansion of a shell splits at, or expands


def differences(name: str, text: str, flag: Flag, role: Role, scope: Scope) -> list[Finding]:
    """What to tell about a variable that sets a flag here.

    Args:
        name, text: the variable.
        flag: what it sets.
        role: of its name.
        scope: the version and the dialect.
    """
    program = f"the program that reads the dialect {scope.name}"
    hint = ""
    if flag.flag in scope.ignored:
        what = f"does not pass {flag.flag} on; here it does"
    elif role.path and not role.fields.get("key"):
        base = scope.prefix + name[len(scope.prefix) :].partition("__")[0]
        what = "knows no keys in a variable's name" + (
            ", and vLLM refuses what it makes of it"
            if scope.unknown == "passed"
            else "; here it sets one"
        )
        hint = f"set the key inside of {base}, which is JSON"
    elif _another_spelling(name, flag, role, scope):
        what = f"passes {flag.flag} on under its own name only; here this one sets it, too"
    elif scope.closed and not _listed(name, flag, role, scope):
        what = f"does not pass {flag.flag} on; here it does"
        hint = f"write it into {scope.extra_args}" if scope.extra_args else ""
    elif (scope.plain or role.fields.get("plain")) and not _SPLIT.isdisjoint(text):
        what = "passes the text through a shell, where it falls apart at blanks and wildcards"
    elif scope.closed and _otherwise(text, flag, scope):
        what = (
            "passes the text on as it stands, and vLLM makes something else of it than is made of"
            " it here"
        )
    else:
        return []
    return [finding("consumer-differs", name, f"{name}: {program} {what}", hint)]


def _otherwise(text: str, flag: Flag, scope: Scope) -> bool:
    """Whether vLLM reads the text itself, as one token, as something else than we do; of a switch,
    whether the text sets it there.
    """
    from translator.argv.reader import Misread, value_of
    from translator.values.errors import BadValue
    from translator.values.variables import from_variable

    if not text.strip():
        return False
    try:
        mine, _ = from_variable(flag, text)
    except BadValue:
        return False  # that is assignments by itself
    lists = scope.dialect.get("@consumer", {})
    if flag.flag in scope.dialect.get("@consumer.switch_flags", {}).get("switch_flags", ()):
        if mine is True:
            return bool(lists.get("only_true", False)) and text != "true"
        return (
            bool(flag.off) and not scope.any_text
        )  # left out there; of a switch that any text sets the reader tells
    if flag.flag not in scope.dialect.get("@consumer.value_flags", {}).get("value_flags", ()):
        return False
    try:
        return not same(value_of([flag.flag, text], flag, scope.catalog), mine)
    except Misread:
        return True


def _another_spelling(name: str, flag: Flag, role: Role, scope: Scope) -> bool:
    """Whether the name spells the flag as the consumer does not pass it on: `PREFIX_NO_SOME_FLAG`,
    or an alias.
    """
    if role.fields.get("flag"):
        return False
    spelled = flag_of(name[len(scope.prefix) :])
    if scope.closed:
        return (
            spelled != flag.flag and _in_lists(flag.flag, scope) and not _in_lists(spelled, scope)
        )
    return scope.consumer is not None and scope.consumer.own_spelling and spelled != flag.flag


def _in_lists(flag: str, scope: Scope) -> bool:
    return any(flag in scope.dialect.get(f"@consumer.{part}", {}).get(part, ()) for part in LISTS)


def _listed(name: str, flag: Flag, role: Role, scope: Scope) -> bool:
    """Whether a closed consumer passes it on: by one of its lists, or under a name of the table."""
    if role.fields.get("flag") or _in_lists(flag_of(name[len(scope.prefix) :]), scope):
        return True
    return any(assignment.partition("=")[0] == name for _, _, assignment in behind(scope))


def behind(scope: Scope) -> list[tuple[str, dict[str, Any], str]]:
    """The tokens that the consumer may put behind everything else: each with what it sets in this
    version, and the assignment that keeps it away.
    """
    assignments = scope.dialect.get("@consumer", {}).get("behind")
    if not assignments:
        return []
    from translator.argv.reader import parse, settings_of

    found = []
    for token, assignment in assignments.items():
        occurrences = parse([token], scope.catalog, partial=True, module=True).occurrences
        found.append(
            (
                token,
                {name: value for name, (value, _) in settings_of(occurrences).items()},
                assignment,
            )
        )
    return found


def overrule(
    origin: str, env: Mapping[str, str], scope: Scope, settings: list[Setting]
) -> list[Finding]:
    """What the consumer puts behind its variable for further tokens, in the place of what that says
    otherwise; and what to tell about it.

    Args:
        origin: that variable.
        env: the variables.
        settings: everything that is set so far; changed.
    """
    findings = []
    for token, sets, assignment in behind(scope):
        if _kept_away(assignment, sets, env, scope):
            continue
        for at, item in enumerate(settings):
            if item.flag in sets and not item.path and not same(item.value, sets[item.flag]):
                settings[at] = Setting(item.flag, sets[item.flag], item.origin)
                message = (
                    f"{item.origin} has no effect: the program that reads the dialect {scope.name}"
                    f" puts {token} behind it"
                )
                findings.append(finding("consumer-differs", origin, message, f"set {assignment}"))
    return findings


def _kept_away(
    assignment: str, sets: Collection[str], env: Mapping[str, str], scope: Scope
) -> bool:
    """Whether the variable that keeps a token away is set, and does not ask for what the token sets
    itself.
    """
    name = assignment.partition("=")[0]
    fields = scope.dialect.get(name, {})
    if env.get(name, "").strip() in ("", "None") or "sets" not in fields:
        return False
    choices = fields["sets"]
    value = chosen(fields, choices, env[name]) or fields.get("otherwise")
    return not set(sets) & set(choices.get(value, ()))


def calculated(given: Collection[str], scope: Scope) -> list[Finding]:
    """What the consumer sets to values of its own, where nothing else is said."""
    names = [
        name
        for name in scope.calculates
        if name not in given and scope.catalog.flag(name) is not None
    ]
    if not names:
        return []
    message = (
        f"the program that reads the dialect {scope.name} sets {', '.join(names)} to values of its"
        " own, unless they are set"
    )
    return [finding("consumer-default", ", ".join(names), message)]


def platform_arguments(scope: Scope, given: Collection[str]) -> tuple[list[Setting], list[Finding]]:
    """Return what the dialect's program adds of its own, where nothing else is set.

    Args:
        scope: the version and the dialect.
        given: the flags that are set.
    """
    from translator.argv.reader import parse, settings_of

    findings = calculated(given, scope)
    tokens = scope.facts.get("arguments", [])
    parsed = parse(tokens, scope.catalog, partial=True, module=True)
    added = []
    for name, (value, _) in settings_of(parsed.occurrences).items():
        if name not in given:
            added.append(Setting(name, value, scope.adds))
            findings.append(finding("consumer-default", name, flag=name, reader=scope.reader))
    return added, findings
