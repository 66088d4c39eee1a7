"""What a finding's remedy changes in its input, as data: other tokens, or other variables."""

from __future__ import annotations

import re

from translator.findings.texts import QUOTE, REMOVE, REMOVE_UNSAFE, REPLACE_UNSAFE
from translator.secrets.masking import MASK
from translator.settings.fit import flag_elsewhere
from translator.text.holes import has_hole
from translator.text.names import is_variable
from translator.text.quoting import words
from translator.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from translator.findings import Finding
    from translator.tables.catalog import Tables

    Tokens = Sequence[str] | None

_UNSAFE = frozenset((REPLACE_UNSAFE, REMOVE_UNSAFE))
_REMOVES = frozenset((REMOVE, REMOVE_UNSAFE))
_NEXT = re.compile(r" (?=[A-Za-z_]\w*=)")


class Fix(Record):
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
    safe: bool = True

    def _change(self) -> tuple[object, ...]:
        return self.names, self.words, self.rename, self.line

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fix) and self._change() == other._change()

    def __hash__(self) -> int:
        return hash(self._change())


class TokenChange(Record):
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


class VariableChange(Record):
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


def applied(
    changes: Iterable[TokenChange | VariableChange], tokens: Tokens, env: Mapping[str, str]
) -> tuple[Tokens, Mapping[str, str]]:
    """Return a command line and its variables with changes, of which no two are of the same."""
    changes = list(changes)
    for change in changes:
        if isinstance(change, VariableChange):
            kept = {name: value for name, value in env.items() if name != change.name}
            env = {**kept, **dict(change.new)}
    in_line = [change for change in changes if isinstance(change, TokenChange)]
    for change in sorted(in_line, key=lambda change: change.at, reverse=True):
        end = change.at + len(change.old)
        tokens = (*(tokens or ())[: change.at], *change.new, *(tokens or ())[end:])
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


def change_of_tokens(fix: Fix, tokens: Sequence[str], tables: Tables) -> TokenChange | None:
    """Return what a fix changes in a command line; None if that is not clear.

    Args:
        fix: the fix.
        tokens: the command line, with what is not known marked.
        tables: the tables.
    """
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


def change_of_variable(fix: Fix, env: Mapping[str, str]) -> VariableChange | None:
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
