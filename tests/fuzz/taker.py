"""Bytes as the parts of an input.

atheris's FuzzedDataProvider does the same, but the quick suite replays the inputs where atheris is
not installed. Fields stand one after another, separated by a byte that no UTF-8 has, so that the
fuzzer's own mutations (insert a word of the dictionary, copy a piece of another input) keep their
meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
END = 0xFF  # of a field
NAME, WORD, SECRET = "\x01", "\x02", "\x03"
"""At the beginning of a field: NAME and two characters stand for a name of the tables. WORD and two
stand for a value, anywhere, and SECRET for the secret.
"""

MARKER = "S3cr-t0k3n-0a1b2c3d4e5f"
"""A secret: no message may show it, and no part of its beginning that is long enough to know it
by.
"""


class Taker:
    """Takes an input apart, from its front."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def byte(self) -> int:
        """The next byte; 0 at the end."""
        found = self.data[0] if self.data else 0
        self.data = self.data[1:]
        return found

    def pick(self, items: Sequence[T]) -> T:
        """One of some items."""
        return items[
            (self.byte() if len(items) <= 256 else self.byte() << 8 | self.byte()) % len(items)
        ]

    def rest(self) -> str:
        """All that is left, as Python gives a program its arguments: bytes that are not UTF-8
        become lone surrogates.
        """
        found, self.data = self.data, b""
        return found.decode("utf-8", "surrogateescape")

    def fields(self, most: int = 64) -> list[str]:
        """All that is left, field by field."""
        parts = self.data.split(bytes((END,)))[:most] if self.data else []
        self.data = b""
        return [part.decode("utf-8", "surrogateescape") for part in parts]


def _number(text: str) -> int:
    """Of two characters."""
    return (ord(text[0]) % 256) * 256 + ord(text[1]) % 256


def expand(field: str, names: Sequence[str], words: Sequence[str]) -> str:
    """A field with the names, words and the secret that it stands for."""
    if field.startswith(NAME) and len(field) > 2:
        field = names[_number(field[1:3]) % len(names)] + field[3:]
    if SECRET in field:
        field = field.replace(SECRET, MARKER)
    if WORD in field:
        first, *parts = field.split(WORD)
        field = first + "".join(
            words[_number(part) % len(words)] + part[2:] if len(part) > 1 else part
            for part in parts
        )
    return field
