"""Secrets in a text: all of them, in linear time."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from translator.secrets.finder import BEGINNING, Finder
from translator.secrets.masking import MASK, masker

LETTERS = st.text("ab", min_size=1, max_size=2 * BEGINNING)


def covered(text: str, secrets: list[str]) -> str:
    """The text with a mask for every run of characters that are in a secret, or in the part of one
    that begins there.
    """
    hidden = [False] * len(text)
    for secret in secrets:
        for at in range(len(text)):
            length = 0
            while text[at + length : at + length + 1] == secret[length : length + 1] != "":
                length += 1
            if length == len(secret) or length >= BEGINNING:
                hidden[at : at + length] = [True] * length
    shown = "".join("\0" if hide else char for char, hide in zip(text, hidden, strict=True))
    return re.sub("\0+", MASK, shown)


@given(st.lists(LETTERS, max_size=5), st.data())
def test_every_secret_is_found(secrets: list[str], data: st.DataObject) -> None:
    """Also truncated ones, and those that overlap."""
    parts = st.sampled_from([*secrets, "a", "c", "ab"])
    text = "".join(data.draw(st.lists(parts, max_size=8)))
    text = text[: data.draw(st.integers(0, len(text)))]
    made = masker(secrets)(text)
    assert re.sub(f"({re.escape(MASK)})+", MASK, made) == covered(text, secrets)


def test_what_holds_no_secret_is_the_same() -> None:
    assert list(Finder(["", "secret"]).spans("no such thing")) == []
    text = "no such thing"
    assert masker([])(text) is text
