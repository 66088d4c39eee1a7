"""JSON text to values and back, sizes, and Python literals."""

import json
import math
import sys
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator.core.text.json_text import (
    MAX_DEPTH,
    JsonError,
    dumps,
    expand_sizes,
    integer,
    literal,
    loads,
    size,
    spaced,
)

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7), (" 7 ", 7), ("-7", -7), ("+7", 7), ("1_000", 1000), ("1k", 1000), ("1K", 1024), ("2m", 2 * 10**6), ("2M", 2 * 2**20), ("3g", 3 * 10**9),
        ("3G", 3 * 2**30), ("1t", 10**12),
        ("1T", 2**40), ("25.6k", 25600), ("0.5m", 500_000), ("0k", 0), ("1.0001k", 1000), ("0.0001k", 0), ("1.1m", 1_100_000), ("8.2k", 8200), ("٣k", 3000),
        ("٣", 3),
    ],
)  # fmt: skip
def test_sizes_are_read_as_vllm_reads_them(text: str, number: int) -> None:
    """Decimal suffixes go through a float, binary ones do not."""
    assert size(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "k", "1kk", "1.5", "25.6K", "1.5G", "-1k", "1 k", "1k ", "one", "0x10", "1e3", ".5k", "5.k", "1_000k", "k1", "nan", "1b", "9" * 400 + "k",
        "9" * 5000,
    ],
)  # fmt: skip
def test_other_texts_are_no_sizes(text: str) -> None:
    """Each with a short reason (a trailing blank is taken away first)."""
    if text == "1k ":
        assert size(text) == 1000
        return
    with pytest.raises(JsonError) as caught:
        size(text)
    assert len(str(caught.value)) < 500


def test_decimals_with_a_binary_suffix_are_told_what_they_may_mean() -> None:
    """The decimal reading is the remedy."""
    with pytest.raises(JsonError, match=r"decimals go with decimal suffixes only: 25\.6k is 25600"):
        size("25.6K")


def test_only_the_suffixes_of_the_version_count() -> None:
    """0.8 knew no t and T."""
    assert size("1g", "kKmMgG") == 10**9
    with pytest.raises(JsonError, match="not an integer"):
        size("1t", "kKmMgG")
    with pytest.raises(JsonError, match="not an integer"):
        size("1k", "")


@given(st.integers(0, 10**6), st.integers(0, 7))
def test_whole_sizes_are_exact(number: int, at: int) -> None:
    """No rounding where there is nothing to round."""
    factor = (2**10 if at % 2 else 10**3) ** (at // 2 + 1)
    assert size(f"{number}{'kKmMgGtT'[at]}") == number * factor


def test_integers_are_pythons() -> None:
    """With a short message, and Python's own bound on digits."""
    assert integer(" -12 ") == -12
    with pytest.raises(JsonError, match=r"^not an integer$"):
        integer("abc")
    with pytest.raises(JsonError, match="4300") as caught:
        integer("9" * 5000)
    assert ";" not in str(caught.value)


@given(
    VALUES,
    st.sampled_from(("", " ", "\t\r\n  ", "\v", "\ufeff", "x", ",", "\0")),
    st.sampled_from(("", " ", "\n", "\v", "x", "}", "\0")),
)
def test_reading_and_writing_are_the_json_modules(value: Any, before: str, after: str) -> None:
    """Which reads what its own parts in C do not take, and is not imported otherwise."""
    text = before + json.dumps(value) + after
    try:
        expected = json.loads(text)
    except json.JSONDecodeError as error:
        with pytest.raises(JsonError, match=rf"at character {error.pos + 1}$"):
            loads(text)
    else:
        assert loads(text) == expected
        assert repr(loads(text)) == repr(expected)
    assert spaced(value) == json.dumps(value)
    compact = [json.dumps(value, separators=(",", ":"), ensure_ascii=ascii) for ascii in (0, 1)]
    assert dumps(value) in compact
    assert loads(dumps(value)) == value
    dumps(value).encode()


def test_what_json_cannot_hold_is_not_written() -> None:
    """A mistake of ours, not of a user's."""
    with pytest.raises(TypeError):
        dumps({"a": {1, 2}})


def test_json_is_written_compact_and_readable() -> None:
    """No blanks, no escapes beyond ASCII; a lone surrogate is escaped, since no command line could
    hold it.
    """
    assert dumps({"a": [1, 2.5, None, True], "ü": "✓"}) == '{"a":[1,2.5,null,true],"ü":"✓"}'
    assert dumps({"ü": "\ud800"}) == '{"\\u00fc":"\\ud800"}'
    assert spaced({"a": 1, "b": "ü"}) == '{"a": 1, "b": "\\u00fc"}'


def test_liberties_of_pythons_json_are_kept() -> None:
    """As vLLM's parser has them: NaN and Infinity, and the last of two equal keys."""
    assert math.isnan(loads("NaN"))
    assert loads("[Infinity, -Infinity]") == [math.inf, -math.inf]
    assert loads('{"a": 1, "a": 2}') == {"a": 2}


# Python 3.13 points at the comma that is too much, older ones behind it.
TRAILING = 3 if sys.version_info >= (3, 13) else 4


@pytest.mark.parametrize(
    ("text", "where"),
    [("{", 2), ('{"a":}', 6), ("", 1), ("[1,]", TRAILING), ("{'a': 1}", 2), ('{"a": 1} x', 10)],
)
def test_broken_json_is_refused_with_its_place(text: str, where: int) -> None:
    """Characters count from one."""
    with pytest.raises(JsonError, match=rf"at character {where}$"):
        loads(text)


def test_depth_is_bounded() -> None:
    """At MAX_DEPTH brackets, those inside texts not counted."""
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(JsonError, match="nests deeper"):
        loads("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))
    with pytest.raises(JsonError, match="nests deeper"):
        loads('{"a":' * 100_000)
    with pytest.raises(JsonError):
        literal("(" * 10 + "[" * 1000)
    for text in ("[" * 1000, '"' + "[" * 1000):
        assert loads(json.dumps(text)) == text
    assert loads("[" + "[]," * 1000 + "1]")
    with pytest.raises(JsonError, match="nests deeper"):
        loads('["\\\\",' + "[" * 1000 + "]" * 1001)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ('{"a": 80g}', '{"a": 80000000000}'), ('{"a": 1K, "b": [2k,3m]}', '{"a": 1024, "b": [2000,3000000]}'), ('{"a": "80g"}', '{"a": "80g"}'),
        ('{"80g": 1k}', '{"80g": 1000}'),
        ('{"a": 25.6k}', '{"a": 25600}'), ('{"a": 1.5}', '{"a": 1.5}'), ('{"a": 1e5}', '{"a": 1e5}'), ('{"a": x1k}', '{"a": x1k}'),
        ('{"a": "\\"1k"}', '{"a": "\\"1k"}'),
        ('{"a": 1.5K}', '{"a": 1.5K}'), ('"1k', '"1k'), ("", ""), ('{"a": true}', '{"a": true}'), ('{"a":-2k}', '{"a":-2000}'),
    ],
)  # fmt: skip
def test_numbers_with_suffixes_are_spelled_out_outside_of_texts(text: str, expanded: str) -> None:
    assert expand_sizes(text) == expanded


@given(st.text('{}[]":, 0123456789.kKmMgGtTex\\-_a', max_size=30))
def test_expanding_never_changes_json_that_was_valid(text: str) -> None:
    """Valid JSON has no suffixes outside of its texts."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        expand_sizes(text)
        return
    assert json.dumps(json.loads(expand_sizes(text))) == json.dumps(value)


@given(VALUES)
def test_literals_of_plain_values_are_read(value: Any) -> None:
    if "inf" not in repr(value):
        assert literal(f" {value!r}\n") == value


def test_python_says_nothing_of_a_literal() -> None:
    """From 3.12 on it warns of an unknown escape, on standard error, and quotes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert literal(r"'a\Wb'") == r"a\Wb"


@pytest.mark.parametrize(
    "text",
    [
        "{1: 2}", "{'a'}", "b'x'", "1j", "...", "{'a': {1}}", "__import__('os')", "9**9", "x", "", "{'a': x}", "[1", "{'a': lambda: 1}", "\0",
        "(" * 5000 + ")" * 5000,
    ],
)  # fmt: skip
def test_other_literals_are_refused(text: str) -> None:
    """Nothing is evaluated, and nothing is lost on the way to JSON."""
    with pytest.raises(JsonError):
        literal(text)


def test_tuples_become_arrays() -> None:
    assert literal("{'a': (1, ('b',))}") == {"a": [1, ["b"]]}
