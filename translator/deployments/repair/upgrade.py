"""`translate upgrade`: a file for another vLLM. The version moves first (pins.py), then what that
vLLM has otherwise, as `check --fix` does it (fixes.py); a start whose version cannot be moved stays
as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING

from translator.core.findings import UsageError, finding
from translator.core.tables.images import concerns, required
from translator.core.tables.versions import Version, parse
from translator.core.text.words import NOWHERE
from translator.deployments.judge.results import check
from translator.deployments.read.programs import is_unread
from translator.deployments.read.targets import context_of, source_of
from translator.deployments.repair.fixes import File
from translator.deployments.repair.pins import pins_in
from translator.deployments.text import edits
from translator.formats.classes import evolve, field, frozen
from translator.formats.inputs import environment_of, has_variables, read_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Tables
    from translator.core.text.words import Place
    from translator.deployments.options import CheckOptions
    from translator.deployments.read.targets import Source, Target
    from translator.deployments.repair.pins import Pin


@frozen(eq=False)
class Upgrade:
    """What an upgrade makes of a file.

    Attributes:
        old, new: the file before and after; the same where nothing changes, or it is left alone.
        reasons: why it, or a part of it, is left alone, with the places.
        notes: what is to be known about the new one, and the errors that it has.
        problems: edits that were not made, and why.
        is_vllm: whether anything in it starts or installs vLLM.
    """

    old: Source
    new: Source
    reasons: Mapping[Finding, Place] = field(factory=dict)
    notes: Mapping[Finding, Place] = field(factory=dict)
    problems: Sequence[str] = ()
    is_vllm: bool = True

    @property
    def is_changed(self) -> bool:
        """Whether the file has another content."""
        return self.new.content != self.old.content

    @property
    def is_left(self) -> bool:
        """Whether the file, or a part of it that is not fine as it is, is left alone."""
        return any(item.severity != "info" for item in self.reasons)


def with_version(
    old: Source, asked: CheckOptions, images: Mapping[str, str], beside: Sequence[Source]
) -> tuple[Source, list[Pin]]:
    """Return a file with the version that is wanted, and the places that say one.

    Args:
        old: the file.
        asked: with the one version that is wanted.
        images: images that others take the place of, as the user says.
        beside: files whose images may refer to variables that it sets.
    """
    pins = pins_in(old, asked.versions[0], asked.dialect, asked.tables, images, beside)
    text = edits.applied(old.text, [(pin.start, pin.end, pin.new) for pin in pins if not pin.why])
    return old.with_text(text), pins


def upgrade(
    old: Source, new: Source, pins: Sequence[Pin], asked: CheckOptions, images: Mapping[str, str]
) -> Upgrade:
    """Return what an upgrade makes of a file.

    Args:
        old, new: the file before, and with the version that is wanted.
        pins: the places that say one.
        asked: with the one version that is wanted, and the one to come from, if that is said.
        images: images that others take the place of, as the user says.

    Raises:
        UsageError: it cannot be read.
    """
    (vllm,) = asked.versions
    before, targets = old.targets(), new.targets()
    if not (before or pins):
        return Upgrade(old, old, is_vllm=False)
    stays = partial(_stays, vllm, images)
    reasons = _reasons(old, pins, filter(stays, targets), vllm)
    unread = [item.place for one in before for item in one.others if is_unread(item)]
    unread += [one.at for one in before if not one.is_readable]
    if unread:
        return Upgrade(old, old, {**reasons, _reason(old.path, "unread", vllm): unread[0]})
    source = asked.before or _version_of(before, asked.tables)
    asked = evolve(asked, before=source)
    file = File(new, targets, asked, stays=lambda target: target.command.is_guess or stays(target))
    file.fix()
    was = check(before, evolve(asked, before=None, versions=[source] if source else []))
    had = {(item.code, item.subject) for result in was for item in result.findings}
    notes = {
        item: result.place(item)
        for result in check([one for one in file.targets if not stays(one)], asked)
        for item in result.shown
        if item.severity == "error" or (item.code, item.subject) not in had
    }
    errors = {item: at for item, at in notes.items() if item.severity == "error"}
    worse = {item: at for item, at in errors.items() if (item.code, item.subject) not in had}
    if worse:
        return Upgrade(old, old, {**reasons, _reason(old.path, "worse", vllm): NOWHERE, **worse})
    if file.source.content != old.content:
        notes |= _concerns(old, pins, source or vllm, asked)
    return Upgrade(old, file.source, reasons, notes, file.problems)


def upgrade_all(
    paths: Sequence[str], asked: CheckOptions, images: Mapping[str, str], named: Collection[str]
) -> tuple[list[Upgrade], dict[str, str]]:
    """Return what an upgrade makes of files, and of those that cannot be read, why.

    Args:
        paths: of the files.
        asked, images: those of `upgrade`.
        named: the paths that whoever asks has named.

    Raises:
        UsageError: a file that is named cannot be read.
    """
    context = context_of(asked)
    sources, unread = [], {}
    for path in paths:
        try:
            sources.append(source_of(path, read_bytes(path), asked, context))
        except UsageError as error:
            unread[path] = error
    # What files of variables say by now, others are read with.
    outside = dict(context.outside)
    moved = []
    for old in sources:
        is_read = has_variables(old.path)
        new, pins = with_version(old, asked, images, sources if is_read else ())
        moved.append((old, new, pins))
        if is_read:
            tables, content = asked.tables, new.content
            outside |= environment_of([new.path], "auto", asked.dialect, tables, content).env
    context = evolve(context, outside=outside)
    results = []
    for old, new, pins in moved:
        try:
            new = source_of(old.path, new.content, asked, context)
            results.append(upgrade(old, new, pins, asked, images))
        except UsageError as error:
            unread[old.path] = error
    for path in filter(named.__contains__, unread):
        raise unread[path]
    return results, {path: str(problem) for path, problem in unread.items()}


def _stays(vllm: str, images: Mapping[str, str], target: Target) -> bool:
    """Return whether a start has a version that was not moved."""
    image = target.command.pin
    if image is None or image.vllm:
        return target.command.vllm not in (None, vllm)
    is_named = any(image.name.startswith(other) for other in images.values())
    is_latest = image.is_release and not image.release
    return not (is_named or is_latest or image.release == vllm)


def _reason(name: str, why: str, vllm: str) -> Finding:
    return finding("not-moved", name, case=why, name=name, version=vllm)


def _reasons(
    old: Source, pins: Sequence[Pin], targets: Iterable[Target], vllm: str
) -> dict[Finding, Place]:
    """Return why versions are not moved, and which starts stay as they are for another reason."""
    stuck = [pin for pin in pins if pin.why]
    reasons = {_reason(it.name, it.why, vllm): _place(old, it.start) for it in stuck}
    for target in targets:
        pin = target.command.pin
        name = pin.name if pin and not pin.vllm else f"vLLM {target.command.vllm}"
        if not any(name.removeprefix("vLLM ") in pin.name for pin in stuck):
            reasons[_reason(name, "", vllm)] = target.at
    return reasons


def _place(source: Source, at: int) -> Place:
    return source.path, bisect_right(source.lines, at), 0


def _version_of(targets: Sequence[Target], tables: Tables) -> str | None:
    """Return the version that targets name, if it is one, and known."""
    pins = [target.command.pin for target in targets]
    named = {pin.vllm or pin.release for pin in pins if pin}
    named -= {None, ""}
    name = named.pop() if len(named) == 1 else None
    version = parse(name or "")
    return name if version and Version(tables.versions()[0]) <= version else None


def _concerns(
    old: Source, pins: Sequence[Pin], before: str, asked: CheckOptions
) -> dict[Finding, Place]:
    """Return what an upgrade may need beside the changes of its file."""
    tables, (vllm,) = asked.tables, asked.versions
    found = {
        finding("upgrade-concern", "vllm", **item): NOWHERE
        for item in concerns(tables)
        if Version(before) < Version(item["since"]) <= Version(vllm)
    }
    packages = "|".join(required(tables))
    pinned = re.compile(rf"^(?![ \t]*#).*?(?<![\w-])((?:{packages})==[\w.+]+)", re.MULTILINE)
    for match in pinned.finditer(old.text) if any("==" in pin.name for pin in pins) else ():
        item = finding("upgrade-concern", match[1], case="pinned", given=match[1], version=vllm)
        found[item] = _place(old, match.start(1))
    return found
