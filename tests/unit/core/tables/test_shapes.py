"""JSON values against the shapes of vLLM's classes."""

from typing import Any

import pytest

from translator.core.tables.shapes import REQUIRED_KEY, UNKNOWN_KEY, expectation, ignored, problems

INT, STR, BOOL, FLOAT = ({"kind": kind} for kind in ("int", "str", "bool", "float"))
OBJECT = {
    "kind": "object",
    "keys": {"a": INT, "b": {"kind": "object", "keys": {"c": STR}, "nullable": True}},
    "required": ["a"],
}


def fits(value: Any, shape: dict[str, Any]) -> bool:
    return not list(problems(value, shape))


@pytest.mark.parametrize(
    ("shape", "good", "bad"),
    [
        (INT, [0, -1, 1.0, "7", " 7", True, 10**30], [1.5, "x", "1.5", None, [], {}]),
        (FLOAT, [0, 0.5, "0.5", "1e3", True], ["x", None, []]),
        (STR, ["", "x"], [1, True, None, ["x"]]),
        (BOOL, [True, False, 0, 1, 1.0, "true", "No", "t", "OFF"], [2, "maybe", "", None, 0.5]),
        ({"kind": "choice", "choices": ["a", 1]}, ["a", 1], ["A", None, "b", True, 1.0, "1"]),
        ({"kind": "choice", "choices": ["flash_attn", 1], "fold": "case"}, ["FLASH_ATTN"], ["flash-attn", 1.5]),
        ({"kind": "choice", "choices": ["flash_attn"], "fold": "case-dash"}, ["Flash-Attn"], ["flash attn"]),
        ({"kind": "int", "ge": 1, "le": 8}, [1, 8, "8"], [0, 9, "9"]),
        ({"kind": "float", "gt": 0, "lt": 1}, [0.5, "0.5"], [0, 1, "1"]),
        ({"kind": "str", "min_length": 1, "max_length": 2}, ["a", "ab"], ["", "abc"]),
        ({"kind": "str", "prefixes": ["/", "./"]}, ["/x", "./x"], ["x", "~/x"]),
        ({"kind": "list", "items": INT}, [[], [1, "2"]], [["x"], {}, "1", None]),
        ({"kind": "list", "items": INT, "length": 2}, [[1, 2]], [[1], [1, 2, 3]]),
        ({"kind": "list", "items": INT, "min_length": 1, "max_length": 2}, [[1], [1, 2]], [[], [1, 2, 3]]),
        ({"kind": "map", "values": INT}, [{}, {"x": 1}], [{"x": "y"}, [], None]),
        ({"kind": "union", "of": [INT, {"kind": "list", "items": STR}]}, [1, ["a"]], ["x", [1], None]),
        ({"kind": "json"}, [None, 1, "x", [{}]], []),
        ({"kind": "never"}, [], [1, "x", {}]),
        ({"kind": "int", "nullable": True}, [None, 1], ["x"]),
        ({"kind": "int", "also": ["auto"], "not": [0]}, ["auto", 1, False], ["x", 0]),
        (OBJECT, [{"a": 1}, {"a": 1, "b": None}, {"a": 1, "b": {"c": "x"}}], [{}, {"a": 1, "z": 2}, {"a": 1, "b": {"c": 3}}, [], "x"]),
        ({"kind": "object", "keys": {"a": INT}, "extra": "allow"}, [{"z": 1}], [{"a": "x"}]),
    ],
)  # fmt: skip
def test_values_fit_their_shape_or_do_not(
    shape: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    """As pydantic's lax mode has it."""
    for value in good:
        assert fits(value, shape), value
    for value in bad:
        assert not fits(value, shape), value


def test_problems_are_named_by_their_dotted_path() -> None:
    found = list(problems({"b": {"c": 3, "d": 4}, "z": 5}, OBJECT))
    assert found == [
        ("b.c", 3, "a string"),
        ("b.d", 4, UNKNOWN_KEY),
        ("z", 5, UNKNOWN_KEY),
        ("a", None, REQUIRED_KEY),
    ]
    shape = {
        "kind": "object",
        "keys": {"l": {"kind": "list", "items": {"kind": "map", "values": INT}}},
    }
    assert list(problems({"l": [{"x": 1}, {"y": "z"}]}, shape)) == [("l[1].y", "z", "an integer")]


def test_a_key_may_need_another_beside_it() -> None:
    """With any value, or with one of some; an empty value needs nothing."""
    shape = {
        "kind": "object",
        "keys": {"dir": STR, "mode": STR, "on": BOOL},
        "rules": [
            {"key": "dir", "needs": {"mode": ["torch"]}},
            {"key": "on", "values": [True], "needs": {"dir": []}},
        ],
    }
    assert fits({"dir": "/x", "mode": "torch"}, shape)
    assert fits({"dir": ""}, shape)
    assert fits({"on": False}, shape)
    assert fits({"on": True, "dir": "/x", "mode": "torch"}, shape)
    assert list(problems({"dir": "/x", "mode": "cuda"}, shape)) == [
        ("dir", "/x", "the key mode (torch) beside it")
    ]
    assert list(problems({"on": True}, shape)) == [("on", True, "the key dir beside it")]


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (INT, "an integer"), ({"kind": "int", "ge": 1}, "an integer ≥ 1"), ({"kind": "float", "gt": 0, "le": 1}, "a number > 0 and ≤ 1"),
        ({"kind": "choice", "choices": ["a", 1]}, "one of a, 1"), ({"kind": "str", "nullable": True}, "a string or null"),
        ({"kind": "union", "of": [INT, STR]}, "an integer or a string"),
        ({"kind": "list", "items": INT}, "a JSON array"), (OBJECT, "a JSON object"), (BOOL, "true or false"),
    ],
)  # fmt: skip
def test_what_was_expected_is_said_in_words(shape: dict[str, Any], text: str) -> None:
    assert expectation(shape) == text


def test_keys_that_a_class_reads_over() -> None:
    """At any depth; not those of a class that refuses them, nor of one that keeps them."""
    inner = {"kind": "object", "keys": {"x": {"kind": "int"}}, "extra": "ignore"}
    several = {"l": {"kind": "list", "items": inner}, "m": {"kind": "map", "values": inner}}
    shape = {"kind": "object", "keys": {"a": inner, **several, "j": {"kind": "json"}}}
    value = {
        "a": {"x": 1, "y": 2},
        "l": [{"x": 1}, {"z": 1}],
        "m": {"k": {"w": 1}},
        "j": {"any": 1},
    }
    value["b"] = 1
    assert list(ignored(value, shape)) == ["a.y", "l[1].z", "m.k.w"]
    assert list(ignored({"b": 1}, {**shape, "extra": "allow"})) == []
    assert list(ignored({"b": 1}, {**shape, "extra": "ignore"})) == ["b"]


def test_a_needed_key_with_a_mistake_of_its_own_is_not_missing() -> None:
    shape: dict[str, Any] = {
        "kind": "object",
        "keys": {"a": {"kind": "str"}, "b": {"kind": "choice", "choices": ["x", "y"]}},
        "rules": [{"key": "a", "needs": {"b": ["x", "y"]}}],
    }
    assert [path for path, *_ in problems({"a": "1", "b": "z"}, shape)] == ["b"]
    assert [path for path, *_ in problems({"a": "1"}, shape)] == ["a"]
