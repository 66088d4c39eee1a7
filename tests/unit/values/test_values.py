"""The codecs: one value of one flag, from tokens, from variables, and back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.made_up import flag

from translator import args_to_env, env_to_args
from translator.settings.setting import same
from translator.text.json_text import repair
from translator.values.errors import BadValue
from translator.values.tokens import boolean, from_token, pairs, survives_alone, text_of, tokens
from translator.values.variables import from_variable

NAME_PATH = {"element": "NAME=PATH"}


def refused(call: Any, *args: Any) -> BadValue:
    with pytest.raises(BadValue) as caught:
        call(*args)
    return caught.value


# --- booleans -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["true", "True", "TRUE", "1", "yes", "Yes", "on", " ON ", "\ttrue\n"]
)
def test_words_for_true(text: str) -> None:
    """In any case, with blanks around."""
    assert boolean(text) is True


@pytest.mark.parametrize("text", ["false", "False", "0", "no", "NO", "off", " Off"])
def test_words_for_false(text: str) -> None:
    """In any case, with blanks around."""
    assert boolean(text) is False


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("maybe", ""), ('"true"', "true"), ("yes please", "true"),
        ("t", "true"), ("y", "true"), ("n", "false"), ("fasle", "false"),
        ("2", ""), ("-1", ""), ("", ""),
    ],
)  # fmt: skip
def test_anything_else_is_an_error_and_never_false(text: str, instead: str) -> None:
    """With the word that was most likely meant."""
    error = refused(boolean, text)
    assert (error.code, error.facts) == ("bad-bool", {"instead": instead})


@pytest.mark.parametrize(
    "line",
    ["--x kind=switch", "--x kind=toggle negations:--no-x", "--x kind=bool-value false=false bare"],
)
def test_booleans_of_every_kind_are_read_from_variables(line: str) -> None:
    """The kind only matters for the tokens."""
    assert from_variable(flag(line), "Yes") == (True, "")
    assert from_variable(flag(line), "0") == (False, "")
    assert refused(from_variable, flag(line), "x").code == "bad-bool"


def test_booleans_become_the_tokens_that_the_version_has() -> None:
    """The last negation is the one that the version's help shows."""
    assert tokens(flag("--x kind=switch"), True) == ["--x"]
    assert tokens(flag("--x kind=switch"), False) == []
    assert tokens(flag("--x kind=toggle negations:--no-x"), True) == ["--x"]
    assert tokens(flag("--x kind=toggle negations:--no-x"), False) == ["--no-x"]
    assert tokens(flag("--enable-x kind=toggle negations:--no-enable-x|--disable-x"), False) == [
        "--disable-x"
    ]
    assert tokens(flag("--x kind=bool-value false=False"), False) == ["--x=False"]
    assert tokens(flag("--x kind=bool-value false="), False) == ["--x="]


def test_a_value_behind_an_old_boolean_flag() -> None:
    """StoreBoolean takes two words in any case; argparse's type=bool takes any text for true but
    the empty one.
    """
    store = flag("--x kind=bool-value false=false bare")
    assert [from_token(store, text) for text in ("true", "True", "FALSE")] == [True, True, False]
    assert refused(from_token, store, "1").code == "bad-bool"
    plain = flag("--x kind=bool-value false=")
    assert [from_token(plain, text) for text in ("false", "0", "")] == [True, True, False]


# --- numbers --------------------------------------------------------------------------------------


def test_an_integer_token_is_pythons() -> None:
    """No sizes where the version takes none; the digits are the hint."""
    number = flag("--x kind=int")
    assert [from_token(number, text) for text in ("7", "-7", " 7", "1_000")] == [7, -7, 7, 1000]
    error = refused(from_token, number, "8k")
    assert (error.code, error.facts["instead"]) == ("bad-integer", "8000")
    assert refused(from_token, number, "0.5").facts["instead"] == "1"
    assert refused(from_token, number, "1" * 5000).facts["most"] == 400


@pytest.mark.parametrize(
    "line", ["--x kind=int", "--x kind=size suffixes=kK", "--x kind=size-or-auto suffixes=kK"]
)
def test_integer_variables_take_sizes_for_every_version(line: str) -> None:
    """Whatever the version itself can read, and as plain digits on its command line."""
    made = flag(line)
    assert from_variable(made, "25.6k") == (25600, "")
    assert from_variable(made, "1T") == (2**40, "")
    assert tokens(made, 25600) == ["--x=25600"]
    error = refused(from_variable, made, "25.6K")
    assert (error.facts["suffixes"], error.facts["instead"]) == ("k, m, g and t", "25.6k")
    assert refused(from_variable, made, "two").code == "bad-integer"


def test_auto_is_for_the_flags_that_take_it() -> None:
    """As -1, which is what the parser makes of it."""
    auto = flag("--x kind=size-or-auto suffixes=k")
    assert [from_token(auto, text) for text in ("auto", " AUTO ", "-1", "1k")] == [-1, -1, -1, 1000]
    assert from_variable(auto, "Auto") == (-1, "")
    assert tokens(auto, -1) == ["--x=-1"]
    assert refused(from_variable, flag("--x kind=size suffixes=k"), "auto").code == "bad-integer"
    assert refused(from_variable, auto, "x").facts["expected"] == "an integer or auto"


def test_sizes_on_a_command_line_have_the_suffixes_of_the_version() -> None:
    """What the version cannot read is refused there, though a variable may say it."""
    old = flag("--x kind=size suffixes=kKmM")
    assert from_token(old, "1m") == 10**6
    assert refused(from_token, old, "1g").code == "bad-integer"
    assert from_variable(old, "1g") == (10**9, "")


def test_floats() -> None:
    """Python's, with nan and inf as its parser has them."""
    number = flag("--x kind=float")
    assert from_variable(number, " 0.95 ") == (0.95, "")
    assert from_token(number, "1e-3") == 0.001
    assert from_token(number, "inf") == math.inf
    assert refused(from_token, number, "0,5").code == "bad-float"
    assert refused(from_variable, number, "half").code == "bad-float"
    assert tokens(number, 0.1) == ["--x=0.1"]
    assert tokens(number, 1e-7) == ["--x=1e-07"]


@given(st.floats())
def test_every_float_survives(value: float) -> None:
    """As the shortest text that is read back as the same."""
    number = flag("--x kind=float")
    assert same(from_token(number, text_of(number, value)), value)


def test_numbers_among_choices() -> None:
    """The nearest one is the hint."""
    rank = flag("--x kind=int choices:8|16|32 int_choices")
    assert from_variable(rank, "16") == (16, "")
    assert from_token(rank, "8") == 8
    for read in (from_variable, from_token):
        error = refused(read, rank, "20")
        assert error.code == "bad-choice"
        assert error.facts == {"choices": ("8", "16", "32"), "instead": "16"}


# --- texts ----------------------------------------------------------------------------------------


@given(st.text())
def test_texts_arrive_unchanged(text: str) -> None:
    """From a variable, and from a token, into one token."""
    plain = flag("--x kind=str")
    assert from_variable(plain, text) == (text, "")
    assert from_token(plain, text) == text
    assert tokens(plain, text) == [f"--x={text}"]


def test_none_is_none_only_where_the_version_reads_it_so() -> None:
    """`--x None` and `--x ""`."""
    assert from_token(flag("--x kind=str nullable"), "None") is None
    assert from_token(flag("--x kind=str"), "None") == "None"
    assert from_token(flag("--x kind=str empty"), "") is None
    assert from_token(flag("--x kind=str nullable"), "") == ""
    assert from_token(flag("--x kind=int nullable"), "None") is None
    assert tokens(flag("--x kind=str nullable"), None) == ["--x=None"]
    assert tokens(flag("--x kind=str empty"), None) == ["--x="]
    assert tokens(flag("--x kind=list element=str nullable"), None) == ["--x=None"]


def test_choices() -> None:
    """Exactly, unless the version folds; blanks around a variable's value do not count; the nearest
    is the hint.
    """
    exact = flag("--x kind=str choices:auto|half|bfloat16")
    assert from_variable(exact, " half ") == ("half", "")
    assert refused(from_token, exact, " half ").code == "bad-choice"
    assert refused(from_token, exact, "HALF").facts["instead"] == "half"
    assert refused(from_variable, exact, "bfloat61").facts["instead"] == "bfloat16"
    error = refused(from_variable, exact, "fp9")
    assert error.facts == {"choices": ("auto", "half", "bfloat16"), "instead": ""}
    folded = flag("--x kind=str choices:flash_attn|Triton fold=case")
    assert from_token(folded, "FLASH_ATTN") == "flash_attn"
    assert from_token(folded, "triton") == "Triton"
    assert refused(from_token, folded, "flash-attn").code == "bad-choice"
    assert (
        from_token(flag("--x kind=str choices:flash_attn fold=case-dash"), "Flash-Attn")
        == "flash_attn"
    )


def test_a_value_that_may_be_left_out() -> None:
    """`--hf-token` alone."""
    optional = flag("--x kind=optional-str bare")
    assert tokens(optional, True) == ["--x"]
    assert tokens(optional, "true") == ["--x=true"]
    assert from_variable(optional, "abc") == ("abc", "")


# --- JSON -----------------------------------------------------------------------------------------


def test_json_tokens_are_strict() -> None:
    """As the parser's json.loads; what a variable would repair is the hint."""
    plain = flag("--x kind=json")
    assert from_token(plain, '{"a": [1]}') == {"a": [1]}
    assert from_token(plain, "3") == 3
    error = refused(from_token, plain, "{'a': True}")
    assert (error.code, error.facts["instead"]) == ("bad-json", '{"a":true}')
    assert refused(from_token, plain, '{"a":').facts["missing"] == "}"
    assert refused(from_token, plain, "x").facts["instead"] == ""
    assert refused(from_token, plain, '{"a": 1k}').facts["instead"] == '{"a":1000}'


def test_sizes_inside_json_tokens_need_a_version_and_a_shape() -> None:
    """vLLM expands them where it parses a class, from 0.20 on."""
    shaped = flag("--x kind=json shape")
    assert from_token(shaped, '{"a": 1k}', True) == {"a": 1000}
    assert refused(from_token, shaped, '{"a": 1k}', False).code == "bad-json"
    assert refused(from_token, flag("--x kind=json"), '{"a": 1k}', True).code == "bad-json"


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
    """And it is told how."""
    if how == "error":
        with pytest.raises(ValueError):
            repair(text)
    else:
        assert repair(text) == (value, how)


def test_json_variables() -> None:
    """A level as a digit, pairs for everyone, and errors with the remedy."""
    plain = flag("--x kind=json")
    assert from_variable(plain, ' {"a": 1} ') == ({"a": 1}, "")
    assert from_variable(plain, "image=1,video=0") == ({"image": 1, "video": 0}, "pairs")
    error = refused(from_variable, plain, '{"a":')
    assert (error.code, error.facts["missing"]) == ("bad-json", "}")
    assert from_variable(flag("--x kind=json level"), "3") == ({"level": 3}, "")
    assert from_variable(plain, "3") == (3, "")
    for syntax in ("pairs", "pairs-or-json"):
        assert from_variable(flag(f"--x kind=json syntax={syntax}"), "image=1") == (
            {"image": 1},
            "",
        )


def test_json_or_text_variables() -> None:
    """What begins with a brace, even behind a quote, is meant as JSON; everything else is a
    text.
    """
    either = flag("--x kind=json-or-str")
    assert from_variable(either, "my.module") == ("my.module", "")
    assert from_variable(either, '{"a": 1}') == ({"a": 1}, "")
    assert from_variable(either, "'{\"a\": 1}'") == ({"a": 1}, "quotes")
    assert from_variable(either, "[1]") == ("[1]", "")
    assert from_variable(either, " x ") == (" x ", "")
    assert refused(from_variable, either, '{"a":').code == "bad-json"
    assert from_token(either, '{"a": 1}') == {"a": 1}
    assert from_token(either, ' {"a": 1} ') == {"a": 1}
    assert from_token(either, '{"a":') == '{"a":'
    assert refused(from_token, either, "{a}").code == "bad-json"
    assert tokens(either, "x") == ["--x=x"]
    assert tokens(either, {"a": 1}) == ['--x={"a":1}']


def test_the_old_syntaxes_of_json_flags() -> None:
    """Pairs and Python literals, each way."""
    of_pairs = flag("--x kind=json syntax=pairs")
    assert from_token(of_pairs, "image=1,video=0") == {"image": 1, "video": 0}
    assert refused(from_token, of_pairs, '{"image": 1}').code == "bad-json"
    assert tokens(of_pairs, {"image": 1, "video": 0}) == ["--x=image=1,video=0"]
    both = flag("--x kind=json syntax=pairs-or-json")
    assert from_token(both, "image=1") == from_token(both, ' {"image": 1}') == {"image": 1}
    assert tokens(both, {"image": 1}) == ['--x={"image":1}']
    python = flag("--x kind=json syntax=python level")
    assert from_token(python, "{'a': True}") == {"a": True}
    assert from_token(python, "3") == {"level": 3}
    assert refused(from_token, python, '{"a": true}').code == "bad-json"
    assert tokens(python, {"a": 1}) == ['--x={"a":1}']
    assert tokens(python, {"a": True, "b": None}) == ["--x={'a': True, 'b': None}"]


def test_pairs_with_colons() -> None:
    """As vLLM 0.6.0 to 0.6.2 split them: every value is a text, and what looks like JSON is none."""
    made = flag("--x kind=json syntax=colons")
    assert from_token(made, "a:1,b: x") == {"a": "1", "b": " x"}
    assert from_token(made, '{"a": 1}') == {'{"a"': " 1}"}
    for text in ("a", "a:b:c", "a:b,", "", "None", '{"a": {"b": 1}}'):
        assert refused(from_token, made, text).facts["pairs"] == "KEY:VALUE", text
    assert from_variable(made, "a:1,b:x") == ({"a": "1", "b": "x"}, "")
    assert from_variable(made, '{"a": 1, "b": true}') == ({"a": 1, "b": True}, "")
    assert tokens(made, {"a": 1, "b": True, "c": "x y"}) == ["--x=a:1,b:true,c:x y"]
    assert refused(from_variable, made, "a").code == "bad-json"


def test_pairs() -> None:
    """As vLLM 0.6 read them: in any case, blanks do not count, a number may be said twice but not
    differently.
    """
    assert pairs(" Image = 1 ,video=2") == {"image": 1, "video": 2}
    assert pairs("a=1,a=1") == {"a": 1}
    assert refused(pairs, "a=1,a=2").facts == {"twice": "two different numbers"}
    for text in ("a", "a=", "a=b", "a=1,", "a=1=2", ""):
        refused(pairs, text)


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
    if isinstance(value, (dict, list)) and not any(
        isinstance(item, float) and math.isinf(item) for item in _leaves(value)
    ):
        assert same(from_token(python, text_of(python, value)), value)
    if not isinstance(value, str):
        assert same(from_variable(plain, json.dumps(value))[0], value)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    return (
        [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list) else [value]
    )


# --- lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a", ["a"]), ("a,b", ["a", "b"]), (" a , b ", ["a", "b"]), ('["a", "b,c"]', ["a", "b,c"]), ('["a", 3, 1.5, true]', ["a", "3", "1.5", "true"]),
        ("a=b,c", ["a=b", "c"]), ('"a,b"', ["a,b"]),
        ("a,,b", ["a", "", "b"]), ("[a]", None), ("['a', 'b']", ["a", "b"]), ('[["a"]]', None), ("[null]", None), ('[{"a": 1}]', None), ('["a"', None),
        ("'[\"a\"]'", ["a"]),
    ],
)  # fmt: skip
def test_lists_are_arrays_or_separated_by_commas(text: str, items: list[str] | None) -> None:
    """Elements of a list of texts."""
    made = flag("--x kind=list element=str")
    if items is None:
        assert refused(from_variable, made, text).code == "bad-list"
    else:
        assert from_variable(made, text)[0] == items


def test_lists_of_numbers_and_choices() -> None:
    """Each element is read like a value of its own."""
    assert from_variable(flag("--x kind=list element=int"), "1, 1k,[2]"[:5]) == ([1, 1000], "")
    assert from_variable(flag("--x kind=list element=int"), "[1, 2]") == ([1, 2], "")
    assert refused(from_variable, flag("--x kind=list element=int"), "1,x").code == "bad-integer"
    assert from_variable(flag("--x kind=list element=float"), "0.5,2") == ([0.5, 2.0], "")
    assert (
        refused(from_variable, flag("--x kind=list element=str choices:a|b"), "a,c").code
        == "bad-choice"
    )


def test_elements_that_are_objects() -> None:
    """`name=path` or a JSON object with both, one token each."""
    modules = flag("--x kind=list element=named-path objects")
    value, _ = from_variable(modules, '[{"name": "a", "path": "b"}, "c=d"]')
    assert value == [{"name": "a", "path": "b"}, "c=d"]
    assert tokens(modules, value) == ["--x", '{"name":"a","path":"b"}', "c=d"]
    assert from_variable(modules, '{"name": "a", "path": "b"}')[0] == [{"name": "a", "path": "b"}]
    for text in ("abc", '[{"name": "a"}]', "[1]"):
        assert refused(from_variable, modules, text).code == "bad-list"
    plain = flag("--x kind=list element=named-path")
    assert refused(from_token, plain, '{"name": "a", "path": "b"}').facts == NAME_PATH
    assert from_token(plain, "a=b,c") == "a=b,c"  # only where objects are read, a comma is none
    once = flag("--x kind=list element=named-path-once")
    for text in ('{"name": "a", "path": "b,c"}', '[{"name": "a", "path": "b,c"}]', '["a=b,c"]'):
        assert from_variable(once, text) == (["a=b,c"], ""), text
    for wrong in ({"name": "a=b", "path": "c"}, {"name": "a", "path": 1}, {"name": "a"}, {}):
        assert refused(from_variable, once, json.dumps(wrong)).facts == NAME_PATH, wrong
    assert (
        refused(from_variable, once, '{"name": "a", "path": "b", "base": "c"}').facts == NAME_PATH
    )
    assert refused(from_token, modules, '{"name": "a"}').facts != NAME_PATH
    assert refused(from_token, modules, "a=b,c=d").code == "bad-list"
    assert from_token(modules, "a=b=c") == "a=b=c"
    assert (
        refused(from_token, flag("--x kind=list element=named-path-once objects"), "a=b=c").code
        == "bad-list"
    )
    assert [from_token(modules, text) for text in ("", "None")] == [None, None]


def test_an_object_has_only_the_keys_of_its_version() -> None:
    """vLLM makes a class of it; tables without the keys of that allow all."""
    line = "--x kind=list element=named-path objects"
    more = '{"name": "a", "path": "b", "base": "c"}'
    known = flag(f"{line} object_keys:name|path|base")
    assert from_token(known, more) == json.loads(more) == from_token(flag(line), more)
    wrong = refused(from_token, flag(f"{line} object_keys:name|path"), more)
    assert (wrong.code, wrong.facts) == ("bad-list", {"known": ("name", "path")})
    assert refused(from_variable, flag(f"{line} object_keys:name|path"), f"[{more}]").facts


def test_tokens_of_lists() -> None:
    """One value is joined; several stand behind the flag, if they can; appended ones repeat it."""
    made = flag("--x kind=list element=str")
    assert tokens(made, ["-a.b"]) == ["--x=-a.b"]
    assert tokens(made, ["a", "b c", "-3", "-"]) == ["--x", "a", "b c", "-3", "-"]
    assert tokens(flag("--x kind=list element=int"), [1, -2]) == ["--x", "1", "-2"]
    assert tokens(flag("--x kind=append element=str"), ["-a", "b"]) == ["--x=-a", "--x=b"]
    error = refused(tokens, made, ["a", "-b"])
    # never the element: it may be one of several API keys
    assert (error.code, error.case, error.facts) == ("not-on-argv", "dash", {})
    assert refused(tokens, made, []).code == "bad-list"


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("a", True), ("", True), ("-", True), ("-1", True), ("-12", True), ("-1.5", False), ("-x", False), ("--", False), ("-1k", False), ("-٣", False),
        (" -x", True),
    ],
)  # fmt: skip
def test_which_texts_stand_alone(text: str, alone: bool) -> None:
    """What argparse takes for a value whatever flags there are, and vLLM's own parser, too."""
    assert survives_alone(text) is alone


def test_a_list_in_literal_quotes() -> None:
    """As docker's --env-file hands over NAME='a b': plainly meant without them; anything less plain
    stays a mistake.
    """
    from translator import TranslationError, env_to_args

    def given(text: str) -> tuple[list[str], list[tuple[str, str]]]:
        done = env_to_args({"MODEL_NAME": "m", "SERVED_MODEL_NAME": text}, vllm="0.27.1")
        # What RunPod's worker makes of a list is a finding of its own.
        told = [item for item in done.findings if item.code != "platform-differs"]
        return done.argv[3:], [(item.code, item.hint) for item in told]

    assert given("'a b'") == (
        ["--served-model-name=a b"],
        [("repaired-json", 'Write `SERVED_MODEL_NAME=["a b"]`.')],
    )
    assert given("'a, b'") == (
        ["--served-model-name", "a", "b"],
        [("repaired-json", 'Write `SERVED_MODEL_NAME=["a","b"]`.')],
    )
    assert given("a b") == (["--served-model-name=a b"], [])
    for text in ("'a','b'", "''a''", "' '"):
        with pytest.raises(TranslationError) as caught:
            given(text)
        assert [item.code for item in caught.value.findings] == ["bad-list"]
    assert given("it's 'x'") == (["--served-model-name=it's 'x'"], [])


@pytest.mark.parametrize(
    "text", ['{"a": 1} ', ' {"a": 1}', '{"a":\n1}', '\n{"a": 1}', '\t{"a": 1}', '{"a": 1}\n\n']
)
def test_vllm_0_9_takes_json_for_a_text_unless_it_is_all_there_is_on_one_line(text: str) -> None:
    """Asked of the real parsers of 0.9.2 and 0.10.2; a line's end alone may stand behind it."""
    old, new = (
        flag("--hf-overrides kind=json-or-str syntax=one-line"),
        flag("--hf-overrides kind=json-or-str"),
    )
    assert from_token(old, text) == text
    assert from_token(new, text) == {"a": 1}
    assert from_token(old, '{"a": 1}\n') == from_token(old, '{"a": 1}') == {"a": 1}
    done = args_to_env(["m", f"--hf-overrides={text}"], vllm="0.9.2")
    assert env_to_args(done.env, vllm="0.9.2").argv == [
        "vllm",
        "serve",
        "m",
        f"--hf-overrides={text}",
    ]
