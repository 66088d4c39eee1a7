"""`check --fix`: follow the remedies of findings in the files themselves.

What a remedy changes in a target is known (changes.py), and the places of its tokens and variables
give the range of the file to edit (text/edits.py). The edited file is read once: every target must
have changed exactly so, and in every version that is checked the findings are gone, no other error
or warning appears, and the meaning is the same. If that does not hold, each edit is looked at by
itself, with those before it, and is dropped with a message if it does not hold.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from difflib import unified_diff
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import define, evolve, field, frozen

from translator.cli.check.changes import Change, applied, change_of, shared_variable
from translator.cli.process import emit, log
from translator.findings import REMOVE_UNSAFE, REPLACE_UNSAFE, UsageError, inert
from translator.secrets import secrets_of
from translator.text import edits, files

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Hashable, Iterable, Sequence

    from translator.cli.check.checker import Checker, Result
    from translator.cli.check.targets import Source, Target
    from translator.findings import Finding
    from translator.text.edits import Edit

_UNSAFE = (REPLACE_UNSAFE, REMOVE_UNSAFE)
_MOST_ROUNDS = 10  # a fix may reveal the next one
_MOST_ALONE = 40  # edits of a file that are looked at by themselves
_NOT_MEANT = "the file would not be read as is meant"


def fixed(targets: Sequence[Target], checker: Checker, args: Namespace) -> list[Target]:
    """Fix the files of targets, or print the differences; return the targets as they are then.

    Raises:
        UsageError: there is no file to fix, or it cannot be written.
    """
    sources = {target.source for target in targets if target.source is not None}
    if not sources:
        option = "--diff" if args.diff else "--fix"
        raise UsageError(f"{option} needs a file, as an argument or with --env-file")
    if not args.diff and any(source.path == "-" for source in sources):
        raise UsageError("--fix cannot change standard input: name a file, or use --diff")
    done: list[Target] = []
    made = remaining = unsafe = changed = 0
    for source, group in groupby(targets, lambda target: target.source):
        mine = list(group)
        if source is None:
            done += mine
            continue
        file = _File(source, mine, checker, args)
        file.fix()
        is_changed = file.source is not source
        if is_changed and (problem := _kept_from(source, args)):
            log(f"{source.path}: not fixed: {problem}")
            done += mine
            continue
        made, remaining = made + len(file.first - file.last), remaining + len(file.last)
        unsafe, changed = unsafe + file.unsafe, changed + is_changed
        for problem in file.problems:
            log(f"{source.path}: {problem}")
        if is_changed and args.diff:
            emit(_difference(source, file, checker))
        elif is_changed:
            _write(source, file.source.content)
        done += mine if args.diff else file.targets
    counts = f"{made} finding{'s' * (made != 1)} {{}} in {changed} file{'s' * (changed != 1)}"
    more = f"; --unsafe-fixes may fix {unsafe} more" * (unsafe > 0 and not args.unsafe_fixes)
    log(counts.format("would be fixed" if args.diff else "fixed") + f", {remaining} remain{more}")
    return done


def proposed(results: Sequence[Result], checker: Checker, args: Namespace) -> list[Result]:
    """Return results with the edits that correct their findings safely."""
    fixes: dict[Target, dict[Finding, Sequence[Edit]]] = {}
    of_source: dict[Source, dict[Target, list[Result]]] = {}
    for target, mine in _by_target(results).items():
        if target.source is not None and target.source.path != "-":
            of_source.setdefault(target.source, {})[target] = mine
    for source, theirs in of_source.items():
        if not _kept_from(source, args):
            file = _File(source, list(theirs), checker, args, theirs)
            for step in file.proposed():
                least = [edits.narrowed(source.text, edit) for edit in step.edits]
                target = file.targets[step.at]
                fixes.setdefault(target, {}).update(dict.fromkeys(step.items, least))
    return [evolve(result, fixes=fixes.get(result.target, {})) for result in results]


def _difference(source: Source, file: _File, checker: Checker) -> str:
    """Return what has changed as a unified diff without context; secrets are masked."""
    secrets = secrets_of(checker.tables)
    known = secrets.of_all((target.env, target.written) for target in file.targets)
    old, new = source.text.split("\n"), file.source.text.split("\n")
    lines = unified_diff(old, new, source.path, source.path, lineterm="", n=0)
    return "".join(f"{inert(secrets.mask(line.rstrip(), known))}\n" for line in lines)


def _write(source: Source, content: bytes) -> None:
    try:
        if files.read(source.path) != source.content:
            raise OSError(None, "not fixed: it has changed since it was read")
        files.write(source.path, content)
    except OSError as error:
        raise UsageError(f"{source.path}: {error.strerror or error}") from None


def _kept_from(source: Source, args: Namespace) -> str:
    """Return why a file must not be written; "" if it may be."""
    named = [*args.targets, *args.env_file]
    path, real = source.path, os.path.realpath(source.path)
    if path not in named:
        # A pattern stands for what is in its folder.
        roots = [
            item if os.path.isdir(item) else re.split(r"[^/]*[*?[]", item)[0] for item in named
        ]
        folders = [os.path.join(os.path.realpath(root or "."), "") for root in roots]
        if not real.startswith(tuple(folders)):
            return "the link leads out of what is named"
    is_linked = os.path.exists(real) and os.stat(real).st_nlink > 1
    return "the file has another name (a hard link)" if is_linked else ""


@frozen
class _Step:
    """A change of a target, and how it is made in the file.

    Attributes:
        at: the index of the target.
        change: the change.
        items: the findings of all versions whose remedy it is.
        edits: of the file's text; none if a place is not known.
    """

    at: int
    change: Change
    items: list[Finding] = field(factory=list)
    edits: Sequence[Edit] = ()

    @property
    def is_safe(self) -> bool:
        return not any(item.fix in _UNSAFE for item in self.items)

    @property
    def about(self) -> set[tuple[str, str]]:
        return {(item.code, item.subject) for item in self.items}


@define
class _File:
    """A file that is being fixed.

    Attributes:
        source, targets: as they are now.
        results: the findings of its targets.
        first, last: the findings that it had, and has now.
        unsafe: how many changes were left out because they are not safe.
        dropped, problems: what was left out because it does not hold, and why.
    """

    source: Source
    targets: list[Target]
    checker: Checker
    args: Namespace
    results: dict[Target, list[Result]] = field(factory=dict)
    first: set[tuple[int, str, str]] = field(factory=set)
    last: set[tuple[int, str, str]] = field(factory=set)
    unsafe: int = 0
    dropped: set[tuple[int, str, str]] = field(factory=set)
    problems: list[str] = field(factory=list)

    def fix(self) -> None:
        """Fix everything that can be fixed."""
        for number in range(_MOST_ROUNDS):
            self.results = _by_target(self.checker.results(self.targets))
            self.last = {
                (at, item.code, item.subject)
                for at, target in enumerate(self.targets)
                for result in self.results.get(target, ())
                for item in result.findings
            }
            self.first = self.first if number else self.last
            steps, _ = _apart(self._steps(unsafe=self.args.unsafe_fixes))
            steps, made = self._good(steps)
            if not steps:
                break
            self.source, self.targets = made[0].source or self.source, made

    def proposed(self) -> list[_Step]:
        """Return the safe changes of the file as it is, by the results of its targets."""
        found: list[_Step] = []
        rest = self._steps(unsafe=False)
        while rest:
            steps, rest = _apart(rest)
            found += self._good(steps)[0]
        return found

    def _steps(self, *, unsafe: bool) -> list[_Step]:
        """Return the changes that all versions have in common, in the order of their edits."""
        found: list[_Step] = []
        self.unsafe = 0
        for at, target in enumerate(self.targets):
            results = [] if target.command.is_guess else self.results.get(target, [])
            tokens = () if target.is_translated else target.written
            steps: dict[Change, _Step] = {}
            versions: Counter[Change] = Counter()
            for result in results:
                changes = set()
                for item in result.findings:
                    change = change_of(item, tokens, target.env, self.checker.tables)
                    if change is not None:
                        steps.setdefault(change, _Step(at, change)).items.append(item)
                        changes.add(change)
                versions.update(changes)
            for change, step in steps.items():
                if versions[change] < len(results):
                    continue
                self.unsafe += not step.is_safe
                is_dropped = any((at, *about) in self.dropped for about in step.about)
                if (step.is_safe or unsafe) and not is_dropped:
                    found.append(evolve(step, edits=self._edits(target, change)))
        return sorted((step for step in found if step.edits), key=lambda step: sorted(step.edits))

    def _edits(self, target: Target, change: Change) -> list[Edit]:
        """Return the edits that make a change of a target; [] if its place is not known."""
        text, lines, name = self.source.text, self.source.lines, change.at
        if name is None:
            return edits.of_number(text, change.line) if change.line else []
        if isinstance(name, int):
            places = target.command.token_places[name : name + len(change.old)]
        else:
            places = [target.command.places.get(name)]
        at = [
            lines[place[1] - 1] + max(place[2] - 1, 0)
            for place in places
            if place is not None and place[0] == self.source.path and 0 < place[1] <= len(lines)
        ]
        if len(at) < len(places) or not at:
            return []
        if isinstance(name, int):
            return edits.of_tokens(text, at, change.old, change.new)
        # Of YAML, the place may be that of the quote, or of the value.
        line = text.rfind("\n", 0, at[0]) + 1
        end = at[0] + len(name) + 1 if at[0] > line else edits.line_end(text, at[0])
        start = text.rfind(name, line, end)
        found = edits.of_variable(text, start, name, change.old[0], change.variables)
        return found if start >= 0 else []

    def _good(self, steps: list[_Step]) -> tuple[list[_Step], list[Target]]:
        """Return the steps that can be made together, and the targets that they make."""
        made, problem = self._read(steps)
        if not steps or not problem:
            return steps, made
        good: list[_Step] = []
        made = self.targets
        groups = [list(group) for _, group in groupby(steps, lambda step: step.edits)]
        for number, group in enumerate(groups):
            if number >= _MOST_ALONE:
                problem = "too many edits had to be dropped"
            elif len(groups) > 1:
                tried, problem = self._read([*good, *group])
                if not problem:
                    good, made = [*good, *group], tried
                    continue
            self.dropped.update((step.at, *about) for step in group for about in step.about)
            name = group[0].items[0].subject.partition("=")[0]
            self.problems.append(f"{name}: not fixed: {problem}")
        return good, made

    def _read(self, steps: Sequence[_Step]) -> tuple[list[Target], str]:
        """Return the targets of the file with edits, and why they must not be made: not all have
        changed as is meant, or some version does not find less in them, or something new; "" if
        all is well.

        A script may have the same command in two branches: only one is read until they differ.
        """
        every = dict.fromkeys(edit for step in steps for edit in step.edits)
        try:
            made = self.source.with_text(edits.applied(self.source.text, list(every))).targets()
        except (UsageError, ValueError):  # edits overlap, or the text is no file of its kind
            made = []
        if not made:
            return [], _NOT_MEANT
        if not self.args.unsafe_fixes and (shared := self._shared(steps, made)):
            return [], f"it would change {shared}; --unsafe-fixes does"
        mine: dict[int, list[_Step]] = {}
        for step in steps:
            mine.setdefault(step.at, []).append(step)
        expected = [
            _reading(target, [step.change for step in mine.get(at, ())])
            for at, target in enumerate(self.targets)
        ]
        twins = {_reading(self.targets[at]) for at in mine}.difference(expected)
        found = {reading: new for new in made if (reading := _reading(new)) not in twins}
        if list(found) != list(dict.fromkeys(expected)):
            return [], _NOT_MEANT
        changed = dict.fromkeys(found[expected[at]] for at in mine)  # alike ones once
        after = _by_target(self.checker.results(list(changed)))
        is_sound = all(
            self._is_sound(self.results[self.targets[at]], after[found[expected[at]]], some)
            for at, some in mine.items()
        )
        return made, "" if is_sound else _NOT_MEANT

    def _is_sound(
        self, before: Sequence[Result], after: Sequence[Result], steps: Sequence[_Step]
    ) -> bool:
        """Return whether every version finds less, and nothing new, in a changed target.

        A line that was read as another version reads it may have further mistakes, which are not
        those of the changes.
        """
        about = {one for step in steps for one in step.about}
        names = {name for step in steps for name in step.change.names}
        is_safe = all(step.is_safe for step in steps)
        for was, now in zip(before, after):
            if any((item.code, item.subject) in about for item in now.findings):
                return False
            is_foreign = was.written_for is not None
            if _weight(now, names if is_foreign else None) - _weight(was):
                return False
            meant = self.checker.meaning(was) if is_safe else None
            if meant is not None and self.checker.meaning(now) not in (None, meant):
                return False
        return True

    def _shared(self, steps: Sequence[_Step], made: Sequence[Target]) -> str:
        """Return what edits change of others: a variable that they read, or a container that does
        not run vLLM; "" for nothing.
        """
        edited = [
            (edit, step.at if isinstance(step.change.at, int) else None)
            for step in steps
            for edit in step.edits
        ]
        if name := shared_variable(self.source.text, edited):
            return f"what else uses {name}"
        return "" if made[0].others == self.targets[0].others else "another container"


def _apart(steps: Sequence[_Step]) -> tuple[list[_Step], list[_Step]]:
    """Return the first steps whose edits do not overlap, or are the same; and the rest."""
    apart: list[_Step] = []
    rest: list[_Step] = []
    end = 0
    for step in steps:
        same = bool(apart) and step.edits == apart[-1].edits
        if same or min(step.edits)[0] >= end:
            apart.append(step)
            end = max(edit[1] for edit in step.edits)
        else:
            rest.append(step)
    return apart, rest


def _by_target(results: Sequence[Result]) -> dict[Target, list[Result]]:
    """Return the results of each target."""
    found: dict[Target, list[Result]] = {}
    for result in results:
        found.setdefault(result.target, []).append(result)
    return found


def _reading(target: Target, changes: Iterable[Change] = ()) -> Hashable:
    """Return what was read of a target, or would be with changes."""
    command = target.command
    tokens, env = applied(changes, target.written, target.env)
    return (
        tuple(tokens),
        tuple(sorted(env.items())),
        command.vllm,
        target.is_translated,
        frozenset(command.names.difference(target.env)),
    )


def _weight(result: Result, own: set[str] | None = None) -> Counter[str]:
    """Return how many errors and warnings of each code there are, of some options or all."""
    return Counter(
        item.code
        for item in result.findings
        if item.severity != "info" and (own is None or item.subject.partition("=")[0] in own)
    )
