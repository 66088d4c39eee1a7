"""`${NAME…}` in shells and compose: its name, its operator, the word after that, and the
replacement.
"""

from __future__ import annotations

from translator.text.shell_parts import closing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME = NAME_START | frozenset("0123456789")


_OPERATORS = (":-", ":=", ":?", ":+", "-", "=", "?", "+")


# Nobody nests them deeper; anything deeper counts as not known.
DEEPEST = 20


def name_end(text: str, at: int) -> int:
    """Return the index after the letters of a name that begin at an index."""
    while at < len(text) and text[at] in NAME:
        at += 1
    return at


class Reference:
    """The parts of `${NAME:-word}`.

    Attributes:
        name: the variable; "" if the reference is not supported here, such as `${NAME%suffix}`.
        operator: one of `:-`, `-`, `:=`, `=`, `:?`, `?`, `:+`, `+`, or "".
        word: index where the word begins; it ends where the reference does.
        end: index of the closing brace.
    """

    __slots__ = ("end", "name", "operator", "word")

    def __init__(self, name: str, operator: str, word: int, end: int) -> None:
        self.name, self.operator, self.word, self.end = name, operator, word, end


def read(text: str, at: int, quotes: str = "") -> Reference | None:
    """Return the reference that begins at an index of a string.

    Args:
        text: the string; it has `${` at that index.
        at: the index.
        quotes: which of the backslash and the two quotes keep a brace after them from closing;
            compose has none.

    Returns:
        The reference; None if the brace is not closed.
    """
    end = closing(text, at + 1, quotes, "{}")
    if end < 0:
        return None
    start = at + 2
    stop = name_end(text, start)
    operator = next((item for item in _OPERATORS if text.startswith(item, stop, end)), "")
    readable = stop > start and (operator or stop == end)
    return Reference(text[start:stop] if readable else "", operator, stop + len(operator), end)


def chosen(reference: Reference, env: Mapping[str, str]) -> tuple[str | None, bool]:
    """Return the replacement of a reference: a string, or its word.

    A default applies if the variable is not known, because that is its purpose. Otherwise an
    unknown variable gives an unknown result.

    Args:
        reference: a reference with a name.
        env: the known variables.

    Returns:
        A string and False; None and True for the word; None and False if the result is not known.
    """
    value = env.get(reference.name)
    missing = value is None or (not value and reference.operator.startswith(":"))
    kind = reference.operator[-1:]
    if kind in ("-", "="):
        return (None, True) if missing else (value, False)
    if kind == "+":
        return (None, False) if value is None else ("", False) if missing else (None, True)
    return (None, False) if missing else (value, False)
