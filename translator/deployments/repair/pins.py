"""Where a text says which vLLM it runs or installs, and what says another one there: the tag of an
image, `vllm==` of pip, and the variable that either refers to.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from translator.core.tables.images import entry_of
from translator.core.tables.versions import Version, parse
from translator.deployments.read.targets import reads_in
from translator.deployments.text.edits import applied
from translator.formats.classes import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from translator.core.tables.catalog import Tables
    from translator.deployments.read.targets import Source
    from translator.deployments.text.edits import Edit

    # What says the version that is wanted instead of a text; or why nothing does, as a case of
    # `not-moved`.
    New = tuple[str, str]

_REFERENCE = r"\$\{[A-Za-z_]\w*(?::?-[^{}\s\"']*)?\}|\$[A-Za-z_]\w*"
# An image with its tag: `registry:5000/org/name:tag`, as a default (`${IMAGE:-org/name:tag}`), too.
_IMAGE = re.compile(
    rf"(?:(?<![\w./@$-])|(?<=:-))([A-Za-z0-9][\w.-]*(?::\d+(?=/))?(?:/[\w.-]+)*)"
    rf":((?:[A-Za-z0-9_]|{_REFERENCE})(?:[\w.-]|{_REFERENCE})*)(@sha256:\w+)?"
)
_PACKAGE = re.compile(
    rf"(?<![\w./${{-])((?i:vllm)(?:-cpu)?(?:\[[\w, -]*\])?) *== *((?:[\w.+*]|{_REFERENCE})+)"
)
_LOCKED = re.compile(r'\bname = "(vllm(?:-cpu)?)"\r?\nversion = "([^"\n]*)')
# The two keys of a chart, in lines of one indent.
_REPOSITORY = re.compile(r"([ -]*)(?:repository|newName|name): *[\"']?([\w./:-]+)[\"']? *$")
_TAG = re.compile(r"([ -]*)(?:tag|newTag): *[\"']?([\w.-]+)")
# A reference within a version: what is in front of it, its name, its default, what is behind it.
_REFERRED = re.compile(r"([^$]*)\$\{?(\w+)(?::?-([^}]*))?\}?([^$]*)")
_ASSIGNED = re.compile(
    r"(?<![\w$])([A-Za-z_]\w*)[\"']?(?: *[:=] *| )(?:\$\{\1:?-)?[\"']?(v?\d[\w.+*-]*)"
)
_NUMBERS = re.compile(r"\d+(\.\d+)+(\.post\d+|rc\d+)?")
_NEAR = 20  # lines between them, at most
_DOCUMENTS = (".md", ".mdx", ".markdown")
# A comment of most kinds of files.
_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!!).*|^[ \t]*(?:;|//).*", re.MULTILINE)
_HASHES = re.compile(r"[^\n]*(?:\\\r?\n[^\n]*){0,2}--hash")
_MOST_TO_HASHES = 300  # characters


@frozen
class Pin:
    """A place of a text that says which vLLM is meant.

    Attributes:
        start, end: of the version, or of the tag that holds it.
        name: what it is about, as messages show it.
        new: what says the wanted version there; "" if nothing does.
        why: then, the case of `not-moved`.
    """

    start: int
    end: int
    name: str
    new: str
    why: str


def pins_in(
    source: Source,
    vllm: str,
    dialect: str,
    tables: Tables,
    images: Mapping[str, str],
    beside: Sequence[Source],
) -> list[Pin]:
    """Return the places of a file, comments aside, that say which vLLM is meant.

    Args:
        source: the file.
        vllm: the version that is wanted.
        dialect: with the release of a platform's program that is wanted (`runpod@2.28.0`).
        tables: where images are looked up.
        images: images that others take the place of, as the user says.
        beside: files whose images may refer to variables that it sets.
    """
    code = _code(source)
    name = os.path.basename(source.path)
    if name.endswith(".lock") or name.startswith("pylock."):
        matches = (*_LOCKED.finditer(code), *_PACKAGE.finditer(code))
        return [Pin(*it.span(2), f"{it[1]}=={it[2]}", "", "lock") for it in matches]
    values: dict[str, list[tuple[int, str]]] = {}
    for assigned in _ASSIGNED.finditer(code):
        values.setdefault(assigned[1], []).append((assigned.start(2), assigned[2]))
    pins: list[Pin] = []
    for old, other_image in sorted(images.items(), key=lambda item: -len(item[0])):
        named = re.compile(rf"(?<![\w./-]){re.escape(old)}(?![\w.-])")
        pins += [Pin(*match.span(), old, other_image, "") for match in named.finditer(code)]
        code = named.sub(lambda match: " " * len(match[0]), code)
    retagging = partial(_retagging, vllm=vllm, dialect=dialect, tables=tables)
    numbered = partial(_numbered, vllm=vllm, tables=tables)
    versions: list[tuple[str, int | None, str, Callable[[str], New], str]] = []
    used: Counter[str] = Counter()  # variables, by anything but vLLM's own images and packages
    for other, text in ({other: _code(other) for other in beside} | {source: code}).items():
        own: list[Edit] = []
        for match in (*_IMAGE.finditer(text), *_PACKAGE.finditer(text)):
            is_package = match.re is _PACKAGE
            new = numbered if is_package else retagging(match[1])
            if new is None:
                continue
            end = match.end() + _MOST_TO_HASHES
            is_one_build = _HASHES.match(text, match.end(), end) if is_package else match[3]
            start = match.start(2) if other is source else None
            versions.append((match[0], start, match[2], new, "digest" if is_one_build else ""))
            own += [] if new is _of_others else [(*match.span(), "")]
        used += reads_in(applied(text, own))
    for at, name, tag in _charted(code):
        if new := retagging(name):
            versions.append((f"{name}:{tag}", at, tag, new, ""))
    pins += [pin for version in versions for pin in _pins(values, used, *version)]
    return list({pin.start: pin for pin in pins}.values())


def _code(source: Source) -> str:
    """Return the text of a file with blanks for its comments and its prose."""
    code = _COMMENT.sub(lambda found: " " * len(found[0]), source.text)
    if source.path.endswith(".rst"):
        return re.sub(r"^\S.*", lambda found: " " * len(found[0]), code, flags=re.MULTILINE)
    if source.path.endswith(_DOCUMENTS):  # what is between their fences is none
        parts = re.split("(```)", code)
        prose = (re.sub(r"\S", " ", part) for part in parts)
        code = "".join(
            part if at % 4 == 2 else blank for at, (part, blank) in enumerate(zip(parts, prose))
        )
    return code


def _pins(
    values: Mapping[str, Sequence[tuple[int, str]]],
    used: Mapping[str, int],
    name: str,
    start: int | None,
    text: str,
    new: Callable[[str], New],
    why: str,
) -> Iterator[Pin]:
    """Yield the places of a version: a text at an index (None: of another file), or the variable
    that it refers to.
    """
    referred = _REFERRED.fullmatch(text)
    if start is not None and (why or not referred):
        instead, reason = new(text)
        if instead or reason:
            yield Pin(start, start + len(text), name, instead * (not why), why or reason)
    if why or not referred:
        return
    front, variable, default, back = referred.groups()
    places = [(start + referred.start(3), default)] if default and start is not None else []
    places += values.get(variable, ())
    for at, old in places:
        instead, reason = new(f"{front}{old}{back}")
        kept = instead[len(front) : len(instead) - len(back) or None]
        if instead and f"{front}{kept}{back}" != instead:
            reason = "suffix"
        elif used[variable]:
            reason = "shared"
        if reason or kept:
            yield Pin(at, at + len(old), name, kept * (not reason), reason)


def _charted(code: str) -> Iterator[tuple[int, str, str]]:
    """Yield the tags that stand in a line of their own beside the repository: their places, the
    repository and the tag.
    """
    lines = code.split("\n")
    begins = [0, *accumulate(len(line) + 1 for line in lines)]
    for at, line in enumerate(lines):
        repository = _REPOSITORY.match(line.rstrip())
        if not repository or ":" in repository[2].rpartition("/")[2]:
            continue
        for others in (range(at + 1, at + _NEAR), range(at - 1, at - _NEAR, -1)):
            for other in others:
                text = lines[other] if 0 <= other < len(lines) else ""
                tag = _TAG.match(text)
                if not text or len(text) - len(text.lstrip(" -")) < len(repository[1]):
                    break
                if tag and len(tag[1]) == len(repository[1]):
                    yield begins[other] + tag.start(2), repository[2], tag[2]


def _retagging(
    name: str, *, vllm: str, dialect: str, tables: Tables
) -> Callable[[str], New] | None:
    """Return what makes of a tag of an image the one that holds a vLLM; None for another image."""
    entry = entry_of(name.lower(), tables)
    suffixes, versions = entry.get("suffixes"), entry.get("versions", {})
    parts = name.split("/")
    # A registry in front of it has a copy of vLLM's own; an account of the hub builds another.
    is_own = len(parts) > 1 and parts[-2] != "vllm" and not {".", ":"}.intersection(parts[0])

    def of_vllm(tag: str) -> New:
        version, _, rest = tag.removeprefix("v").partition("-")
        if not _NUMBERS.fullmatch(version):
            return "", "no-release"
        kept = []
        for part in filter(None, rest.split("-")):
            rule = (suffixes or {}).get(part)
            if rule is None or Version(vllm) < Version(rule.get("since", vllm)):
                return "", "suffix"
            if Version(vllm) <= Version(rule.get("until", vllm)):
                kept.append(part)
        return "-".join(["v" * tag.startswith("v") + vllm, *kept]), ""

    def of_platform(tag: str) -> New:
        held = [key for key, version in versions.items() if version == vllm and parse(key)]
        program, _, release = dialect.partition("@")
        newest = max(held, key=Version, default="")
        new = release if release and program == entry.get("dialect") else newest
        text = tag.removeprefix("v")
        old = max((key for key in versions if text.startswith(key)), key=len, default="")
        if not new or not old:
            return "", "no-image" if old else "no-release"
        return "v" * tag.startswith("v") + new + text[len(old) :], ""

    if suffixes:
        return _of_others if is_own else of_vllm
    return of_platform if versions else None


def _of_others(_: str) -> New:
    return "", "own"


def _numbered(old: str, *, vllm: str, tables: Tables) -> New:
    """Return the version of a package that is wanted instead of another; `0.10.*` keeps its form
    where that is the version that pip takes for it.
    """
    front, star, rest = old.partition(".*")
    if star and not rest and front.replace(".", "").isdecimal():
        kept = ".".join([*vllm.split(".")[: front.count(".") + 1], ""])
        newest = [version for version in tables.versions() if version.startswith(kept)][-1:]
        return f"{kept}*" if newest == [vllm] else vllm, ""
    return (vllm, "") if _NUMBERS.fullmatch(old) else ("", "build")
