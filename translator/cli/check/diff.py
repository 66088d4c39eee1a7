"""The difference that `check --diff` prints.

The lines of a file may hold secrets that no reader looks at, in comments or in other commands. So
only what a fix replaces is shown, what it writes, and the arguments that messages may show: the
rest of a line is `…`.
"""

from __future__ import annotations

import re

from translator.findings import inert
from translator.text.edits import applied, narrowed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from translator.text.edits import Edit

_BEGINNING = re.compile(r"[ \t]*(?:-[ \t]+)?")
_END = re.compile(r"[ \t]*\\?\r?$")
_SIGNS = " \t\"'=:,[]{}"
_MOST_SIGNS = 5  # between parts that are shown
_SYNTAX = frozenset(
    ("name", "value", "export", "ENV", "Environment", "-e", "--env", "")
    + ("args", "command", "CMD", "ENTRYPOINT", "ExecStart")
)


class Shown:
    """A text that is edited, and which of its characters may be shown.

    Attributes:
        text: the text as it is now.
    """

    def __init__(self, text: str) -> None:
        self.text = self._old = text
        self._from: list[int] = []  # the index in the old text, or -1
        self._known: set[int] = set()  # indexes in the old text

    @property
    def changed(self) -> bool:
        return self.text != self._old

    def show(self, parts: Iterable[tuple[str, int, int]]) -> None:
        """Let parts of the old text be shown.

        Args:
            parts: each with the line and the column where it begins, or its quote does.
        """
        starts = [start for start, _ in _lines(self._old)]
        for part, line, column in parts:
            at = starts[line - 1] + column - 1
            found = self._old.find(part, at, at + len(part) + 1)
            if found >= 0:
                self._known.update(range(found, found + len(part)))

    def apply(self, edits: Mapping[Edit, Sequence[str]]) -> None:
        """Apply edits.

        Args:
            edits: each with what may be shown of the part that it replaces, in its order.
        """
        self._from = self._from or list(range(len(self.text)))
        for (start, end, _), known in edits.items():
            at = start
            for part in known:
                found = self.text.find(part, at, end)
                if found >= 0:
                    at = found + len(part)
                    self._known.update(self._from[found:at])
        least = [narrowed(self.text, edit) for edit in edits]
        self.text = applied(self.text, least)
        for start, end, new in sorted(least, reverse=True):
            self._from[start:end] = [-1] * len(new)

    def hunks(self) -> Iterator[str]:
        """Yield the changed lines as a unified diff without context has them."""
        old = list(_lines(self._old))
        starts = {start: number for number, (start, _) in enumerate(old)}
        done = count = 0  # lines of the old text, and of the new one
        added: list[str] = []
        for at, line in (*_lines(self.text), (len(self.text), None)):
            number = len(old) if line is None else self._same(at, line, starts, done)
            if number < 0 and line is not None:
                added.append(_shown(line, lambda index, at=at: self._is_new(at + index)))  # type: ignore[misc]
                continue
            removed = [
                _shown(text, lambda index, start=start: start + index in self._known)  # type: ignore[misc]
                for start, text in old[done:number]
            ]
            if removed or added:
                yield f"@@ -{_span(done, len(removed))} +{_span(count, len(added))} @@"
                yield from (f"-{text}" for text in removed)
                yield from (f"+{text}" for text in added)
            done, count = number + 1, count + len(added) + 1
            added = []

    def _is_new(self, at: int) -> bool:
        return self._from[at] < 0 or self._from[at] in self._known

    def _same(self, at: int, line: str, starts: dict[int, int], done: int) -> int:
        """Return the number of the old line that a line of the new text is; -1 if it is changed."""
        end = min(at + len(line) + 1, len(self.text))
        places = self._from[at:end]
        if not places or places != list(range(places[0], places[0] + len(places))):
            return -1
        number = starts.get(places[0], -1)
        behind = places[-1] + 1  # of a whole line
        whole = behind in starts or behind == len(self._old)
        return number if number >= done and whole else -1


def diff(name: str, shown: Shown) -> str:
    """Return what has changed in a file as a unified diff."""
    return "".join(f"{inert(line)}\n" for line in (f"--- {name}", f"+++ {name}", *shown.hunks()))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their indexes, without line breaks."""
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield at, text[at:end]
        at = end + 1


def _span(start: int, size: int) -> str:
    """Return the lines of a hunk; those of an empty one are behind the line that it names."""
    return f"{start + 1 if size else start}" + ("" if size == 1 else f",{size}")


def _shown(line: str, known: Callable[[int], bool]) -> str:
    """Return a line with `…` for what may not be shown."""
    begin = _BEGINNING.match(line)
    at = begin.end() if begin else 0
    end = _END.search(line, at)
    stop = end.start() if end else len(line)
    parts = [line[:at]]
    while at < stop:
        start, is_known = at, known(at)
        while at < stop and known(at) == is_known:
            at += 1
        part = line[start:at]
        words = part.strip(_SIGNS)
        signs = len(part) <= len(words) + _MOST_SIGNS and words in _SYNTAX
        parts.append(part if is_known or signs else _hidden(part))
    return "".join((*parts, line[stop:].rstrip("\r")))


def _hidden(part: str) -> str:
    """Return what stands for a part of a line, with the blanks around it."""
    return " " * part.startswith(" ") + "…" + " " * part.endswith(" ")
