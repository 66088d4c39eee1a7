"""`translate upgrade`: a file for another vLLM. The version moves first (pins.py), then what that
vLLM has otherwise, as `check --fix` does it (fixes.py); a start whose version cannot be moved stays
as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from translator.checks.fixes import File
from translator.checks.pins import pins_in
from translator.checks.results import check
from translator.files.programs import is_unread
from translator.findings import finding
from translator.tables.images import concerns, required
from translator.tables.versions import Version, parse
from translator.text import edits
from translator.text.classes import evolve, field, frozen
from translator.text.words import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.checks import Asked
    from translator.checks.pins import Pin
    from translator.checks.targets import Source, Target
    from translator.findings import Finding
    from translator.text.words import Place


@frozen(eq=False)
class Upgrade:
    """What an upgrade makes of a file.

    Attributes:
        old, new: the file before and after; the same where nothing changes, or it is left alone.
        left: what is left alone, and why, with the places.
        told: what is to be known about the new one.
        is_vllm: whether anything in it starts or installs vLLM.
    """

    old: Source
    new: Source
    left: Mapping[Finding, Place] = field(factory=dict)
    told: Mapping[Finding, Place] = field(factory=dict)
    is_vllm: bool = True


def moved(
    old: Source, asked: Asked, images: Mapping[str, str], beside: Sequence[Source]
) -> tuple[Source, list[Pin]]:
    """Return a file with the version that is wanted, and the places that say one.

    Args:
        old: the file.
        asked: with the one version that is wanted.
        images: images that others take the place of, as the user says.
        beside: files whose images may refer to variables that it sets.
    """
    pins = pins_in(old, asked.versions[0], asked.dialect, asked.tables, images, beside)
    text = edits.applied(old.text, [(it.start, it.end, it.new) for it in pins if not it.why])
    return old.with_text(text), pins


def upgraded(
    old: Source, new: Source, pins: Sequence[Pin], asked: Asked, images: Mapping[str, str]
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
    before = old.targets()
    targets = new.targets()

    def left(name: str, why: str, at: Place = NOWHERE) -> dict[Finding, Place]:
        return {finding("not-moved", name, case=why, name=name, version=vllm): at}

    def stays(target: Target) -> bool:
        """Return whether a start has a version that was not moved."""
        image = target.command.image
        if image is None:
            return target.command.vllm not in (None, vllm)
        is_named = any(image.name.startswith(other) for other in images.values())
        return (
            not is_named and image.release != vllm and (bool(image.release) or not image.is_release)
        )

    remains: dict[Finding, Place] = {}
    for pin in pins:
        if pin.why:
            line = old.text.count("\n", 0, pin.start) + 1
            remains |= left(pin.name, pin.why, (old.path, line, 0))
    names = [pin.name for pin in pins if pin.why]
    for target in filter(stays, targets):
        it, version = target.command.image, str(target.command.vllm)
        if not any((it.name if it is not None else version) in name for name in names):
            remains |= left(it.name if it is not None else f"vLLM {version}", "", target.at)
    unread = [item.place for one in before for item in one.others if is_unread(item)]
    unread += [one.at for one in before if not one.is_readable]
    if unread:
        return Upgrade(old, old, {**remains, **left(old.path, "unread", unread[0])})
    if not (before or pins):
        return Upgrade(old, old, is_vllm=False)

    images_of = [one.command.image for one in before]
    named = {one.command.vllm for one in before} | {one.release for one in images_of if one}
    oldest = Version(asked.tables.versions()[0])
    known = [it for it in named if it and (of := parse(it)) is not None and oldest <= of]
    source = asked.before or (known[0] if len(named - {None, ""}) == len(known) == 1 else None)
    file = File(new, targets, evolve(asked, before=source), stays=stays)
    file.fix()
    was = check(before, evolve(asked, versions=[source] if source else []))
    had = {(item.code, item.subject) for result in was for item in result.findings}
    now = check([one for one in file.targets if not stays(one)], file.asked)
    told = {
        item: result.place(item)
        for result in now
        for item in result.shown
        if (item.code, item.subject) not in had
    }
    worse = {item: at for item, at in told.items() if item.severity == "error"}
    if worse:
        return Upgrade(old, old, {**remains, **left(old.path, "worse"), **worse})
    if any(pin.name.startswith("vllm") and "==" in pin.name for pin in pins):
        packages = "|".join(required(asked.tables))
        pinned = rf"^(?!\s*#).*?(?<![\w-])((?:{packages})==[\w.+]+)"
        for beside in re.finditer(pinned, old.text, re.MULTILINE):
            facts = {"given": beside[1], "version": vllm}
            line = old.text.count("\n", 0, beside.start(1)) + 1
            told[finding("upgrade-concern", beside[1], case="pinned", **facts)] = old.path, line, 0
    if source and file.source.content != old.content:
        for item in concerns(asked.tables):
            if Version(source) < Version(item["since"]) <= Version(vllm):
                told[finding("upgrade-concern", "vllm", **item)] = NOWHERE
    return Upgrade(old, file.source, remains, told)
