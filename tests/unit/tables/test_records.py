"""The compiled text format: whatever is written is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator.tables.records import decode, encode, escape, unescape

TEXTS = st.text(
    st.characters(exclude_categories=("Cs",)) | st.sampled_from("\\\t\n\r|=#:ent,u0\x85\u2028\x0b")
)
KEYS = st.text(st.sampled_from("abcxyz_@.-0 é"), min_size=1)
FIELDS = st.dictionaries(KEYS, st.booleans() | st.none() | st.integers() | TEXTS | st.lists(TEXTS))


@given(TEXTS, FIELDS)
def test_every_record_is_read_back_from_one_line(
    name: str, fields: dict[str, bool | int | str | list[str] | None]
) -> None:
    line = encode(name, fields)
    assert len(line.splitlines() or [""]) == 1
    got, kept = decode(line)
    assert got == name
    assert kept == {
        key: value for key, value in fields.items() if value is not None and value is not False
    }
    assert all(type(kept[key]) is type(fields[key]) for key in kept)


@given(TEXTS)
def test_an_escaped_text_is_read_back(text: str) -> None:
    assert unescape(escape(text)) == text


def test_the_format_is_the_documented_one() -> None:
    line = encode(
        "--x",
        {
            "on": True,
            "off": False,
            "kind": "a|b",
            "order": -3,
            "of": ["a", ""],
            "none": [],
            "one": [""],
            "false": "",
        },
    )
    assert line == "--x\ton\tkind=a\\pb\torder#-3\tof:a|\tnone:\tone:\\e\tfalse="
    assert encode("a\tb", {}) == "a\\tb"


@pytest.mark.parametrize("key", ["", "a=b", "a:b", "a#b", "a\tb", "a\\b", "a|b"])
def test_a_key_that_would_be_read_as_another_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="no key"):
        encode("x", {key: True})


@pytest.mark.parametrize("value", [1.5, {}, [1], ("a",)])
def test_a_value_that_the_format_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="k of x"):
        encode("x", {"k": value})  # type: ignore[dict-item]


@pytest.mark.parametrize("text", ["\\z", "a\\"])
def test_a_broken_escape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no escape"):
        unescape(text)
