"""Where a variable says something to this program that it does not say to the one that the dialect was made for: the findings of reading one."""

from __future__ import annotations

from translator.catalog import flag_of
from translator.envwriter import same
from translator.findings import Finding, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from translator.catalog import Flag
    from translator.scope import Role, Scope

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
        what = "knows no keys in a variable's name" + (", and vLLM refuses what it makes of it" if scope.unknown == "passed" else "; here it sets one")
        hint = f"set the key inside of {base}, which is JSON"
    elif _another_spelling(name, flag, role, scope):
        what = f"passes {flag.flag} on under its own name only; here this one sets it, too"
    elif scope.closed and not _listed(name, flag, role, scope):
        what = f"does not pass {flag.flag} on; here it does"
        hint = f"write it into {scope.extra_args}" if scope.extra_args else ""
    elif (scope.plain or role.fields.get("plain")) and not _SPLIT.isdisjoint(text):
        what = "passes the text through a shell, where it falls apart at blanks and wildcards"
    elif scope.closed and _otherwise(text, flag, scope):
        what = "passes the text on as it stands, and vLLM makes something else of it than is made of it here"
    else:
        return []
    return [finding("consumer-differs", name, f"{name}: {program} {what}", hint)]


def _otherwise(text: str, flag: Flag, scope: Scope) -> bool:
    """Whether vLLM reads the text itself, as one token, as something else than we do; of a switch, whether the text sets it there."""
    from translator.consumer import Refused, value_of
    from translator.values import BadValue, from_variable

    if not text.strip():
        return False
    try:
        mine, _ = from_variable(flag, text)
    except BadValue:
        return False  # that is told by itself
    lists = scope.dialect.get("@consumer", {})
    if flag.flag in scope.dialect.get("@consumer.switch_flags", {}).get("switch_flags", ()):
        if mine is True:
            return bool(lists.get("only_true", False)) and text != "true"
        return bool(flag.off) and not scope.any_text  # left out there; of a switch that any text sets the reader tells
    if flag.flag not in scope.dialect.get("@consumer.value_flags", {}).get("value_flags", ()):
        return False
    try:
        return not same(value_of([flag.flag, text], flag, scope.catalog), mine)
    except Refused:
        return True


def _another_spelling(name: str, flag: Flag, role: Role, scope: Scope) -> bool:
    own = scope.consumer is not None and scope.consumer.own_spelling
    return own and not role.fields.get("flag") and flag_of(name[len(scope.prefix) :]) != flag.flag


def _listed(name: str, flag: Flag, role: Role, scope: Scope) -> bool:
    """Whether a closed consumer passes it on: by one of its lists, or under a name of the table."""
    if role.fields.get("flag") or any(flag.flag in scope.dialect.get(f"@consumer.{part}", {}).get(part, ()) for part in LISTS):
        return True
    return any(assignment.partition("=")[0] == name for assignment in behind(scope).values())


def behind(scope: Scope) -> dict[str, str]:
    """The tokens that the consumer may put behind everything else, each with the assignment that keeps it from doing so."""
    from translator.jsontext import loads

    text = scope.dialect.get("@consumer", {}).get("behind")
    found: dict[str, str] = loads(text) if text else {}
    return found


def calculated(given: Collection[str], scope: Scope) -> list[Finding]:
    """What the consumer sets to values of its own, where nothing else is said."""
    names = [name for name in scope.calculates if name not in given and scope.catalog.flag(name) is not None]
    if not names:
        return []
    message = f"the program that reads the dialect {scope.name} sets {', '.join(names)} to values of its own, unless they are set"
    return [finding("consumer-default", ", ".join(names), message)]
