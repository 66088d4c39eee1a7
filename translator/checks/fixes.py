"""`check --fix`: follow the remedies of findings in the files themselves.

What a remedy changes in a target is known (changes.py), and the places of its tokens and variables
give the range of the file to edit (text/edits.py). One change of each target is made at a time, and
the file is read again: every target must be what is meant, and in every version that is checked the
findings are gone, and nothing is wrong with what replaces them. Otherwise the change is dropped
with a message.
"""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from translator.checks.changes import Change, change_of, is_of_platform, shared_variable
from translator.checks.results import check, meaning
from translator.findings import REMOVE_UNSAFE, REPLACE_UNSAFE, UsageError
from translator.text import edits
from translator.text.classes import define, evolve, field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set

    from translator.checks import Asked
    from translator.checks.results import Result
    from translator.checks.targets import Source, Target
    from translator.files import Command
    from translator.findings import Finding
    from translator.tables.catalog import Tables
    from translator.text.edits import Edit

_UNSAFE = (REPLACE_UNSAFE, REMOVE_UNSAFE)
_MOST_ROUNDS = 100
_NOT_MEANT = "the file would not be read as is meant"
_OF_ANOTHER = "it would change another container; --unsafe-fixes does"
_NOT_BETTER = "it would mean something else, or be wrong in another way"


def proposed(results: Sequence[Result], asked: Asked, named: Collection[str]) -> list[Result]:
    """Return results with the edits that correct their findings safely, in files that may be
    written; some paths are `named` by whoever asks.
    """
    fixes: dict[Target, dict[Finding, Sequence[Edit]]] = {}
    of_target = _by_target(results)
    for source, group in groupby(of_target, lambda target: target.source):
        if source is not None and source.path != "-" and not kept_from(source, named):
            file = File(source, list(group), asked, results=of_target)
            for step in file.proposed():
                target = file.targets[step.at]
                fixes.setdefault(target, {}).update(dict.fromkeys(step.items, step.edits))
    return [evolve(result, fixes=fixes.get(result.target, {})) for result in results]


def kept_from(source: Source, named: Collection[str]) -> str:
    """Return why a file must not be written; "" if it may be."""
    if os.path.islink(source.path) and source.path not in named:
        return "it is a link, and is not named"
    is_linked = os.path.exists(source.path) and os.stat(source.path).st_nlink > 1
    return "the file has another name (a hard link)" if is_linked else ""


@frozen(eq=False)
class _Step:
    """A change of a target, and how it is made in the file.

    Attributes:
        at: the index of the target.
        change: the change.
        items: the findings of all versions whose remedy it is.
        is_safe: whether it needs no --unsafe-fixes.
        edits: of the file's text.
        lines: those of what is replaced.
    """

    at: int
    change: Change
    items: Sequence[Finding]
    is_safe: bool
    edits: Sequence[Edit]
    lines: Set[int]

    @property
    def about(self) -> set[tuple[int, str, str]]:
        return {(self.at, item.code, item.subject) for item in self.items}


@define
class File:
    """A file that is being fixed.

    Attributes:
        source, targets: as they are now.
        asked, unsafe_too: how it is checked; whether guesses and changes of meaning are made, too.
        stays: returns whether a target is left as it is.
        results: the findings of its targets.
        made, remaining: how many findings were fixed, and how many it has now.
        unsafe: how many changes were left out because they are not safe.
        dropped: the findings whose changes do not hold, with the index of their target.
        problems: why, as messages.
    """

    source: Source
    targets: list[Target]
    asked: Asked
    unsafe_too: bool = False
    stays: Callable[[Target], bool] = lambda target: target.command.is_guess
    results: Mapping[Target, list[Result]] = field(factory=dict)
    made: int = 0
    remaining: int = 0
    unsafe: int = 0
    dropped: set[tuple[int, str, str]] = field(factory=set)
    problems: list[str] = field(factory=list)

    def fix(self) -> None:
        """Make every change that holds, also of what others reveal."""
        # Of commands that are alike, the next one is read when the first has been fixed.
        for _ in range(_MOST_ROUNDS + len(self.source.lines)):
            self.results = _by_target(check(self.targets, self.asked))
            steps = _together(self._steps(unsafe=self.unsafe_too))
            if not steps:
                break
            steps, self.source, self.targets = self._holding(steps)
            self.made += sum(len(step.about) for step in steps)
        else:
            self.results = _by_target(check(self.targets, self.asked))
        results = [(at, one) for at, it in enumerate(self.targets) for one in self.results[it]]
        found = {(at, item.code, item.subject) for at, one in results for item in one.shown}
        self.remaining = len(found)

    def proposed(self) -> list[_Step]:
        """Return the safe changes that hold for the file as it is."""
        found: list[_Step] = []
        rest = self._steps(unsafe=False)
        while rest:
            steps = _together(rest)
            rest = [step for step in rest if step not in steps]
            found += self._holding(steps)[0]
        return found

    def _steps(self, *, unsafe: bool) -> list[_Step]:
        """Return the changes that all versions have in common."""
        found: list[_Step] = []
        self.unsafe = 0
        for at, target in enumerate(self.targets):
            results = [] if self.stays(target) else self.results[target]
            versions = [_changes(result, self.asked.tables) for result in results]
            is_known = is_of_platform(target, self.asked)
            for change in versions[0] if versions else ():
                if not all(change in theirs for theirs in versions):
                    continue
                items = [item for theirs in versions for item in theirs[change]]
                is_safe = is_known and not any(item.fix in _UNSAFE for item in items)
                step = _Step(at, change, items, is_safe, *_edits(target, change, self.source))
                self.unsafe += not step.is_safe
                if step.edits and (step.is_safe or unsafe) and not step.about & self.dropped:
                    found.append(step)
        return found

    def _holding(self, steps: list[_Step]) -> tuple[list[_Step], Source, list[Target]]:
        """Return the steps that hold, and the file and the targets that they make."""
        while steps:
            every = dict.fromkeys(edit for step in steps for edit in step.edits)
            try:
                source = self.source.with_text(edits.applied(self.source.text, list(every)))
                made = source.targets()
            except (UsageError, ValueError):  # edits overlap, or the text is no file of its kind
                source, made = self.source, []
            problems = self._problems(steps, made)
            if not problems:
                return steps, source, made
            for step, problem in problems.items():
                self.dropped |= step.about
                name = step.items[0].subject.partition("=")[0]
                self.problems.append(f"{name}: not fixed: {problem}")
            steps = [step for step in steps if step not in problems]
        return [], self.source, self.targets

    def _problems(self, steps: Sequence[_Step], made: Sequence[Target]) -> dict[_Step, str]:
        """Return the steps that do not hold, and why: a target is not what is meant, others use
        what is changed, or some version does not find less. There may be more targets than before:
        the same command in another branch of a script is not read before they differ.
        """
        changes = {step.at: step.change for step in steps}
        meant = [_reading(target, changes.get(at)) for at, target in enumerate(self.targets)]
        found = {_reading(target): target for target in made}
        bad = [target.command for it, target in zip(meant, self.targets) if it not in found]
        if bad:
            touching = [step for step in steps if any(step.lines & _lines(one) for one in bad)]
            return dict.fromkeys(touching or steps, _NOT_MEANT)
        problems = {} if self.unsafe_too else self._shared(steps, made)
        after = _by_target(check([found[meant[step.at]] for step in steps], self.asked))
        for step in steps:
            was, now = self.results[self.targets[step.at]], after[found[meant[step.at]]]
            if not all(self._is_better(step, *both) for both in zip(was, now)):
                problems[step] = _NOT_BETTER
        return problems

    def _is_better(self, step: _Step, before: Result, after: Result) -> bool:
        """Return whether a version finds less after a step, nothing new about what it writes, and
        the same meaning if the step is safe. What else it finds now is not the step's: another
        mistake kept it from being looked at.
        """
        had = {(item.code, item.subject) for item in before.findings}
        found = {(item.code, item.subject) for item in after.findings}
        names = {subject.partition("=")[0] for _, subject in found - had}
        gone = {(item.code, item.subject) for item in step.items}
        if found & gone or names & step.change.names:
            return False
        is_same = step.is_safe and not step.change.behind
        meant = meaning(before, self.asked) if is_same else None
        return meant is None or meaning(after, self.asked) in (None, meant)

    def _shared(self, steps: Sequence[_Step], made: Sequence[Target]) -> dict[_Step, str]:
        """Return the steps that change what others use: a variable that is read elsewhere, or a
        container that does not run vLLM.
        """
        problems = {}
        for step in steps:
            alike = sum(other.edits == step.edits for other in steps)
            if name := shared_variable(self.source, step.change, step.edits, alike):
                problems[step] = f"it would change what else uses {name}; --unsafe-fixes does"
        before, after = self.targets[0].others, made[0].others
        for was, now in zip(before, after):
            if (was.marked, was.env) != (now.marked, now.env):
                touching = [step for step in steps if step.lines & _lines(was)]
                problems.update(dict.fromkeys(touching or steps, _OF_ANOTHER))
        return problems


def _together(steps: Sequence[_Step]) -> list[_Step]:
    """Return steps that can be made at once: one of each target, with those of other targets that
    are the same edits.
    """
    alike: dict[tuple[Edit, ...], list[_Step]] = {}
    for step in steps:
        alike.setdefault(tuple(step.edits), []).append(step)
    found: dict[int, _Step] = {}
    for group in alike.values():
        if not any(step.at in found for step in group):
            found.update({step.at: step for step in group})
    return list(found.values())


def _by_target(results: Sequence[Result]) -> dict[Target, list[Result]]:
    """Return the results of each target."""
    found: dict[Target, list[Result]] = {}
    for result in results:
        found.setdefault(result.target, []).append(result)
    return found


def _changes(result: Result, tables: Tables) -> dict[Change, list[Finding]]:
    """Return the changes that the remedies of findings are, each with its findings."""
    found: dict[Change, list[Finding]] = {}
    for item in result.findings:
        if change := change_of(item, result.target, tables):
            found.setdefault(change, []).append(item)
    return found


def _edits(target: Target, change: Change, source: Source) -> tuple[Sequence[Edit], Set[int]]:
    """Return the edits that make a change of a target, and the lines of what they replace; no edits
    if its place is not known.
    """
    text, name = source.text, change.at
    if name is None:
        return edits.of_number(text, change.line), {change.line}
    if change.behind:
        return _moved(target, change, source)
    if isinstance(name, int):
        places = target.command.token_places[name : name + len(change.old)]
    else:
        places = [target.command.places.get(name)]
    known = [
        place
        for place in places
        if place and place[0] == source.path and 0 < place[1] <= len(source.lines)
    ]
    if len(known) < len(places):
        return (), frozenset()
    at = [source.lines[line - 1] + max(column - 1, 0) for _, line, column in known]
    lines = {line for _, line, _ in known}
    if isinstance(name, int):
        return edits.of_tokens(text, at, change.old, change.new), lines
    # Of YAML, the place may be that of the quote, or of the value.
    line = source.lines[known[0][1] - 1]
    end = at[0] + len(name) + 1 if at[0] > line else edits.line_end(text, at[0])
    start = text.rfind(name, line, end)
    return edits.of_variable(text, start, name, change.old[0], change.variables), lines


def _moved(target: Target, change: Change, source: Source) -> tuple[Sequence[Edit], Set[int]]:
    """Return the edits that move a variable to the end of a command line."""
    last = len(target.written) - 1, (target.written[-1],)
    ends = Change(*last, (*last[1], *change.behind))
    there, lines = _edits(target, ends, source)
    here, more = _edits(target, evolve(change, behind=()), source)
    return ([*here, *there], {*lines, *more}) if here and there else ((), frozenset())


def _reading(target: Target, change: Change | None = None) -> Hashable:
    """Return what was read of a target, or would be with a change."""
    tokens, env = change.applied(target) if change else (target.written, target.env)
    names = target.command.names.difference(target.env)
    about = target.command.vllm, target.is_translated
    return tuple(tokens), frozenset(env.items()), names, about


def _lines(command: Command) -> set[int]:
    """Return the lines from which a command was read."""
    return {place[1] for place in (*command.token_places, *command.places.values()) if place}
