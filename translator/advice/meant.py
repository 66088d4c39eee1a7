"""What was most likely meant by a variable or an option: other names and values for it, most likely
first, as its reader's own writer writes them. Whether one helps is tried in remedies.py.
"""

from __future__ import annotations

from itertools import islice, takewhile

from translator.advice import values
from translator.core.argv.reader import settle_argv
from translator.core.argv.rewriting import name_of
from translator.core.env.reader import read_env
from translator.core.env.vllm_variables import OWN
from translator.core.env.writer import write_env
from translator.core.findings import ERROR
from translator.core.remedy import Remedy
from translator.core.settings import Resolved, copied, merge
from translator.core.settings.assemble import assemble
from translator.core.settings.changes import flag_elsewhere
from translator.core.tables.catalog import CHANGES, JSON_KINDS, LEVEL, MODEL, flag_of, variable_of
from translator.core.text.json_text import dumps
from translator.core.text.words import KEY, is_variable, words
from translator.core.translate import settle_env
from translator.core.values import (
    FALSE_WORDS,
    LEVELS,
    TRUE_WORDS,
    BadValue,
    assignment,
    plain,
    tokens,
)
from translator.core.values.variables import from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from translator.core.findings import Finding
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Flag, Tables

_START = ("vllm", "serve", "m")
_TIED = 2  # values that are as near: of more, none is told
_MOST_NAMES, _MOST_VALUES = 6, 8
_LONGEST = 10_000  # characters of a value that others are looked for ...
_LONGEST_NAME = 200  # ... and of a name
_UNKNOWN = ("unknown-vllm", "plugin")


def of_variable(
    name: str, env: Mapping[str, str], about: Finding, scope: Scope, *, is_line: bool
) -> Iterator[Remedy]:
    """Yield what may be meant by a variable.

    Args:
        name, env: the variable, among those of the input.
        about: a finding about it.
        scope: the version and the dialect.
        is_line: whether vLLM itself reads the variables, beside a command line.
    """
    text = env[name]
    if len(text) > _LONGEST or len(name) > _LONGEST_NAME:
        return
    seen: set[object] = {(((name, text),), ())}
    later: list[Remedy] = []  # what sets a variable that is set
    for change in (_beside_a_line if is_line else _of_dialect)(name, text, about, scope):
        if later and change.read[0] != later[0].read[0]:
            yield from later
            later = []
        if change.key in seen:
            continue
        seen.add(change.key)
        if (change.variables.keys() - {name}).isdisjoint(env):
            yield change
        elif not is_line:
            later.append(change)
    yield from later


def _of_dialect(name: str, text: str, about: Finding, scope: Scope) -> Iterator[Remedy]:
    """Yield what may be meant by a variable that is translated, or that a platform's program reads,
    as the dialect's writer writes it.
    """
    later = []  # what something is to be said about
    names, role = _names(name, about, scope), scope.role(name)
    if text in LEVELS and role is not None and not role.path and _had_levels(role.flag, scope):
        names.append(scope.prefix + variable_of(f"--{scope.catalog.grammar.level}"))
    for other in filter(scope.role, names):
        for value in _values(other, text, scope):
            resolved = settle_env({other: value}, scope)
            if _is_wrong(resolved):
                continue
            every = [_written(resolved, [other], scope) or {other: value}]
            if not resolved.findings and [*every[0]] == [other]:
                every.insert(0, {other: value})
            elif "__" in other:
                every.append({other: value})
            for variables in every:
                line = words(variables.pop(scope.extra_args, ""))
                change = Remedy(name, [text], variables, line, read=(other, value))
                if any(item.code == "empty-element" for item in resolved.findings):
                    later.append(change)
                else:
                    yield change
    yield from later


def _written(resolved: Resolved, names: Sequence[str], scope: Scope) -> dict[str, str] | None:
    """Return the variables for what some make, without what a program adds; None if the program
    cannot be given it.
    """
    meant = Resolved()
    for flag, origins in resolved.origins.items():
        if any(origin.option in names or origin.inside in names for origin in origins):
            meant.values[flag], meant.origins[flag] = resolved.values[flag], origins
    variables, findings = write_env(meant, scope)
    if any(item.code == "not-expressible" for item in findings):
        return None
    return {**resolved.env, **variables}


def together(settings: Sequence[tuple[str, str]], scope: Scope) -> dict[str, str] | None:
    """Return the variables for what several, by name and value, set together; None if they
    contradict each other.
    """
    env = dict(settings)
    resolved = settle_env(env, scope)
    if (
        len(env) < len({*settings})
        or _is_wrong(resolved)
        or any(item.code == "disagreement" for item in resolved.findings)
    ):
        return None
    return _written(resolved, [name for name, _ in settings], scope)


def _beside_a_line(name: str, text: str, about: Finding, scope: Scope) -> Iterator[Remedy]:
    """Yield what may be meant by a variable beside a command line: of vLLM's own, or a flag."""
    for other in _names(name, about, scope):
        role = scope.role(other)
        if role is None or role.kind not in ("native", "native-absent"):
            continue
        for value in _values(other, text, scope):
            reading = read_env({other: value}, scope)
            resolved = assemble(reading, scope)
            if role.kind == "native-absent":
                resolved.env.pop(other, None)
            if not _is_wrong(resolved):
                yield Remedy(name, [text], resolved.env, _apart(_tokens(resolved, scope)))
    bare = name.removeprefix(OWN).upper().replace("-", "_").replace(".", "_")
    if flag := scope.catalog.flag(flag_of(bare)):
        line = [flag.flag, text]
        if flag.kind == "list":
            try:
                line = tokens(flag, from_variable(flag, text)[0])
            except BadValue:
                pass
        for change in of_option(line, 0, about, scope):
            yield Remedy(name, [text], change.variables, change.tokens)


def of_option(
    line: Sequence[str], at: int, about: Finding, scope: Scope, inside: str = ""
) -> Iterator[Remedy]:
    """Yield what may be meant by an option of a command line and its values.

    Args:
        line, at: the tokens, and the index of the option.
        about: a finding about it.
        scope: the version.
        inside: what holds the tokens: see `Remedy`.
    """
    option, equals, text = line[at].partition("=")
    seen: set[object] = set()
    if len(option) > _LONGEST_NAME:
        return
    for other in _options(option, about, scope):
        size = _size(line, at) if inside == KEY else size_of(other, line, at, scope.tables)
        behind = [] if equals else line[at + 1 :][:size]
        old, given = [line[at], *behind], [text] if equals else behind
        for name, near in _option_values(other, given, scope):
            if sum(map(len, near)) > _LONGEST:
                return
            resolved = settle_argv([*_START, *_line(name, near)], scope)
            # A log names an option without its value.
            if _is_wrong(resolved) and not (name != option and not given):
                continue
            variable = scope.secrets.variables.get(name)
            if variable and len(near) == 1:
                yield Remedy(at, old, {variable: near[0]}, (), inside)
            is_plain = not (resolved.findings and given)
            new = _line(name, near) if is_plain else _tokens(resolved, scope)
            new = new if equals else _apart(new)
            change = Remedy(at, old, resolved.variables, new, inside)
            if change.key not in seen:
                seen.add(change.key)
                yield change


def tied(name: str, text: str, scope: Scope) -> list[str]:
    """Return how to set a flag to one of two values that a wrong one may be meant as."""
    role = scope.role(name)
    flag = _flag(name, scope) if role is None else role.flag
    choices = None if flag is None else values.choices_of(flag, scope.catalog)
    near = values.near_choices(text, choices) if choices and len(text) < _LONGEST_NAME else ()
    return [assignment(name, choice) for choice in near] if len(near) == _TIED else []


def in_whole(change: Remedy, line: Sequence[str], scope: Scope) -> Remedy:
    """Return a remedy that sets keys of a flag whose whole JSON stands in a line, too, as one that
    writes both into it: vLLM would read the keys in its place.
    """
    keyed = {name_of(token) for token in change.tokens if "." in token.partition("=")[0]}
    given = {token.partition("=")[0].replace("_", "-") for token in line}
    if not keyed & given:
        return change
    before = settle_argv(line, scope).values
    new = []
    for name, value in settle_argv([*_START, *change.tokens], scope).values.items():
        if (flag := scope.catalog.flag(name)) is not None and name != MODEL:
            old = copied(before[name]) if name in keyed & given & before.keys() else {}
            try:
                new += _apart(tokens(flag, merge(old, value)[0]))
            except BadValue:
                return change
    return Remedy(change.at, change.old, change.variables, new, change.inside, joint=True)


def _line(option: str, texts: Sequence[str]) -> list[str]:
    return [f"{option}={texts[0]}"] if len(texts) == 1 else [option, *texts]


def _apart(line: Sequence[str]) -> list[str]:
    """Return options and their values as tokens of their own."""
    apart: list[str] = []
    for token in line:
        option, equals, text = token.partition("=")
        is_joined = option.startswith("-") and equals and text[:1] not in ("", "-")
        apart += [option, text] if is_joined else [token]
    return apart


def size_of(option: str, line: Sequence[str], at: int, tables: Tables) -> int:
    """Return the number of tokens behind an option that are its values."""
    behind = _size(line, at)
    flag = flag_elsewhere(name_of(option), tables)
    if flag is None or "." in option:
        return min(behind, 1)
    return behind if flag.kind == "list" else min(behind, int(flag.takes_value))


def _size(line: Sequence[str], at: int) -> int:
    """Return the number of tokens between an option and the next."""
    return len([*takewhile(lambda token: not is_option(token), line[at + 1 :])])


def is_option(token: str) -> bool:
    return token.startswith("-") and not token[1:2].isdigit() and token != "-"


def _flag(option: str, scope: Scope) -> Flag | None:
    """Return the flag of an option, in this version or in another."""
    spelled = scope.catalog.spelled(name_of(option))
    return spelled[0] if spelled else flag_elsewhere(name_of(option), scope.tables)


def _tokens(resolved: Resolved, scope: Scope) -> list[str]:
    """Return the flags that an option, or a variable, was read as."""
    line: list[str] = []
    for name, value in resolved.values.items():
        flag = scope.catalog.flag(name)
        if name not in resolved.whole and scope.catalog.grammar.dotted and _keyed(name, resolved):
            line += [f"{key}={plain(item)}" for key, item in _leaves(name, value, resolved)]
        elif flag is not None and value != _START[-1]:
            try:
                line += tokens(flag, value)
            except BadValue:
                return []
    return line


def _keyed(flag: str, resolved: Resolved) -> bool:
    return any(key.startswith(f"{flag}.") for key in resolved.keys)


def _leaves(path: str, value: Any, resolved: Resolved) -> Iterator[tuple[str, Any]]:
    """Yield the keys of an object that were set one by one, `--flag.key`, and the others in it."""
    if path in resolved.keys or not isinstance(value, dict):
        yield path, value
        return
    for key, item in value.items():
        yield from _leaves(f"{path}.{key}", item, resolved)


def _is_wrong(resolved: Resolved) -> bool:
    """Return whether something is wrong with what an input of one setting is read as."""
    # What the engine refuses beside other flags is for the whole input to say.
    errors = (item for item in resolved.findings if item.severity == ERROR)
    return any("absent" not in item.facts for item in errors)


# --- names and values


def _names(name: str, about: Finding, scope: Scope) -> list[str]:
    """Return the known names that a variable may be meant as, itself first."""
    plain = name.strip("'\" ").replace("-", "_")
    alike = [name]
    for text in (plain, plain.upper()):
        for dot in ("__", "_"):
            word = text.replace(".", dot)
            bare = word.removeprefix(scope.prefix).removeprefix(OWN)
            alike += [word, scope.prefix + word, scope.prefix + bare]
    alike += _keys_of(plain.upper(), scope)
    alike += [word.partition("=")[0] for word in _said(about)]
    alike += [near for it in alike if (near := _near_path(it, scope))]
    known = [it for it in dict.fromkeys(alike) if is_variable(it) and _is_known(it, scope)]
    return known[:_MOST_NAMES]


def _keys_of(name: str, scope: Scope) -> Iterator[str]:
    """Yield the variables of keys that a name may be meant as: `FLAG__KEY` for `FLAG_KEY`."""
    parts = name.split("_")
    for at in range(len(parts) - 1, 0, -1):
        role = scope.role("_".join(parts[:at]))
        if role is not None and role.flag is not None and role.takes_keys and all(parts):
            yield "_".join(parts[:at]) + "__" + "_".join(parts[at:])


def _said(about: Finding) -> Sequence[str]:
    """Return the names that a finding says are near."""
    near = about.facts.get("near") or about.facts.get("write") or ()
    return near if isinstance(near, tuple) else (str(near),)


def _near_path(name: str, scope: Scope) -> str:
    """Return a variable of a key with the key that it is a misspelling of; "" for another one."""
    role = scope.role(name)
    if role is None or role.flag is None or not role.path or role.listed.path:
        return ""
    near = values.near_path(role.path, scope.catalog.shape(role.flag.flag) or {})
    return "__".join((name.partition("__")[0], *(key.upper() for key in near)))


def _is_known(name: str, scope: Scope) -> bool:
    role = scope.role(name)
    return role is not None and role.kind not in _UNKNOWN


def _values(name: str, text: str, scope: Scope) -> list[str]:
    """Return the values that a variable's may be meant as, itself first."""
    role = scope.role(name)
    assert role is not None
    flag = role.flag or flag_elsewhere(role.name.partition(".")[0], scope.tables)
    if role.variable is not None:
        return _first(values.of_variable(role.variable, text))
    if own := role.listed.only or role.listed.sets:
        parts = scope.tables.records(CHANGES).get(flag_of(name.removeprefix(scope.prefix)), {})
        sets = parts.get("values", {}).get(text)
        same = (choice for choice in role.listed.sets if role.listed.sets[choice] == sets)
        return _first((text, *same, values.near_choice(text, own)))
    if flag is not None:
        return _first(values.of_flag(flag, text, scope.catalog, role.path))
    return _first((text, values.cleaned(text)))


def _first(near: Iterable[str]) -> list[str]:
    return list(islice(dict.fromkeys(filter(None, near)), _MOST_VALUES))


def _options(name: str, about: Finding, scope: Scope) -> list[str]:
    """Return the options that one may be meant as, itself first, with its keys."""
    base, dot, keys = name.partition(".")
    plain = base.lower().replace("_", "-") if base.startswith("--") else base
    alike = [name, plain + dot + keys, plain + dot + keys.lower().replace("-", "_")]
    for said in (word.partition(" ")[0].partition("=")[0] for word in _said(about)):
        if said.startswith("-"):
            alike.append(said if "." in said else said + dot + keys)
    if dot and (flag := _flag(plain, scope)):
        near = values.near_path(keys.split("."), scope.catalog.shape(flag.flag) or {})
        alike.append(".".join((plain, *near)))
    return list(dict.fromkeys(alike))[:_MOST_NAMES]


def _had_levels(flag: Flag | None, scope: Scope) -> bool:
    """Return whether older versions took a level as the whole value of a flag."""
    was = flag and scope.tables.catalog(scope.tables.having(flag.flag)[0]).flag(flag.flag)
    return bool(was and was.level)


def _option_values(
    name: str, texts: Sequence[str], scope: Scope
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield an option with the values that its own may be meant as, these first."""
    flag = _flag(name, scope)
    yield name, texts
    if flag is None or not any(texts):
        return
    if not flag.takes_value:
        word = values.cleaned(texts[0]).lower()
        if word in TRUE_WORDS:
            yield name, ()
        elif word in FALSE_WORDS and flag.off:
            yield flag.off, ()
        return
    if len(texts) > 1 and flag.kind in JSON_KINDS:
        yield name, (dumps(list(texts)),)
    if texts[0] in LEVELS and _had_levels(flag, scope):
        yield f"{LEVEL}{texts[0]}", ()
    path = tuple(name.split(".")[1:])
    near = [_first(values.of_flag(flag, text, scope.catalog, path)) or [text] for text in texts]
    for number in range(max(map(len, near))):
        yield name, [some[min(number, len(some) - 1)] for some in near]
