"""Names and tokens in POSIX shell syntax."""

from __future__ import annotations

from translator.text.placed import cut, joined

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quote(text: str) -> str:
    """Quote a token so that a POSIX shell, zsh and shlex read it back unchanged."""
    # zsh replaces `=ls` by the path of ls: at the beginning of a word or of a variable's value,
    # behind a colon of a value, and behind any `=` if MAGIC_EQUAL_SUBST is set.
    expanded = text.startswith("=") or "==" in text or ":=" in text
    if text and _SAFE.issuperset(text) and not expanded:
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def unusable(text: str) -> str:
    """Return why no argument and no variable of a program can hold a string: a case of `bad-text`;
    "" if they can.
    """
    if "\0" in text:
        return "nul"
    if text.isascii():
        return ""
    # Python's strings have lone surrogates for bytes that are not UTF-8; others stand for nothing.
    try:
        sent = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "surrogate"
    return "" if sent.decode("utf-8", "surrogateescape") == text else "surrogate"


def quoted_words(text: str) -> bool:
    """Return whether a string has a word, or the value of a flag, that begins with a quote, or a
    backslash: an unquoted expansion leaves these where a shell's source text loses them.
    """
    return "\\" in text or any(
        word[:1] in "\"'" or word.partition("=")[2][:1] in ("'", '"') for word in text.split()
    )


def expands(text: str) -> bool:
    """Return whether a shell that evaluates a string makes more of it than its words: a variable, a
    command, a wildcard, a comment, another command.
    """
    quote_mark, begins, at = "", True, 0
    while at < len(text):
        char = text[at]
        if quote_mark == "'":
            quote_mark = "" if char == "'" else quote_mark
        elif char == "\\":
            at += 1
        elif char in "$`":
            return True
        elif char == '"':
            quote_mark = "" if quote_mark else char
        elif not quote_mark:
            if char in ";&|<>()*?[\n" or (begins and char in "#~"):
                return True
            if char == "{" and ("," in text[at:] or ".." in text[at:]):
                return True
            quote_mark = char if char == "'" else ""
        begins = not quote_mark and char in " \t"
        at += 1
    return False


def words(text: str) -> list[str]:
    """Split a string as shlex.split does, in linear time: shlex copies a word for each of its
    characters. The words have their places (text/placed.py).

    Raises:
        ValueError: a quote is not closed, or nothing follows a backslash.
    """
    found: list[str] = []
    word: list[str] | None = None
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        start = at
        at += 1
        if char in _BLANKS:
            if word is not None:
                found.append(joined(word))
                word = None
            continue
        word = [] if word is None else word
        if char == "\\":
            if at == end:
                raise ValueError("nothing follows a backslash")
            word.append(cut(text, at, at + 1))
            at += 1
        elif char == "'":
            close = text.find("'", at)
            if close < 0:
                raise ValueError("a quote is not closed")
            word.append(cut(text, at, close))
            at = close + 1
        elif char == '"':
            while text[at : at + 1] != '"':
                if at >= end - 1:
                    raise ValueError("a quote is not closed")
                if text[at] == "\\" and text[at + 1] in '\\"':
                    at += 1
                word.append(cut(text, at, at + 1))
                at += 1
            at += 1
        else:
            while at < end and text[at] not in _SPECIAL:
                at += 1
            word.append(cut(text, start, at))
    if word is not None:
        found.append(joined(word))
    return found


_BLANKS = frozenset(" \t\r\n")
_SPECIAL = _BLANKS | frozenset("\\'\"")


def is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_name(name: str) -> bool:
    """Return whether a shell accepts the string as a variable name."""
    return name.isidentifier() and name.isascii()


LONGEST = 60
"""Characters of the input that a message quotes."""


def show(text: str, limit: int = LONGEST) -> str:
    """Return a text as messages quote it: its beginning, if it is long."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
