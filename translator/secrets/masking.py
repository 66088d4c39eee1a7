"""Masking: placeholders for secrets."""

from __future__ import annotations

from translator.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


MASK = "***"


# Shorter secrets are masked only in place: replacing them in every message would reveal their
# letters.
TOO_SHORT = 3


class Patterns:
    """Match patterns with `*` at their ends only; fnmatch would import re."""

    __slots__ = ("_beginnings", "_ends", "_inside", "_whole")

    def __init__(self, patterns: Iterable[str]) -> None:
        self._inside = [item.strip("*") for item in patterns if item[:1] == "*" == item[-1:]]
        self._ends = tuple(item[1:] for item in patterns if item[:1] == "*" != item[-1:])
        self._beginnings = tuple(item[:-1] for item in patterns if item[:1] != "*" == item[-1:])
        self._whole = frozenset(item for item in patterns if item[:1] != "*" != item[-1:])

    def match(self, text: str) -> bool:
        """Return whether any pattern matches the whole string."""
        if text in self._whole or text.endswith(self._ends) or text.startswith(self._beginnings):
            return True
        return any(item in text for item in self._inside)


def may_hold_a_secret(value: object) -> bool:
    """Return whether a value needs a check by `Secrets.in_value`, which finds nothing in a string
    without keys or quotes.
    """
    if value is None or isinstance(value, (int, float)):
        return False
    if isinstance(value, str):
        return ":" in value or "=" in value or '"' in value or "'" in value
    return not isinstance(value, list) or any(may_hold_a_secret(item) for item in value)


def password_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the passwords in a string's URLs.

    A password that should have been percent-encoded but was not counts as well: anything after a
    colon that is not a port extends to the last at-sign.
    """
    found = []
    at = text.find("://")
    while at >= 0:
        start = at + 3
        at = text.find("://", start)
        end = len(text) if at < 0 else at
        authority = next(
            (index for index in range(start, end) if text[index] in _AUTHORITY_ENDS), end
        )
        colon = text.find(":", start, authority)
        if colon < 0:
            continue
        sign = text.rfind("@", colon, authority)
        if sign < 0 and not _is_port(text[colon + 1 : authority], text[authority : authority + 1]):
            sign = text.rfind("@", colon, end)
            if sign < 0 and at >= 0:  # `://` in the password itself
                sign = text.rfind("@", colon)
                at = -1
        if sign > colon + 1:
            found.append((colon + 1, sign))
    return found


def _is_port(text: str, behind: str) -> bool:
    return text.isdecimal() or (not text and behind in ("", "/", "?", "#"))


_AUTHORITY_ENDS = frozenset("/?# \t\n\"'")


def masked(findings: list[Finding], hidden: Iterable[str]) -> list[Finding]:
    """Return the findings with every hidden value replaced."""
    hidden = list(hidden)
    if not hidden:
        return findings
    replace = masker(hidden)
    return [item.map(replace) for item in findings]


def masker(hidden: Iterable[str]) -> Callable[[str], str]:
    """Return the function that replaces every hidden value in a text. Values that messages have
    truncated are found by their beginning.
    """
    from translator.secrets.finder import Finder  # lazy: most runs have nothing to say

    finder = Finder(hidden)

    def mask(text: str) -> str:
        kept: list[str] = []
        done = 0
        for start, end in finder.spans(text):
            kept += (text[done:start], MASK)
            done = end
        return "".join((*kept, text[done:])) if done else text

    return mask


def mask(text: str, hidden: Iterable[str]) -> str:
    """Return one text with every hidden value replaced."""
    return masker(hidden)(text)


class Token(str):
    """A token of a command line, and the form that may be shown.

    A rewritten token (dotted keys become one JSON token) shows the tokens that it came from.

    Attributes:
        shown: the form for findings, logs and errors; holds no secret.
    """

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, text: str, shown: str | None = None) -> Token:
        made = str.__new__(cls, text)
        made.shown = text if shown is None else shown
        return made


def shown_text(text: str) -> str:
    """Return the printable form of a token; a plain string, made by our own code, is returned
    unchanged.
    """
    return text.shown if type(text) is Token else text
