"""Judge a container in which a platform's own program starts vLLM: by what vLLM's parser and engine
say of the tokens that the program makes of the variables.
"""

from __future__ import annotations

from translator.advice.check import check_argv, check_env
from translator.advice.hints import about
from translator.core.argv.parser import parse
from translator.core.argv.reader import SERVER
from translator.core.argv.rewriting import MODULE_PART, Rewritten
from translator.core.argv.writer import COMMAND
from translator.core.findings import Finding, finding
from translator.core.platforms import run
from translator.core.platforms.programs import PROGRAMS, program_of
from translator.core.settings import same
from translator.core.tables.dialects import NOTHING, find_dialect
from translator.core.translate import model_variable, settle_env
from translator.core.values import BadValue
from translator.core.values.mistakes import bad_value
from translator.deployments.judge.severity import facts_of_line, judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence, Set

    from translator.core.platforms import Outcome, Token
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Tables

# The kinds of names that would set a flag, and of those that do not and are no mistake.
_SETTING = ("flag", "absent", "choice", "no-flag")
_NOT_SET = ("worker", "reserved", "native-absent", "unknown-vllm")


def has_program(dialect: str, tables: Tables) -> bool:
    """Return whether the program of a dialect is a function."""
    table = find_dialect(dialect, tables)
    program = PROGRAMS.get(table.consumer.program) if table is not None else None
    return program is not None and program.tokens is not None


def is_program(dialect: str, tables: Tables) -> bool:
    """Return whether a dialect, as a user names it, stands for the platform's program, and not for
    `translate exec`: it names a release, or its program goes by a variable's value alone.
    """
    table = find_dialect(dialect, tables)
    by_value = table is not None and table.consumer.by_value
    return has_program(dialect, tables) and (by_value or "@" in dialect)


def check_program(
    env: Mapping[str, str],
    scope: Scope,
    before: Scope | None = None,
    *,
    names: Collection[str] = (),
    arguments: Sequence[str] = (),
) -> list[Finding]:
    """Return the findings about the variables of a container, each at its variable.

    Args:
        env: the variables whose values are known.
        scope: the version, and the dialect of the program.
        before: the version that vLLM comes from, if it is moved from one to another.
        names: the variables that are set to values which are not known.
        arguments: those of the container, which the program does not read.
    """
    outcome = run(program_of(scope), env, scope)
    about_env = [
        finding("platform-stops", one.variable, expected=one.why, **about(one.variable, env, scope))
        for one in outcome.stops
    ]
    tokens = [token for token in outcome.tokens if token.text is not None]
    by_value, own = scope.consumer.by_value, {*scope.own_variables(env)}
    start = ["python3", "-m", SERVER] if by_value else COMMAND
    line = [_marked(token, at, scope) for at, token in enumerate(tokens, len(start))]
    findings = check_argv([*start, *line], env, scope, before=before)
    findings = judged(
        [*findings, *_breaking(line, env, scope)], facts_of_line(line, scope.tables), own
    )
    origins = {at: token.origin for at, token in enumerate(tokens, len(start))}
    placed = [_placed(item, origins, scope) for item in findings]
    if by_value:
        about_env += _beside(check_env(env, scope, before), placed, own)
    else:
        about_env += [item for item in placed if not _is_idle(item, outcome, scope)]
        about_env += _about_unread({*env, *names} - outcome.read, env, scope)
    for flag in (word.partition("=")[0] for word in arguments if word[:2] == "--"):
        facts = {"flag": flag, "extra_args": scope.extra_args}
        about_env.append(scope.differs(flag, "unread", **facts))
    return scope.secrets.finished(dict.fromkeys(about_env), scope.secrets.known(env, line))


def _is_idle(item: Finding, outcome: Outcome, scope: Scope) -> bool:
    """Return whether a finding is none where a program reads the variables: what it does itself, or
    what is told with a variable as its remedy.
    """
    if item.code == "not-the-server-address":
        return item.subject in outcome.read
    is_own = item.code == "secret-on-argv" and not item.facts.get("inside")
    return is_own or _kind(item.subject, scope) in _NOT_SET


def _beside(read: list[Finding], findings: list[Finding], own: Set[str]) -> Iterator[Finding]:
    """Yield what was `read` from variables as the program reads them; in its place, the `findings`
    about the command line: what is wrong in it, its secrets, and those about vLLM's own variables.
    """
    line = {"secret-on-argv", *own}
    findings = [
        one for one in findings if one.severity == "error" or line & {one.code, one.subject}
    ]
    names, own_words = (
        {*own, *(one.subject for one in findings)},
        {(one.code, one.subject): one for one in read},
    )
    yield from (one for one in read if one.severity != "error" and one.subject not in names)
    for item in findings:  # in words of variables, where the reader has some
        name = item.subject
        same = "unknown-variable" if item.code == "unknown-flag" else item.code
        shown = item if name in own else own_words.get((same, name), item)
        yield shown.of(None).with_severity(item.severity)


def _marked(token: Token, at: int, scope: Scope) -> Rewritten:
    """Return a token with its index; messages quote the variable instead of the flag that it stands
    for.
    """
    text, name = str(token.text), token.origin
    is_flag = text[:2] == "--" and name not in ("", scope.extra_args)
    return Rewritten(text, name if is_flag else text, at)


def _placed(item: Finding, origins: Mapping[int, str], scope: Scope) -> Finding:
    """Return a finding about a command line at the variable that its token is from."""
    at, item = -1 if item.origin is None else item.origin.at, item.of(None)
    name = origins.get(at, "")
    if item.has_trait("model"):
        name = model_variable(scope)
        return item.about(name).with_facts(variable=name)
    if name and name == scope.extra_args:
        return item.with_facts(inside=name)
    role = scope.role(name) if name and item.code == "stray-token" else None
    words = program_of(scope).words
    knows_true = words is not None and words("--x", "true") == ["--x"]
    if knows_true and role is not None and role.flag is not None and not role.flag.takes_value:
        error = BadValue("bad-bool", text=item.subject)
        return bad_value(error, name, role.flag, scope.catalog, item.subject)
    return item.about(name) if name else item


def _breaking(line: Sequence[str], env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return findings about flags, and secrets, with which vLLM starts and the program fails."""
    given = parse(list(line), scope.catalog, MODULE_PART).settings()
    settings = {
        flag: value
        for flag, (value, origin) in given.items()
        if _kind(origin.text, scope) != "native"  # such as a port that the program reads, too
    }
    secrets = {flag: name for flag, name in scope.secrets.variables.items() if env.get(name)}
    findings = scope.consumer.breaking(secrets, scope.reader)
    findings = [item.about(secrets[item.subject]) for item in findings]
    for item in scope.consumer.breaking(settings, scope.reader):
        findings.append(item.of(given[item.subject][1]))
    return [
        it.with_facts(flag=it.subject if it.origin is None else it.origin.name) for it in findings
    ]


def _kind(name: str, scope: Scope) -> str:
    role = scope.role(name)
    return "" if role is None else role.kind


def _about_unread(names: set[str], env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the findings about variables that the program does not read: what would set a flag,
    or looks like it, has no effect there.
    """
    resolved, extra, catalog = settle_env(env, scope), scope.extra_args, scope.catalog
    at_default = {
        str(origin)
        for flag, origins in resolved.origins.items()
        for origin in origins
        if (ours := catalog.flag(flag)) is not None and same(resolved.values[flag], ours.default)
    }
    findings = [item for item in resolved.findings if item.code == "misspelt-variable"]
    # What a translation would refuse has no effect there.
    about = {item.subject: item for item in resolved.findings if item.severity != "error"}
    for name in sorted(names):
        role, item = scope.role(name), about.get(name)
        if role is None or env.get(name, "?").strip() in NOTHING:
            continue
        if item is not None and (role.kind in _NOT_SET or item.has_trait("idle")):
            findings.append(item)
        elif role.kind in _SETTING:
            facts = {"flag": role.name, "extra_args": ""}
            if role.flag is not None:
                facts = {"flag": role.flag.flag, "extra_args": extra}
            case = "default" if name in at_default else "unread"
            findings.append(scope.differs(name, case, **facts))
    return findings
