"""Files of variables, split as python-dotenv splits them."""

import io

import pytest
from dotenv import dotenv_values
from dotenv.parser import parse_stream
from dotenv.variables import Variable, parse_variables
from hypothesis import given
from hypothesis import strategies as st

from translator.formats.dotenv import bindings, references

TEXTS = st.lists(
    st.sampled_from(
        [
            *"AB='\"\\${}:-# \n\tx\x0b\x85\u2028\x1cé",
            *("export ", "${", "${A}", "${A:-", "\\n", "\\'", '\\"', " #", "A=", "\nA="),
        ]
    ),
    max_size=20,
).map("".join)
# Older releases read quotes and comments by other rules.
newest = pytest.mark.skipif(
    dotenv_values(stream=io.StringIO("A= # b\nB='c\\\\'")) != {"A": "", "B": "c\\"},
    reason="an older python-dotenv",
)


@newest
@given(TEXTS)
def test_a_file_is_split_as_by_python_dotenv(text: str) -> None:
    """Names, values, and the lines that cannot be read."""
    there = [
        (None, item.original.string.strip()) if item.error else (item.key, item.value)
        for item in parse_stream(io.StringIO(text))
        if item.error or item.key is not None
    ]
    here = [
        (None, item.unreadable.strip()) if item.unreadable else (item.name, item.value)
        for item in bindings(text)
        if item.unreadable or item.name
    ]
    assert here == there


@given(TEXTS)
def test_references_are_those_of_python_dotenv(text: str) -> None:
    there = [
        (item.name, item.default) if isinstance(item, Variable) else item.value  # type: ignore[attr-defined]
        for item in parse_variables(text)
    ]
    here = list(references(text))
    assert here == there


def test_the_line_is_that_of_the_name() -> None:
    """Not of the blank lines before it."""
    found = [(item.line, item.name) for item in bindings("\n  \nA=1\n\n# x\nB='\n'\nC=2\n'\n")]
    assert found == [(3, "A"), (6, "B"), (8, "C"), (9, "")]
