"""Where a file assigns a variable, and how to write others there: see edits.py."""

from __future__ import annotations

import re

from translator.text.quoting import quote
from translator.text.spans import (
    QUOTES,
    WORD,
    double_quoted,
    line_end,
    line_start,
    newline,
    places,
    removal,
    scalar,
    styled,
    whole_lines,
    with_comma,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from translator.text.edits import Edit

# What stands in front of a variable that has a line of its own, and behind it.
_ALONE = re.compile(r"[ \t]*(?:-[ \t]+|export[ \t]+|ENV[ \t]+|Environment=)?[\"']?$")
_BEHIND = re.compile(r"([\"']?)[ \t]*(?:#.*)?\r?$")
_DOCKER = re.compile(r"(?:-e|--env)(?:[ \t]+|=)[\"']?$")
_MAPPED = re.compile(r"[\"']?[ \t]*:[ \t]*")
_NAMED = re.compile(r"([{\n]?)([ \t]*-[ \t]+|[ \t]*)([\"']?)name\3:[ \t]*[\"']?$")
_ALONE_NAMED = re.compile(r"[{ \t-]*[\"']?name[\"']?:[ \t]*[\"']?")
_VALUED = re.compile(r"[\"']?\s*,?\s*[\"']?value[\"']?:[ \t]*")


def of_variable(
    text: str, name: str, new: Sequence[tuple[str, str]], start: int = 0
) -> Iterator[list[Edit]]:
    """Yield the ways to replace an assignment of a variable.

    Args:
        text: of the file.
        name: the variable.
        new: the assignments that replace it; [] removes it.
        start: where to begin.
    """
    for at in places(text, name, "_", start):
        end = at + len(name)
        if text[end : end + 1] == "=":
            yield from _assigned(text, at, end, new)
        elif _NAMED.search(text, max(0, text.rfind("\n", 0, at)), at):
            yield from _of_entry(text, at, end, new)
        elif mapped := _MAPPED.match(text, end):
            yield from _of_mapping(text, at, mapped.end(), name, new)


def of_name(text: str, name: str, new: str, start: int = 0) -> Iterator[list[Edit]]:
    """Yield the ways to replace the name of a variable; its value stays as it is written.

    Args:
        text: of the file.
        name: the variable.
        new: its new name.
        start: where to begin.
    """
    for at in places(text, name, "_", start):
        yield [(at, at + len(name), new)]


def _assigned(
    text: str, at: int, sign: int, new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace `NAME=value`, in a command or in a line of its own."""
    line, behind = line_start(text, at), line_end(text, at)
    prefix = text[line:at]
    docker = _DOCKER.search(prefix)
    for end in _ends_of_value(text, prefix, sign + 1, behind):
        rest = _BEHIND.match(text, end, behind)
        alone = _ALONE.match(prefix) is not None and rest is not None
        if not new and alone:
            yield [(*whole_lines(text, at, at), "")]
            continue
        if not new:
            start = line + docker.start() if docker else at
            stop = end + (docker is not None and text[end : end + 1] == prefix[-1:] != " ")
            yield [removal(text, start, stop)]
            continue
        raw = text[sign + 1 : end]
        mark = raw[0] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in QUOTES else ""
        if alone and rest is not None:  # its comment stays behind the last one
            between = rest[1] + newline(text) + prefix
        else:
            between = " " + (docker[0] if docker else "")
        written = [[f"{name}={form}" for form in _forms(value, mark)] for name, value in new]
        for made in zip(*written) if len(new) == 1 else [[forms[0] for forms in written]]:
            yield [(at, end, between.join(made))]


def _ends_of_value(text: str, prefix: str, start: int, behind: int) -> list[int]:
    """Return where the value of an assignment may end, the most likely index first.

    Args:
        text: of the file.
        prefix: what stands in front of the assignment in its line.
        start: where the value begins.
        behind: where the line ends.
    """
    ends: list[int] = []
    if prefix[-1:] in QUOTES and (closing := text.find(prefix[-1], start - 1, behind + 1)) >= 0:
        ends.append(closing)
    if (word := WORD.match(text, start)) is not None and word.end() <= behind:
        ends.append(word.end())
    whole = text[start:behind]
    without_comment = whole.partition(" #")[0]
    ends += [start, start + len(without_comment.rstrip()), start + len(whole.rstrip())]
    return list(dict.fromkeys(ends))


def _forms(value: str, mark: str) -> list[str]:
    """Return how a value may be written, beginning with the quotes that stand there."""
    forms = [f"{mark}{value}{mark}"] if mark and mark not in value else []
    return list(dict.fromkeys((*forms, quote(value), value, double_quoted(value))))


def _of_mapping(
    text: str, at: int, start: int, name: str, new: Sequence[tuple[str, str]]
) -> Iterator[list[Edit]]:
    """Yield how to replace `NAME: value` of YAML."""
    prefix = text[line_start(text, at) : at]
    alone = not prefix.strip(" \t\"'")
    value = scalar(text, start, "" if alone else ",}")
    if value is None:
        return
    if not new and alone:
        yield [(*whole_lines(text, at, at), "")]
    elif not new:
        yield [(*with_comma(text, at - (prefix[-1:] in QUOTES), value.end), "")]
    else:
        between = newline(text) + prefix if alone else ", "
        gap = text[at + len(name) : start]
        made = [f"{other}{gap}{styled(given, value.mark)}" for other, given in new]
        yield [(at, value.end, between.join(made))]


def _of_entry(text: str, at: int, end: int, new: Sequence[tuple[str, str]]) -> Iterator[list[Edit]]:
    """Yield how to replace an item of `env:` in Kubernetes: `name: NAME`, `value: …`."""
    valued = _VALUED.match(text, end)
    begin = text.rfind("{", line_start(text, at), at)
    in_braces = begin >= 0
    value = scalar(text, valued.end(), ",}" if in_braces else "") if valued else None
    if value is None:
        return
    finish = text.find("}", value.end) + 1 if in_braces else value.end
    if not finish:
        return
    begin = begin if in_braces else line_start(text, at)
    whole, between = whole_lines(text, begin, finish), newline(text)
    before = text[whole[0] : begin]
    if not before.strip(" \t-") and (
        not in_braces or _BEHIND.match(text, finish, line_end(text, finish))
    ):
        between += before
    else:
        whole, between = with_comma(text, begin, finish), ", "
    if not new:
        yield [(*whole, "")]
        return
    others = text[value.end : finish].strip(" \t\r\n}")
    if len(new) > 1 and (others or not _ALONE_NAMED.fullmatch(text, begin, at)):
        return  # its further keys are not to be copied
    made = [
        "".join(
            (text[begin:at], name, text[end : value.start])
            + (styled(given, value.mark or '"'), text[value.end : finish])
        )
        for name, given in new
    ]
    yield [(begin, finish, between.join(made))]
