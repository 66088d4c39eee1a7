"""Variables of shells, make and Dockerfiles that several commands of a file use."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# `NAME=word`, `NAME=(words)`, `NAME = --words of make`, `ENV NAME text`.
_ASSIGNED = re.compile(
    r"""(?:(?<=^ENV[ ])(?P<env>[A-Za-z_]\w*)[ ]+(?=[^=\n]*$)(?:\\\r?\n|[^\n])*
    |(?<![\w$.{-])(?P<name>[A-Za-z_]\w*)(?:[ \t]*[:?+]{0,2}=[ \t]*(?=-)|\+?=)
     (?:\((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^()'"\\])*\)
      |(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])*
       (?:(?:[ \t]|\\\r?\n)+-(?:\\\r?\n|[^\n])*)?))""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_READ = re.compile(
    r"\$[({]?#?(?P<name>[A-Za-z_]\w*)|(?:environ|getenv|printenv)\W{1,9}(?P<other>[A-Za-z_]\w*)"
)
_SHOWS = re.compile(r"[ \t]*(?:#|(?:echo|printf)\b[^|>]*$)")


def shared_variable(text: str, edits: Iterable[tuple[int, int, str]], own: Collection[int]) -> str:
    """Return the variable whose value edits change, and that other commands of the file read, too;
    "" for none.

    Args:
        text: of the file.
        edits: each with its start and its end.
        own: the lines where the commands begin for which the edits are made.
    """
    spans = [(start, end) for start, end, _ in edits]
    assigned: dict[str, list[tuple[int, int]]] = {}
    for item in _ASSIGNED.finditer(text):
        assigned.setdefault(item["name"] or item["env"], []).append(item.span())
    changed = {
        name
        for name, places in assigned.items()
        if any(at < end and start < to for at, to in places for start, end in spans)
    }
    if not changed:
        return ""
    at, inside = 0, False
    seen: set[str] = set()  # what the own command has read: a second time it is another's
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        inside = number in own or inside
        if inside or not _SHOWS.match(line.rstrip()):
            for item in _READ.finditer(line):
                name, begin = item["name"] or item["other"], at + item.start()
                if name in changed and not any(s <= begin < e for s, e in assigned[name]):
                    if not inside or name in seen:
                        return name
                    seen.add(name)
        inside = inside and line.rstrip().endswith("\\")
        if not inside:
            seen.clear()
        at += len(line)
    return ""
