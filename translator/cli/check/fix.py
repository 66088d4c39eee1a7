"""`check --fix`: follow the remedies of findings in the files themselves.

A fix is known as a change of a target's tokens or variables (api/fixes.py), and their places give
the range of the file that it edits (text/edits.py). The edited file is read once: every target must
have changed exactly as its fixes say, and in every version that is checked the findings are gone,
no other error or warning appears, and the meaning is the same. Edits for which that does not hold
are dropped, with a message.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from difflib import unified_diff
from typing import TYPE_CHECKING

from attrs import frozen

from translator.api.fixes import (
    Fix,
    TokenChange,
    VariableChange,
    applied,
    change_of_tokens,
    change_of_variable,
    fix_of,
)
from translator.cli.check.report import Result
from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.streams import emit, log
from translator.findings import inert
from translator.secrets.secrets import secrets_of
from translator.text import edits, files
from translator.text.shared import shared_variable

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from translator.cli.check.checker import Checker
    from translator.cli.check.targets import Source, Target
    from translator.text.edits import Edit

    Change = TokenChange | VariableChange

_MOST_ROUNDS = 10  # a fix may reveal the next one
_MOST_READ = 40  # how often a file is read again, where some of its edits have to be dropped


def fixed(
    targets: Sequence[Target],
    checker: Checker,
    args: Namespace,
) -> list[Target]:
    """Fix the files of targets, or print the differences; return the targets as they are then.

    Args:
        targets: those of all files.
        checker: what checks them.
        args: the options of `check`.

    Raises:
        UsageError: there is no file to fix, or it cannot be written.
    """
    option = "--diff" if args.diff else "--fix"
    sources: dict[Source | None, list[Target]] = {}
    for target in targets:
        sources.setdefault(target.source, []).append(target)
    if not any(sources):
        raise UsageError(f"{option}: a file is needed, as an argument or with one --env-file")
    if not args.diff and any(source is not None and source.path == "-" for source in sources):
        raise UsageError("--fix: standard input cannot be changed: name a file, or use --diff")
    done: list[Target] = []
    made = remaining = unsafe = changed = 0
    for source, mine in sources.items():
        problem = _kept_from(source, args) if source is not None else ""
        if source is None or problem:
            if problem and any(map(_fixes, _by_target(checker.results(mine)).values())):
                log(problem)
            done += mine
            continue
        file = _File(source, mine, checker, args)
        file.fix()
        made, remaining = made + len(file.first - file.last), remaining + len(file.last)
        unsafe += file.unsafe
        for problem in file.problems:
            log(f"{shown_file(source.path)}: {problem}")
        done += mine if args.diff else file.targets
        if file.is_changed:
            changed += 1
            if args.diff:
                emit(file.difference())
            else:
                _write(source, file.text)
    counts = f"{made} finding{'s' * (made != 1)} {{}} in {changed} file{'s' * (changed != 1)}"
    more = f"; --unsafe-fixes may fix {unsafe} more" * (unsafe > 0 and not args.unsafe_fixes)
    log(counts.format("would be fixed" if args.diff else "fixed") + f", {remaining} remain{more}")
    return done


def proposed(results: Sequence[Result], checker: Checker, args: Namespace) -> list[Result]:
    """Return results with the edits that correct their findings safely.

    Args:
        results: of all targets and versions.
        checker, args: see `fixed`.
    """
    edited: dict[tuple[Target, Fix], list[Edit]] = {}
    of_source: dict[Source, list[Result]] = {}
    for result in results:
        source = result.target.source
        if source is not None and source.path != "-" and not _kept_from(source, args):
            of_source.setdefault(source, []).append(result)
    for source, mine in of_source.items():
        found = _by_target(mine)
        edited.update(_File(source, list(found), checker, args).proposed(found))
    return [
        Result(
            result.target,
            result.version,
            result.findings,
            result.places,
            {
                item: way
                for item in result.findings
                for fix in (fix_of(item),)
                if fix is not None and (way := edited.get((result.target, fix)))
            },
        )
        for result in results
    ]


def _write(source: Source, text: str) -> None:
    head = b"\xef\xbb\xbf" if source.content.startswith(b"\xef\xbb\xbf") else b""
    try:
        if files.read(source.path) != source.content:
            raise OSError(None, "not fixed: it has changed since it was read")
        files.write(source.path, head + text.encode())
    except OSError as error:
        raise UsageError(f"{shown_file(source.path)}: {error.strerror or error}") from None


def _kept_from(source: Source, args: Namespace) -> str:
    """Return why a file must not be written: it lies outside of what the command line names, or has
    another name; "" if it may be.
    """
    named = [*args.targets, *args.manifest, *args.env_file]
    path, real = shown_file(source.path), os.path.realpath(source.path)
    if source.path not in named:
        # A pattern stands for what is in its folder.
        roots = [
            item if os.path.isdir(item) else re.split(r"[^/]*[*?[]", item)[0] for item in named
        ]
        folders = [os.path.join(os.path.realpath(root or "."), "") for root in roots]
        if not real.startswith(tuple(folders)):
            return f"{path}: not fixed: the link leads out of what is named"
    if source.path != "-" and os.path.exists(real) and os.stat(real).st_nlink > 1:
        return f"{path}: not fixed: the file has another name (a hard link)"
    return ""


@frozen
class _Step:
    """How a fix is made in a file.

    Attributes:
        at: the index of its target.
        fix: the fix.
        change: what it changes in the target; None where a number gets quotes.
        edits: of the file's text.
    """

    at: int
    fix: Fix
    change: Change | None
    edits: tuple[Edit, ...]

    @property
    def start(self) -> int:
        return min(start for start, _, _ in self.edits)

    @property
    def end(self) -> int:
        return max(end for _, end, _ in self.edits)


class _File:
    """A file that is being fixed.

    Attributes:
        targets: those of the file as it is now.
        text: its text as it is now.
        first, last: the findings that it had, and has now.
        unsafe: how many fixes were left out because they are not safe.
        problems: why others were left out.
    """

    def __init__(
        self, source: Source, targets: Sequence[Target], checker: Checker, args: Namespace
    ) -> None:
        self.targets = list(targets)
        self._source, self._checker, self._args = source, checker, args
        self._path = shown_file(source.path)
        try:
            text = source.content.decode("utf-8-sig")
        except UnicodeDecodeError:  # a format that has another encoding
            text = ""
        self.text = self._old = text
        self.first: set[tuple[int, str, str]] = set()
        self.last = self.first
        self.unsafe = 0
        self.problems: list[str] = []
        self._results: dict[Target, list[Result]] = {}
        self._dropped: set[tuple[str, Fix]] = set()
        self._left = _MOST_READ

    @property
    def is_changed(self) -> bool:
        return self.text != self._old

    def difference(self) -> str:
        """Return what has changed as a unified diff without context; secrets are masked."""
        secrets = secrets_of(self._checker.tables)
        known: dict[str, list[str]] = {}
        for target in self.targets:
            for begin, items in secrets.known(target.env, target.written).items():
                known.setdefault(begin, []).extend(items)
        old, new = self._old.split("\n"), self.text.split("\n")
        lines = unified_diff(old, new, self._path, self._path, lineterm="", n=0)
        return "".join(f"{inert(secrets.mask(line.rstrip(), known))}\n" for line in lines)

    def fix(self) -> None:
        """Fix everything that can be fixed."""
        for number in range(_MOST_ROUNDS):
            self._results = _by_target(self._checker.results(self.targets))
            self.last = {
                (at, item.code, item.subject)
                for at, target in enumerate(self.targets)
                for result in self._results.get(target, ())
                for item in result.findings
            }
            self.first = self.first if number else self.last
            steps = _apart(self._steps(unsafe=self._args.unsafe_fixes))[0]
            made = self._read(steps)
            if made is None:
                steps = self._good(steps)
                made = self._read(steps)
            if made is None:
                break
            self.text = edits.applied(self.text, _edits(steps))
            self.targets = made

    def proposed(
        self, results: dict[Target, list[Result]]
    ) -> Iterator[tuple[tuple[Target, Fix], list[Edit]]]:
        """Yield the edits of each safe fix of the file as it is."""
        self._results = results
        rest = self._steps(unsafe=False)
        while rest:
            steps, rest = _apart(rest)
            for step in self._good(steps):
                least = [edits.narrowed(self.text, edit) for edit in step.edits]
                yield (self.targets[step.at], step.fix), least

    def _steps(self, *, unsafe: bool) -> list[_Step]:
        """Return how the fixes of all targets are made, those that are not safe if asked for."""
        starts = [0, *(item.end() for item in re.finditer("\n", self.text))]
        found: list[_Step] = []
        self.unsafe = 0
        for at, target in enumerate(self.targets):
            for fix in [] if target.is_guess else _fixes(self._results.get(target, ())):
                self.unsafe += not fix.safe
                if (fix.safe or unsafe) and (target.name, fix) not in self._dropped:
                    change = None if fix.line else self._change(target, fix)
                    made = self._edits(target, fix, change, starts)
                    found += [_Step(at, fix, change, tuple(made))] if made else []
        return sorted(found, key=lambda step: (step.start, step.edits))

    def _change(self, target: Target, fix: Fix) -> Change | None:
        """Return what a fix changes in a target; None if that is not clear."""
        tokens = target.tokens
        in_line = None if tokens is None else change_of_tokens(fix, tokens, self._checker.tables)
        return in_line or change_of_variable(fix, target.env)

    def _edits(
        self, target: Target, fix: Fix, change: Change | None, starts: Sequence[int]
    ) -> list[Edit]:
        """Return the edits that make a change of a target; [] if its place is not known.

        Args:
            target: the target.
            fix: the fix.
            change: what it changes in the target; None where a number gets quotes.
            starts: where the lines of the file begin.
        """
        text = self.text
        if change is None:
            return edits.of_number(text, fix.line) if fix.line else []
        if isinstance(change, TokenChange):
            places = list(target.argument_places[change.at : change.at + len(change.old)])
        else:
            places = [target.places.get(change.name)]
        known = [
            place
            for place in places
            if place is not None and place[0] == self._path and 0 < place[1] <= len(starts)
        ]
        if len(known) < len(places) or not places:
            return []
        at = [starts[line - 1] + max(column - 1, 0) for _, line, column in known]
        if isinstance(change, TokenChange):
            return edits.of_tokens(text, at, change.old, change.new)
        # Of YAML, the place may be that of the quote, or of the value.
        _, line, column = known[0]
        end = at[0] + len(change.name) + 1 if column else edits.line_end(text, at[0])
        start = text.rfind(change.name, starts[line - 1], end)
        found = edits.of_variable(text, start, change.name, change.value, change.new)
        return found if start >= 0 else []

    def _good(self, steps: list[_Step]) -> list[_Step]:
        """Return those of some steps that can be made; the others are dropped."""
        if not steps or self._read(steps) is not None:
            return steps
        if len(steps) == 1:
            self._drop(steps[0])
            return []
        half = len(steps) // 2
        good = [*self._good(steps[:half]), *self._good(steps[half:])]
        return good if self._read(good) is not None else good[:1]

    def _drop(self, step: _Step) -> None:
        self._dropped.add((self.targets[step.at].name, step.fix))
        name = step.fix.names[0]
        if self._left < 0:
            problem = f"{name}: not fixed: too many edits had to be dropped"
        elif (made := self._edited([step])) and (shared := self._shared([step], made)) is not None:
            used = f"what else uses {shared}" if shared else "another container"
            problem = f"{name}: not fixed: it would change {used}; --unsafe-fixes does"
        else:
            problem = f"{name}: not fixed: the file would not be read as is meant"
        self.problems.append(problem)

    def _edited(self, steps: Sequence[_Step]) -> list[Target]:
        """Return the targets of the file with edits; [] if it cannot be read any more."""
        self._left -= 1
        try:
            text = edits.applied(self.text, _edits(steps))
            return self._source.read(text.encode("utf-8", "surrogateescape"))
        except (UsageError, ValueError):  # edits overlap, or the text is no file of its kind
            return []

    def _read(self, steps: Sequence[_Step]) -> list[Target] | None:
        """Return the targets of the file with edits, if all have changed as the fixes say, and
        every version finds less in them, and nothing new; None if not.

        A script may have the same command in two branches: only one is read until they differ.
        """
        if not steps or self._left < 0:
            return None
        made = self._edited(steps)
        mine: dict[int, list[_Step]] = {}
        for step in steps:
            mine.setdefault(step.at, []).append(step)
        expected = [
            _reading(target, [step.change for step in mine.get(at, ()) if step.change is not None])
            for at, target in enumerate(self.targets)
        ]
        twins = {_reading(self.targets[at]) for at in mine}.difference(expected)
        found = {reading: new for new in made if (reading := _reading(new)) not in twins}
        if list(found) != list(dict.fromkeys(expected)):
            return None
        changed = dict.fromkeys(found[expected[at]] for at in mine)  # alike ones once
        after = _by_target(self._checker.results(list(changed)))
        if not all(
            self._is_sound(self._results[self.targets[at]], after[found[expected[at]]], some)
            for at, some in mine.items()
        ):
            return None
        if not self._args.unsafe_fixes and self._shared(steps, made) is not None:
            return None
        return made

    def _is_sound(
        self, before: Sequence[Result], after: Sequence[Result], steps: Sequence[_Step]
    ) -> bool:
        """Return whether every version finds less, and nothing new, in a changed target.

        A line that was read as another version reads it may have further mistakes, which are not
        those of the fixes.
        """
        fixes = {step.fix for step in steps}
        changes = [step.change for step in steps if step.change is not None]
        names = {name for change in changes for name in change.names}
        is_safe = all(fix.safe for fix in fixes)
        for was, now in zip(before, after):
            if any(fix_of(item) in fixes for item in now.findings):
                return False
            if _weight(now, names if _is_foreign(was) else None) - _weight(was):
                return False
            meant = self._checker.meaning(was) if is_safe else None
            if meant is not None and self._checker.meaning(now) not in (None, meant):
                return False
        return len(before) == len(after)

    def _shared(self, steps: Sequence[_Step], made: Sequence[Target]) -> str | None:
        """Return the variable of others that edits change, or "" for other parts of containers that
        do not run vLLM; None if there is nothing of the kind.
        """
        changed = [self.targets[step.at] for step in steps]
        lines = {
            place[1]
            for target in changed
            for place in (target.at, *target.argument_places[:1])
            if place is not None and place[0] == self._path
        }
        name = shared_variable(self.text, _edits(steps), lines)
        return name or (None if made[0].others == self.targets[0].others else "")


def _edits(steps: Sequence[_Step]) -> list[Edit]:
    """Return the edits of steps, those of several targets once."""
    return list(dict.fromkeys(edit for step in steps for edit in step.edits))


def _apart(steps: Sequence[_Step]) -> tuple[list[_Step], list[_Step]]:
    """Return the steps whose edits do not overlap those of others, or are the same; and the rest.

    Args:
        steps: in the order of their edits.
    """
    apart: list[_Step] = []
    rest: list[_Step] = []
    end = 0
    for step in steps:
        same = bool(apart) and step.edits == apart[-1].edits
        (apart if same or step.start >= end else rest).append(step)
        end = max(end, step.end) if apart[-1] is step else end
    return apart, rest


def _by_target(results: Sequence[Result]) -> dict[Target, list[Result]]:
    """Return the results of each target."""
    found: dict[Target, list[Result]] = {}
    for result in results:
        found.setdefault(result.target, []).append(result)
    return found


def _fixes(results: Sequence[Result]) -> list[Fix]:
    """Return the fixes that the findings of a target for every version have in common."""
    every = [
        {made: made for item in result.findings if (made := fix_of(item)) is not None}
        for result in results
    ]
    return [
        fix
        if all(others[fix].safe for others in every)
        else next(others[fix] for others in every if not others[fix].safe)
        for fix in (every[0] if every else ())
        if all(fix in others for others in every)
    ]


def _reading(target: Target, changes: Iterable[Change] = ()) -> Hashable:
    """Return what was read of a target, or would be with changes."""
    tokens, env = applied(changes, target.tokens, target.env)
    return (
        None if tokens is None else tuple(tokens),
        tuple(sorted(env.items())),
        tuple(target.extra),
        target.vllm,
        target.entry is None,
        frozenset(target.absent),
    )


def _is_foreign(result: Result) -> bool:
    return any(item.code == "written-for-another" for item in result.findings)


def _weight(result: Result, own: set[str] | None = None) -> Counter[str]:
    """Return how many errors and warnings of each code there are.

    Args:
        result: the findings.
        own: the only options that matter; None: all.
    """
    return Counter(
        item.code
        for item in result.findings
        if item.severity != "info" and (own is None or item.subject.partition("=")[0] in own)
    )
