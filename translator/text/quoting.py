"""Names and tokens as a POSIX shell reads them back."""

from __future__ import annotations

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quote(text: str) -> str:
    """A token as a POSIX shell (and shlex) reads it back."""
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
    """Whether a shell takes it for a variable's name."""
    return name.isidentifier() and name.isascii()
