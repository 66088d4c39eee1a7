"""The form in the middle."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator.core.settings import copied, merge, nest, same

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=4),
    max_leaves=8,
)


def test_nesting() -> None:
    assert nest(("a", "b"), 1) == {"a": {"b": 1}}
    assert nest((), 1) == 1


@pytest.mark.parametrize(
    ("old", "new", "merged", "clashes"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}, []), ({"a": 1}, {"a": 2}, {"a": 2}, ["a"]), ({"a": 1}, {"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}, ["a.b"]),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}, ["a"]), ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}, ["a"]), (1, {"a": 1}, {"a": 1}, [""]),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}, ["a"]),
    ],
)  # fmt: skip
def test_the_new_value_wins_key_by_key(old: Any, new: Any, merged: Any, clashes: list[str]) -> None:
    assert merge(copied(old), new) == (merged, clashes)


@given(JSON, JSON)
def test_merging_changes_neither_and_loses_nothing_of_the_new_one(old: Any, new: Any) -> None:
    """Merging the new one again changes nothing more."""
    before = repr((old, new))
    merged, _ = merge(copied(old), new)
    assert merge(copied(merged), new) == (merged, [])
    assert repr((old, new)) == before
    assert merge(old, old) == (old, [])


def test_equality_tells_types_apart() -> None:
    """1 is not True and not 1.0; nan is itself."""
    for one, other in ((1, True), (1, 1.0), ([1], [1, 2]), ({"a": 1}, {"a": 2})):
        assert not same(one, other)
    assert same({"a": [1, None]}, {"a": [1, None]})
    assert same(float("nan"), float("nan"))
