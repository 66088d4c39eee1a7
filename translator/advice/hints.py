"""Notes on what the program that a dialect was made for makes of variables otherwise than this
translator.
"""

from __future__ import annotations

from translator.core.findings import ERROR, Finding, finding
from translator.core.platforms import run
from translator.core.platforms.programs import program_of
from translator.core.settings import same
from translator.core.translate import settle_env
from translator.core.values import BadValue, from_token, survives_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Flag


def differences(env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the notes about an environment, a variable each."""
    program = program_of(scope)
    if scope.older or scope.consumer.by_value or program.tokens is None:
        return []
    resolved, outcome = settle_env(env, scope), run(program, env, scope)
    words: dict[str, list[str]] = {}  # the tokens of each variable
    for token in outcome.tokens:
        words.setdefault(token.origin, []).append(token.text or "")
    stops = {stop.variable for stop in outcome.stops}
    skipped = {item.subject for item in resolved.findings if item.severity == ERROR}
    flags = {}  # the one that each variable sets
    for flag, origins in resolved.origins.items():
        *overridden, last = (origin.text for origin in origins)
        skipped.update(overridden)
        flags[last] = flag
    findings = []
    for name in env:
        role, flag = scope.role(name), flags.get(name, "")
        if role is None or role.kind not in ("flag", "choice") or name in skipped:
            continue
        value, known = resolved.values.get(flag), scope.catalog.flag(flag)
        facts, case = about(name, env, scope), "stops" if name in stops else ""
        if known is None:
            is_same, case = name not in words and not case, case or "sets-nothing"
        elif name in words:
            is_same = _is_read_as(words[name], value, known)
        else:
            is_same, case = same(value, known.default), case or "unread"
        if not is_same:
            findings.append(finding("image-differs", name, case=case, **facts))
    findings += _breaking(env, resolved, scope)
    return scope.secrets.finished(findings, scope.secrets.known(env, ()))


def _breaking(env: Mapping[str, str], resolved: Resolved, scope: Scope) -> list[Finding]:
    """Return the notes on flags with which vLLM starts and the program fails."""
    values = resolved.values
    settings = {flag: values[flag] for flag in scope.consumer.breaks if flag in values}
    for flag, variable in scope.secrets.variables.items():
        if resolved.env.get(variable) != env.get(variable):  # moved there from further tokens
            settings[flag] = True
    findings = []
    for item in scope.consumer.breaking(settings, scope.reader):
        names = [origin.text for origin in resolved.origins.get(item.subject, ())]
        name = names[-1] if names and names[-1] in env else scope.extra_args
        findings.append(finding("image-differs", name, case="breaks", **item.facts))
    return findings


def _is_read_as(words: Sequence[str], value: Any, flag: Flag) -> bool:
    """Return whether vLLM reads the tokens of one variable as a value of a flag."""
    if len(words) == 1:
        return value is (words[0] == flag.flag)
    try:
        read = from_token(flag, words[1], json_sizes=True)
    except BadValue:
        return False
    read = [read] if flag.kind in ("list", "append") else read
    return survives_alone(words[1]) and same(read, value)


def about(name: str, env: Mapping[str, str], scope: Scope) -> dict[str, str]:
    """Return the facts about a variable that the program reads."""
    return {"name": name, "given": scope.shown(name, env[name]), "reader": scope.reader}
