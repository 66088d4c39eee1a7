"""`translate upgrade`: files for another vLLM. What says the version moves (moves.py), and with it
what that vLLM has otherwise, as `check --fix` does it (fixes.py). A start is moved wholly or not at
all: one whose version cannot be moved, or that the new vLLM would refuse, stays as it is.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from translator.core.findings import ERROR, UsageError, finding
from translator.core.tables.images import concerns, required
from translator.core.tables.versions import Version, parse
from translator.core.text.words import NOWHERE, place
from translator.deployments.judge.results import check
from translator.deployments.read.programs import PACKED, is_unread
from translator.deployments.read.targets import context_of, placed_variables, source_of
from translator.deployments.repair.fixes import File
from translator.deployments.repair.moves import Moves
from translator.deployments.text import edits
from translator.formats.classes import evolve, field, frozen
from translator.formats.inputs import has_variables, read_bytes
from translator.formats.references import has_hole

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence, Set

    from translator.core.findings import Finding
    from translator.core.text.words import Place
    from translator.deployments.options import CheckOptions
    from translator.deployments.read import Command, Context
    from translator.deployments.read.targets import Source, Target
    from translator.deployments.repair.moves import PinMove, Start


@frozen(eq=False)
class Upgrade:
    """What an upgrade makes of a file.

    Attributes:
        old, new: the file before and after; the same where nothing changes, or it is left alone.
        reasons: why it, or a part of it, is left alone, with the places.
        notes: what is to be known about the new one, and the errors that it has.
        problems: edits that were not made, and why.
        is_vllm: whether anything in it starts or installs vLLM.
        refused: the starts that the new version would refuse, with why: nothing is changed then.
    """

    old: Source
    new: Source
    reasons: Mapping[Finding, Place] = field(factory=dict)
    notes: Mapping[Finding, Place] = field(factory=dict)
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
    context, problems = context_of(asked), {}
    contents: dict[str, bytes] = {}
    for path in paths:
        try:
            contents[path] = read_bytes(path)
            if has_variables(path):
                placed_variables(path, "auto", asked.tables, contents[path])
        except UsageError as error:
            contents.pop(path, None)
            problems[path] = error
    read_with = _with_files(context, contents, asked, named)
    sources = [source_of(path, content, asked, read_with) for path, content in contents.items()]
    # Of a file of variables that is not named, only what others read is known to be theirs.
    sources = [
        it if it.path in named or not has_variables(it.path) else evolve(it, read=_nothing)
        for it in sources
    ]
    for source in sources:
        try:
            source.targets()
        except UsageError as error:
            problems[source.path] = error
    for path in filter(named.__contains__, problems):
        raise problems[path]
    sources = [source for source in sources if source.path not in problems]
    plan = _Plan(sources, Moves(sources, asked, images), images, asked, context, named)
    refused: dict[Start, Mapping[Finding, Place]] = {}
    while True:
        upgrades = plan.upgrades(refused)
        more = {start: why for it in upgrades for start, why in it.refused.items()}
        if not more.keys() - refused.keys():
            return upgrades, {path: str(problem) for path, problem in problems.items()}
        refused |= more


def _nothing(_: bytes) -> tuple[list[Target], list[Command]]:
    return [], []


def _with_files(
    context: Context, contents: Mapping[str, bytes], asked: CheckOptions, named: Collection[str]
) -> Context:
    """Return a context in which files have some contents, with the variables of those that are
    named, and may be named to compose, too: each that one of them sets.
    """
    elsewhere: dict[str, str] = {}
    times: Counter[str] = Counter()
    for path in filter(has_variables, contents):
        if path in named and os.path.basename(path) != ".env":
            variables = placed_variables(path, "auto", asked.tables, contents[path])
            elsewhere |= variables
            times.update(variables.keys())
    elsewhere = {name: text for name, text in elsewhere.items() if times[name] == 1}
    known = {os.path.normpath(path): content for path, content in contents.items()}
    return evolve(context, elsewhere=elsewhere, contents=known)


@frozen(eq=False)
class _Plan:
    """Files that are moved together.

    Attributes:
        sources: the files.
        moves: what says the wanted version in them.
        images: images that others take the place of, as the user says.
        asked, context: how they are checked and read.
        named: the paths that whoever asks has named.
    """

    sources: Sequence[Source]
    moves: Moves
    images: Mapping[str, str]
    asked: CheckOptions
    context: Context
    named: Collection[str]

    def upgrades(self, refused: Mapping[Start, Mapping[Finding, Place]]) -> list[Upgrade]:
        """Return what becomes of the files; the starts that are refused, each with why, stay."""
        stuck = [
            (_path(source), at)
            for source in self.sources
            for at, target in enumerate(source.targets())
            if self._is_stuck(target, (_path(source), at))
        ]
        going, kept = self.moves.without([*stuck, *refused])
        moves = {
            source.path: [
                move for move in self.moves.in_file.get(_path(source), ()) if move in going
            ]
            for source in self.sources
        }
        contents = {}
        for source in self.sources:
            spans = [(move.start, move.end, move.new) for move in moves[source.path]]
            text = edits.applied(source.text, spans)
            contents[source.path] = source.with_text(text).content if spans else source.content
        context = _with_files(self.context, contents, self.asked, self.named)
        upgrades = []
        for old in self.sources:
            new = source_of(old.path, contents[old.path], self.asked, context)
            upgraded = self._upgrade(old, new, moves[old.path], refused)
            reasons = self._reasons(old, going, kept, refused)
            upgrades.append(evolve(upgraded, reasons=reasons))
        return upgrades

    def _upgrade(
        self, old: Source, new: Source, moves: Sequence[PinMove], refused: Collection[Start]
    ) -> Upgrade:
        """Return what becomes of a file with its moves."""
        path, before = _path(old), old.targets()
        targets = new.targets() if before else []
        if not (before or path in self.moves.in_file):
            return Upgrade(old, old, is_vllm=False)
        starts = [(path, at) for at in range(len(before))]
        # What has no place that says its version cannot stay alone.
        is_whole = any(start in refused and start not in self.moves.of for start in starts)
        if is_whole or len(targets) != len(before):
            return Upgrade(
                old, old, refused={start: {} for start in starts if start not in refused}
            )
        source = self.asked.before or self._version_of(before)
        asked = evolve(self.asked, before=source)
        file = File(new, targets, asked, stays=lambda it: it.command.is_guess or self._stays(it))
        file.fix()
        was = check(before, evolve(asked, before=None, versions=[source] if source else []))
        had = {(item.code, item.subject) for result in was for item in result.findings}
        is_known = len(file.targets) == len(before)  # which is which
        start_of = {target: [starts[at]] for at, target in enumerate(file.targets) if is_known}
        notes: dict[Finding, Place] = {}
        refusals: dict[Start, dict[Finding, Place]] = {}
        for result in check([it for it in file.targets if not self._stays(it)], asked):
            places = {item: result.place(item) for item in result.findings}
            added = {it: at for it, at in places.items() if (it.code, it.subject) not in had}
            errors = {it: at for it, at in places.items() if it.severity == ERROR}
            notes |= {**errors, **added}
            if worse := {item: at for item, at in errors.items() if item in added}:
                refusals |= dict.fromkeys(start_of.get(result.target, starts), worse)
        if refusals:
            return Upgrade(old, old, refused=refusals)
        if file.source.content != old.content:
            notes |= self._concerns(old, moves, source)
        return Upgrade(old, file.source, {}, notes, file.problems)

    def _stays(self, target: Target) -> bool:
        """Return whether a start has a version that was not moved, or is not read."""
        pin, vllm = target.command.pin, self.asked.versions[0]
        if pin is None or not target.is_readable:
            return not target.is_readable
        is_named = any(pin.name.startswith(other) for other in self.images.values())
        is_latest = pin.is_release and not (pin.vllm or pin.release or has_hole(pin.written))
        return not (is_named or is_latest or (pin.vllm or pin.release) == vllm)

    def _is_stuck(self, target: Target, start: Start) -> bool:
        """Return whether a start is not read, or has a version that cannot be moved."""
        moves = self.moves.of.get(start, ())
        is_movable = moves and not any(move.why for move in moves)
        return not target.is_readable or (self._stays(target) and not is_movable)

    def _reasons(
        self,
        old: Source,
        going: Set[PinMove],
        kept: Set[Start],
        refused: Mapping[Start, Mapping[Finding, Place]],
    ) -> dict[Finding, Place]:
        """Return why versions and starts of a file are not moved."""
        path, moves = _path(old), self.moves.in_file.get(_path(old), ())
        unread = [it.place for it in old.others if is_unread(it) and it.pin is None]
        reasons: dict[Finding, Place] = {}
        for move in moves:
            is_elsewhere = not any(file == path for file, _ in move.starts)
            if move not in going and (move.why or is_elsewhere):
                line = bisect_right(old.lines, move.start)
                reasons[self._reason(move.name, move.why or "together")] = (old.path, line, 0)
        for at, target in enumerate(old.targets()):
            pin, start = target.command.pin, (path, at)
            name, own = old.path if pin is None else pin.name, self.moves.of.get(start, ())
            if start in refused:
                reasons |= {self._reason(name, "worse"): target.at, **refused[start]}
            elif not target.is_readable:
                unread.append(target.at)
            elif start in kept and not any(move.why for move in own):
                why = "together" if own else "file" * name.endswith(PACKED)
                about = self._reason(name, why)
                written = "" if pin is None else pin.written
                reasons.setdefault(about, place(written) or place(name) or target.at)
        if unread and not any(move.why == "unread" for move in moves):
            reasons[self._reason(old.path, "unread")] = unread[0]
        return reasons

    def _reason(self, name: str, why: str) -> Finding:
        version = self.asked.versions[0]
        return finding("not-moved", name, case=why, name=name, version=version)

    def _version_of(self, targets: Sequence[Target]) -> str | None:
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
        bare = [move for move in moves if not move.starts]
        versions = [before, *(_numbers_in(old.text[move.start : move.end]) for move in bare)]
        oldest = min(map(Version, filter(None, versions)), default=Version(vllm))
        found = {
            finding("upgrade-concern", "vllm", **item): NOWHERE
            for item in concerns(tables)
            if oldest < Version(item["since"]) <= Version(vllm)
        }
        for move in bare:
            if move.is_image:
                item = finding("upgrade-concern", move.name, case="no-start", name=move.name)
                found[item] = (old.path, bisect_right(old.lines, move.start), 0)
        packages = "|".join(required(tables))
        pinned = re.compile(rf"^(?![ \t]*#).*?(?<![\w-])((?:{packages})==[\w.+]+)", re.MULTILINE)
        installs = any(not move.is_image for move in moves)
        for match in pinned.finditer(old.text) if installs else ():
            item = finding("upgrade-concern", match[1], case="pinned", given=match[1], version=vllm)
            found[item] = (old.path, bisect_right(old.lines, match.start(1)), 0)
        return found


def _path(source: Source) -> str:
    return os.path.normpath(source.path)


def _numbers_in(text: str) -> str:
    """Return the version in a tag; "" if it has none."""
    match = re.search(r"\d+\.\d+(?:\.\d+)?(?:\.post\d+)?", text)
    return match[0] if match else ""
