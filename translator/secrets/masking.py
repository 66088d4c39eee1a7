"""Masking: what stands in messages for a text that is not shown."""

from __future__ import annotations

from translator.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


MASK = "***"


# Shorter secrets are masked only in place: replacing them in every message would reveal their
# letters.
TOO_SHORT = 3


def hidden(text: str) -> str:
    """Return what stands for a text that may be secret: its length."""
    return f"… ({_length(text)})"


def is_hidden(text: str) -> bool:
    """Return whether a text is one that `hidden` made."""
    inner, _, rest = text.removeprefix("… (").partition(" ")
    return text.startswith("… (") and inner.isdecimal() and rest in ("characters)", "character)")


def placed(number: int, text: str) -> str:
    """Return what stands for an argument that may be secret: its place and its length."""
    return f"{place(number)} ({_length(text)})"


def place(number: int) -> str:
    """Return the subject of a finding about an argument that is not shown."""
    return f"argument {number}"


def _length(text: str) -> str:
    return f"{len(text)} character{'' if len(text) == 1 else 's'}"


def may_hold_a_secret(value: object) -> bool:
    """Return whether a value needs a check by `Secrets.in_value`, which finds nothing in a string
    of one plain word.
    """
    if value is None or isinstance(value, (int, float)):
        return False
    if isinstance(value, str):
        return not _OF_KEYS.isdisjoint(value) or not value.isascii()
    return not isinstance(value, list) or any(may_hold_a_secret(item) for item in value)


# What separates a key from its value, an option from the next word, a user from a host.
_OF_KEYS = frozenset(":=\"' \t\r\n@")


def user_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of user and password in a string's URLs.

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
        # Quotes may end the URL; in front of an at-sign, they belong to a user.
        host = next((index for index in range(start, end) if text[index] in _HOST_ENDS), end)
        colon = text.find(":", start, authority)
        sign = text.rfind("@", start, host)
        if (
            colon >= 0
            and sign < colon
            and not _is_port(text[colon + 1 : authority], text[authority : authority + 1])
        ):
            sign = text.rfind("@", colon, end)
            if sign < 0 and at >= 0:  # `://` in the password itself
                sign = text.rfind("@", colon)
                at = -1
        if sign > start:
            found.append((start, sign))
    return found


def _is_port(text: str, behind: str) -> bool:
    return text.isdecimal() or (not text and behind in ("", "/", "?", "#"))


_HOST_ENDS = frozenset("/?# \t\n")
_AUTHORITY_ENDS = _HOST_ENDS | frozenset("\"'")


def masked(findings: list[Finding], secrets: Iterable[str]) -> list[Finding]:
    """Return the findings with every secret replaced, however it is escaped."""
    forms = list(dict.fromkeys(form for item in secrets if item for form in escaped(item)))
    if not forms:
        return findings
    replace = masker(forms)
    return [item.map(replace) for item in findings]


def escaped(text: str) -> list[str]:
    """Return a secret as it is, and as JSON, Python, a shell and a URL write it."""
    if text.isalnum() and text.isascii():
        return [text]
    from translator.findings import one_line
    from translator.text.json_text import dumps, spaced

    return list(
        dict.fromkeys(
            (
                text,
                dumps(text)[1:-1],
                spaced(text)[1:-1],
                repr(text)[1:-1],
                one_line(text),
                text.replace("'", "'\"'\"'"),
                _percent(text),
            )
        )
    )


def _percent(text: str) -> str:
    """Return a string percent-encoded; urllib would import re."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
        for byte in text.encode("utf-8", "surrogatepass")
    )


_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


def masker(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return the function that replaces every hidden value in a text. Values that messages have
    truncated are found by their beginning.
    """
    from translator.secrets.finder import Finder  # lazy: most runs have nothing to say

    finder = Finder(secrets)

    def mask(text: str) -> str:
        kept: list[str] = []
        done = 0
        for start, end in finder.spans(text):
            kept += (text[done:start], MASK)
            done = end
        return "".join((*kept, text[done:])) if done else text

    return mask


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
