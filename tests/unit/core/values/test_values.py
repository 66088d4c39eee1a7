"""The codecs: one value of one flag, from tokens, from variables, and back."""

import json
from typing import Any

import pytest
from cases import of_folder
from hypothesis import given
from hypothesis import strategies as st
from support.made_up import flag

from translator import args_to_env, env_to_args
from translator.core.settings import same
from translator.core.text.json_text import repair
from translator.core.values import (
    BadValue,
    boolean,
    from_token,
    pairs,
    survives_alone,
    text_of,
    tokens,
)
from translator.core.values.mistakes import facts_of
from translator.core.values.variables import from_variable, key_value, variable_text

READ = {
    "token": from_token,
    "token expanding": lambda made, text: from_token(made, text, True),
    "variable": from_variable,
    "tokens": lambda made, value: tokens(made, json.loads(value)),
    "boolean": lambda _, text: boolean(text),
    "pairs": lambda _, text: pairs(text),
}


@pytest.mark.parametrize("case", of_folder("values"))
def test_a_value_is_read_and_written(case: dict[str, Any]) -> None:
    """By cases/values; a value has the type that it has as JSON."""
    for one in case["of"]:
        made = flag(one["flag"]) if "flag" in one else None
        for way, read in READ.items():
            for text, wanted, *how in one.get(way.replace(" ", "_"), ()):
                found = read(made, text)
                if way == "tokens":
                    assert found == wanted, text
                    continue
                value, told = found if way == "variable" else (found, "")
                assert (json.dumps(value, ensure_ascii=False), [told][: len(how)]) == (
                    wanted, how
                ), text  # fmt: skip
        for value, wanted in one.get("text", ()):
            text = variable_text(made, json.loads(value))
            assert json.dumps(text, ensure_ascii=False) == wanted, value
            assert text is None or same(from_variable(made, text)[0], json.loads(value)), value
        for way, text, code, facts in one.get("refused", ()):
            with pytest.raises(BadValue) as caught:
                READ[way](made, text)
            error = caught.value
            told = {name: fact for name, fact in facts_of(error).items() if name != "reason"}
            assert (error.code, json.dumps(told, ensure_ascii=False)) == (code, facts), text


def test_a_number_of_too_many_digits_is_refused() -> None:
    with pytest.raises(BadValue) as caught:
        from_token(flag("--x kind=int"), "1" * 5000)
    assert facts_of(caught.value)["most"] == 400


@given(st.floats())
def test_every_float_survives(value: float) -> None:
    """As the shortest text that is read back as the same."""
    number = flag("--x kind=float")
    assert same(from_token(number, text_of(number, value)), value)


@given(st.text())
def test_texts_arrive_unchanged(text: str) -> None:
    """From a variable, and from a token, into one token."""
    plain = flag("--x kind=str")
    assert from_variable(plain, text) == (text, "")
    assert from_token(plain, text) == text
    assert tokens(plain, text) == [f"--x={text}"]


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [
        ('{"a": 1}', {"a": 1}, ""), ("[1]", [1], ""), ('{"a": 80g}', {"a": 80 * 10**9}, "numbers"),
        ("{'a': True, 'b': None}", {"a": True, "b": None}, "literal"), ("('a', 1)", None, "error"),
        ("['a', ('b',)]", ["a", ["b"]], "literal"), ("'{\"a\": 1}'", {"a": 1}, "quotes"), ("\"{'a': 1}\"", {"a": 1}, "quotes"),
        ('"{\\"a\\": 1}"', {"a": 1}, "quotes"), ("'{'a': 1}'", {"a": 1}, "quotes"), ("'{\\\"a\\\": 1}'", {"a": 1}, "quotes"),
        (" '[1, 2]' ", [1, 2], "quotes"), ("{'a': 1k}", {"a": 1000}, "literal"), ("'{'", None, "error"), ("''", None, "error"), ('{"a":', None, "error"),
        ("abc", None, "error"), ('"abc"', "abc", ""),
        ("{1: 2}", None, "error"), ("'{\"a\": '", None, "error"),
    ],
)  # fmt: skip
def test_json_is_repaired_from_what_containers_make_of_it(text: str, value: Any, how: str) -> None:
    if how == "error":
        with pytest.raises(ValueError):
            repair(text)
    else:
        assert repair(text) == (value, how)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=6,
    ),
)  # fmt: skip
def test_every_json_value_survives_as_token_and_as_variable(value: Any) -> None:
    """Of a JSON flag, plain and as a Python literal; a text that looks like JSON itself is the one
    exception, and only as a variable.
    """
    plain, python = flag("--x kind=json"), flag("--x kind=json syntax=python")
    assert same(from_token(plain, text_of(plain, value)), value)
    if isinstance(value, (dict, list)) and "inf" not in repr(value):
        assert same(from_token(python, text_of(python, value)), value)
    if not isinstance(value, str):
        assert same(from_variable(plain, json.dumps(value))[0], value)


def test_which_texts_stand_alone() -> None:
    """What argparse takes for a value whatever flags there are, and vLLM's own parser, too."""
    assert all(map(survives_alone, ("a", "", "-", "-1", "-12", " -x")))
    assert not any(map(survives_alone, ("-1.5", "-x", "--", "-1k", "-٣")))


@pytest.mark.parametrize(
    "text", ['{"a": 1} ', ' {"a": 1}', '{"a":\n1}', '\n{"a": 1}', '\t{"a": 1}', '{"a": 1}\n\n']
)
def test_vllm_0_9_takes_json_for_a_text_unless_it_is_all_there_is_on_one_line(text: str) -> None:
    """CheckOptions of the real parsers of 0.9.2 and 0.10.2; a line's end alone may stand behind it."""
    old = flag("--hf-overrides kind=json-or-str syntax=one-line")
    new = flag("--hf-overrides kind=json-or-str")
    assert from_token(old, text) == text
    assert from_token(new, text) == {"a": 1}
    assert from_token(old, '{"a": 1}\n') == from_token(old, '{"a": 1}') == {"a": 1}
    done = args_to_env(["m", f"--hf-overrides={text}"], vllm="0.9.2")
    assert env_to_args(done.env, vllm="0.9.2").argv[2:] == ["m", f"--hf-overrides={text}"]


@pytest.mark.parametrize(
    ("text", "shape", "value"),
    [
        ("3", None, 3), ("true", None, True), ("1k", None, 1000), ("abc", None, "abc"), ('{"a": 1}', None, {"a": 1}), ("{'a': True}", None, {"a": True}),
        ("null", None, None), ("[1", None, "[1"),
        ("yes", {"kind": "bool"}, True), ("0", {"kind": "bool"}, False), ("maybe", {"kind": "bool"}, "maybe"), ("3", {"kind": "str"}, "3"),
        ("true", {"kind": "str"}, "true"), ("3", {"kind": "int"}, 3),
        ("auto", {"kind": "choice", "choices": ["auto", 1]}, "auto"), ("1", {"kind": "choice", "choices": ["1"]}, "1"),
        ("1", {"kind": "choice", "choices": [1]}, 1), ('"x"', {"kind": "str"}, "x"),
    ],
)  # fmt: skip
def test_one_key_is_typed_as_vllm_reads_it_behind_a_dotted_key(
    text: str, shape: dict[str, Any] | None, value: Any
) -> None:
    """JSON, else a size, else the text; but words for a boolean, and a text where the key takes
    only texts.
    """
    found = key_value(text, shape)
    assert found == value
    assert type(found) is type(value)
