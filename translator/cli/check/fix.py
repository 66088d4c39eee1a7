"""`check --fix`: follow the remedies of findings in the files themselves.

A fix is known as a change of a target's tokens or variables (api/fixes.py). Where a file writes
them is tried out (text/edits.py): the edited file is read again, and an edit is kept only if it
changes exactly what the fix changes, nothing in any other target of the file, and in every version
that is checked the finding is gone, no other error or warning appears, and the meaning is the same.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import partial
from itertools import islice

from translator.api.fixes import (
    Fix,
    TokenChange,
    VariableChange,
    change_of_tokens,
    change_of_variable,
    fix_of,
)
from translator.cli.check.diff import Shown, diff
from translator.cli.check.report import Result
from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.streams import emit, log
from translator.secrets.masking import shown_text
from translator.secrets.secrets import secrets_of, showing_of
from translator.text import edits, files
from translator.text.shared import shared_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from translator.cli.check.checker import Checker
    from translator.cli.check.targets import Source, Target
    from translator.tables.catalog import Tables
    from translator.text.edits import Edit

    Change = TokenChange | VariableChange

# Characters of edited files that are read again, for one file. Most edits are found at the first
# place that is tried.
_MOST = 1_500_000
_EACH = 2_000  # what a try costs beside its characters
_MOST_PLACES = 60  # that are tried for one fix
_MOST_ROUNDS = 10  # a fix may reveal the next one


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
        for name in file.shared:
            used = f"what else uses {name}" if name else "another container"
            log(
                f"{shown_file(source.path)}: not fixed: it would change {used}; --unsafe-fixes does"
            )
        done += mine if args.diff else file.targets
        if file.shown.changed:
            changed += 1
            if args.diff:
                emit(diff(shown_file(source.path), file.shown))
            else:
                _write(source, file.shown.text)
    counts = f"{made} finding{'s' * (made != 1)} {{}} in {changed} file{'s' * (changed != 1)}"
    more = f"; --unsafe-fixes may fix {unsafe} more" * (unsafe > 0 and not args.unsafe_fixes)
    log(counts.format("would be fixed" if args.diff else "fixed") + f", {remaining} remain{more}")
    return done


def proposed(
    results: Sequence[Result], checker: Checker, args: Namespace, most: int
) -> list[Result]:
    """Return results with the edits that correct their findings safely, each by itself.

    Args:
        results: of all targets and versions.
        checker, args: see `fixed`.
        most: how many characters of edited files may be read again; it is told if that is too
            little for all findings.
    """
    edited: dict[tuple[Target, Fix], list[Edit]] = {}
    of_source: dict[Source, list[Result]] = {}
    for result in results:
        source = result.target.source
        if source is not None and source.path != "-" and not _kept_from(source, args):
            of_source.setdefault(source, []).append(result)
    for source, mine in of_source.items():
        results_of = _by_target(mine)
        targets = list(results_of)
        file = _File(source, targets, checker, args, most)
        wanted = [
            [fix for fix in _fixes(found) if fix.safe and not target.is_guess]
            for target, found in results_of.items()
        ]
        for at, fix in ((at, fix) for at, fixes in enumerate(wanted) for fix in fixes):
            edited[targets[at], fix] = file.alone(at, fix, wanted)
        most = file.left
    if most < _EACH:
        log("too many files to try all fixes: [*] marks some of the findings that --fix corrects")
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
    # A pattern stands for what is in its folder.
    roots = [item if os.path.isdir(item) else re.split(r"[^/]*[*?[]", item)[0] for item in named]
    if source.path not in named and not any(
        real.startswith(os.path.join(os.path.realpath(root or "."), ""))
        for root, item in zip(roots, named)
        if root != item or os.path.isdir(item)
    ):
        return f"{path}: not fixed: the link leads out of what is named"
    if source.path != "-" and os.path.exists(real) and os.stat(real).st_nlink > 1:
        return f"{path}: not fixed: the file has another name (a hard link)"
    return ""


def _harmless(targets: Sequence[Target], tables: Tables) -> Iterator[tuple[str, int, int]]:
    """Yield the arguments of targets that messages may show, with their lines and columns."""
    for target in targets:
        tokens = secrets_of(tables).clean_tokens(target.written)
        for token, at in zip(tokens, target.argument_places):
            if at is not None and at[0] == target.path and shown_text(token) == token:
                yield token, at[1], at[2]


class _File:
    """A file that is being fixed.

    Attributes:
        targets: those of the file as it is now.
        shown: its text as it is now, and what may be shown of it.
        first, last: the findings that it had, and has now.
        unsafe: how many fixes were left out because they are not safe.
        shared: the variables that others use, too, which were therefore left as they are; "" for
            something else of another container.
        left: how many characters of edited texts may still be read.
    """

    def __init__(
        self,
        source: Source,
        targets: Sequence[Target],
        checker: Checker,
        args: Namespace,
        most: int = _MOST,
    ) -> None:
        self.targets = list(targets)
        self._source, self._checker, self._args = source, checker, args
        try:
            text = source.content.decode("utf-8-sig")
        except UnicodeDecodeError:  # a format that has another encoding
            text = ""
        self.shown = Shown(text)
        if args.diff:
            self.shown.show(_harmless(targets, checker.tables))
        self.first: set[tuple[int, str, str]] = set()
        self.last = self.first
        self.unsafe = 0
        self.shared: set[str] = set()
        self.left = most if text else 0
        self._last: list[Edit] = []

    def fix(self) -> None:
        """Fix everything that can be fixed."""
        for number in range(_MOST_ROUNDS):
            results = _by_target(self._checker.results(self.targets))
            self.last = {
                (at, item.code, item.subject)
                for at, target in enumerate(self.targets)
                for result in results.get(target, ())
                for item in result.findings
            }
            self.first = self.first if number else self.last
            wanted = [
                [] if target.is_guess else _fixes(results.get(target, ()))
                for target in self.targets
            ]
            self.unsafe = sum(not fix.safe for mine in wanted for fix in mine)
            if not self._round(wanted):
                break

    def alone(self, at: int, fix: Fix, wanted: list[list[Fix]]) -> list[Edit]:
        """Return the edits of the file as it is that make one fix; [] if it cannot be made.

        Args:
            at: the index of its target.
            fix: the fix.
            wanted: the fixes of each target.
        """
        before = self.targets, self.shown
        self.shown = Shown(self.shown.text)
        is_made = self._quote(fix) if fix.line else self._try(at, fix, wanted)
        self.targets, self.shown = before
        return self._last if is_made else []

    def _round(self, wanted: list[list[Fix]]) -> bool:
        """Try every fix once, one of each target together; return whether one was made."""
        allowed = [[fix for fix in mine if fix.safe or self._args.unsafe_fixes] for mine in wanted]
        made = False
        for number in range(max(map(len, allowed), default=0)):
            some = {at: mine[number] for at, mine in enumerate(allowed) if len(mine) > number}
            if len(some) > 1 and self._try_together(some):
                made = True
                continue
            for at, fix in some.items():
                if fix.line:
                    made = self._quote(fix) or made
                else:
                    made = self._try(at, fix, wanted) or made
        return made

    def _try_together(self, some: Mapping[int, Fix]) -> bool:
        """Make a fix of each of several targets at the first place in or behind its command; return
        whether that is what was meant. So a file of many targets is read once for all of them.
        """
        starts = _starts(self.shown.text)
        plan = {}
        every: dict[Edit, list[str]] = {}
        for at, fix in some.items():
            change = self._change(at, fix)
            if change is None:
                return False
            start = _start(self.targets[at], change, starts)
            way = next(change.ways(self.shown.text, start), None)
            if way is None:
                return False
            plan[at] = fix, change
            every.update(dict.fromkeys(way, self._showable(change)))
        return self._affords() and self._make(every, lambda made: self._is_meant(made, plan, some))

    def _try(self, at: int, fix: Fix, wanted: list[list[Fix]]) -> bool:
        """Make a fix if its place is clear, which targets with the same fix may share; return
        whether it was made.
        """
        change = self._change(at, fix) if self._affords() else None
        if change is None:
            return False
        known = self._showable(change)
        plan: dict[int, tuple[Fix, Change]] = {}
        for way in islice(self._ways(change, self.targets[at]), _MOST_PLACES):
            if not self._affords():
                return False
            plan = plan or self._plan(fix, wanted)
            is_meant = partial(self._is_meant, plan=plan, sure=(at,))
            if self._make(dict.fromkeys(way, known), is_meant):
                return True
        if not plan:  # all of the text was searched
            self.left -= self._cost
        return False

    def _plan(self, fix: Fix, wanted: list[list[Fix]]) -> dict[int, tuple[Fix, Change]]:
        """Return what a fix changes in each target that wants it."""
        return {
            number: (fix, change)
            for number, mine in enumerate(wanted)
            if fix in mine and (change := self._change(number, fix)) is not None
        }

    def _quote(self, fix: Fix) -> bool:
        """Quote a number, of which a manifest says the line; return whether that was done."""
        for way in edits.of_number(self.shown.text, fix.line):
            if not self._affords():
                return False
            known = [new.strip('"') for *_, new in way]
            if self._make(dict.fromkeys(way, known), lambda made: self._is_quoted(made, fix)):
                return True
        return False

    @property
    def _cost(self) -> int:
        return len(self.shown.text) + _EACH

    def _affords(self) -> bool:
        """Return whether the text may be read once more."""
        if self.left < self._cost:
            self.left = 0
        return self.left > 0

    def _make(
        self, way: Mapping[Edit, Sequence[str]], is_good: Callable[[list[Target]], bool]
    ) -> bool:
        """Edit the text if that is good; return whether it is.

        Args:
            way: edits, each with what a diff may show of the part that it replaces.
            is_good: tells it by the targets of the edited text.
        """
        self.left -= self._cost
        try:
            text = edits.applied(self.shown.text, list(way))
            made = self._source.read(text.encode("utf-8", "surrogateescape"))
        except (UsageError, ValueError):  # edits overlap, or the text is no file of its kind
            return False
        if len(made) != len(self.targets) or not is_good(made):
            return False
        if not self._args.unsafe_fixes and (shared := self._shared(list(way), made)) is not None:
            self.shared.add(shared)
            return False
        self._last = [edits.narrowed(self.shown.text, edit) for edit in way]
        self.targets = made
        self.shown.apply(way)
        return True

    def _shared(self, way: list[Edit], made: list[Target]) -> str | None:
        """Return the variable of others that edits change, or "" for other parts of containers that
        do not run vLLM; None if there is nothing of the kind.
        """
        places = [
            at
            for old, new in zip(self.targets, made)
            if _reading(old) != _reading(new)
            for at in (old.at, *old.argument_places[:1])
            if at is not None and at[0] == old.path
        ]
        name = shared_variable(self.shown.text, way, {line for _, line, _ in places})
        if not name and (not made or made[0].others == self.targets[0].others):
            return None
        return name

    def _change(self, at: int, fix: Fix) -> Change | None:
        """Return what a fix changes in a target; None if that is not clear."""
        if fix.line:
            return None
        target = self.targets[at]
        tokens = target.tokens
        in_line = None if tokens is None else change_of_tokens(fix, tokens, self._checker.tables)
        return in_line or change_of_variable(fix, target.env)

    def _ways(self, change: Change, target: Target) -> Iterator[list[Edit]]:
        """Yield the ways to make a change in the text: in or behind the command; anywhere; all
        together, as two branches of a script may have the same command.
        """
        text = self.shown.text
        yield from islice(change.ways(text, _start(target, change, _starts(text))), 3)
        every: list[list[Edit]] = []
        for way in islice(change.ways(text), _MOST_PLACES - 4):
            every.append(way)
            yield way
        once: list[Edit] = []
        for way in every:
            if not any(start < last[1] and last[0] < end for start, end, _ in way for last in once):
                once += way
        if len(once) > len(every[0] if every else ()):
            yield once

    def _is_meant(
        self, made: list[Target], plan: Mapping[int, tuple[Fix, Change]], sure: Collection[int]
    ) -> bool:
        """Return whether the targets have changed as planned, and no other has, and every version
        finds less in them, and nothing new.

        Args:
            made: the targets of the edited text.
            plan: index of a target → its fix.
            sure: the targets that have to be changed.
        """
        changed = []
        for at, (old, new) in enumerate(zip(self.targets, made)):
            if _reading(new) == _reading(old):
                if at in sure:
                    return False
                continue
            if at not in plan or _reading(new) != _reading(old, plan[at][1]):
                return False
            changed.append(at)
        return all(self._is_sound(self.targets[at], made[at], *plan[at]) for at in changed)

    def _is_sound(self, old: Target, new: Target, fix: Fix, change: Change) -> bool:
        """Return whether every version finds less, and nothing new, in a changed target.

        A line that was read as another version reads it may have further mistakes, which are not
        those of the fix.
        """
        before, after = self._checker.results([old]), self._checker.results([new])
        if len(before) != len(after):
            return False
        for was, now in zip(before, after):
            if any(fix_of(item) == fix for item in now.findings):
                return False
            if _weight(now, change.names if _is_foreign(was) else None) - _weight(was):
                return False
            meant = self._checker.meaning(was) if fix.safe else None
            if meant is not None and self._checker.meaning(now) not in (None, meant):
                return False
        return True

    def _is_quoted(self, made: list[Target], fix: Fix) -> bool:
        """Return whether a finding about a number is gone, and all is read as before."""
        gone = False
        for old, new in zip(self.targets, made):
            had, has = ([fix_of(item) == fix for item in one.found] for one in (old, new))
            gone = gone or (any(had) and not any(has))
            if _reading(old) != _reading(new):
                return False
        return gone

    def _showable(self, change: Change) -> list[str]:
        """Return the parts of what is replaced that a diff may show, in their order."""
        showing = showing_of(self._checker.tables)
        if isinstance(change, VariableChange):
            parts = (change.name, showing.variable), (change.value, showing.value)
            return [text for text, shown in parts if shown(text) == text and text]
        found = []
        for token in change.old:
            name, _, value = token.partition("=") if token[:1] == "-" else ("", "", token)
            if name and showing.option(name) == name:
                found.append(name)
            if value and (
                showing.option(token) == token if name else showing.value(value) == value
            ):
                found.append(value)
        return found


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


def _starts(text: str) -> list[int]:
    """Return where the lines of a text begin."""
    found = [0]
    while (end := text.find("\n", found[-1])) >= 0:
        found.append(end + 1)
    return found


def _start(target: Target, change: Change, starts: Sequence[int]) -> int:
    """Return where the line begins in which a command, or a variable, stands.

    Args:
        target: the target.
        change: of its command, or of a variable.
        starts: where the lines of the file begin.
    """
    line = target.places.get(change.name, target.at)[1]
    return starts[min(max(line, 1), len(starts)) - 1]


def _reading(target: Target, change: Change | None = None) -> Hashable:
    """Return what was read of a target, or would be with a change."""
    tokens, env = target.tokens, target.env
    if change is not None:
        tokens, env = change.applied(tokens, env)
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
