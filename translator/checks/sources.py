"""What else is in a file of targets, and beside it: comments that ignore findings, files."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from translator.api.options import DEFAULT_DIALECT
from translator.formats.inputs import environment_of
from translator.text import files
from translator.text.classes import evolve, frozen

if TYPE_CHECKING:
    from collections.abc import Set

    from translator.files import Beside, Context

_IGNORE = "translate: ignore"
_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*\s*=")
_MOST_BESIDE = 200  # files beside one input


@frozen
class Comment:
    """A comment that ignores findings: `# translate: ignore[CODE, CODE]`, or without codes for all.
    It is about the line that it ends, or the next line if it stands alone.

    Attributes:
        line: where it stands.
        about: the line whose findings it ignores.
        codes: the codes that it ignores; () for all.
    """

    line: int
    about: int
    codes: tuple[str, ...] = ()

    def covers(self, code: str, lines: Set[int]) -> bool:
        """Return whether it ignores a finding that is about one of some lines."""
        return self.about in lines and (not self.codes or code in self.codes)


def comments_in(text: str) -> list[Comment]:
    """Return the comments of a YAML file or a file of variables that ignore findings."""
    found: list[Comment] = []
    about = 0  # the last line that is no comment, from the end
    lines = text.splitlines() if _IGNORE in text else []
    for number, line in reversed(list(enumerate(lines, 1))):
        if line.strip() and not line.lstrip().startswith("#"):
            about = number
        if comment := re.search(rf"(?:^|\s)#\s*{_IGNORE}(?:\[([^]#]*)\])?\s*$", line):
            codes = () if comment[1] is None else comment[1].split(",")
            found.append(Comment(number, about, tuple(code.strip() for code in codes)))
    return found[::-1]


def kind_of(text: str) -> str:
    """Return how a text is read: as variables if each of its lines may set one, and none of them
    starts vLLM.
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line and line[0] != "#"]
    sets = bool(lines) and all(map(_ASSIGNMENT.match, lines))
    return "variables" if sets and "vllm serve" not in text else "command"


# --- what stands beside a file


def with_files(path: str, text: str, context: Context) -> Context:
    """Return the context of a compose file: with the files beside it, and with the variables of
    the `.env` there, which those of the process override.
    """
    if path == "-" or not ("services:" in text or "include:" in text):
        return context
    folder = os.path.dirname(path)
    place = os.path.join(folder, ".env")
    outside = context.outside
    if os.path.isfile(place):
        inside = environment_of([place], "dotenv", DEFAULT_DIALECT, context.tables)
        outside = {**inside.env, **outside}
    return evolve(context, outside=outside, beside=_beside(folder))


def _beside(folder: str) -> Beside:
    """Return a function that reads files by their paths, relative to a folder or absolute."""
    found: dict[str, tuple[str, str] | None] = {}

    def read(name: str) -> tuple[str, str] | None:
        path = os.path.normpath(os.path.join(folder, name))
        if path not in found and len(found) < _MOST_BESIDE:
            try:
                text = files.read(path, only_regular=True).decode("utf-8-sig")
            except (OSError, UnicodeDecodeError):
                text = "\0"
            found[path] = (path, text) if "\0" not in text else None
        return found.get(path)

    return read
