"""`translate upgrade`: files for another vLLM. What says the version moves (moves.py), and with it
what that vLLM has otherwise, as `check --fix` does it (fixes.py). A start is moved wholly or not at
all: one whose version cannot be moved, or that the new vLLM would refuse, stays as it is.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property

from translator.core.findings import ERROR, WARNING, Finding, UsageError, finding
from translator.core.tables.images import common
from translator.core.tables.versions import LATEST, Version, parse
from translator.core.text.words import Place, place
from translator.deployments.judge.results import check
from translator.deployments.options import CheckOptions
from translator.deployments.read.programs import PACKED, is_unread
from translator.deployments.read.targets import (
    Source,
    Target,
    context_of,
    own,
    sources_of,
    with_contents,
)
from translator.deployments.repair.fixes import Group, groups_of
from translator.deployments.repair.moves import Moves, PinMove, Start
from translator.deployments.text import edits
from translator.formats.classes import evolve, field, frozen
from translator.formats.inputs import read_bytes
from translator.formats.places import NOWHERE

_NUMBERS = re.compile(r"\d+\.\d+(?:\.\d+)?(?:\.post\d+)?")  # of a version in a tag


@frozen
class Upgrade:
    """What an upgrade makes of a file.

    Attributes:
        old, new: the file before and after; the same where nothing changes, or it is left alone.
        reasons: why it, or a part of it, is left alone, with the places.
        notes: what is to be known about the new one, and the errors that it has.
        lost: the variables in them that the new version ignores, and the old one did not.
        problems: edits that were not made, and why.
        is_vllm: whether anything in it starts or installs vLLM.
        refused: the starts that the new version would refuse, with why: nothing is changed then.
    """

    old: Source
    new: Source
    reasons: Mapping[Finding, Place] = field(factory=dict)
    notes: Mapping[Finding, Place] = field(factory=dict)
    lost: Collection[str] = ()
    problems: Sequence[str] = ()
    is_vllm: bool = True
    refused: Mapping[Start, Mapping[Finding, Place]] = field(factory=dict)

    @property
    def is_changed(self) -> bool:
        """Whether the file has another content."""
        return self.new.content != self.old.content

    @property
    def is_left(self) -> bool:
        """Whether the file, or a part of it that is not fine as it is, is left alone."""
        return any(item.severity != "info" for item in self.reasons)


def upgrade_all(
    paths: Sequence[str], asked: CheckOptions, images: Mapping[str, str], named: Collection[str]
) -> tuple[list[Upgrade], dict[str, str]]:
    """Return what an upgrade makes of files, and of those that cannot be read, why.

    Args:
        paths: of the files.
        asked: with the one version that is wanted, and the one to come from, if that is said.
        images: images that others take the place of, as the user says.
        named: the paths that whoever asks has named.

    Raises:
        UsageError: a file that is named cannot be read.
    """
    problems: dict[str, UsageError] = {}
    contents: dict[str, bytes] = {}
    for path in paths:
        try:
            contents[path] = read_bytes(path)
        except UsageError as error:
            problems[path] = error
    sources = sources_of(contents, asked, context_of(asked), named)
    for source in sources:
        try:
            source.targets()
        except UsageError as error:
            problems[source.path] = error
    for path in filter(named.__contains__, problems):
        raise problems[path]
    plan = _Plan([one for one in sources if one.path not in problems], images, asked)
    refused: dict[Start, Mapping[Finding, Place]] = {}
    while True:
        upgrades = plan.upgrades(refused)
        more = {start: why for one in upgrades for start, why in one.refused.items()}
        if not more.keys() - refused.keys():
            return upgrades, {path: str(problem) for path, problem in problems.items()}
        refused |= more


@frozen
class _Plan:
    """Files that are moved together.

    Attributes:
        sources: the files.
        images: images that others take the place of, as the user says.
        asked: how they are checked.
    """

    sources: Sequence[Source]
    images: Mapping[str, str]
    asked: CheckOptions

    @cached_property
    def _moves(self) -> Moves:
        """What says the wanted version in them."""
        return Moves(self.sources, self.asked, self.images)

    @cached_property
    def _starts(self) -> dict[Target, Start]:
        """What they start; of a file of variables that is not named, only what others read is known
        to be theirs.
        """
        kept = set(own([target for source in self.sources for target in source.targets()]))
        return {
            target: (_path(source), at)
            for source in self.sources
            if source.is_given or not source.has_variables
            for at, target in enumerate(source.targets())
            if target in kept
        }

    @cached_property
    def _groups(self) -> list[tuple[list[Source], dict[Target, Start]]]:
        """The files that belong together, and what they start."""
        alone = {source.path: source for source in self.sources}
        groups = [
            (
                [alone.pop(source.path) for source in sources if source.path in alone],
                {target: self._starts[target] for target in targets},
            )
            for sources, targets in groups_of([*self._starts])
        ]
        return [*groups, *(([source], {}) for source in alone.values())]

    @cached_property
    def _of_variables(self) -> set[Start]:
        """The files of variables among them."""
        return {start for target, start in self._starts.items() if target.is_of_variables}

    def upgrades(self, refused: Mapping[Start, Mapping[Finding, Place]]) -> list[Upgrade]:
        """Return what becomes of the files; the starts that are refused, each with why, stay."""
        stuck = [start for target, start in self._starts.items() if self._is_stuck(target, start)]
        going, kept = self._moves.without([*stuck, *refused])
        moves = {
            source: [move for move in self._moves.in_file.get(_path(source), ()) if move in going]
            for source in self.sources
        }
        contents = {}
        for source in self.sources:
            spans = [(move.start, move.end, move.new) for move in moves[source]]
            contents[source.path] = source.with_text(edits.applied(source.text, spans))
        moved = dict(zip(self.sources, with_contents(self.sources, contents)))
        upgrades: dict[Source, Upgrade] = {}
        for sources, starts in self._groups:
            group = {source: moved[source] for source in sources}
            upgrades |= self._upgrade(group, starts, moves, refused)
        return [
            evolve(upgrades[source], reasons=self._reasons(source, going, kept, refused))
            for source in self.sources
        ]

    def _upgrade(
        self,
        moved: Mapping[Source, Source],
        starts: Mapping[Target, Start],
        moves: Mapping[Source, Sequence[PinMove]],
        refused: Collection[Start],
    ) -> dict[Source, Upgrade]:
        """Return what becomes of files that belong together, as they are with their moves."""
        starting = {path for path, _ in starts.values()}
        targets = [one for new in moved.values() if _path(new) in starting for one in new.targets()]
        # What has no place that says its version cannot stay alone.
        is_whole = any(one in refused and one not in self._moves.of for one in starts.values())
        if is_whole or len(targets) != len(starts):
            whole: dict[Start, dict[Finding, Place]]
            whole = {start: {} for start in starts.values() if start not in refused}
            return {old: Upgrade(old, old, refused=whole) for old in moved}
        source = self.asked.before or self._version_of(starts)
        asked = evolve(self.asked, before=source)
        group = Group([*moved.values()], targets, asked, stays=self._is_left)
        group.fix()
        notes, lost, refusals = self._notes(group, starts, asked)
        if refusals:
            return {old: Upgrade(old, old, refused=refusals) for old in moved}
        read = {path for target in starts for path in target.files}
        upgrades: dict[Source, Upgrade] = {}
        about: dict[Finding, Place] = {}
        for old, new in zip(moved, group.sources):
            if new.content != old.content:
                concerns = self._concerns(old, moves[old], source)
                notes[old.path] |= {item: at for item, at in concerns.items() if item not in about}
                about |= concerns
            problems = [problem for file, problem in group.problems if file == old.path]
            path = _path(old)
            is_known = [old.path in read, path in starting, path in self._moves.in_file]
            # What a file of variables is for, the other files know.
            is_vllm = any([*is_known, old.has_variables and self._starts])
            upgrades[old] = Upgrade(old, new, {}, notes[old.path], lost, problems, is_vllm)
        return upgrades

    def _notes(
        self, group: Group, starts: Mapping[Target, Start], asked: CheckOptions
    ) -> tuple[dict[str, dict[Finding, Place]], set[str], dict[Start, Mapping[Finding, Place]]]:
        """Return what is to be known about files that are moved, the variables that are ignored
        from now on, and the starts that would be refused, with why.
        """
        before = evolve(asked, before=None, versions=[asked.before] if asked.before else [])
        was = check([*starts], before)
        had = {(item.code, item.subject) for result in was for item in result.findings}
        is_known = len(group.targets) == len(starts)  # which is which
        start_of = {one: [at] for one, at in zip(group.targets, starts.values()) if is_known}
        notes: dict[str, dict[Finding, Place]] = {source.path: {} for source in group.sources}
        for item, at in group.removed.items():
            facts = {**item.facts, "version": asked.versions[0]}
            about = finding("upgrade-concern", item.subject, case="removed", **facts)
            notes[at[0]][about] = at
        lost = {item.subject for item in group.removed if item.severity == WARNING}
        refusals: dict[Start, Mapping[Finding, Place]] = {}
        moved = [target for target in group.targets if not self._stays(target)]
        results = check([target for target in moved if target.is_whole], asked)
        # Of a part, what else is set, and so which defaults count, is not known.
        parts = [target for target in moved if not target.is_whole]
        for result in (*results, *check(parts, evolve(asked, before=None))):
            places = {item: result.place(item) for item in result.findings}
            added = {one: at for one, at in places.items() if (one.code, one.subject) not in had}
            errors = {one: at for one, at in places.items() if one.severity == ERROR}
            if result.target.source is not None:
                notes[result.target.source.path] |= {**errors, **added}
            ignored = {item.subject for item in added if item.severity == WARNING}
            lost |= ignored & result.target.env.keys()
            if worse := {item: at for item, at in errors.items() if item in added}:
                refusals |= dict.fromkeys(start_of.get(result.target, starts.values()), worse)
        return notes, lost, refusals

    def _is_left(self, target: Target) -> bool:
        return target.command.is_guess or self._stays(target)

    def _stays(self, target: Target) -> bool:
        """Return whether a start has a version that was not moved, or is not read."""
        pin, vllm = target.command.pin, self.asked.versions[0]
        if pin is None or not target.is_readable:
            return not target.is_readable
        is_named = any(pin.name.startswith(other) for other in self.images.values())
        is_newest = vllm == self.asked.tables.versions()[-1]
        is_latest = is_newest and pin.is_release and pin.written in ("", LATEST)
        return not (is_named or is_latest or (pin.vllm or pin.release) == vllm)

    def _is_stuck(self, target: Target, start: Start) -> bool:
        """Return whether a start is not read, or has a version that cannot be moved."""
        moves = self._moves.of.get(start, ())
        is_movable = moves and not any(move.why for move in moves)
        is_movable = is_movable and start not in self._moves.elsewhere
        return not target.is_readable or (self._stays(target) and not is_movable)

    def _reasons(
        self,
        old: Source,
        going: Set[PinMove],
        kept: Set[Start],
        refused: Mapping[Start, Mapping[Finding, Place]],
    ) -> dict[Finding, Place]:
        """Return why versions and starts of a file are not moved."""
        path, moves = _path(old), self._moves.in_file.get(_path(old), ())
        unread = [one.place for one in old.others if is_unread(one) and one.pin is None]
        reasons: dict[Finding, Place] = {}
        for move in moves:
            is_elsewhere = not any(file == path for file, _ in move.starts)
            if move not in going and (move.why or is_elsewhere):
                line = bisect_right(old.lines, move.start)
                reasons[self._reason(move.name, move.why or "together")] = (old.path, line, 0)
        starts = ((one, self._starts[one]) for one in old.targets() if one in self._starts)
        for target, start in starts:
            name = target.command.pin.name if target.command.pin is not None else old.path
            if start in refused:
                reasons |= {self._reason(name, "worse"): target.at, **refused[start]}
            elif not target.is_readable:
                unread.append(target.at)
            elif start in kept:
                for about, at in self._why_kept(target, start, name).items():
                    reasons.setdefault(about, at)
        if unread and not any(move.why == "unread" for move in moves):
            reasons[self._reason(old.path, "unread")] = unread[0]
        return reasons

    def _why_kept(self, target: Target, start: Start, name: str) -> dict[Finding, Place]:
        """Return why a start with a pin of a name is kept, where its own moves do not say it."""
        pin, moves = target.command.pin, self._moves.of.get(start, ())
        if start in self._moves.elsewhere:
            file, line, variable = self._moves.elsewhere[start]
            about = self._reason(name, "elsewhere", variable=variable, file=file, line=line)
            return {about: place(name) or target.at}
        if any(move.why for move in moves):
            return {}
        why = "together" if moves else "file" * name.endswith(PACKED)
        written = "" if pin is None else pin.written
        return {self._reason(name, why): place(written) or place(name) or target.at}

    def _reason(self, name: str, why: str, **facts: str | int) -> Finding:
        version = self.asked.versions[0]
        return finding("not-moved", name, case=why, name=name, version=version, **facts)

    def _version_of(self, targets: Iterable[Target]) -> str | None:
        """Return the version that targets name, if it is one, and known."""
        pins = [target.command.pin for target in targets]
        named = {pin.vllm or pin.release for pin in pins if pin is not None} - {""}
        name = named.pop() if len(named) == 1 else None
        version, oldest = parse(name or ""), Version(self.asked.tables.versions()[0])
        return name if version and oldest <= version else None

    def _concerns(
        self, old: Source, moves: Sequence[PinMove], before: str | None
    ) -> dict[Finding, Place]:
        """Return what an upgrade may need beside the changes of its file."""
        tables, (vllm,) = self.asked.tables, self.asked.versions
        bare = [move for move in moves if move.starts <= self._of_variables]
        tags = (_NUMBERS.search(old.text, move.start, move.end) for move in bare)
        versions = [*filter(None, [before]), *(match[0] for match in tags if match)]
        oldest = min(map(Version, versions), default=Version(vllm))
        about = {
            finding("upgrade-concern", "vllm", since=item["since"], note=item["note"]): NOWHERE
            for item in common(tables).get("concerns", ())
            if oldest < Version(item["since"]) <= Version(vllm)
            and any(word in old.text for word in item.get("mentions", ("",)))
        }
        for move in bare:
            if move.is_image:
                item = finding("upgrade-concern", move.name, case="no-start", name=move.name)
                about[item] = (old.path, bisect_right(old.lines, move.start), 0)
        packages = "|".join(common(tables).get("requires", ()))
        pinned = re.compile(rf"^(?![ \t]*#).*?(?<![\w-])((?:{packages})==[\w.+]+)", re.MULTILINE)
        installs = any(not move.is_image for move in moves)
        for match in pinned.finditer(old.text) if installs else ():
            item = finding("upgrade-concern", match[1], case="pinned", given=match[1], version=vllm)
            about[item] = (old.path, bisect_right(old.lines, match.start(1)), 0)
        return about


def _path(source: Source) -> str:
    return os.path.normpath(source.path)
