"""Words of a shell."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from translator.text.words import words


def _split(reader, text):
    try:
        return reader(text)
    except ValueError:
        return None


@given(st.text(alphabet="ab'\"\\ \n\t\r#é\x0b$=-", max_size=15))
def test_words_are_those_of_shlex(text: str) -> None:
    """And what shlex refuses is refused."""
    assert _split(words, text) == _split(shlex.split, text)
