"""Tell plain words and numbers from texts that may be a secret."""

from __future__ import annotations

from translator.text.names import snake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


LONGEST = 80
LONGEST_WORD = 12  # of letters only
_LONGEST_NUMBER = 20
_LETTERS_OF_A_PART = 3  # on average
LONGEST_MIXED = 8  # of letters and digits: `bfloat16`, `e4m3`, `gfx942`

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset("0123456789")
_BETWEEN = "-_./,+%~*:"
_SIGNS = _LETTERS | _DIGITS | frozenset(_BETWEEN)


def is_plain(
    text: str,
    longest: int = LONGEST,
    known: Callable[[str], bool] | None = None,
    word: int = LONGEST_WORD,
) -> bool:
    """Return whether a text consists of numbers and short words only.

    Args:
        text: the text.
        longest: how long it may be.
        known: returns whether a longer word is known.
        word: how long a word of letters may be.
    """
    if len(text) > longest or not _SIGNS.issuperset(text):
        return False
    for sign in _BETWEEN:
        if sign in text:
            text = text.replace(sign, " ")
    return all(_is_word(part, word) or (known is not None and known(part)) for part in text.split())


def is_number(text: str) -> bool:
    """Return whether a text is a number in digits."""
    digits = text.lstrip("+-").replace(".", "", 1)
    return 0 < len(text) <= _LONGEST_NUMBER and digits != "" and _DIGITS.issuperset(digits)


def _is_word(word: str, longest: int) -> bool:
    if len(word) <= LONGEST_MIXED:
        return True
    if not _LETTERS.issuperset(word):
        return len(word) <= _LONGEST_NUMBER and _DIGITS.issuperset(word)
    # The words of `LlamaForCausalLM` are longer than those of random letters.
    parts = snake(word).split("_")
    is_of_words = len(min(parts, key=len)) > 1 and len(word) >= _LETTERS_OF_A_PART * len(parts)
    return len(word) <= longest and is_of_words


def quoted(value: object) -> str:
    """Return a value as an error message quotes it: a text that is not plain by its length."""
    if isinstance(value, str) and not is_plain(value.replace("*", "").replace(" ", "-")):
        return f"a text of {len(value)} characters"
    return repr(value)
