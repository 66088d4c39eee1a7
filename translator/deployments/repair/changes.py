"""What the remedies of findings change in a command line or in variables, as data; and what else
uses a variable whose value is changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from glob import escape, glob
from itertools import takewhile

from translator.advice.meant import is_option, size_of
from translator.core.findings import QUOTE, REMOVE, REMOVE_UNSAFE, Finding, UsageError
from translator.core.tables.catalog import Tables
from translator.core.text.words import TOKEN, Place
from translator.deployments.read.targets import Source, Target
from translator.deployments.text import edits
from translator.deployments.text.edits import Edit, FileEdit
from translator.formats.classes import frozen
from translator.formats.inputs import read_bytes
from translator.formats.places import NOWHERE
from translator.formats.references import has_hole, visible


@frozen(eq=True)
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
    """Return what the remedy of a finding changes in a target; None if that takes a person."""
    remedy, origin = item.remedy, item.origin
    if item.fix == QUOTE:
        line = item.facts.get("line")
        return Change(None, line=line) if isinstance(line, int) else None
    if remedy is None and item.fix in (REMOVE, REMOVE_UNSAFE):
        return _removal(item, target, tables)
    if remedy is None and origin is not None and origin.hole:
        # What becomes a key whose value is not known is no edit, and keeps its group from one.
        end = origin.at + 1 + size_of(origin.option, target.written, origin.at, tables)
        instead = str(item.facts.get("instead", ""))
        old = tuple(target.written[origin.at : end])
        return Change(origin.at, old, (instead,)) if "." in instead else None
    if remedy is None or remedy.inside or remedy.joint or remedy.at is None or not item.fix:
        return None
    if isinstance(remedy.at, int):
        is_own = origin is not None and not (remedy.variables or target.is_translated)
        return Change(remedy.at, remedy.old, remedy.tokens) if is_own else None
    if has_hole(target.env[remedy.at]):
        return None
    new = tuple(f"{name}={text}" for name, text in remedy.variables.items())
    if not remedy.tokens:
        return Change(remedy.at, remedy.old, new)
    return None if target.is_translated else _to_flags(remedy.at, remedy.tokens, new, target)


def _removal(item: Finding, target: Target, tables: Tables) -> Change | None:
    """Return what removes the variable or the option that a finding is about; None if it is not
    known, or there twice.
    """
    origin, tokens = item.origin, target.written
    if origin is None or origin.kind != TOKEN:
        name, given = item.subject, str(item.facts.get("given", ""))
        is_all = name in target.env and (not given or given.startswith(name))
        return Change(name, (target.env[name],)) if is_all else None
    if origin.inside or target.is_translated:
        return None
    name = tokens[origin.at].partition("=")[0]
    if sum(token.partition("=")[0] == name for token in tokens) > 1:
        return None
    size = 1 if "=" in tokens[origin.at] else 1 + size_of(name, tokens, origin.at, tables)
    return Change(origin.at, tuple(tokens[origin.at : origin.at + size]))


def _to_flags(
    name: str, behind: Sequence[str], new: Sequence[str], target: Target
) -> Change | None:
    """Return what moves a variable into a command line; None where it has a flag of it."""
    tokens, places = target.written, target.command.token_places
    flags = {token.partition("=")[0] for token in tokens}
    if not flags.isdisjoint(word.partition("=")[0] for word in behind):
        return None
    own = [at for at, there in enumerate(places) if there and there[0] == target.at[0]]
    after = max((at for at in own if is_option(tokens[at])), default=max(own, default=-1)) + 1
    if after and is_option(tokens[after - 1]):
        after += len([*takewhile(lambda token: not is_option(token), tokens[after:])])
    old = (target.env[name],)
    return Change(name, old, tuple(new), behind=tuple(behind), after=after) if after else None


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
    first = next((at for at in range(after - 1, 0, -1) if is_option(target.written[at])), after - 1)
    where = _index(target.command.token_places[first], sources)
    if where is None:
        return []
    source, at = where
    old = [str(visible(token)) for token in target.written[first:after]]
    return _in_file(source.path, edits.behind_tokens(source.text, at, old, tokens))
