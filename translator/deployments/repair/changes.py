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
from translator.core.text.words import NOWHERE, TOKEN, is_variable, words
from translator.deployments.text import edits
from translator.formats.classes import frozen
from translator.formats.inputs import read_bytes
from translator.formats.references import has_hole, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Tables
    from translator.core.text.words import Place
    from translator.deployments.read.targets import Source, Target
    from translator.deployments.text.edits import Edit, FileEdit

_NEXT = re.compile(r" (?=[A-Za-z_]\w*=)")


@frozen
class Change:
    """What is replaced in the command line or the variables of a target.

    Attributes:
        at: the index of the first token, or the name of the variable; None for numbers of a line
            that get quotes: they are read as before.
        old: the tokens, or the value of the variable.
        new: the tokens or the assignments that replace them; () removes them.
        behind, after: of a variable that becomes flags: these, and the index where they go: behind
            the last option that stands in the file of the command.
        line: the line of the numbers, or 0.
    """

    at: int | str | None
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    line: int = 0
    behind: tuple[str, ...] = ()
    after: int = 0

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
    in_line = [
        (change.at, len(change.old), change.new) for change in changes if isinstance(change.at, int)
    ]
    in_line += [(change.after, 0, change.behind) for change in changes if change.behind]
    for at, size, new in sorted(in_line, reverse=True):
        tokens[at : at + size] = new
    for change in changes:
        if isinstance(change.at, str):
            env.pop(change.at, None)
            env.update(change.variables)
    return tokens, env


def change_of(item: Finding, target: Target, tables: Tables) -> Change | None:
    """Return what the remedy of a finding changes in a target; None if that is not clear, or takes
    a person.
    """
    facts, origin, tokens = item.facts, item.origin, target.written
    if not item.fix and origin is None:
        return None
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
        change = _in_line(given, rename, new, tokens, origin.at, tables) if is_own else None
        # What has no fix because its value is not known is no edit, and keeps its group from one.
        return change if item.fix or (change and any(map(has_hole, change.old))) else None
    name = item.subject
    if not item.fix or name not in target.env or (given and not given.startswith(name)):
        return None
    if write.startswith("-"):
        return None if target.is_translated else _to_flags(name, write, target)
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
    joined: list[str] = []
    for token in tokens:
        if joined and not _is_option(token) and "=" not in joined[-1]:
            joined[-1] += f"={token}"
        else:
            joined.append(token)
    return joined


def _in_variables(
    name: str, rename: str, new: Sequence[str], env: Mapping[str, str]
) -> Change | None:
    """Return what replaces a variable; None if that is not known, or would replace another one."""
    new = [f"{rename}={env[name]}"] if rename else new
    names = [word.partition("=")[0] for word in new if "=" in word]
    is_clear = len(set(names)) == len(new) and all(map(is_variable, names))
    if has_hole(env[name]) or not is_clear or any(word != name and word in env for word in names):
        return None
    return Change(name, (env[name],), tuple(new))


def _to_flags(name: str, write: str, target: Target) -> Change | None:
    """Return what moves a variable into a command line; None where it has a flag of it."""
    behind, tokens, places = tuple(words(write)), target.written, target.command.token_places
    flags = {token.partition("=")[0] for token in tokens}
    if has_hole(target.env[name]) or not flags.isdisjoint(
        word.partition("=")[0] for word in behind
    ):
        return None
    own = [at for at, there in enumerate(places) if there and there[0] == target.at[0]]
    after = max((at for at in own if _is_option(tokens[at])), default=max(own, default=-1)) + 1
    if after and _is_option(tokens[after - 1]):
        after += len([*takewhile(lambda token: not _is_option(token), tokens[after:])])
    return Change(name, (target.env[name],), behind=behind, after=after) if after else None


def shared_variable(
    sources: Sequence[Source], change: Change, file_edits: Sequence[FileEdit], readers: int
) -> str:
    """Return the variable whose value edits change, and that others read than the commands for
    which they are made; "" for none.

    Args:
        sources: the files.
        change, file_edits: what is changed in each of these commands, and how.
        readers: how many commands they are.
    """
    edited = [source for source in sources if any(edit[0] == source.path for edit in file_edits)]
    if isinstance(change.at, str):
        is_read = any(source.reads[change.at] for source in edited)
        is_read = is_read or any(is_read_beside(source, change.at, sources) for source in edited)
        return change.at if is_read else ""
    assigned = (
        name
        for source in edited
        for first, last, name in source.assigned
        if any(
            path == source.path and first < end and start < last
            for path, start, end, _ in file_edits
        )
    )
    counts = {name: sum(source.reads[name] for source in sources) for name in assigned}
    return next((name for name, count in counts.items() if count > readers), "")


def is_read_beside(source: Source, name: str, sources: Sequence[Source]) -> bool:
    """Return whether a compose file beside a file of variables, and not among some files, takes one
    from it, as it does from `.env` (`${NAME}`, `- NAME`), or names the file.
    """
    if not source.has_variables:
        return False
    folder, file = os.path.split(source.path)
    known = {os.path.normpath(source.path) for source in sources}
    paths = glob(os.path.join(escape(folder), "*compose*.y*ml"))
    for path in (path for path in paths if os.path.normpath(path) not in known):
        try:
            text = read_bytes(path).decode(errors="replace")
        except UsageError:
            continue
        if file in text or re.search(rf"\$\{{?{name}\b|^ *- *{name} *$", text, re.MULTILINE):
            return True
    return False


# --- what a change edits


def edits_of(change: Change, target: Target, sources: Mapping[str, Source]) -> list[FileEdit]:
    """Return the edits that make a change of a target in some files, by their paths; [] if its
    place is not known.
    """
    if any(map(has_hole, change.old)):
        return []
    if change.at is None:
        source = sources[target.source.path if target.source else ""]
        return _in_file(source.path, edits.of_number(source.text, change.line))
    where = _index(places_of(change, target)[0], sources)
    if where is None:
        return []
    source, at = where
    if isinstance(change.at, int):
        return _in_file(source.path, edits.of_tokens(source.text, at, change.old, change.new))
    # Of YAML, the place may be that of the quote, or of the value.
    name, (value,) = change.at, change.old
    line = source.text.rfind("\n", 0, at) + 1
    end = at + len(name) + 1 if at > line else edits.line_end(source.text, at)
    at = source.text.rfind(name, line, end)
    here = edits.of_variable(source.text, at, name, value, change.variables)
    if not (here and change.behind):
        return _in_file(source.path, here)
    written = edits.value_of(source.text, at, name, value)
    behind = [written if word == value else word for word in change.behind]
    there = _behind(target, change.after, behind, sources) if written in (value, *behind) else []
    return [*_in_file(source.path, here), *there] if there else []


def _in_file(path: str, every: Iterable[Edit]) -> list[FileEdit]:
    return [(path, *edit) for edit in every]


def places_of(change: Change, target: Target) -> list[Place | None]:
    """Return the places of what a change replaces."""
    if isinstance(change.at, int):
        return target.command.token_places[change.at : change.at + len(change.old)]
    return [target.command.places.get(change.at or "")]


def _index(at: Place | None, sources: Mapping[str, Source]) -> tuple[Source, int] | None:
    """Return the file and the index of a place; None if it is in none of some files."""
    path, line, column = at or NOWHERE
    source = sources.get(path)
    if source is None or not 0 < line <= len(source.lines):
        return None
    return source, source.lines[line - 1] + max(column - 1, 0)


def _behind(
    target: Target, after: int, tokens: Sequence[str], sources: Mapping[str, Source]
) -> list[FileEdit]:
    """Return the edits that write tokens into a command line, behind the option or the word that
    ends at an index.
    """
    first = next(
        (at for at in range(after - 1, 0, -1) if _is_option(target.written[at])), after - 1
    )
    where = _index(target.command.token_places[first], sources)
    if where is None:
        return []
    source, at = where
    old = [str(visible(token)) for token in target.written[first:after]]
    return _in_file(source.path, edits.behind_tokens(source.text, at, old, tokens))
