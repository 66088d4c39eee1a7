"""The variables of a script, where branches may set them to different values."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence

from translator.text.placed import cut, joined
from translator.text.references import hole

# What a variable is: a string, an array, or not known.
Value = str | list[str] | None

ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=", re.ASCII)
# Commands whose arguments are assignments.
DECLARING = frozenset(("export", "declare", "local", "readonly", "typeset"))
_DEEPEST = 40  # conditions in each other; what deeper branches set is set as it stands there


def assignment(word: str) -> tuple[str, str] | None:
    """Return the two parts of `NAME=value`, or None."""
    found = ASSIGNED.match(word)
    return (found[1], cut(word, found.end())) if found and not found[2] else None


def assignments(command: Sequence[str]) -> list[tuple[str, str, bool]]:
    """Return the assignments of a command that only assigns: name, value, and whether it is added
    to the value before.
    """
    words = list(command)
    if words and words[0] in DECLARING:
        words = [word for word in words[1:] if not word.startswith("-") and "=" in word]
    found = [(ASSIGNED.match(word), word) for word in words]
    made = [(item[1], cut(word, item.end()), bool(item[2])) for item, word in found if item]
    return made if len(made) == len(words) else []


class Variables:
    """Variables, and what the branches of conditions have set them to."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._known: ChainMap[str, Value] = ChainMap(dict(env))
        self._conditions: list[list[Mapping[str, Value]]] = []  # what the branches of each set
        self._deeper = 0

    def get(self, name: str) -> Value:
        """Return a variable; None if it is not known."""
        return self._known.get(name)

    def set(self, name: str, value: Value, guarded: bool = False) -> None:
        """Set a variable; one that is guarded, as behind `&&`, may also have the value before."""
        before = self.get(name)
        either = guarded and before is not None
        self._known[name] = _either(name, [value, before]) if either else value

    def begin(self) -> None:
        """Begin a condition, and its first branch."""
        if len(self._conditions) == _DEEPEST:
            self._deeper += 1
            return
        self._conditions.append([])
        self._known = self._known.new_child()

    def branch(self) -> None:
        """End a branch of a condition: it was one of several."""
        if not self._deeper:
            self._conditions[-1].append(self._known.maps[0])
            self._known.maps[0] = {}

    def end(self) -> None:
        """End a condition. What its branches set to several values, or to another one than before,
        is not known.
        """
        if self._deeper:
            self._deeper -= 1
            return
        self.branch()
        branches = self._conditions.pop()
        self._known = self._known.parents
        for name in dict.fromkeys(name for branch in branches for name in branch):
            values = [branch[name] for branch in branches if name in branch]
            before = self.get(name)
            self._known[name] = _either(name, values if before is None else [*values, before])

    def element(self, name: str, index: str) -> Value:
        """Return `${NAME[@]}` or `${NAME[1]}`."""
        value = self.get(name)
        values = [value] if isinstance(value, str) else value
        if values is None or index in "@*":
            return values
        return "".join(values[int(index) : int(index) + 1])


def _either(name: str, values: list[Value]) -> Value:
    """Return what is known of a variable that has one of several values: the elements, or the
    words, that all begin with.
    """
    first = values[0]
    arrays = [value for value in values if isinstance(value, list)]
    texts = [value for value in values if isinstance(value, str)]
    if all(value == first for value in values):
        return first
    if len(arrays) == len(values):
        return [*arrays[0][: _same(arrays)], hole(f"${{{name}[@]}}")]
    if len(texts) == len(values):
        begin = texts[0][: _same(texts)]
        begin = cut(texts[0], 0, max(begin.rfind(" "), begin.rfind("\n")) + 1)
        return joined((begin, hole(f"${name}"))) if begin else None
    return None


def _same(values: Sequence[Sequence[str]]) -> int:
    """Return how many items all sequences begin with."""
    different = (at for at, items in enumerate(zip(*values)) if len(set(items)) > 1)
    return next(different, min(map(len, values)))
