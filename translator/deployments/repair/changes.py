"""What the remedies of findings change in a command line or in variables, as data; and what else
uses a variable whose value is changed.
"""

from __future__ import annotations

import json
import os
import re
from glob import escape, glob
from itertools import takewhile
from typing import TYPE_CHECKING

from translator.core.findings import QUOTE, REMOVE, REMOVE_UNSAFE, UsageError
from translator.core.secrets import MASK
from translator.core.settings.changes import flag_elsewhere
from translator.core.tables.dialects import find_dialect
from translator.core.text.words import TOKEN, is_variable, words
from translator.formats.classes import frozen
from translator.formats.inputs import has_variables, read_bytes
from translator.formats.references import has_hole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Tables
    from translator.deployments.options import CheckOptions
    from translator.deployments.read.targets import Source, Target
    from translator.deployments.text.edits import Edit

_NEXT = re.compile(r" (?=[A-Za-z_]\w*=)")
# `NAME=word` or `NAME=(words)` of a shell, whose words may have quotes.
_ASSIGNED = re.compile(
    r"""(?<![\w$.{-])([A-Za-z_]\w*)\+?=
    (?:\((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^()'"\\])*\)
    |(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])*)""",
    re.DOTALL | re.VERBOSE,
)


@frozen
class Change:
    """What is replaced in the command line or the variables of a target.

    Attributes:
        at: the index of the first token, or the name of the variable; None for numbers of a line
            that get quotes: they are read as before.
        old: the tokens, or the value of the variable.
        new: the tokens or the assignments that replace them; () removes them.
        behind: of a variable that becomes flags: what the command line ends with.
        line: the line of the numbers, or 0.
    """

    at: int | str | None
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    line: int = 0
    behind: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        """The options or variables that the result has."""
        return {word.partition("=")[0] for word in (*self.new, *self.behind)}

    @property
    def value(self) -> str:
        """The option of whose value it sets keys (`--option.key`), or ""."""
        option, dot, _ = self.new[0].partition(".") if self.new else ("", "", "")
        return option if dot and option.startswith("--") else ""

    @property
    def variables(self) -> list[tuple[str, str]]:
        """The variables that replace one."""
        parts = [word.partition("=") for word in self.new]
        return [(name, value) for name, _, value in parts]


def applied(changes: Sequence[Change], target: Target) -> tuple[Sequence[str], Mapping[str, str]]:
    """Return the command line and the variables of a target with changes that do not overlap."""
    tokens, env = [*target.written], dict(target.env)
    in_line = {change.at: change for change in changes if isinstance(change.at, int)}
    for at in sorted(in_line, reverse=True):
        tokens[at : at + len(in_line[at].old)] = in_line[at].new
    for change in changes:
        tokens += change.behind
        if isinstance(change.at, str):
            env.pop(change.at, None)
            env.update(change.variables)
    return tokens, env


def change_of(item: Finding, target: Target, tables: Tables) -> Change | None:
    """Return what the remedy of a finding changes in a target; None if that is not clear, or takes
    a person.
    """
    facts, origin, tokens = item.facts, item.origin, target.written
    if item.fix == QUOTE:
        line = facts.get("line")
        return Change(None, line=line) if isinstance(line, int) else None
    if "whole" in facts:
        return _in_json(item, str(facts["whole"]), target)
    words_of = ("given", "write", "near", "instead")
    given, write, near, instead = (str(facts.get(name, "")) for name in words_of)
    rename, new = "", []
    if item.fix not in (REMOVE, REMOVE_UNSAFE):
        is_key = instead.startswith("--") and "." in instead
        rename = write if is_variable(write) else "" if write else near
        new = _words(item, write or instead * is_key)
        if not (item.fix or is_key) or not (rename or new) or MASK in write:
            return None
    if origin is not None and origin.kind == TOKEN:
        is_own = not (origin.inside or target.is_translated)
        made = _in_line(given, rename, new, tokens, origin.at, tables) if is_own else None
        # What has no fix because its value is not known is no edit, and keeps its group from one.
        return made if item.fix or (made and any(map(has_hole, made.old))) else None
    name = item.subject
    if not item.fix or name not in target.env or (given and not given.startswith(name)):
        return None
    if write.startswith("-"):
        return None if target.is_translated else _to_flags(name, write, tokens, target.env)
    return _in_variables(name, rename, new, target.env)


def _in_json(item: Finding, whole: str, target: Target) -> Change | None:
    """Return what replaces a JSON value of which a key changes; None if that is not clear."""
    origin, tokens, name = item.origin, target.written, item.subject
    if not item.fix or not whole or MASK in whole:
        return None
    if origin is not None and origin.kind == TOKEN:
        name, equals, text = tokens[origin.at].partition("=")
        old = tuple(tokens[origin.at : origin.at + (1 if equals else 2)])
        if origin.inside or target.is_translated or "." in name or has_hole(old[-1]):
            return None
        new = _like(text or old[-1], whole)
        return Change(origin.at, old, (f"{name}={new}",) if equals else (name, new))
    if name not in target.env or has_hole(target.env[name]):
        return None
    return Change(name, (target.env[name],), (f"{name}={_like(target.env[name], whole)}",))


def _like(text: str, whole: str) -> str:
    """Return compact JSON with blanks where another text has them."""
    return json.dumps(json.loads(whole), ensure_ascii=False) if '": ' in text else whole


def _words(item: Finding, write: str) -> list[str]:
    """Return the tokens or the assignments that a finding tells to write."""
    if not item.subject.startswith("-"):
        return _NEXT.split(write)
    try:
        return words(write) if write.startswith("-") else []
    except ValueError:
        return []


def _in_line(
    given: str, rename: str, new: Sequence[str], tokens: Sequence[str], at: int, tables: Tables
) -> Change | None:
    """Return what replaces the option at an index, with its values; None if one is not known, or
    the option is there twice.
    """
    name = tokens[at].partition("=")[0]
    old = tuple(tokens[at : at + 1 + _values(name, tokens, at, tables)])
    is_part = given.startswith(f"{name}.") and "".join(old).count(":") > 1  # one key of a value
    alike = sum(token.partition("=")[0] == name for token in tokens)
    if alike > 1 or is_part:
        return None
    if rename:
        new = (rename + old[0][len(name) :], *old[1:])
    elif "=" in old[0]:  # options with single values have these in one token, too
        new = _joined(new)
    return Change(at, old, tuple(new))


def _values(name: str, tokens: Sequence[str], at: int, tables: Tables) -> int:
    """Return the number of tokens behind an option that are its values."""
    if "=" in tokens[at] or not name.startswith("-"):
        return 0
    behind = len([*takewhile(lambda token: not _is_option(token), tokens[at + 1 :])])
    base, dot, _ = name.partition(".")
    flag = flag_elsewhere(base.replace("_", "-"), tables)
    if flag is None or dot:
        return min(behind, 1)
    return 0 if not flag.takes_value else behind if flag.kind == "list" else min(behind, 1)


def _is_option(token: str) -> bool:
    return token.startswith("-") and not token[1:2].isdigit() and token != "-"


def _joined(tokens: Sequence[str]) -> list[str]:
    """Return options with their single values in one token: `--flag=value`."""
    found: list[str] = []
    for token in tokens:
        if found and not _is_option(token) and "=" not in found[-1]:
            found[-1] += f"={token}"
        else:
            found.append(token)
    return found


def _in_variables(
    name: str, rename: str, new: Sequence[str], env: Mapping[str, str]
) -> Change | None:
    """Return what replaces a variable; None if that is not known, or would replace another one."""
    new = [f"{rename}={env[name]}"] if rename else new
    names = [word.partition("=")[0] for word in new if "=" in word]
    is_clear = len(set(names)) == len(new) and all(map(is_variable, names))
    if has_hole(env[name]) or not is_clear or any(it != name and it in env for it in names):
        return None
    return Change(name, (env[name],), tuple(new))


def _to_flags(
    name: str, write: str, tokens: Sequence[str], env: Mapping[str, str]
) -> Change | None:
    """Return what moves a variable to the end of a command line; None where it has a flag of it."""
    behind = tuple(words(write))
    flags = {token.partition("=")[0] for token in tokens}
    if has_hole(env[name]) or not flags.isdisjoint(word.partition("=")[0] for word in behind):
        return None
    return Change(name, (env[name],), behind=behind)


def shared_variable(source: Source, change: Change, edits: Sequence[Edit], readers: int) -> str:
    """Return the variable whose value edits change, and that others read than the commands for
    which they are made; "" for none.

    Args:
        source: the file.
        change, edits: what is changed in each of these commands, and how.
        readers: how many commands they are.
    """
    if isinstance(change.at, str):
        return change.at if source.reads[change.at] or _read_beside(source, change.at) else ""
    assigned = (
        item[1]
        for item in _ASSIGNED.finditer(source.text)
        if any(item.start() < end and start < item.end() for start, end, _ in edits)
    )
    return next((name for name in assigned if source.reads[name] > readers), "")


def _read_beside(source: Source, name: str) -> bool:
    """Return whether a compose file beside a file of variables takes one from it, as it does from
    `.env` (`${NAME}`, `- NAME`), or names the file.
    """
    if not has_variables(source.path):
        return False
    folder, file = os.path.split(source.path)
    for path in glob(os.path.join(escape(folder), "*compose*.y*ml")):
        try:
            text = read_bytes(path).decode(errors="replace")
        except UsageError:
            continue
        if file in text or re.search(rf"\$\{{?{name}\b|^ *- *{name} *$", text, re.MULTILINE):
            return True
    return False


def is_of_platform(target: Target, asked: CheckOptions) -> bool:
    """Return whether it is certain how the variables of a target are read: those of a file without
    more are a platform's only if --dialect says so, or one has a name of the platform's own. They
    may be those of a compose file, or of vLLM itself.
    """
    path = target.source.path if target.source else ""
    if asked.platform or target.dialect or not (has_variables(path) or path in asked.env_files):
        return True
    dialect = find_dialect(asked.dialect, asked.tables)
    known = [dialect.listed(name) for name in target.env] if dialect else []
    own = [it for it in known if it.role in ("flag", "choice", "worker")]
    return any(it.name != it.flag[2:].replace("-", "_").upper() for it in own)
