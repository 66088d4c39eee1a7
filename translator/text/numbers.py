"""Integers with human-readable suffixes, as vLLM computes them."""

from __future__ import annotations

_SIZES = {
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "T": 2**40,
}


# Python writes no integer of more than 4,300 digits (sys.int_info); a suffix adds 13.
_MOST_DIGITS = 4_287


class JsonError(ValueError):
    """A text is not what it should be; the message says why, for a person."""


def size(text: str, suffixes: str = "kKmMgGtT") -> int:
    """An integer with a human-readable suffix, exactly as vLLM's human_readable_int computes it
    (through a float for decimal suffixes).

    >>> size("1k"), size("1K"), size("25.6k"), size(" 7 "), size("-1")
    (1000, 1024, 25600, 7, -1)

    Raises:
        JsonError: it is none.
    """
    text = text.strip()
    number, suffix = text[:-1], text[-1:]
    if suffix and suffix in suffixes:
        whole, point, fraction = number.partition(".")
        if _digits(whole) and (not point or _digits(fraction)):
            if suffix.islower():
                try:
                    return int(float(number) * _SIZES[suffix])
                except OverflowError:  # 400 digits: no float holds them
                    raise JsonError("it is too large") from None
            if point:
                raise JsonError(
                    f"decimals go with decimal suffixes only: {number}{suffix.lower()} is"
                    f" {size(number + suffix.lower())}"
                )
            if len(number) > _MOST_DIGITS:
                raise JsonError("it is too large")
            return integer(number) * _SIZES[suffix]
    return integer(text)


def _digits(text: str) -> bool:
    return text.isdecimal()


def integer(text: str) -> int:
    """Python's own `int(text)`, with a short message.

    Raises:
        JsonError: it is none.
    """
    try:
        return int(text)
    except ValueError as error:
        raise JsonError(
            "not an integer" if "invalid literal" in str(error) else str(error).partition(";")[0]
        ) from None
