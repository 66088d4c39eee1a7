"""A value as the text of a variable, and that it is read back as the same."""

from __future__ import annotations

from typing import Any

import pytest

from translator.tables.catalog import shipped
from translator.values.variables import from_variable, variable_text

CATALOG = shipped().catalog("0.27.1")


@pytest.mark.parametrize(
    ("flag", "value", "text"),
    [
        ("--enforce-eager", True, "true"),
        ("--enforce-eager", False, "false"),
        ("--max-model-len", 8192, "8192"),
        ("--hf-overrides", {"a": 1}, '{"a":1}'),
        ("--served-model-name", ["a", "b"], "a,b"),
        ("--served-model-name", ["a"], "a"),
        ("--served-model-name", ["a,b"], '["a,b"]'),
        ("--served-model-name", [" a"], '[" a"]'),
        ("--served-model-name", ["[a"], '["[a"]'),
        ("--served-model-name", ["a["], "a["),
    ],
)
def test_a_value_is_written_and_read_back(flag: str, value: Any, text: str) -> None:
    entry = CATALOG.flag(flag)
    assert entry is not None
    assert variable_text(entry, value) == text
    assert from_variable(entry, text)[0] == value


def test_modules_are_objects() -> None:
    """One alone stands as it is, several as an array."""
    entry = CATALOG.flag("--lora-modules")
    assert entry is not None
    one, other = {"name": "a", "path": "x"}, {"name": "b", "path": "y"}
    assert variable_text(entry, [one]) == '{"name":"a","path":"x"}'
    assert variable_text(entry, [one, other]) == (
        '[{"name":"a","path":"x"},{"name":"b","path":"y"}]'
    )


def test_nothing_has_no_text() -> None:
    entry = CATALOG.flag("--max-model-len")
    assert entry is not None
    assert variable_text(entry, None) is None
