"""Edits of a file's text, as ranges and what replaces them: of tokens and variables whose place is
known, in YAML, JSON, shell commands and files of variables.

What is replaced is an element: a line, an item between commas, or words of a command. Others take
its place as it is written, or it goes with what separates it from its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from translator.core.text.json_text import dumps
from translator.core.text.words import quote, words
from translator.formats.classes import frozen

# Start, end and what to write there; those of one change do not overlap.
Edit = tuple[int, int, str]
# The path of a file, and an edit of its text.
FileEdit = tuple[str, int, int, str]

_QUOTES = ("'", '"')
# What a shell reads as one word, and a part of one that is closed.
_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])+""", re.DOTALL)
_WHOLE = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
# What stands between two words of a command, also in YAML that folds lines.
_BETWEEN = re.compile(r"(?:[ \t]|\\?\r?\n)+")
_ENDS = " \t\r\n\\\"'`;|&),}]"  # also in brackets of YAML
# What stands in its line in front of an element and behind it, if nothing else does.
_LEAD = re.compile(r"[ \t]*(?:-[ \t]+|export[ \t]+|ENV[ \t]+|Environment=)?([\"']?)")
_TAIL = re.compile(r"([\"']?)[ \t]*(\\|#[^\r]*|)\r?")
# The end of a line that goes on, with what begins the next one.
_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*$")
# A line of YAML that only opens what is below it, and the next line that is no comment.
_OPENED = re.compile(r"(?:^|(?<=\n))([ ]*)((?:- )*[\w.-]+:)[ ]*(\r?\n)\Z")
_FILLED = re.compile(r"^[ ]*([^\s#])", re.MULTILINE)
_IN_BRACKETS = re.compile(r"[],}]")
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_GAP = re.compile(r"(?:[ \t]*#[^\n]*|[\s,]|-[ \t]+)*")
_LONGEST_REFERENCE = 300  # characters
_COMMA = re.compile(r"\s*,\s*")
_NEXT = re.compile(r"\s*[],}]")
_PLAIN = re.compile(r"[A-Za-z_./][\w./=-]*|--?[A-Za-z][\w.-]*(?:=[\w./-]*)?")
_DOCKER = re.compile(r"(?:-e|--env)(?:[ \t]+|=)([\"']?)$")
# `NAME: `, and the two parts of `{name: NAME, value: `.
_MAPPED = re.compile(r"[\"']?[ \t]*:[ \t]*")
_NAMED = re.compile(r"(\{\s*)?([\"']?)\bname\2:[ \t]*[\"']?$")
_VALUED = re.compile(r"[\"']?\s*,?\s*[\"']?value[\"']?:[ \t]*")
_CLOSED = re.compile(r"\s*\}")


def applied(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits applied.

    Raises:
        ValueError: two of them overlap.
    """
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        if start < at:
            raise ValueError("edits overlap")
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:]))


def of_tokens(text: str, at: int, old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """Return how to replace neighbouring tokens, the first an option or a word at an index (behind
    its quote if it has one), by others or by none; [] if they do not stand there, or if values that
    a reference (`${NAME:-4}`) stands for would be lost.
    """
    name = old[0].partition("=")[0]
    if not text.startswith(name, at):
        return []
    other = new[0].partition("=")[0] if new else ""
    if other.startswith("-") and [*new] == [other + old[0][len(name) :], *old[1:]]:
        return [(at, at + len(name), other)]  # its value stays as it is written
    values = _tokens(text, at, old)
    if new and any(value.text != token for value, token in zip(values, old)):
        return []
    if not values or not values[0].is_word:
        return _items(text, values, new)
    options: list[str] = []
    for word in new:
        written = values[0].write(word)
        if options and not word.startswith("-"):
            options[-1] += f" {written}"
        else:
            options.append(written)
    return [_replaced(text, values[0].start, values[-1].end, options)]


def behind_tokens(text: str, at: int, old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """Return how to write tokens behind others, of which the first stands at an index; [] if they
    do not stand there. One with a reference is written as it is.
    """
    if not (values := _tokens(text, at, old)):
        return []
    last = values[-1]
    written = [word if "$" in word and last.is_word else last.write(word) for word in new]
    written = [" ".join(written)] if last.is_word else written
    return [_replaced(text, last.start, last.end, [text[last.start : last.end], *written])]


def of_variable(
    text: str, at: int, name: str, value: str, new: Sequence[tuple[str, str]]
) -> list[Edit]:
    """Return how to replace the assignment of a variable at an index; [] if none stands there, or
    if a reference that stands for its value would be lost.
    """
    end = at + len(name)
    if not text.startswith(name, at):
        return []
    renamed = [(at, end, new[0][0])] if new and new[0][0] != name else []
    if len(new) == 1 and new[0][1] == value:
        return renamed  # its value stays as it is written
    written, start, named, in_flow = _assigned(text, at, name, value)
    if written is None or (new and written.text != value):
        return []
    if len(new) == 1:
        return [*renamed, (written.start, written.end, written.write(new[0][1]))]
    finish, line = written.end, _line_start(text, at)
    if (
        not new
        and text[start - 1 : start] in _QUOTES
        and text[start - 1] == text[finish : finish + 1]
    ):
        start, finish = start - 1, finish + 1
    if docker := _DOCKER.search(text, line, at) if not named else None:
        start, finish = docker.start(), finish + len(docker[1])
    elif named and (in_flow or named[1]):
        closed = _CLOSED.match(text, finish)
        if not named[1] or not closed:
            return []  # what stands beside it is not to be copied
        finish = closed.end()
    lines = [
        text[start:at]
        + (other + text[end : written.start] + written.write(given))
        + text[written.end : finish]
        for other, given in new
    ]
    return [_replaced(text, start, finish, lines)]


def value_of(text: str, at: int, name: str, value: str) -> str:
    """Return what stands for the value of a variable that is assigned at an index: the value, or a
    text with a reference.
    """
    written = _assigned(text, at, name, value)[0]
    return value if written is None else written.text


def _assigned(
    text: str, at: int, name: str, value: str
) -> tuple[_Value | None, int, re.Match[str] | None, bool]:
    """Return the value of a variable that is assigned at an index, or None; where the assignment
    begins; and whether it is `{name: NAME, value: …}`, and in brackets.
    """
    end, line = at + len(name), _line_start(text, at)
    if text[end : end + 1] == "=":
        return _assigned_value(text, text[line:at], end + 1, value), at, None, False
    named = _NAMED.search(text, max(at - 200, 0), at)
    gap = (_VALUED if named else _MAPPED).match(text, end)
    in_flow = "{" in text[line:at] or text[max(at - 1, 0) : at] == '"'
    written = _scalar(text, gap.end(), value, in_flow=in_flow) if gap else None
    start = named.start() if named else at - (text[max(at - 1, 0) : at] in _QUOTES)
    return written, start, named, in_flow


def of_number(text: str, line: int) -> list[Edit]:
    """Return how to quote what YAML reads as numbers and booleans in a line."""
    import yaml  # the wheel alone edits what is not YAML

    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    try:  # in a bracket, commas separate: the line may be the middle of a list
        tokens = list(yaml.scan(f"[{text[start : line_end(text, start)]}"))
    except yaml.YAMLError:
        return []  # a quote goes on in the next line
    return [
        (start + item.start_mark.index - 1, start + item.end_mark.index - 1, f'"{item.value}"')
        for item in tokens
        if isinstance(item, yaml.ScalarToken) and item.plain
        if isinstance(yaml.safe_load(item.value), int | float)
    ]


# --- elements


def _replaced(text: str, start: int, end: int, new: Sequence[str]) -> Edit:
    """Return how to replace an element by others, or to remove it."""
    line, behind = _line_start(text, start), line_end(text, end)
    before = text[line:start]
    lead, tail = _LEAD.fullmatch(before), _TAIL.fullmatch(text, end, behind)
    goes_on = tail is not None and "\\" in tail[2]
    comment = tail.start(2) if tail and tail[2].startswith("#") else 0
    whole, between = (line, min(behind + 1, len(text))), " "
    if comment:  # it stays, in a line of its own
        whole = line + len(before) - len(before.lstrip(" \t")), comment
    if _before(text, start) in ("[", "{", ",") and _NEXT.match(text, end):
        comma, between = _COMMA.match(text, end), ", "
        front = text[:start].rstrip()
        whole = (start, comma.end()) if comma else (len(front) - front.endswith(","), end)
    elif lead and tail and lead[1] == tail[1] and not (goes_on and before.strip()):
        between = tail[1] + ("\r\n" if "\r\n" in text else "\n") + before
        continued = None if before.strip() else _CONTINUED.search(text, max(0, line - 200), start)
        if goes_on or continued:
            between = f" \\{between}"
        if continued and not goes_on:
            last = end + len(tail[1]) if comment else behind
            whole = continued.start(), last - (text[last - 1 : last] == "\r")
    elif before.strip():
        whole = line + len(before.rstrip(" \t")), end
    else:
        whole = start, behind - len(text[end:behind].lstrip(" \t"))
    return (start, end, between.join(new)) if new else _removed(text, *whole)


def _removed(text: str, start: int, end: int) -> Edit:
    """Return how to remove an element. A key of YAML of which it is the only one, in lines of its
    own, is left with `{}` or `[]`: compose refuses an `environment:` with nothing below it.
    """
    opened = _OPENED.search(text, max(0, start - 200), start)
    if not opened or text[end - 1 : end] != "\n":
        return start, end, ""
    is_item, depth = text[start:end].lstrip(" ").startswith("- "), _depth(text, start)
    after = _FILLED.search(text, end)
    if depth < len(opened[1]) + (not is_item) or (
        after and (_depth(text, after.start()) > len(opened[1]) or (is_item and after[1] == "-"))
    ):
        return start, end, ""
    return opened.end(2), end, f" {'[]' if is_item else '{}'}{opened[3]}"


def _depth(text: str, at: int) -> int:
    """Return how deep the line that begins at an index is indented."""
    return len(text[at : line_end(text, at)]) - len(text[at : line_end(text, at)].lstrip(" "))


def _tokens(text: str, at: int, old: Sequence[str]) -> list[_Value]:
    """Return neighbouring tokens, of which the first stands at an index; [] if they do not."""
    begin = at - (text[max(at - 1, 0) : at] in _QUOTES)
    in_flow = _before(text, begin) in ("[", ",")
    is_item = in_flow or _ITEM.fullmatch(text, _line_start(text, begin), begin)
    mark = "" if is_item else _quote_around(text, begin)
    values: list[_Value] = []
    for token in old:
        if values:
            gap = (_GAP if is_item else _BETWEEN).match(text, values[-1].end)
            at = gap.end() if gap else len(text)
        if is_item:
            value = _scalar(text, at if values else begin, token, in_flow=in_flow)
        else:
            value = _word(text, at, token, mark)
        if value is None:
            return []
        values.append(value)
    return values


def _items(text: str, values: Sequence[_Value], new: Sequence[str]) -> list[Edit]:
    """Return how to replace items of a YAML list, each alone: comments may be between them."""
    edits = []
    for number, item in enumerate(values[: len(new)]):
        instead = new[number:] if item is values[-1] else new[number : number + 1]
        edits.append(_replaced(text, item.start, item.end, list(map(item.write, instead))))
    gone = [(item.start, item.end) for item in values[len(new) :]]
    if gone and _before(text, gone[0][0]) in ("[", ","):
        gone = [(gone[0][0], gone[-1][1])]
    return edits + [_replaced(text, *span, ()) for span in gone]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return the index of the line break behind an index, or of the end."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _before(text: str, at: int) -> str:
    """Return the last character in front of an index that is no blank."""
    while at and text[at - 1].isspace():
        at -= 1
    return text[at - 1 : at]


# --- values


@frozen
class _Value:
    """A value in a file: its span, with its quotes; itself, or a text with a reference that stands
    for it; what writes another one as it is; and whether it is a word of a command.
    """

    start: int
    end: int
    text: str
    write: Callable[[str], str]
    is_word: bool = False


def _scalar(text: str, start: int, value: str, *, in_flow: bool) -> _Value | None:
    """Return the scalar of YAML or JSON at an index, if it is this value and ends in its line."""
    import yaml

    # Of escapes, such as \U0001f600, and references.
    end = min(line_end(text, start), start + 10 * len(value) + _LONGEST_REFERENCE)
    mark = text[start] if text[start : start + 1] in _QUOTES else ""
    try:
        loader = yaml.SafeLoader(text[start:end])
        loader.flow_level = int(in_flow)
        scanned = loader.scan_flow_scalar(mark) if mark else loader.scan_plain()
    except yaml.YAMLError:
        return None
    if not _may_stand_for(scanned.value, value):
        return None

    def write(given: str) -> str:
        if not mark and _PLAIN.fullmatch(given) and yaml.safe_load(given) == given:
            return given
        # Double quotes stay in brackets: it may be JSON.
        if (mark == "'" or (not in_flow and '"' in given)) and "'" not in given:
            return f"'{given}'"
        return dumps(given)

    return _Value(start, start + scanned.end_mark.index, scanned.value, write)


def _assigned_value(text: str, prefix: str, start: int, value: str) -> _Value | None:
    """Return the value behind the `=` of an assignment, if it is this one."""
    behind = line_end(text, start)
    whole, quoted = text[start:behind], prefix[-1:] if prefix[-1:] in _QUOTES else ""
    word = _WORD.match(text, start, behind)
    forms = [
        whole.partition(quoted)[0] if quoted else "",
        word[0] if word else "",
        whole.partition(" #")[0].rstrip(),
        whole.rstrip(),
        _IN_BRACKETS.split(whole)[0].rstrip(),
    ]
    raw = next((raw for raw in forms if raw == value or _stands_for(raw, value)), None)
    if raw is None:
        raw = next((raw for raw in forms if _may_stand_for(raw, value)), None)
        return _Value(start, start + len(raw), raw, str) if raw else None

    def write(given: str) -> str:
        if quoted:
            return dumps(given)[1:-1] if quoted == '"' else given
        if raw == value != quote(value):
            return given  # of a file that is read without a shell's rules
        mark = raw[0] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in _QUOTES else ""
        if mark and not set(mark + "\\$`").intersection(given):
            return f"{mark}{given}{mark}"
        return given if prefix.strip() == "-" else quote(given)  # an item of YAML

    return _Value(start, start + len(raw), value, write)


# --- words of a command


def _word(text: str, at: int, token: str, mark: str) -> _Value | None:
    """Return the word at an index that stands for a token, in a command in such quotes; None if
    none does.
    """

    def value(start: int, end: int, written: str) -> _Value:
        return _Value(start, end, written, lambda given: _word_in(mark, given), is_word=True)

    for begin in (max(at - 1, 0), at):
        word = _WORD.match(text, begin)
        if word is not None and _stands_for(word[0], token):
            return value(*word.span(), token)
    end = at + len(token)
    if text.startswith(token, at) and (text[end : end + 1] or " ") in _ENDS:
        return value(at, end, token)
    word = _WORD.match(text, at)
    is_reference = word is not None and _may_stand_for(word[0].strip("\"'"), token)
    return value(*word.span(), word[0]) if word is not None and is_reference else None


def _may_stand_for(written: str, value: str) -> bool:
    """Return whether a text is a value, or may be one where references in it are replaced."""
    front, sign, _ = written.partition("$")
    return written == value or bool(sign and value.startswith(front))


def _stands_for(word: str, token: str) -> bool:
    try:
        return words(word) == [token]
    except ValueError:
        return False


def _quote_around(text: str, at: int) -> str:
    """Return the quote in which a word of a command stands, as in `sh -c "…"`; "" for none."""
    start = _line_start(text, at)
    while start and text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        start = _line_start(text, start - 1)
    opened = _WHOLE.sub("", text[start:at])
    return next((char for char in opened if char in _QUOTES), "")


def _word_in(mark: str, token: str) -> str:
    """Return a token as a word of a command that stands in quotes, or in none."""
    if not mark or quote(token) == token:
        return quote(token)
    if mark == '"':
        return dumps(quote(token))[1:-1]
    return '"' + "".join("\\" + char if char in '\\"$`' else char for char in token) + '"'
