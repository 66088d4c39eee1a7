"""What holds of every input: an answer or the documented error, findings that are fit to print, no
secret in them, and little time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import Any

from fuzz.taker import MARKER
from translator import TranslationError
from translator.findings import Finding

SECONDS = 5.0
"""Of CPU that one input may take: they have a few kilobytes, and most take a millisecond.
Instrumented code is three times as slow.
"""
_KNOWN_BY = MARKER[:12]


class Broken(AssertionError):
    """A law does not hold."""


@contextmanager
def bounded() -> Any:
    """For the time of one input."""
    started = time.process_time()
    yield
    taken = time.process_time() - started
    if taken > SECONDS:
        raise Broken(f"{taken:.1f} s of CPU")


def fit(findings: Iterable[Finding], secret: bool = True) -> None:
    """Findings can be printed, are short, and show no secret."""
    for item in findings:
        line = item.line()
        if not line.isprintable():
            raise Broken(f"not printable: {line!a}")
        if len(item.message) > 4000 + 4 * len(item.subject):
            raise Broken(f"{len(item.message)} characters: {item.message[:200]!a}")
        if secret and _KNOWN_BY in repr(item[:4]):
            raise Broken(f"a secret in {tuple(item)!a}")


def answer(call: Callable[[], Any]) -> Any:
    """The answer of a call, or None when it was refused; every error of the findings has raised,
    and nothing else has.
    """
    try:
        found = call()
    except TranslationError as error:
        fit(error.findings)
        if _KNOWN_BY in str(error):
            raise Broken(f"a secret in the error: {error}") from None
        if not any(item.severity == "error" for item in error.findings) or not str(error):
            raise Broken("refused without an error") from None
        return None
    fit(found.findings)
    if any(item.severity == "error" for item in found.findings):
        raise Broken(f"an error that was not raised: {found.findings!a}")
    return found
