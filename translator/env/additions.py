"""What a platform's program adds to the command line itself: tokens behind it, default arguments,
and flags that it calculates.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.settings.setting import NOTHING, Setting, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from translator.naming.scope import Scope
    from translator.tables.records import Appends


class Behind:
    """A token that the program appends to the command line.

    Attributes:
        token: the token as written.
        sets: flag → value, in this version.
        assignment: the variable assignment that suppresses the token, such as "ASYNC_SCHEDULING=0".
    """

    __slots__ = ("assignment", "sets", "token")

    def __init__(self, token: str, sets: dict[str, Any], assignment: str) -> None:
        self.token, self.sets, self.assignment = token, sets, assignment

    def variable(self) -> tuple[str, str]:
        """Return the name and value of the variable that suppresses the token."""
        name, _, text = self.assignment.partition("=")
        return name, text


def behind(scope: Scope) -> list[Behind]:
    """Return the tokens that the program may append to the command line."""
    return [
        Behind(
            token, {name: value for name, (value, _) in _set_by([token], scope).items()}, assignment
        )
        for token, assignment in scope.consumer.behind.items()
    ]


def _set_by(tokens: Sequence[str], scope: Scope) -> dict[str, tuple[Any, list[str]]]:
    """Return what tokens set in this version: flag → value and the tokens that set it."""
    if not tokens:
        return {}
    from translator.argv.argparse_rules import MODULE_PART, settings_of
    from translator.argv.parser import parse

    parsed = parse(list(tokens), scope.catalog, MODULE_PART)
    return settings_of(parsed.occurrences)


def overrule(
    env: Mapping[str, str], scope: Scope, settings: Sequence[Setting]
) -> tuple[list[Setting], list[Finding]]:
    """Apply the tokens that the program appends, which override contradicting settings.

    Args:
        env: the variables.
        scope: the version and the dialect.
        settings: everything that is set so far.

    Returns:
        Everything that is then set, and the findings.
    """
    made, findings = list(settings), []
    for item in behind(scope):
        if _is_kept_away(item, env, scope):
            continue
        for at, setting in enumerate(made):
            value = item.sets.get(setting.flag)
            if setting.flag in item.sets and not setting.path and not same(setting.value, value):
                made[at] = Setting(setting.flag, value, setting.origin)
                findings.append(_differs_behind(setting.origin, scope, item.token, item.assignment))
    return made, findings


def _is_kept_away(item: Behind, env: Mapping[str, str], scope: Scope) -> bool:
    """Return whether the variable that suppresses a token is set, and does not set the token's
    flags itself.
    """
    name, _ = item.variable()
    listed = scope.dialect.listed(name)
    if env.get(name, "").strip() in NOTHING or not listed.sets:
        return False
    value = listed.choice(env[name]) or listed.otherwise or ""
    return not item.sets.keys() & listed.sets.get(value, {}).keys()


def arguments_of(scope: Scope) -> dict[str, tuple[Any, str]]:
    """Return the program's default arguments that change anything in this version: flag → value
    and the argument as text.
    """
    kept: dict[str, tuple[Any, str]] | None = scope.tables.kept.get(
        ("arguments", scope.catalog.version, scope.name)
    )
    if kept is None:
        kept = {}
        # One by one: the program leaves out what its vLLM does not have.
        for tokens in _arguments(scope.dialect.arguments):
            for name, (value, spelled) in _set_by(tokens, scope).items():
                flag = scope.catalog.flag(name)
                if flag is not None and not same(value, flag.default):
                    bare = isinstance(value, bool)
                    kept[name] = value, spelled[-1] if bare else f"{spelled[-1]} {value}"
        scope.tables.kept["arguments", scope.catalog.version, scope.name] = kept
    return kept


def _arguments(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield each flag with its values."""
    starts = [at for at, token in enumerate(tokens) if token.startswith("--")]
    for at, end in zip(starts, [*starts, len(tokens)][1:], strict=True):
        yield list(tokens[at:end])


def platform_arguments(
    scope: Scope, settings: Sequence[Setting], env: Mapping[str, str]
) -> tuple[list[Setting], list[Finding]]:
    """Return the settings that the program adds for flags that are not set.

    Args:
        scope: the version and the dialect.
        settings: everything that is set.
        env: the variables.
    """
    given = {item.flag: item.origin for item in settings}
    adds = {
        name: added
        for name, added in arguments_of(scope).items()
        if name not in given and not _prevents(scope.dialect.arguments_with.get(name, ()), env)
    }
    made = [Setting(name, value, scope.adds) for name, (value, _) in adds.items()]
    findings = calculated(scope, given, env)
    findings += [
        _differs_behind(given[name], scope, name, about.assignment)
        for name, about in _appended(scope, env)
        if name in given
    ]
    return made, [*findings, *about_arguments("added", adds, scope)]


def _prevents(assignments: Collection[str], env: Mapping[str, str]) -> bool:
    """Return whether a variable of one of these assignments has another value."""
    for item in assignments:
        name, _, text = item.partition("=")
        if env.get(name, "") not in ("", text):
            return True
    return False


def _appended(scope: Scope, env: Mapping[str, str]) -> Iterator[tuple[str, Appends]]:
    """Yield the flags that the program appends with values of its own, and what prevents it."""
    further = env.get(scope.extra_args, "")
    for name, about in scope.consumer.appends.items():
        variable, _, text = about.assignment.partition("=")
        prevented = env.get(variable, "").strip().lower() == text if variable else False
        known = scope.catalog.flag(name) is not None
        if known and not prevented and not any(part in further for part in about.unless):
            yield name, about


def _differs_behind(origin: str, scope: Scope, token: str, assignment: str) -> Finding:
    return finding(
        "consumer-differs",
        origin.partition(" ")[0],
        case="behind",
        origin=origin,
        reader=scope.reader,
        token=token,
        assignment=assignment,
    )


def about_arguments(case: str, adds: Mapping[str, tuple[Any, str]], scope: Scope) -> list[Finding]:
    """Return the finding about arguments that the program adds.

    Args:
        case: "added" or "will-add".
        adds: as from `arguments_of`.
        scope: the version and the dialect.
    """
    if not adds:
        return []
    arguments = tuple(text for _, text in adds.values())
    one = len(adds) == 1
    return [
        finding(
            "consumer-default",
            ", ".join(adds),
            case=case,
            argument=arguments[0] if one else "",
            flag=next(iter(adds)) if one else "",
            arguments=() if one else arguments,
            reader=scope.reader,
        )
    ]


def calculated(scope: Scope, given: Collection[str], env: Mapping[str, str]) -> list[Finding]:
    """Return findings for flags that the program calculates when they are not set, or whatever is
    set.

    Args:
        scope: the version and the dialect.
        given: the flags that are set.
        env: the variables.
    """
    consumer = scope.consumer
    own = [*consumer.calculates, *(name for name, _ in _appended(scope, env))]
    cases = (
        ("calculated", [name for name in own if name not in given]),
        ("overruled", [name for name in consumer.overrules if name in given]),
    )
    found = []
    for case, flags in cases:
        names = tuple(name for name in flags if scope.catalog.flag(name) is not None)
        if names:
            subject = ", ".join(names)
            found.append(
                finding("consumer-default", subject, case=case, flags=names, reader=scope.reader)
            )
    return found
