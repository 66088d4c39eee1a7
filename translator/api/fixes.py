"""What a finding's remedy changes in its input, as data: other tokens, or other variables; and what
else uses a variable that is changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import field, frozen

from translator.findings.texts import QUOTE, REMOVE, REMOVE_UNSAFE, REPLACE_UNSAFE
from translator.secrets.masking import MASK
from translator.settings.changes import flag_elsewhere
from translator.text.names import is_variable
from translator.text.quoting import words
from translator.text.references import has_hole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from translator.findings import Finding
    from translator.tables.catalog import Tables

_UNSAFE = frozenset((REPLACE_UNSAFE, REMOVE_UNSAFE))
_REMOVES = frozenset((REMOVE, REMOVE_UNSAFE))
_NEXT = re.compile(r" (?=[A-Za-z_]\w*=)")
# `NAME=word`, `NAME=(words)`, `NAME = --words of make`, `ENV NAME text`.
_ASSIGNED = re.compile(
    r"""(?:(?<=^ENV[ ])(?P<env>[A-Za-z_]\w*)[ ]+(?=[^=\n]*$)(?:\\\r?\n|[^\n])*
    |(?<![\w$.{-])(?P<name>[A-Za-z_]\w*)(?:[ \t]*[:?+]{0,2}=[ \t]*(?=-)|\+?=)
     (?:\((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^()'"\\])*\)
      |(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])*
       (?:(?:[ \t]|\\\r?\n)+-(?:\\\r?\n|[^\n])*)?))""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_READ = re.compile(
    r"\$[({]?#?(?P<name>[A-Za-z_]\w*)|(?:environ|getenv|printenv)\W{1,9}(?P<other>[A-Za-z_]\w*)"
)
_SHOWS = re.compile(r"[ \t]*(?:#|(?:echo|printf)\b[^|>]*$)")


@frozen
class Fix:
    """A change of one option or variable, whether or not it is safe: equal if the change is.

    Attributes:
        names: how it may be spelled in the input, the likeliest first.
        words: the tokens or the assignments that replace it; () removes it.
        rename: its other name, if only that changes.
        line: where a value needs quotes; 0 for a change of an option or variable.
        safe: whether the meaning stays the same.
    """

    names: tuple[str, ...]
    words: tuple[str, ...] = ()
    rename: str = ""
    line: int = 0
    safe: bool = field(default=True, eq=False)


@frozen
class TokenChange:
    """A fix of a certain command line.

    Attributes:
        old: the tokens that are replaced.
        new: the tokens that replace them.
        at: the index of the first one.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int

    @property
    def names(self) -> set[str]:
        """The options that the result has."""
        return {token.partition("=")[0] for token in self.new}


@frozen
class VariableChange:
    """A fix of a certain variable.

    Attributes:
        name, value: the variable that is replaced.
        new: the names and the values that replace it.
    """

    name: str
    value: str
    new: tuple[tuple[str, str], ...]

    @property
    def names(self) -> set[str]:
        """The variables that the result has."""
        return {name for name, _ in self.new}


Change = TokenChange | VariableChange


def applied(
    changes: Iterable[Change], tokens: Sequence[str], env: Mapping[str, str]
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Return a command line and its variables with changes, of which no two are of the same."""
    in_line = []
    for change in changes:
        if isinstance(change, TokenChange):
            in_line.append(change)
        else:
            kept = {name: value for name, value in env.items() if name != change.name}
            env = {**kept, **dict(change.new)}
    for change in sorted(in_line, key=lambda change: change.at, reverse=True):
        end = change.at + len(change.old)
        tokens = (*tokens[: change.at], *change.new, *tokens[end:])
    return tokens, env


def fix_of(item: Finding) -> Fix | None:
    """Return how to follow the remedy of a finding; None if that takes a person.

    What a message hides or shortens is not known here either.
    """
    how, facts = item.fix, item.facts
    if how == QUOTE:
        line = facts.get("line")
        return Fix((item.subject,), line=line) if isinstance(line, int) else None
    given, write = str(facts.get("given", "")), str(facts.get("write", ""))
    near = "" if write else str(facts.get("near", ""))
    if not how or not (how in _REMOVES or write or near) or MASK in write:
        return None
    names = [given.partition(" ")[0].partition("=")[0], item.subject.partition("=")[0]]
    spelled = tuple(dict.fromkeys(name for name in names if name))
    safe = how not in _UNSAFE
    if how in _REMOVES:
        return Fix(spelled, safe=safe)
    if near or is_variable(write):
        return Fix(spelled, rename=near or write, safe=safe)
    if not item.subject.startswith("-"):
        return Fix((item.subject,), tuple(_NEXT.split(write)), safe=safe)
    try:
        tokens = words(write)
    except ValueError:
        return None
    return Fix(spelled, tuple(tokens), safe=safe) if tokens[0].startswith("-") else None


def change_of(
    fix: Fix, tokens: Sequence[str] | None, env: Mapping[str, str], tables: Tables
) -> Change | None:
    """Return what a fix changes; None if that is not clear, and for a value that needs quotes.

    Args:
        fix: the fix.
        tokens: the command line, with what is not known marked; None if it is not vLLM's.
        env: its variables.
        tables: the tables.
    """
    if fix.line:
        return None
    in_line = None if tokens is None else _change_of_tokens(fix, tokens, tables)
    return in_line or _change_of_variable(fix, env)


def _change_of_tokens(fix: Fix, tokens: Sequence[str], tables: Tables) -> TokenChange | None:
    """Return what a fix changes in a command line; None if that is not clear."""
    for name in fix.names:
        found = [at for at, token in enumerate(tokens) if token.partition("=")[0] == name]
        if len(found) == 1:
            break
    else:
        return None
    at = found[0]
    end = at + 1 + _values(name, tokens, at, tables)
    old = tuple(tokens[at:end])
    if any(map(has_hole, old)):
        return None
    sign = tokens[at].partition("=")[1]
    if fix.rename:
        return TokenChange(old, (fix.rename + tokens[at][len(name) :], *old[1:]), at)
    return TokenChange(old, _joined(fix.words) if sign else fix.words, at)


def _values(name: str, tokens: Sequence[str], at: int, tables: Tables) -> int:
    """Return the number of tokens behind an option that are its values."""
    if "=" in tokens[at] or not name.startswith("-"):
        return 0
    behind = 0
    while at + behind + 1 < len(tokens) and not _is_option(tokens[at + behind + 1]):
        behind += 1
    base, dot, _ = name.partition(".")
    flag = flag_elsewhere(base.replace("_", "-"), tables)
    if flag is None or dot:
        return min(behind, 1)
    return 0 if not flag.takes_value else behind if flag.kind == "list" else min(behind, 1)


def _is_option(token: str) -> bool:
    return token.startswith("-") and not token[1:2].isdigit() and token != "-"


def _joined(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return options with their single values in one token: `--flag=value`."""
    groups: list[list[str]] = []
    for token in tokens:
        if groups and not _is_option(token):
            groups[-1].append(token)
        else:
            groups.append([token])
    found: list[str] = []
    for group in groups:
        found += ["=".join(group)] if len(group) == 2 and "=" not in group[0] else group
    return tuple(found)


def _change_of_variable(fix: Fix, env: Mapping[str, str]) -> VariableChange | None:
    """Return what a fix changes in variables; None if that is not clear."""
    name = next((name for name in fix.names if name in env), "")
    if not name or has_hole(env[name]):
        return None
    new = [(fix.rename, env[name])] if fix.rename else []
    for word in fix.words:
        other, sign, value = word.partition("=")
        if not sign or not is_variable(other):
            return None
        new.append((other, value))
    names = [other for other, _ in new]
    if len(set(names)) < len(names) or any(other != name and other in env for other in names):
        return None
    return VariableChange(name, env[name], tuple(new))


def shared_variable(text: str, edits: Iterable[tuple[int, int, str]], own: Collection[int]) -> str:
    """Return the variable whose value edits change, and that other commands of the file read, too;
    "" for none.

    Args:
        text: of the file.
        edits: each with its start and its end.
        own: the lines where the commands begin for which the edits are made.
    """
    spans = [(start, end) for start, end, _ in edits]
    assigned: dict[str, list[tuple[int, int]]] = {}
    for item in _ASSIGNED.finditer(text):
        assigned.setdefault(item["name"] or item["env"], []).append(item.span())
    changed = {
        name
        for name, places in assigned.items()
        if any(at < end and start < to for at, to in places for start, end in spans)
    }
    if not changed:
        return ""
    at, inside = 0, False
    seen: set[str] = set()  # what the own command has read: a second time it is another's
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        inside = number in own or inside
        if inside or not _SHOWS.match(line.rstrip()):
            for item in _READ.finditer(line):
                name, begin = item["name"] or item["other"], at + item.start()
                if name in changed and not any(s <= begin < e for s, e in assigned[name]):
                    if not inside or name in seen:
                        return name
                    seen.add(name)
        inside = inside and line.rstrip().endswith("\\")
        if not inside:
            seen.clear()
        at += len(line)
    return ""
