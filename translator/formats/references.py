"""Variables, and references to them: `${NAME:-word}` of shells and compose, `$(NAME)` of
Kubernetes, `${NAME}` of systemd; how much the references of one input may add; and holes, for those
that are not known.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence

from translator.core.findings import Finding
from translator.core.text.words import cut, joined
from translator.formats.classes import frozen
from translator.formats.places import partition, split

MOST_ADDED = 2**20
"""Characters that the references of one input may add: with `B=$A$A`, `C=$B$B`, … each line doubles
what the one before it made, and forty lines would make a terabyte.
"""


class Budget:
    """How much the references of one input may still add. When it is used up, further ones are
    empty, and the reader reports an error.
    """

    __slots__ = ("_exceeded_at", "_left")

    def __init__(self) -> None:
        self._left = MOST_ADDED
        self._exceeded_at: int | None = None

    def take(self, value: str, line: int = 0) -> str:
        """Return the value of a reference in a line; "" if it, or another, exceeds the budget."""
        return value if not value or self.spend(len(value), line) else ""

    def spend(self, cost: int, line: int = 0) -> bool:
        """Return whether a reference in a line, which costs so much, is within the budget."""
        if cost <= self._left:
            self._left -= cost
            return True
        self._left = -1
        if self._exceeded_at is None:
            self._exceeded_at = line
        return False

    def report(self) -> int | None:
        """Return the line of the first reference since the last report that did not fit."""
        line, self._exceeded_at = self._exceeded_at, None
        return line


def closing(text: str, at: int, quotes: str = "\\'\"", brackets: str = "()") -> int:
    """Return the index of the bracket that closes the one at an index; -1 if there is none.
    Brackets in quotes do not count, but those of `$(…)` in double quotes do; curly ones count only
    behind a dollar sign.

    Args:
        quotes: which of the backslash and the two quotes keep a bracket from closing.
    """
    opening, end = brackets[0], brackets[1]
    inside: list[str] = []  # the brackets and the double quotes that are open
    while at < len(text):
        char = text[at]
        quoted = inside[-1:] == ['"']
        bare = opening == "(" and not quoted
        if char in quotes and char == "\\":
            at += 1
        elif char == '"' and quoted:
            inside.pop()
        elif (char == '"' and char in quotes) or (
            char == opening and (bare or text[at - 1 : at] == "$")
        ):
            inside.append(char)
        elif char == end and not quoted:
            inside.pop()
            if not inside:
                return at
        elif char == "'" and char in quotes and not quoted:
            at = text.find("'", at + 1)
            if at < 0:
                return -1
        at += 1
    return -1


NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

# Nobody nests them deeper; anything deeper counts as not known.
DEEPEST = 20

_REFERENCE = re.compile(
    r"\$\{(?:([A-Za-z0-9_]+|[@*])(?:\[([@*]|\d{1,5})\])?(:?[-=?+]|(?=\})))?", re.ASCII
)


@frozen
class Reference:
    """The parts of `${NAME:-word}`.

    Attributes:
        name: the variable; "" if the reference is not supported here, such as `${NAME%suffix}`.
        index: of an element of an array, or "@" or "*"; otherwise "".
        operator: one of `:-`, `-`, `:=`, `=`, `:?`, `?`, `:+`, `+`, or "".
        word: index where the word begins; it ends where the reference does.
        end: index of the closing brace.
    """

    name: str
    index: str
    operator: str
    word: int
    end: int

    def chosen(self, value: str | None) -> tuple[str | None, bool]:
        """Return what replaces the reference, for the value of its variable: a string and False;
        None and True for its word; None and False if that is not known.

        A default applies if the variable is not known, because that is its purpose. Otherwise an
        unknown variable gives an unknown result.
        """
        missing = value is None or (not value and self.operator.startswith(":"))
        if self.operator[-1:] == "+":
            return (None, False) if value is None else ("", False) if missing else (None, True)
        return (None, self.operator[-1:] in ("-", "=")) if missing else (value, False)


def reference(text: str, at: int, quotes: str = "") -> Reference | None:
    """Return the reference at an index, where `${` is; None if it is not closed. See `closing`."""
    end = closing(text, at + 1, quotes, "{}")
    match = _REFERENCE.match(text, at)
    if end < 0 or match is None:
        return None
    name, index, operator = match.groups("")
    return Reference(name, index, operator, match.end(), end)


def kubernetes_escape(text: str) -> str:
    """Return a string that Kubernetes, which replaces `$(NAME)` and reads `$$` as `$`, turns into
    the given one.
    """
    return re.sub(r"\$(?=[$(])", "$$", text)


# A hole is a value that only the machine knows where a command runs: `$PORT`, `$(nproc)`, the key
# of a Secret. Delimiters around what was written in its place: private use characters, which no
# command contains, so that only the holes that matter in the end become findings.
UNKNOWN, END = "\ue0d0", "\ue0d1"
# Stands for a blank in them, where a shell would split a word.
_BLANK = "\ue0d2"


def hole(written: str) -> str:
    """Return a hole, by what was written in its place."""
    return joined((UNKNOWN, joined(split(written), _BLANK), END))


def has_hole(text: str) -> bool:
    """Return whether a part of a string is not known."""
    return UNKNOWN in text


def visible(text: str) -> str:
    """Return a string as it was written, for messages."""
    for mark, shown in ((UNKNOWN, ""), (END, ""), (_BLANK, " ")):
        if mark in text:
            text = joined(split(text, mark), shown)
    return text


def holes(words: Iterable[str]) -> list[str]:
    """Return what was written in place of the unknown parts of words: `$NAME`, `$(command)`."""
    unknown: list[str] = []
    for word in filter(has_hole, words):
        unknown += [visible(partition(part, END)[0]) for part in split(word, UNKNOWN)[1:]]
    return list(dict.fromkeys(unknown))


# --- scripts: variables that branches may set to different values

# What a variable is: a string, an array, or not known.
Value = str | list[str] | None

ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=", re.ASCII)
# Commands whose arguments are assignments.
_DECLARING = frozenset(("export", "declare", "local", "readonly", "typeset"))
# Words that a command follows.
_BEFORE_COMMANDS = frozenset(("{", "then", "else", "do", "if", "!"))
# Conditions in each other; what deeper branches set is set as it stands there.
_MOST_CONDITIONS = 40


def assignment(word: str) -> tuple[str, str] | None:
    """Return the two parts of `NAME=value`, or None."""
    match = ASSIGNED.match(word)
    return (match[1], cut(word, match.end())) if match and not match[2] else None


def assigns(word: str, last: str) -> bool:
    """Return whether a word behind another one, or behind "=", is an assignment."""
    before = "=" in last or last in _DECLARING or last in _BEFORE_COMMANDS
    return before and ASSIGNED.match(word) is not None


def _assignments(command: Sequence[str]) -> list[tuple[str, str, bool]]:
    """Return name, value and whether it is added, of the assignments of a command of only these."""
    words = list(command)
    if words and words[0] in _DECLARING:
        words = [word for word in words[1:] if not word.startswith("-") and "=" in word]
    matches = [(ASSIGNED.match(word), word) for word in words]
    assigned = [(item[1], cut(word, item.end()), bool(item[2])) for item, word in matches if item]
    return assigned if len(assigned) == len(words) else []


class Words(list):  # type: ignore[type-arg]
    """The words of one simple command.

    Attributes:
        ends: the operator after it ("" at the end of the text, "\\n" at the end of a line).
        line: the line that it begins in.
        commented: whether a comment ends it in a line that was to continue it.
        lost: the options in the lines behind it, which no backslash makes a part of it.
        arrays: the arrays that it sets: the name, whether it is added to, and the elements.
        here: the here-document that it reads, or "".
        to: the file that its output is written to, or "".
        remarks: about parts that cannot be evaluated without running a shell, and those that were
            cut off.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        super().__init__(words)
        self.ends = self.here = self.to = ""
        self.line = 0
        self.commented = False
        self.lost: list[str] = []
        self.arrays: list[tuple[str, bool, list[str]]] = []
        self.remarks: list[Finding] = []


class ShellVariables(ChainMap[str, Value]):
    """Variables, and what the branches of conditions have set them to."""

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(dict(env))
        self._conditions: list[list[Mapping[str, Value]]] = []  # what the branches of each set

    def set(self, name: str, value: Value, guarded: bool = False) -> None:
        """Set a variable; one that is guarded, as behind `&&`, may also have the value before."""
        before = self.get(name)
        either = guarded and before is not None
        self[name] = _either(name, [value, before]) if either else value

    def run(
        self,
        command: Sequence[str],
        arrays: Sequence[tuple[str, bool, list[str]]],
        guarded: bool,
        budget: Budget,
        line: int,
    ) -> None:
        """Set the arrays of a command, and what it assigns, if it only assigns."""
        for name, more, values in arrays:
            before = self.get(name) if more else None
            known = before if isinstance(before, list) else []
            known = known if budget.spend(len(known), line) else []
            self.set(name, [*known, *values], guarded)
        for name, value, more in _assignments(command):
            before = self.get(name) if more else ""
            text = before if isinstance(before, str) else ""
            self.set(name, joined((budget.take(text, line), value)), guarded)

    def begin(self) -> None:
        """Begin a condition, and its first branch."""
        self._conditions.append([])
        if len(self._conditions) <= _MOST_CONDITIONS:
            self.maps.insert(0, {})

    def branch(self) -> None:
        """End a branch of a condition: it was one of several."""
        if len(self._conditions) <= _MOST_CONDITIONS:
            self._conditions[-1].append(self.maps[0])
            self.maps[0] = {}

    def end(self) -> None:
        """End a condition. What its branches set to another value than before is not known."""
        self.branch()
        if len(self._conditions) <= _MOST_CONDITIONS:
            self.maps.pop(0)
        branches = self._conditions.pop()
        for name in dict.fromkeys(name for branch in branches for name in branch):
            values = [branch[name] for branch in branches if name in branch]
            before = self.get(name)
            self[name] = _either(name, values if before is None else [*values, before])

    def element(self, name: str, index: str) -> Value:
        """Return `${NAME[@]}` or `${NAME[1]}`."""
        value = self.get(name)
        values = [value] if isinstance(value, str) else value
        if values is None or index in "@*":
            return values
        return "".join(values[int(index) : int(index) + 1])


def _either(name: str, values: list[Value]) -> Value:
    """Return what is known of a variable with one of several values: what all begin with."""
    first = values[0]
    arrays = [value for value in values if isinstance(value, list)]
    texts = [value for value in values if isinstance(value, str)]
    if all(value == first for value in values):
        return first
    if len(arrays) == len(values):
        begins, rest = arrays[0][: _same(arrays)], hole(f"${{{name}[@]}}")
        return begins if begins[-1:] == [rest] else [*begins, rest]
    if len(texts) == len(values):
        begin, rest = texts[0][: _same(texts)], hole(f"${name}")
        if not all(text[len(begin) :][:1].strip() == "" for text in texts):  # within a word
            begin = begin[: max(begin.rfind(" "), begin.rfind("\n")) + 1]
        begin = cut(texts[0], 0, len(begin))
        return (begin if begin.endswith(rest) else joined((begin, " ", rest))) if begin else None
    return None


def _same(values: Sequence[Sequence[str]]) -> int:
    """Return how many items all sequences begin with."""
    different = (at for at, items in enumerate(zip(*values)) if len(set(items)) > 1)
    return next(different, min(map(len, values)))
