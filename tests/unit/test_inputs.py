"""What a caller hands over that is no text, and what it gets back."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
from support.dialects import refused

from translator import (
    TranslationError,
    args_to_env,
    check,
    convert,
    diff,
    engine_args_to_env,
    env_to_args,
    explain,
    flags,
)
from translator.core.settings.scope import MOST_SCOPES
from translator.core.tables.catalog import Tables

MODEL = {"MODEL_NAME": "org/m"}


@pytest.mark.parametrize(
    "name",
    [
        "MAX_MODEL_LEN", "ENFORCE_EAGER", "HF_OVERRIDES", "HF_OVERRIDES__A", "VLLM_EXTRA_ARGS",
        "VLLM_API_KEY", "HF_TOKEN", "OTHER",
    ],
)  # fmt: skip
def test_none_sets_nothing(name: str) -> None:
    done = env_to_args({**MODEL, name: None}, vllm="0.27.1")  # type: ignore[dict-item]
    assert (done.argv, done.env, done.findings) == (["vllm", "serve", "org/m"], {}, ())


@pytest.mark.parametrize("value", [8192, True, 0.5, b"x", ["a"], {"a": 1}, object()])
def test_a_value_that_is_no_text_is_told_of_beside_the_other_mistakes(value: Any) -> None:
    assert refused(env_to_args, {**MODEL, "MAX_MODEL_LEN": value, "ENFORCE_EAGER": "maybe"}) == [
        ("bad-text", "MAX_MODEL_LEN"),
        ("bad-bool", "ENFORCE_EAGER"),
    ]


@pytest.mark.parametrize("env", [None, [], "x", 5, {5: "x"}, {None: "x"}, {b"A": "x"}])
def test_an_environment_that_is_none(env: Any) -> None:
    assert refused(env_to_args, env) == [("bad-text", "env")]


@pytest.mark.parametrize(
    ("argv", "subject"),
    [
        (None, "argv"),
        ("vllm serve m", "argv"),
        (5, "argv"),
        ([b"vllm"], "argv[0]"),
        (["m", "--seed", 3], "argv[2]"),
        ([None], "argv[0]"),
    ],
)
def test_tokens_that_are_none(argv: Any, subject: str) -> None:
    assert refused(args_to_env, argv) == [("bad-text", subject)]
    if subject == "argv[2]":
        assert refused(env_to_args, MODEL, extra=argv) == [("bad-text", subject)]


@pytest.mark.parametrize("wrong", [5, 0.27, b"x", ["0.27.1"], (0, 27, 1), object()])
def test_every_function_tells_of_what_is_no_text(wrong: Any) -> None:
    version, dialect, line = ("bad-version", "vllm"), ("unknown-dialect", "dialect"), ["m"]
    assert refused(env_to_args, MODEL, vllm=wrong) == [version]
    assert refused(args_to_env, line, vllm=wrong) == [version]
    assert refused(env_to_args, MODEL, dialect=wrong) == [dialect]
    assert refused(check, line, vllm=wrong) == [version]
    assert refused(check, MODEL, dialect=wrong) == [dialect]
    assert refused(convert, line, wrong, "0.33.0") == [version]
    assert refused(convert, MODEL, "0.33.0", wrong) == [version]
    assert refused(convert, MODEL, "0.12.0", "0.33.0", to_dialect=wrong) == [dialect]
    assert refused(flags, wrong) == refused(diff, "0.33.0", wrong) == [version]
    assert refused(explain, "DTYPE", wrong) == [version]
    assert refused(explain, wrong) == [("bad-text", "name")]
    assert refused(engine_args_to_env, wrong) == [("bad-text", "arguments")]
    assert refused(engine_args_to_env, {"model": "m", 5: 1}) == [("bad-text", "arguments")]


def test_the_version_of_the_environment_is_named_when_it_is_wrong() -> None:
    """None there asks for nothing."""
    assert refused(env_to_args, {**MODEL, "TRANSLATE_VLLM_VERSION": "nightly"}) == [
        ("bad-version", "TRANSLATE_VLLM_VERSION")
    ]
    assert (
        env_to_args({**MODEL, "TRANSLATE_VLLM_VERSION": "None"}).version
        == env_to_args(MODEL).version
    )


def _fail(text: str) -> None:
    env_to_args({**MODEL, "SEED": text})


def test_errors_and_findings_can_be_copied_and_sent() -> None:
    """Between processes, as a pool does: an exception that cannot be read again breaks the pool."""
    with pytest.raises(TranslationError) as caught:
        _fail("x")
    error = caught.value
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (again.findings, str(again)) == (error.findings, str(error))
    with ProcessPoolExecutor(1) as pool, pytest.raises(TranslationError, match="SEED=y"):
        pool.submit(_fail, "y").result()


def test_made_up_versions_and_dialects_fill_no_memory() -> None:
    tables = Tables()
    for number in range(3 * MOST_SCOPES):
        env_to_args(MODEL, vllm=f"0.27.1+x{number}", tables=tables)
        env_to_args({f"P{number}_MODEL": "m"}, dialect=f"prefix:P{number}_", tables=tables)
        refused(env_to_args, MODEL, dialect=f"no{number}", tables=tables)
    assert len(tables.scopes) <= MOST_SCOPES
    assert len(tables._records) < 20


def test_a_conversion_does_not_depend_on_what_was_asked_before() -> None:
    """With too many versions and dialects to keep, the two of a conversion were two objects, and
    taken for two different ones.
    """
    fresh, full = Tables(), Tables()
    for number in range(MOST_SCOPES):
        env_to_args({f"P{number}_MODEL": "m"}, dialect=f"prefix:P{number}_", tables=full)
    found = [
        convert({**MODEL, "MAX_MODEL_LEN": "8k"}, "0.27.1", "0.27.1", dialect="lmi", tables=tables)
        for tables in (fresh, full)
    ]
    assert found[0].findings == found[1].findings == ()
