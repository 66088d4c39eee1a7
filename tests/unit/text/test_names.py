"""Names that are nearly right."""

from __future__ import annotations

from translator.text.names import nearest

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
