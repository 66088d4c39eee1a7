"""What the targets share: bytes as the parts of an input, the names of the tables, and what holds
of every answer.

Fields stand one after another, separated by a byte that no UTF-8 has, so that the fuzzer's own
mutations (insert a word of the dictionary, copy a piece of another input) keep their meaning.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from laws.strategies import HOSTILE_TEXTS, known_names

from translator import TranslationError
from translator.core.findings import Finding, prevents
from translator.core.tables.catalog import shipped

T = TypeVar("T")
END = 0xFF  # of a field
NAME, WORD, SECRET = "\x01", "\x02", "\x03"
"""At the beginning of a field: NAME and two characters stand for a name of the tables. WORD and two
stand for a value, anywhere, and SECRET for the secret.
"""
MARKER = "S3cr-t0k3n-0a1b2c3d4e5f"
"""A secret: no message may show it, nor half of it."""
SECONDS = 5.0
"""Of CPU that one input of a few kilobytes may take; instrumented code is three times as slow."""
VERSIONS = tuple(shipped().versions())
DIALECTS = tuple("prefix:MY_" if name == "prefix" else name for name in shipped().dialects())
CLUSTERS = (None, *shipped().clusters())


class Broken(AssertionError):
    """A law does not hold."""


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
        number = self.byte() if len(items) <= 256 else self.byte() << 8 | self.byte()
        return items[number % len(items)]

    def fields(self, names: Sequence[str], secret: bool, most: int = 64) -> list[str]:
        """All that is left, field by field, with what names, words and the secret stand for."""
        parts = self.data.split(bytes((END,)))[:most] if self.data else []
        return [_expanded(part, names, MARKER if secret else "plain") for part in parts]

    def text(self, names: Sequence[str]) -> str:
        """All that is left, as one text without the secret."""
        return _expanded(self.data, names, "plain")


def _expanded(data: bytes, names: Sequence[str], secret: str) -> str:
    """Bytes that are not UTF-8 become lone surrogates, as Python gives a program its arguments."""
    field = data.decode("utf-8", "surrogateescape")
    if names and field.startswith(NAME) and len(field) > 2:
        field = names[_number(field[1:3]) % len(names)] + field[3:]
    first, *parts = field.replace(SECRET, MARKER).replace(MARKER, secret).split(WORD)
    known = words()
    return first + "".join(
        known[_number(part) % len(known)] + part[2:] if len(part) > 1 else part for part in parts
    )


def _number(text: str) -> int:
    return (ord(text[0]) % 256) * 256 + ord(text[1]) % 256


@functools.cache
def spellings(version: str) -> tuple[str, ...]:
    """What options are called in a version, and what no option is called."""
    return (*shipped().catalog(version).spellings(), "--help", "-h", "--no-such-flag")


@functools.cache
def words() -> tuple[str, ...]:
    """Values: the choices of every flag of the newest and the oldest version, and hostile ones."""
    flags = [flag for version in VERSIONS[:: len(VERSIONS) - 1] for flag in shipped().catalog(version).flags()]  # fmt: skip
    return (
        *HOSTILE_TEXTS,
        *dict.fromkeys(str(item) for flag in flags for item in flag.choices or ()),
    )


def dictionary() -> list[str]:
    """For the fuzzer to insert: names, option spellings, and values."""
    texts = [*known_names(), *spellings(VERSIONS[-1]), *words()]
    return [text for text in texts if 0 < len(text.encode("utf-8", "surrogateescape")) <= 64]


def fit(findings: Iterable[Finding], secret: bool = True) -> None:
    """Findings can be printed, are short, and show no secret."""
    for item in findings:
        line = item.line()
        if not line.isprintable():
            raise Broken(f"not printable: {line!a}")
        if len(item.message) > 4000 + 4 * len(item.subject):
            raise Broken(f"{len(item.message)} characters: {item.message[:200]!a}")
        if secret and MARKER[:12] in repr(item[:4]):
            raise Broken(f"a secret in {tuple(item)!a}")


def answer(call: Callable[[], Any]) -> Any:
    """The answer of a call, or None when it was refused, with an error among its findings."""
    try:
        found = call()
    except TranslationError as error:
        fit(error.findings)
        if MARKER[:12] in str(error):
            raise Broken(f"a secret in the error: {error}") from None
        if not any(item.severity == "error" for item in error.findings) or not str(error):
            raise Broken("refused without an error") from None
        return None
    fit(found.findings)
    if prevents(found.findings):
        raise Broken(f"an error that was not raised: {found.findings!a}")
    return found
