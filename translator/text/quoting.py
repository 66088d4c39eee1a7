"""Names and tokens in POSIX shell syntax."""

from __future__ import annotations

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quote(text: str) -> str:
    """Quote a token so that a POSIX shell (and shlex) reads it back unchanged."""
    if text and _SAFE.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_name(name: str) -> bool:
    """Return whether a shell accepts the string as a variable name."""
    return name.isidentifier() and name.isascii()
