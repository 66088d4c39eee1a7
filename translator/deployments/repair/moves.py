"""Where files say which vLLM they start or install, what says another one there, and which starts
that belongs to: the tag of an image, `vllm==` of pip, and the variable that either refers to.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from os.path import dirname
from typing import TYPE_CHECKING

from translator.core.tables.catalog import Tables
from translator.core.tables.images import entry_of
from translator.core.tables.versions import LATEST, Version, parse
from translator.core.text.words import cut, place
from translator.deployments.options import CheckOptions
from translator.deployments.read import Command
from translator.deployments.read.arguments import flags_in
from translator.deployments.read.pins import Pin
from translator.deployments.read.programs import is_unread
from translator.deployments.read.targets import Source, Target, reads_in
from translator.deployments.text.edits import applied
from translator.formats.classes import evolve, frozen
from translator.formats.inputs import has_variables
from translator.formats.kinds import YAML
from translator.formats.places import NOWHERE

if TYPE_CHECKING:
    from translator.core.tables.entries import Image, Suffix

# What says the version that is wanted instead of a text; or why nothing does, as a case of
# `not-moved`.
New = tuple[str, str]
# A start: the path of its file, and its number there.
Start = tuple[str, int]
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
# A version with a default for a variable: what is in front of it, it, and what is behind it.
_DEFAULTED = re.compile(r"([^$]*)\$\{\w+:?-([^}]*)\}([^$]*)")
# What sets a variable, in front of its value.
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)[\"']?(?: *[:=] *| +)(?:\$\{\1:?-)?[\"']?$")
# In front of the default of a variable.
_DEFAULT = re.compile(r"\$\{(\w+):?-$")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
# A key of YAML that may be the name of a flag.
_KEY = re.compile(r"^[ \t]*(?:- )?[\"']?([a-z]\w*(?:[-_]\w+)+)[\"']?:", re.MULTILINE)
_NUMBERS = re.compile(r"\d+(\.\d+)+(\.post\d+|rc\d+)?")
_DOCUMENTS = (".md", ".mdx", ".markdown")
# A comment of most kinds of files; a batch job's header is none.
_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!!|SBATCH).*|^[ \t]*(?:;|//).*", re.MULTILINE)
_HASHES = re.compile(r"[^\n]*(?:\\\r?\n[^\n]*){0,2}--hash")
_MOST_TO_HASHES = 300  # characters


@frozen(eq=True)
class PinMove:
    """What says another vLLM at a place of a file.

    Attributes:
        path: the file.
        start, end: of the version, or of the tag that holds it.
        name: what it is about, as messages show it.
        new: what says the wanted version there; "" if nothing does.
        why: then, the case of `not-moved`.
        starts: the starts that it belongs to.
        is_image: whether it is an image's.
    """

    path: str
    start: int
    end: int
    name: str
    new: str
    why: str = ""
    starts: frozenset[Start] = frozenset()
    is_image: bool = False


@frozen
class _File:
    """A file that is moved: what says a version in it, as far as its text tells.

    Attributes:
        source: the file.
        vllm, dialect, tables: the version that is wanted, with the release of a platform's program
            that is (`runpod@2.28.0`), and where images are looked up.
        images: those that others take the place of, as the user says.
    """

    source: Source
    vllm: str
    dialect: str
    tables: Tables
    images: Mapping[str, str]

    @property
    def path(self) -> str:
        """Its path, as the places of texts may have it, too."""
        return os.path.normpath(self.source.path)

    @cached_property
    def targets(self) -> list[Target]:
        """What it starts."""
        return self.source.targets()

    @cached_property
    def code(self) -> str:
        """Its text, with blanks for its comments and its prose."""
        code = _COMMENT.sub(_blank, self.source.text)
        if self.path.endswith(".rst"):
            return re.sub(r"^\S.*", _blank, code, flags=re.MULTILINE)
        if self.path.endswith(_DOCUMENTS):  # what is between their fences is none
            parts = enumerate(re.split("(```)", code))
            return "".join(part if at % 4 == 2 else re.sub(r"\S", " ", part) for at, part in parts)
        return code

    @cached_property
    def pins(self) -> list[tuple[re.Match[str], Callable[[str], New]]]:
        """The texts that look like vLLM's images and packages, with what makes others of them."""
        if os.path.basename(self.path).startswith("pylock.") or self.path.endswith(".lock"):
            matches = (*_LOCKED.finditer(self.code), *_PACKAGE.finditer(self.code))
            return [(match, lambda _: ("", "lock")) for match in matches]
        pins: list[tuple[re.Match[str], Callable[[str], New]]] = []
        code = self.code
        for old, other in sorted(self.images.items(), key=lambda item: -len(item[0])):
            named = re.compile(rf"(?<![\w./-])()({re.escape(old)})(?![\w.-])")
            pins += [(match, partial(_of_user, other)) for match in named.finditer(code)]
            code = named.sub(_blank, code)
        pins += [(match, new) for match in _IMAGE.finditer(code) if (new := self.new_tag(match[1]))]
        return [*pins, *((match, self.new_version) for match in _PACKAGE.finditer(code))]

    @cached_property
    def reads(self) -> Counter[str]:
        """The variables that anything but vLLM's own images and packages in it reads."""
        own = [(*match.span(), "") for match, new in self.pins if new is not _of_others]
        return reads_in(applied(self.code, own))

    @cached_property
    def has_unread(self) -> bool:
        """Whether a part of it, such as a template, is not read."""
        return any(
            map(is_unread, [*(target.command for target in self.targets), *self.source.others])
        )

    @cached_property
    def unread(self) -> str:
        """Why a pin in it that no start has stays, as a case of `not-moved`: a part is not read, or
        has flags of vLLM's that are not those of a start, or installs a vLLM that stays; "" if it
        may move.
        """
        pins = [target.command.pin for target in self.targets]
        if any(pin is not None and not (pin.vllm or pin.image or pin.reader) for pin in pins):
            return "together"
        keys = _KEY.findall(self.code) if YAML.has(self.path) else []
        names = flags_in([*_FLAG.findall(self.code), *(f"--{key}" for key in keys)])
        written = filter(self.tables.knows, names)
        read = Counter(flag for target in self.targets for flag in flags_in(target.command.tokens))
        return "unread" if self.has_unread else "arguments" if Counter(written) - read else ""

    def new_of(self, pin: Pin) -> Callable[[str], New] | None:
        """Return what makes of the text of a pin the one that is wanted; None if nothing does."""
        if pin.image:
            return self.new_tag(pin.image)
        return self.new_version if pin.written else None

    def new_tag(self, image: str) -> Callable[[str], New] | None:
        """Return what makes of a tag of an image the one that holds a vLLM; None for another."""
        entry = entry_of(image.lower(), self.tables)
        parts = image.split("/")
        # A registry in front of it has a copy of vLLM's own; an account of the hub builds another.
        is_own = len(parts) > 1 and parts[-2] != "vllm" and not {".", ":"}.intersection(parts[0])
        if entry.get("suffixes"):
            return _of_others if is_own else partial(self._tag_of_vllm, entry["suffixes"])
        return partial(self._tag_of_platform, entry) if entry.get("versions") else None

    def _tag_of_vllm(self, suffixes: Mapping[str, Suffix], tag: str) -> New:
        numbers, _, rest = tag.removeprefix("v").partition("-")
        version = parse(numbers) if _NUMBERS.fullmatch(numbers) else None
        if version is None:
            return "", "no-release" if tag in ("", LATEST) else "build"
        if version < Version(self.tables.versions()[0]):
            return "", "old"
        kept = []
        for part in filter(None, rest.split("-")):
            rule, vllm = suffixes.get(part), Version(self.vllm)
            if rule is None or vllm < Version(rule.get("since", self.vllm)):
                return "", "suffix"
            if vllm <= Version(rule.get("until", self.vllm)):
                kept.append(part)
        return "-".join(["v" * tag.startswith("v") + self.vllm, *kept]), ""

    def _tag_of_platform(self, entry: Image, tag: str) -> New:
        versions = entry["versions"]
        held = [key for key, version in versions.items() if version == self.vllm and parse(key)]
        program, _, release = self.dialect.partition("@")
        newest = max(held, key=Version, default="")
        new = release if release and program == entry.get("dialect") else newest
        text = tag.removeprefix("v")
        old = max((key for key in versions if text.startswith(key)), key=len, default="")
        if not new or not old:
            return "", "no-image" if old else "no-release"
        return "v" * tag.startswith("v") + new + text[len(old) :], ""

    def new_version(self, old: str) -> New:
        """Return the version of a package that is wanted instead of another; `0.10.*` keeps its
        form where that is the version that pip takes for it.
        """
        front, star, rest = old.partition(".*")
        if star and not rest and front.replace(".", "").isdecimal():
            kept = ".".join([*self.vllm.split(".")[: front.count(".") + 1], ""])
            newest = [item for item in self.tables.versions() if item.startswith(kept)][-1:]
            return f"{kept}*" if newest == [self.vllm] else self.vllm, ""
        version = parse(old) if _NUMBERS.fullmatch(old) else None
        if version is None:
            return "", "build"
        is_old = version < Version(self.tables.versions()[0])
        return ("", "old") if is_old else (self.vllm, "")


class Moves:
    """The moves of files to another vLLM.

    Attributes:
        every: the moves.
        of, in_file: those that belong to each start, and those that stand in each file, by path.
        elsewhere: the starts whose version stands in a file that is none of these: its path, the
            line, and the variable that has it, or "".
    """

    def __init__(
        self, sources: Sequence[Source], asked: CheckOptions, images: Mapping[str, str]
    ) -> None:
        """Find the moves.

        Args:
            sources: the files.
            asked: with the one version that is wanted, and the dialect with the release of a
                platform's program that is.
            images: images that others take the place of, as the user says.
        """
        (vllm,), tables = asked.versions, asked.tables
        files = [_File(source, vllm, asked.dialect, tables, images) for source in sources]
        self._files = {file.path: file for file in files}
        # The folders of charts whose templates, which make arguments of their values, are there.
        templates = (file.path for file in files if ".Values" in file.source.text)
        folders = map(dirname, templates)
        self._charts = {dirname(it) for it in folders if os.path.basename(it) == "templates"}
        self._moves: dict[tuple[str, int], PinMove] = {}
        for file in files:
            for at, target in enumerate(file.targets):
                self._move_pin(file, target.command.pin, frozenset([(file.path, at)]))
        # By the index of the text of a pin in its file, and by its name there, the starts.
        self._by_place: dict[str, list[tuple[int, Start]]] = {}
        self._by_name: dict[tuple[str, str], set[Start]] = {}
        self._by_variable: dict[str, set[Start]] = {}
        for file in files:
            for at, target in enumerate(file.targets):
                self._note(target.command.pin, (file.path, at))
        self.elsewhere = {
            (file.path, at): there
            for file in files
            for at, target in enumerate(file.targets)
            if (there := self._elsewhere(file, target.command.pin))
        }
        for file in files:
            for command in file.source.others:
                self._move_other(file, command)
            self._move_texts(file)
        self.every = [*self._moves.values()]
        self.of: dict[Start, list[PinMove]] = {}
        self.in_file: dict[str, list[PinMove]] = {}
        for move in self.every:
            self.in_file.setdefault(move.path, []).append(move)
            for start in move.starts:
                self.of.setdefault(start, []).append(move)

    def without(self, kept: Iterable[Start]) -> tuple[set[PinMove], set[Start]]:
        """Return the moves that can be made where some starts are kept, and all starts that are
        kept with these: what one place says of several starts moves for all or for none.
        """
        kept = set(kept)
        moves = [move for move in self.every if not move.why]
        while stuck := [move.starts for move in moves if move.starts & kept]:
            kept.update(*stuck)
            moves = [move for move in moves if not move.starts & kept]
        return {*moves}, kept

    def _add(self, move: PinMove) -> None:
        """Add a move; what is a start's is not that of anything else."""
        before = self._moves.get((move.path, move.start))
        if before is None:
            self._moves[move.path, move.start] = move
        elif move.starts:
            why, new = before.why or move.why, "" if before.why else move.new
            starts = before.starts | move.starts
            self._moves[move.path, move.start] = evolve(move, new=new, why=why, starts=starts)

    def _move_other(self, file: _File, command: Command) -> None:
        """Add the moves of what starts no vLLM, or is not known to: with a start of the same pin,
        or alone, if it starts nothing.
        """
        name = command.pin.name if command.pin is not None else ""
        starts = self._starts_called(file, name)
        starts_another = any(item.has_trait("no-server") for item in command.findings)
        self._move_pin(file, command.pin, starts, "unread" * (starts_another and not starts))

    def _move_pin(
        self, file: _File, pin: Pin | None, starts: frozenset[Start], stays: str = ""
    ) -> None:
        """Add the moves of a pin that was read, where its text is written."""
        new = file.new_of(pin) if pin is not None else None
        if pin is None or new is None or pin.name.startswith(tuple(file.images)):
            return
        instead, why = new(pin.written)
        why = (
            "digest" if "@" in pin.name else why or stays or ("" if starts else self._unread(file))
        )
        for path, start, old, text in self._edits(pin.written, instead):
            there = self._files[path]
            if not why and not any(match.start() <= start < match.end() for match, _ in there.pins):
                why = self._shared(there, start)
            end, is_image = start + len(old), bool(pin.image)
            text = "" if why else text
            self._add(PinMove(path, start, end, pin.name, text, why, starts, is_image))

    def _edits(self, written: str, new: str) -> Iterator[tuple[str, int, str, str]]:
        """Yield where a text of a pin stands as a whole, or else the part of it that would be
        another one: the file, the index, and what is there, before and after.
        """
        bounds = [index for index, _ in getattr(written, "parts", ())]
        for start, end in [(0, len(written)), *zip(bounds, [*bounds[1:], len(written)])]:
            before, part, behind = written[:start], cut(written, start, end), written[end:]
            path, at = self._index(part) or ("", 0)
            text = self._files[path].source.text if path else ""
            at += not text.startswith(part, at)  # the place may be that of its quote
            says = part == written or any(map(str.isdigit, part))
            if text and says and text.startswith(part, at):
                kept = new[start : len(new) - len(behind)]
                yield path, at, part, kept if f"{before}{kept}{behind}" == new else ""
                return

    def _index(self, text: str) -> tuple[str, int] | None:
        """Return the file that a text is from, and the index of its place; None for another."""
        file, line, column = place(text) or ("", 0, 0)
        there = self._files.get(os.path.normpath(file))
        if there is None or not column:
            return None
        return there.path, there.source.lines[line - 1] + column - 1

    def _elsewhere(self, file: _File, pin: Pin | None) -> tuple[str, int, str] | None:
        """Return where the version of a pin stands that is in none of the files."""
        path, line, _ = (place(pin.written) if pin is not None else None) or NOWHERE
        if pin is None or not line or os.path.normpath(path) in self._files:
            return None
        there = self._index(pin.name)
        text = file.source.text[there[1] :] if there and there[0] == file.path else ""
        variable = re.match(r"[^\s$]*\$\{?([A-Za-z_]\w*)", text)
        return path, line, variable[1] if variable else ""

    def _unread(self, file: _File) -> str:
        """Return why a pin of a file that no start has stays; "" if it may move."""
        return file.unread or ("unread" if dirname(file.path) in self._charts else "")

    def _shared(self, file: _File, start: int) -> str:
        """Return why the value of a variable, which begins at an index, cannot be another one."""
        assigned = _ASSIGNED.search(self._line_to(file.path, start))
        if assigned is None:
            return ""
        # What a file of variables says, others read.
        readers = self._files.values() if has_variables(file.path) else [file]
        return "shared" if any(one.reads[assigned[1]] for one in readers) else ""

    def _move_texts(self, file: _File) -> None:
        """Add the moves of the texts that look like pins: those of a start that was read, the
        defaults in them, and those that no start was read of.
        """
        for match, new in file.pins:
            start, tag, digest = match.start(2), match[2], (*match.groups(), "", "")[2]
            front = behind = ""
            if defaulted := _DEFAULTED.fullmatch(tag):
                front, tag, behind = defaulted.groups()
                start += defaulted.start(2)
            elif "$" in tag:
                continue  # the variable is moved with what starts
            instead, why = new(f"{front}{tag}{behind}")
            kept = instead[len(front) : len(instead) - len(behind) or None]
            if instead and f"{front}{kept}{behind}" != instead:
                why = "suffix"
            if digest or (
                match.re is _PACKAGE
                and _HASHES.match(file.code, match.end(), match.end() + _MOST_TO_HASHES)
            ):
                why = "digest"
            starts, is_users = self._starts_of(file, match), match[2] in file.images
            why = why or ("" if starts or is_users else self._unread(file))
            name = f"{match[1]}=={match[2]}" if match.re is _LOCKED else match[0]
            end, kept, is_image = start + len(tag), "" if why else kept, match.re is _IMAGE
            self._add(PinMove(file.path, start, end, name, kept, why, starts, is_image))

    def _note(self, pin: Pin | None, start: Start) -> None:
        """Note where the pin of a start stands, and how it is called in its file."""
        for text in (pin.name, pin.written) if pin is not None else ():
            self._by_name.setdefault((start[0], text), set()).add(start)
            if at := self._index(text):
                self._by_place.setdefault(at[0], []).append((at[1], start))
                if assigned := _ASSIGNED.search(self._line_to(*at)):
                    self._by_variable.setdefault(assigned[1], set()).add(start)

    def _starts_of(self, file: _File, match: re.Match[str]) -> frozenset[Start]:
        """Return the starts that a text is the pin of, by its place, or the default of a variable
        that has it; else those of the same file that have the same pin, unless parts of it are not
        read.
        """
        places = self._by_place.get(file.path, ())
        placed = {start for at, start in places if match.start() <= at < match.end()}
        defaulted = _DEFAULT.search(self._line_to(file.path, match.start()))
        placed = placed or (self._by_variable.get(defaulted[1], set()) if defaulted else placed)
        return frozenset(placed) or self._starts_called(file, match[0])

    def _line_to(self, path: str, at: int) -> str:
        """Return the line of a file in front of an index."""
        text = self._files[path].source.text
        return text[text.rfind("\n", 0, at) + 1 : at]

    def _starts_called(self, file: _File, name: str) -> frozenset[Start]:
        called = self._by_name.get((file.path, name), ()) if not file.has_unread else ()
        return frozenset(called)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"\S", " ", match[0])


def _of_user(new: str, _: str) -> New:
    return new, ""


def _of_others(_: str) -> New:
    return "", "own"
