"""Words of a shell, and names that are nearly right."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from translator.core.text.words import nearest, words


def _split(reader, text):
    try:
        return reader(text)
    except ValueError:
        return None


@given(st.text(alphabet="ab'\"\\ \n\t\r#é\x0b$=-", max_size=15))
def test_words_are_those_of_shlex(text: str) -> None:
    assert _split(words, text) == _split(shlex.split, text)


FLAGS = ("--max-model-len", "--max-num-seqs", "--max-num-batched-tokens")


def test_the_nearest_name_is_found_or_none() -> None:
    """A slip of the finger, but nothing far-fetched."""
    assert nearest("--max-modle-len", FLAGS)[0] == "--max-model-len"
    assert nearest("--something-else", FLAGS) == []


def test_no_more_than_wanted_the_nearest_first() -> None:
    found = nearest("--max-num-seq", FLAGS, 2)
    assert found[0] == "--max-num-seqs"
    assert len(found) <= 2
    assert nearest("--max-num-seq", FLAGS, 1) == found[:1]
