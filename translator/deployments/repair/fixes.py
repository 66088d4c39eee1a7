"""`check --fix`: follow the remedies of findings in the files themselves.

What a remedy changes in a target is known (changes.py), and the places of its tokens and variables
give the ranges to edit (edits.py), in its file or in another one that it reads. All edits that do
not touch each other are made at once, and the files are read again: every target must be what is
meant, and in every version that is checked the findings are gone, and nothing is wrong with what
replaces them. Otherwise each half of them is tried, down to the one that does not hold: it is
dropped with a message.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set

from translator.core.findings import REMOVE_UNSAFE, REPLACE_UNSAFE, Finding, UsageError
from translator.core.tables.catalog import Tables
from translator.core.text.words import Place
from translator.deployments.judge.results import Result, advised, check, meaning
from translator.deployments.options import CheckOptions
from translator.deployments.read.targets import Source, Target, reads_in, with_contents
from translator.deployments.repair.changes import (
    Change,
    applied,
    change_of,
    edits_of,
    is_read_beside,
    places_of,
    shared_variable,
)
from translator.deployments.text import edits
from translator.deployments.text.edits import Edit, FileEdit
from translator.formats.classes import define, evolve, field

# Steps that hold, and the files and their targets with them.
_Made = tuple[list["_Step"], list[Source], list[Target]]
# Those that are named after vLLM: others may be an application's.
_REFERENCE = re.compile(r"\$[{(]?(VLLM_\w+)")
_VARIABLE = re.compile(r"^[ \t]*(?:export[ \t]+)?(VLLM_\w+)=.*\n?", re.MULTILINE)
_UNSAFE = (REPLACE_UNSAFE, REMOVE_UNSAFE)
_MOST_ROUNDS = 5
_MOST_FAILURES = 50
_NOT_MEANT = "the file would not be read as is meant"
_OF_OTHERS = "it would change {}; `--fix --unsafe-fixes` does"
_NOT_TRIED = "too many others do not hold"
_NOT_BETTER = "it would mean something else, or be wrong in another way"


def proposed(
    results: Sequence[Result], asked: CheckOptions, named: Collection[str], *, are_tried: bool
) -> list[Result]:
    """Return results with the edits that correct their findings safely.

    Args:
        results, asked: of all targets, and how they were checked.
        named: the paths that whoever asks has named: others must not be written.
        are_tried: whether edits that do not hold are left out.
    """
    fixes: dict[Target, dict[Finding, Sequence[FileEdit]]] = {}
    of_target = _by_target(results)
    for sources, targets in groups_of(list(of_target)):
        if not any(it.path == "-" or kept_from(it, named) for it in sources):
            group = Group(sources, targets, asked, results=of_target)
            for step in group.proposed(are_tried=are_tried):
                for at, items in step.items.items():
                    edited = dict.fromkeys(items, step.edits)
                    fixes.setdefault(group.targets[at], {}).update(edited)
    return [
        evolve(result, fixes=fixes[result.target]) if result.target in fixes else result
        for result in results
    ]


def groups_of(targets: Sequence[Target]) -> list[tuple[list[Source], list[Target]]]:
    """Return targets with their files, in groups that have no file in common: a start is edited
    with the files of the same run that it reads.
    """
    leaders: dict[str, str] = {}
    sources: dict[str, Source] = {}

    def leader(path: str) -> str:
        while leaders[path] != path:
            leaders[path] = path = leaders[leaders[path]]
        return path

    for target in targets:
        if (source := target.source) is None:
            continue
        sources[source.path] = source
        contents = source.context.files.contents
        others = sorted(target.files & contents.keys()) if len(contents) > 1 else ()
        for path in (source.path, *others):
            sources.setdefault(path, evolve(source, path=path, content=contents[path]))
            leaders.setdefault(path, path)
            leaders[leader(path)] = leader(source.path)
    groups: dict[str, tuple[list[Source], list[Target]]] = {}
    for path, source in sources.items():
        groups.setdefault(leader(path), ([], []))[0].append(source)
    for target in targets:
        if target.source is not None:
            groups[leader(target.source.path)][1].append(target)
    return list(groups.values())


def kept_from(source: Source, named: Collection[str]) -> str:
    """Return why a file must not be written; "" if it may be."""
    if os.path.islink(source.path) and source.path not in named:
        return "it is a link, and is not named"
    is_linked = os.path.exists(source.path) and os.stat(source.path).st_nlink > 1
    return "the file has another name (a hard link)" if is_linked else ""


@define
class _Step:
    """Edits of files that belong together, and the changes of targets that they make: of several
    targets where these share what is edited.

    Attributes:
        edits: of the files' texts.
        changes: by the index of the target.
        items: the findings of all versions whose remedy it is, by the index of the target.
        is_safe: whether it needs no --unsafe-fixes.
    """

    edits: tuple[FileEdit, ...]
    changes: dict[int, list[Change]] = field(factory=dict)
    items: dict[int, list[Finding]] = field(factory=dict)
    is_safe: bool = True

    @property
    def keeps_meaning(self) -> bool:
        """Whether vLLM is told the same with it, in the same way."""
        return self.is_safe and not self.is_moving

    @property
    def is_moving(self) -> bool:
        """Whether a variable moves into a command line."""
        return any(change.behind for every in self.changes.values() for change in every)

    @property
    def about(self) -> set[tuple[int, str, str]]:
        return {(at, item.code, item.subject) for at, items in self.items.items() for item in items}


@define
class Group:
    """Files that are fixed together: starts and what they read.

    Attributes:
        sources, targets: as they are now.
        asked, unsafe_too: how it is checked; whether guesses and changes of meaning are made, too.
        stays: returns whether a target is left as it is.
        results: the findings of its targets.
        made, remaining: how many findings were fixed, and how many it has now.
        unsafe: how many changes were left out because they are not safe.
        dropped: the findings whose changes do not hold, with the index of their target.
        problems: why, as messages, each with the path of a file.
        removed: the findings whose settings were removed, with their places.
        failures: how often changes were tried that do not hold.
    """

    sources: list[Source]
    targets: list[Target]
    asked: CheckOptions
    unsafe_too: bool = False
    stays: Callable[[Target], bool] = lambda target: target.command.is_guess
    results: Mapping[Target, list[Result]] = field(factory=dict)
    made: int = 0
    remaining: int = 0
    unsafe: int = 0
    dropped: set[tuple[int, str, str]] = field(factory=set)
    problems: list[tuple[str, str]] = field(factory=list)
    removed: dict[Finding, Place] = field(factory=dict)
    failures: int = 0

    def fix(self) -> None:
        """Make every change that holds, also of what others reveal."""
        referred = _referred(self.sources)
        # Of commands that are alike, the next one is read when the first has been fixed.
        for _ in range(_MOST_ROUNDS + sum(len(source.lines) for source in self.sources)):
            self.results = _by_target(check(self.targets, self.asked))
            every = self._steps()
            # What moves into a command line stands behind an option, which may go itself.
            moving = [step for step in every if step.is_safe and step.is_moving]
            steps = _apart(moving or [step for step in every if step.keeps_meaning] or every)
            if not steps:
                break
            steps, sources, targets = self._holding(steps)
            self.removed |= self._removed(steps)
            self.sources, self.targets = sources, targets
            self.made += sum(len(step.about) for step in steps)
        else:
            self.results = _by_target(check(self.targets, self.asked))
        results = [
            (at, one) for at, target in enumerate(self.targets) for one in self.results[target]
        ]
        self._drop_unread(referred)
        found = {(at, item.code, item.subject) for at, one in results for item in one.findings}
        self.remaining = len(found)

    def _removed(self, steps: Iterable[_Step]) -> dict[Finding, Place]:
        """Return the findings whose settings steps remove, if these were not the default."""
        return {
            item: self.results[self.targets[at]][0].advised.place(item)
            for step in steps
            for at, items in step.items.items()
            if not any(change.new or change.behind for change in step.changes[at])
            for item in items
            if item.severity != "info"
        }

    def _drop_unread(self, referred: Set[str]) -> None:
        """Remove variables of vLLM's from files that compose reads them from, where the files
        referred to them, and do not any more.
        """
        gone = referred - _referred(self.sources)
        starting = [source for source in self.sources if not source.has_variables]
        lines = [
            (source.path, *match.span(), "")
            for source in self.sources
            if gone and source.has_variables
            if not any(os.path.basename(source.path) in one.text for one in starting)
            for match in _VARIABLE.finditer(source.text)
            if match[1] in gone and not self._is_read_elsewhere(match[1])
            if not is_read_beside(source, match[1], self.sources)
        ]
        if lines:
            sources = self._with(lines)
            targets = self._targets_of(sources)
            if list(map(_reading, targets)) == list(map(_reading, self.targets)):
                self.sources, self.targets = sources, targets

    def _is_read_elsewhere(self, name: str) -> bool:
        """Return whether another file of the run reads a variable."""
        known = {source.path for source in self.sources}
        files = self.sources[0].context.files
        for path, content in files.contents.items():
            if path not in known and name.encode() in content:
                if content not in files.reads:
                    files.reads[content] = reads_in(content.decode(errors="replace"))
                if files.reads[content][name]:
                    return True
        return False

    def proposed(self, *, are_tried: bool) -> list[_Step]:
        """Return the safe edits of the file as it is, or those of them that hold."""
        rest, found = self._steps(), []
        if not are_tried:
            return rest
        while rest:
            steps = _apart(rest)
            rest = [step for step in rest if step not in steps]
            found += self._holding(steps)[0]
        return found

    def _steps(self) -> list[_Step]:
        """Return the edits that all versions have in common."""
        steps: dict[tuple[FileEdit, ...], _Step] = {}
        for at, target in enumerate(self.targets):
            results = [] if self.stays(target) else self.results[target]
            has_all = all(any(item.fix for item in one.findings) for one in results)
            results = advised(results) if has_all else []
            versions = [_changes(result, self.asked.tables) for result in results]
            for group in _groups(versions[0] if versions else ()):
                if all(change in changes for change in group for changes in versions):
                    items = [it for changes in versions for one in group for it in changes[one]]
                    self._add(group, at, items, steps)
        self.unsafe = sum(len(step.changes) for step in steps.values() if not step.is_safe)
        others = (one for source in self.sources for one in source.others)
        theirs = {place for one in others for place in one.places.values()}
        return [
            step
            for step in steps.values()
            if (step.is_safe or self.unsafe_too) and not step.about & self.dropped
            if self.unsafe_too or not self._is_shared(step, theirs)
        ]

    def _add(
        self,
        group: list[Change],
        at: int,
        items: list[Finding],
        steps: dict[tuple[FileEdit, ...], _Step],
    ) -> None:
        """Add the changes of a target, and the findings that they are for, to the step that edits
        the same; none if their places are not known.
        """
        target, sources = self.targets[at], {source.path: source for source in self.sources}
        edited = [edits_of(change, target, sources) for change in group]
        if not all(edited):
            return
        # A variable of several starts becomes a flag of each of them.
        key, *_ = places = tuple(edit for several in edited for edit in several)
        step = steps.setdefault((key,) if group[0].behind else places, _Step(()))
        step.edits = tuple(dict.fromkeys([*step.edits, *places]))
        step.changes[at], step.items[at] = group, items
        if not target.is_whole or any(item.fix in _UNSAFE for item in items):
            step.is_safe = False

    def _is_shared(self, step: _Step, theirs: Set[Place]) -> bool:
        """Return, and tell, whether others use what a step changes; `theirs`: places that they are
        read from.
        """
        for at, change in ((at, it) for at, every in step.changes.items() for it in every):
            name = shared_variable(self.sources, change, step.edits, len(step.changes))
            if name or not theirs.isdisjoint(places_of(change, self.targets[at])):
                what = f"what else uses {name}" if name else "another container"
                self._drop([step], _OF_OTHERS.format(what))
                return True
        return False

    def _drop(self, steps: Iterable[_Step], problem: str) -> None:
        for step in steps:
            self.dropped |= step.about
            for at, items in step.items.items():
                source, name = self.targets[at].source, items[0].subject.partition("=")[0]
                path = source.path if source is not None else ""
                self.problems.append((path, f"{name}: not fixed: {problem}"))

    def _holding(self, steps: Sequence[_Step], kept: _Made | None = None) -> _Made:
        """Return the steps that hold beside those that are kept, and what is made of the file: all
        of them, or those that hold of each half, the halves of all targets at once.
        """
        kept = kept or ([], self.sources, self.targets)
        if not steps:
            return kept
        every = [*kept[0], *steps]
        try:
            sources = self._with([edit for step in every for edit in step.edits])
            targets = self._targets_of(sources)
            problem, at_fault = self._problem(every, sources, targets)
        except (UsageError, ValueError):  # a text is no file of its kind
            problem, at_fault = _NOT_MEANT, set()
        if not problem:
            return every, sources, targets
        self.failures += 1
        if self.failures > _MOST_FAILURES:
            self._drop(steps, _NOT_TRIED)
            return kept
        by_target: dict[int, list[_Step]] = {}  # the first that is at fault; -1 for none
        for step in steps:
            at = min(at_fault.intersection(step.changes), default=-1)
            by_target.setdefault(at, []).append(step)
        fine = by_target.pop(-1) if -1 in by_target and by_target.keys() != {-1} else []
        groups = by_target.values()
        self._drop([group[0] for group in groups if len(group) == 1], problem)
        first = [step for group in groups for step in group[: len(group) // 2]]
        second = [step for group in groups if group[1:] for step in group[len(group) // 2 :]]
        for some in (fine, first, second):
            kept = self._holding(some, kept)
        return kept

    def _with(self, file_edits: Iterable[FileEdit]) -> list[Source]:
        """Return the files with edits applied.

        Raises:
            ValueError: two of them overlap.
        """
        by_path: dict[str, list[Edit]] = {}
        for path, start, end, new in set(file_edits):
            by_path.setdefault(path, []).append((start, end, new))
        contents = {
            source.path: source.with_text(edits.applied(source.text, by_path[source.path]))
            for source in self.sources
            if source.path in by_path
        }
        return with_contents(self.sources, contents)

    def _targets_of(self, sources: Sequence[Source]) -> list[Target]:
        """Return the targets of the files as they would be, of those that start any."""
        starting = {target.source.path for target in self.targets if target.source}
        return [it for one in sources if one.path in starting for it in one.targets()]

    def _problem(
        self, steps: Sequence[_Step], sources: Sequence[Source], made: Sequence[Target]
    ) -> tuple[str, set[int]]:
        """Return why steps do not hold, or "": a target is not what is meant, another container is
        changed, or some version does not find less; and which targets that is about, none if it is
        about them together. There may be more targets than before: the same command in another
        branch of a script is not read before they differ.
        """
        mine: list[list[_Step]] = [[] for _ in self.targets]
        for step in steps:
            for at in step.changes:
                mine[at].append(step)
        meant = [
            _reading(target, [change for step in mine[at] for change in step.changes[at]])
            for at, target in enumerate(self.targets)
        ]
        found = {_reading(target): target for target in made}
        changed = {at for at, theirs in enumerate(mine) if theirs}
        if lost := {at for at, it in enumerate(meant) if it not in found}:
            return _NOT_MEANT, lost if lost <= changed else set()
        others = [
            [(command.marked, command.env) for source in files for command in source.others]
            for files in (self.sources, sources)
        ]
        if not self.unsafe_too and others[0] != others[1]:
            return _OF_OTHERS.format("another container"), set()
        after = _by_target(check([found[meant[at]] for at in changed], self.asked))
        worse = set()
        for at in changed:
            was, now = self.results[self.targets[at]], after[found[meant[at]]]
            if not all(self._is_better(at, mine[at], *both) for both in zip(was, now)):
                worse.add(at)
        return _NOT_BETTER if worse else "", worse

    def _is_better(self, at: int, steps: Sequence[_Step], before: Result, after: Result) -> bool:
        """Return whether a version finds less of a target after steps, nothing new about what they
        write, and the same meaning if they keep it. What else it finds now is not theirs: another
        mistake kept it from being looked at.
        """
        had = Counter((item.code, item.subject) for item in before.findings)
        found = Counter((item.code, item.subject) for item in after.findings)
        names = {subject.partition("=")[0] for _, subject in found.keys() - had.keys()}
        gone = {(item.code, item.subject) for step in steps for item in step.items[at]}
        if any(found[it] and found[it] >= had[it] for it in gone):
            return False
        if any(names & it.names for step in steps for it in step.changes[at]):
            return False
        is_same = all(step.keeps_meaning for step in steps)
        meant = meaning(before, self.asked) if is_same else None
        return meant is None or meaning(after, self.asked) in (None, meant)


def _referred(sources: Sequence[Source]) -> set[str]:
    """Return the variables of vLLM's names that files refer to."""
    return {name for source in sources for name in _REFERENCE.findall(source.text)}


def _apart(steps: Iterable[_Step]) -> list[_Step]:
    """Return steps that can be made at once: their edits neither overlap nor touch. What is removed
    beside something else depends on that.
    """
    taken: list[FileEdit] = []
    apart: list[_Step] = []
    for step in steps:
        if not any(
            a[0] == b[0] and a[1] <= b[2] and b[1] <= a[2] for a in step.edits for b in taken
        ):
            taken += step.edits
            apart.append(step)
    return apart


def _by_target(results: Sequence[Result]) -> dict[Target, list[Result]]:
    """Return the results of each target."""
    found: dict[Target, list[Result]] = {}
    for result in results:
        found.setdefault(result.target, []).append(result)
    return found


def _changes(result: Result, tables: Tables) -> dict[Change, list[Finding]]:
    """Return the changes that the remedies of findings are, each with its findings."""
    changes: dict[Change, list[Finding]] = {}
    for item in result.findings:
        if change := change_of(item, result.target, tables):
            changes.setdefault(change, []).append(item)
    return changes


def _groups(changes: Iterable[Change]) -> list[list[Change]]:
    """Return changes in groups that hold wholly or not at all: those that set keys of one value."""
    found: dict[object, list[Change]] = {}
    for change in changes:
        found.setdefault(change.value or change, []).append(change)
    return list(found.values())


def _reading(target: Target, changes: Sequence[Change] = ()) -> Hashable:
    """Return what was read of a target, or would be with changes."""
    tokens, env = applied(changes, target)
    names = target.command.names.difference(target.env)
    about = target.command.vllm, target.is_translated
    return tuple(tokens), frozenset(env.items()), names, about
