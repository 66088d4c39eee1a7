"""`${NAME…}` as shells and compose write it: its name, its operator, and the word behind that; and
which of them stands for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")


NAME = NAME_START | frozenset("0123456789")


_OPERATORS = (":-", "-", ":?", "?", ":+", "+")


# Nobody writes more, one inside of the other; what is deeper is not known.
DEEPEST = 20


class Reference:
    """`${NAME:-word}` in its parts.

    Attributes:
        name: the variable's; "" when it is no reference that is read here, such as
            `${NAME%suffix}`.
        operator: one of `:-`, `-`, `:?`, `?`, `:+`, `+`, or "".
        word: where the word begins in the text; it ends where the reference does.
        end: the place of the closing brace.
    """

    __slots__ = ("end", "name", "operator", "word")

    def __init__(self, name: str, operator: str, word: int, end: int) -> None:
        self.name, self.operator, self.word, self.end = name, operator, word, end


def read(text: str, at: int, quotes: str = "") -> Reference | None:
    """The reference that begins at a place of a text.

    Args:
        text: it has `${` at that place.
        at: the place.
        quotes: which of the backslash and the two quotes keep a brace behind them from closing;
            compose knows none.

    Returns:
        None when the brace is not closed.
    """
    end = _closing(text, at, quotes)
    if end < 0:
        return None
    start = at + 2
    stop = start
    while stop < end and text[stop] in NAME:
        stop += 1
    operator = next((item for item in _OPERATORS if text.startswith(item, stop, end)), "")
    readable = stop > start and (operator or stop == end)
    return Reference(text[start:stop] if readable else "", operator, stop + len(operator), end)


def _closing(text: str, at: int, quotes: str) -> int:
    """The brace that closes the one at `at`: behind those of the references inside of it. -1 when
    there is none.
    """
    inside: list[str] = []  # what closes each thing that is open
    doubled = 0  # how many of those are double quotes
    while at < len(text):
        char = text[at]
        if char in quotes and char == "\\":
            at += 2
        elif char in quotes and char == "'" and not doubled:
            end = text.find("'", at + 1)
            if end < 0:
                return -1
            at = end + 1
        elif char in quotes and char == '"':
            if inside[-1] == '"':
                inside.pop()
                doubled -= 1
            else:
                inside.append('"')
                doubled += 1
            at += 1
        elif text.startswith("${", at):
            inside.append("}")
            at += 2
        elif char == "}" and inside[-1] == "}":
            inside.pop()
            if not inside:
                return at
            at += 1
        else:
            at += 1
    return -1


def chosen(reference: Reference, env: Mapping[str, str]) -> tuple[str | None, bool]:
    """What stands for a reference: a text, or its word.

    A default counts for what is not known, because that is what it was written for. Nothing else is
    made of what is not known.

    Args:
        reference: with a name.
        env: the variables that are known.

    Returns:
        A text and False; None and True for the word; None and False when it is not known.
    """
    value = env.get(reference.name)
    missing = value is None or (not value and reference.operator.startswith(":"))
    kind = reference.operator[-1:]
    if kind == "-":
        return (None, True) if missing else (value, False)
    if kind == "+":
        return (None, False) if value is None else ("", False) if missing else (None, True)
    return (None, False) if missing else (value, False)
