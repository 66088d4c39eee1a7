"""Masking: texts in place of secrets."""

from __future__ import annotations

from translator.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


MASK = "***"


# Shorter texts are masked only where they stand: taken out of every message, they would tell which
# letters they have.
TOO_SHORT = 3


class Patterns:
    """Patterns with `*` at their ends only; fnmatch would import re."""

    __slots__ = ("_beginnings", "_ends", "_inside", "_whole")

    def __init__(self, patterns: Iterable[str]) -> None:
        self._inside = [item.strip("*") for item in patterns if item[:1] == "*" == item[-1:]]
        self._ends = tuple(item[1:] for item in patterns if item[:1] == "*" != item[-1:])
        self._beginnings = tuple(item[:-1] for item in patterns if item[:1] != "*" == item[-1:])
        self._whole = frozenset(item for item in patterns if item[:1] != "*" != item[-1:])

    def match(self, text: str) -> bool:
        """Whether one of them fits the whole text."""
        if text in self._whole or text.endswith(self._ends) or text.startswith(self._beginnings):
            return True
        return any(item in text for item in self._inside)


def may_hold_a_secret(value: object) -> bool:
    """Whether a value needs a look by `Secrets.in_value`, which finds nothing in a text that has
    neither a key nor quotes.
    """
    if value is None or isinstance(value, (int, float)):
        return False
    if isinstance(value, str):
        return ":" in value or "=" in value or '"' in value or "'" in value
    return not isinstance(value, list) or any(may_hold_a_secret(item) for item in value)


def password_spans(text: str) -> list[tuple[int, int]]:
    """Where the passwords of the URLs in a text stand.

    A password that should have been percent-encoded, and was not, counts as well: what stands
    behind a colon and is no port reaches to the last at-sign.
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
    """The findings with every hidden value replaced."""
    said = "\0".join([repr(item[1:4]) for item in findings])
    # Thousands of them may be hidden, and few are ever said.
    hidden = [item for item in hidden if repr(item[:_BEGINNING])[1:-1] in said]
    if not hidden:
        return findings
    return [item.map(lambda text: mask(text, hidden)) for item in findings]


def mask(text: str, hidden: Iterable[str]) -> str:
    """The text with every hidden value replaced; the longest first, so that no rest of one remains.
    What messages have cut short is found by its beginning.
    """
    for item in sorted({item for item in hidden if item}, key=len, reverse=True):
        if item in text:
            text = text.replace(item, MASK)
        start = item[:_BEGINNING]
        at = text.find(start) if len(item) > _BEGINNING else -1
        while at >= 0:
            end = at + len(start)
            while end < len(text) and end - at < len(item) and text[end] == item[end - at]:
                end += 1
            text = text[:at] + MASK + text[end:]
            at = text.find(start, at + len(MASK))
    return text


_BEGINNING = 12


class Token(str):
    """A token of a command line, with what may be shown of it.

    What was rewritten (dotted keys become one JSON token) shows the tokens that it came from.

    Attributes:
        shown: for findings, logs and errors; holds no secret.
    """

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, text: str, shown: str | None = None) -> Token:
        made = str.__new__(cls, text)
        made.shown = text if shown is None else shown
        return made


def shown_text(text: str) -> str:
    """Return what may be shown of a token; of a plain text, which our own code made, all."""
    return text.shown if type(text) is Token else text
