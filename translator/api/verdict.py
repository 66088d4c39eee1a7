"""Judge a container in which a platform's own program starts vLLM: by what vLLM's parser and engine
say of the tokens that the program makes of the variables.
"""

from __future__ import annotations

from itertools import starmap

from translator.api.check import check_argv, check_env
from translator.api.severity import facts_of_line, judged
from translator.api.translate import model_variable
from translator.argv.parser import parse
from translator.argv.reader import SERVER
from translator.argv.rewriting import MODULE_PART, Rewritten
from translator.argv.writer import COMMAND
from translator.env.consumer import breaking
from translator.env.reader import read_env
from translator.env.vllm_variables import misspelt
from translator.env.writer import write_env
from translator.findings import Finding, finding
from translator.platforms import run
from translator.platforms.programs import PROGRAMS
from translator.settings import Assembled
from translator.settings.assemble import assemble
from translator.tables.dialects import NOTHING, find_dialect
from translator.values import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence, Set

    from translator.platforms import Token
    from translator.settings.scope import Scope
    from translator.tables.catalog import Tables

# The kinds of names that would set a flag, and those of which more is to be told.
_SETTING = ("flag", "absent", "choice", "no-flag")
_TOLD = ("worker", "reserved", "unknown-vllm")


def has_program(dialect: str, tables: Tables) -> bool:
    """Return whether the program of a dialect is a function."""
    table = find_dialect(dialect, tables)
    return table is not None and table.consumer.program in PROGRAMS


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
    program, left = PROGRAMS[scope.consumer.program], dict(env)
    found: list[Finding] = []
    outcome = run(program, left, scope)
    while (stop := outcome.stop) is not None:
        name = stop.variable
        facts = {"given": scope.shown(name, left.pop(name)), "expected": stop.why}
        found.append(finding("platform-stops", name, name=name, reader=scope.reader, **facts))
        outcome = run(program, left, scope)
    tokens = [it for it in outcome.tokens if it.text is not None]
    by_value, own = scope.consumer.by_value, {*scope.own_variables(env)}
    start = ["python3", "-m", SERVER] if by_value else COMMAND
    line = [_marked(token, at, scope) for at, token in enumerate(tokens, len(start))]
    told = check_argv([*start, *line], env, scope, before=before)
    told = judged([*told, *_breaking(line, env, scope)], facts_of_line(line, scope.tables), own)
    if by_value:
        found += _beside(
            check_env(env, scope, before), [*_placed(told, tokens, len(start), scope)], own
        )
    else:
        read = [("not-the-server-address", name) for name in outcome.read]
        told = [item for item in told if (item.code, item.subject) not in read]
        found += _placed(told, tokens, len(start), scope)
        found += _about_unread({*env, *names} - outcome.read, env, scope)
    for flag in (word.partition("=")[0] for word in arguments if word[:2] == "--"):
        facts = {"flag": flag, "extra_args": scope.extra_args}
        found.append(scope.differs(flag, "not-passed-on", **facts))
    return scope.secrets.finished(dict.fromkeys(found), scope.secrets.known(env, line))


def _beside(read: list[Finding], told: list[Finding], own: Set[str]) -> Iterator[Finding]:
    """Yield what was `read` from variables as the program reads them, but for what is `told` of the
    command line: what is wrong in it, its secrets, and what is told of vLLM's own variables.
    """
    line = {"secret-on-argv", *own}
    told = [it for it in told if it.severity == "error" or line & {it.code, it.subject}]
    names, ours = {*own, *(it.subject for it in told)}, {(it.code, it.subject): it for it in read}
    yield from (it for it in read if it.severity != "error" and it.subject not in names)
    for item in told:  # in words of variables, where the reader has some
        code, name = item.code, item.subject
        same = "unknown-variable" if code == "unknown-flag" else code
        code, _, case, facts, *_ = item if name in own else ours.get((same, name), item)
        yield Finding(code, name, case, facts, item.severity)


def _marked(token: Token, at: int, scope: Scope) -> Rewritten:
    """Return a token with its index; messages quote the variable instead of the flag that it stands
    for.
    """
    text, name = str(token.text), token.origin
    is_flag = text[:2] == "--" and name not in ("", scope.extra_args)
    return Rewritten(text, name if is_flag else text, at)


def _placed(
    findings: Sequence[Finding], tokens: Sequence[Token], first: int, scope: Scope
) -> Iterator[Finding]:
    """Yield findings about a command line at the variables that its tokens come from, of which the
    first has this index.
    """
    extra, origins = scope.extra_args, {token.text: token.origin for token in tokens}
    places = {at: token.origin for at, token in enumerate(tokens, first)}
    for one in findings:
        item = one.of(None)
        code, subject, *rest = item
        name = origins.get(subject) or origins.get(subject.partition(" ")[0], extra)
        if one.origin is not None:  # the subject may be masked
            name = places.get(one.origin.at) or name
        if code == "unknown-variable":
            continue  # told with a variable as its remedy, instead of a flag
        if code in ("no-model", "missing-model"):
            name = model_variable(scope)
            yield Finding(code, name, *rest).with_facts(variable=name)
        elif scope.role(subject) is not None:
            yield item
        elif name == extra:
            yield item.with_facts(inside=extra)
        elif code != "secret-on-argv" or scope.consumer.by_value:
            yield Finding(code, name, *rest)


def _breaking(line: Sequence[str], env: Mapping[str, str], scope: Scope) -> Iterator[Finding]:
    """Yield findings about flags, and secrets, with which vLLM starts and the program fails."""
    given = parse(list(line), scope.catalog, MODULE_PART).settings()
    origins = {flag: origin.name for flag, (_, origin) in given.items()}
    own = [
        flag for flag, name in origins.items() if (it := scope.role(name)) and it.kind == "native"
    ]
    settings = {flag: value for flag, (value, _) in given.items() if flag not in own}
    secrets = {flag: name for flag, name in scope.secrets.carriers.items() if env.get(name)}
    for item in breaking({**settings, **secrets}, scope):
        name = secrets.get(item.subject) or origins[item.subject]
        yield Finding(item.code, name, *item[2:]).with_facts(flag=name)


def _about_unread(names: set[str], env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the findings about variables that the program does not read: what would set a flag,
    or looks like it, has no effect there.
    """
    reading, extra = read_env(env, scope), scope.extra_args
    done, written = assemble(reading, scope), dict[str, str]()
    for flag, origins in done.origins.items():
        if set_by := names.intersection(map(str, origins)):
            one = Assembled()
            one.values[flag], one.origins[flag] = done.values[flag], origins
            text = " ".join(starmap(assignment, write_env(one, scope)[0].items()))
            written.update(dict.fromkeys(set_by, text))
    about = {item.subject: item for item in done.findings}
    found = misspelt([name for name in reading.unread if name in names], scope)
    for name in sorted(names):
        role, item = scope.role(name), about.get(name)
        if role is None or env.get(name, "?").strip() in NOTHING:
            continue
        if item is not None and (role.kind in _TOLD or item.code in ("removed", "now-default")):
            found.append(item)
        elif role.kind in _SETTING:
            ours, write = role.flag, written.get(name, "")
            facts = {"write": write, "extra_args": extra if ours is not None else ""}
            if extra in env and write.startswith(f"{extra}="):
                facts |= {"write": "", "add": write.removeprefix(f"{extra}=")}
            facts["flag"] = role.name if ours is None else ours.flag
            found.append(scope.differs(name, "not-passed-on", **facts))
    return found
