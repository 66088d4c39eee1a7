"""Secret flags: one value goes to its carrier, several stand on the command line, and nothing is
taken for a secret that is none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from translator import TranslationError, args_to_env, env_to_args
from translator.api.convert import Move, argv_to_env, convert_argv, convert_env
from translator.authoring.compile import compile_overlay
from translator.settings.scope import Scope, scope
from translator.tables.catalog import Tables, shipped

TWO = '["sk-1aaa","sk-2bbb"]'
OLD, NEW = "0.8.5", "0.27.1"  # --api-key takes one text, and several


def here(dialect: str, version: str = NEW) -> Scope:
    return scope(version, dialect, {}, shipped())[0]


def codes(findings: object) -> list[str]:
    return [item.code for item in findings if item.severity != "info"]  # type: ignore[attr-defined]


def test_a_version_that_takes_one_key_is_not_given_several() -> None:
    old, new = here("runpod", OLD), here("runpod", NEW)
    with pytest.raises(TranslationError, match="has several values"):
        convert_argv(["m", "--api-key", "sk-1aaa", "sk-2bbb"], {}, Move(new, old))
    for move in (Move(old, new), Move(new, old)):
        made = convert_argv(["m", "--api-key", "a,bccc"], {}, move)
        assert made.env == {"VLLM_API_KEY": "a,bccc"}


def test_several_keys_go_from_one_dialect_to_another() -> None:
    env = {"SM_VLLM_MODEL": "m", "SM_VLLM_API_KEY": TWO}
    made = convert_env(env, Move(here("sagemaker"), here("runpod")))
    assert made.env == {"MODEL_NAME": "m", "VLLM_EXTRA_ARGS": "--api-key sk-1aaa sk-2bbb"}
    assert codes(made.findings) == ["secret-on-argv", "platform-breaks"]
    assert convert_env(env, Move(here("sagemaker"), here("prefix:ZZ_"))).env == {
        "ZZ_API_KEY": TWO,
        "ZZ_MODEL": "m",
    }


def test_a_key_that_nobody_asks_for_is_told() -> None:
    """LMI runs no server of vLLM's: with the key in a variable, everybody gets in all the same."""
    line, env = ["m", "--api-key", "sk-1aaa"], {"MODEL_NAME": "m", "VLLM_API_KEY": "sk-1aaa"}
    further = {"MODEL_NAME": "m", "VLLM_EXTRA_ARGS": "--api-key sk-1aaa"}
    own, lmi = here("runpod"), here("lmi")
    for made in (
        args_to_env(["m"], vllm=NEW, dialect="lmi", env={"VLLM_API_KEY": "sk-1aaa"}),
        convert_env(env, Move(own, lmi)),
        convert_env(further, Move(own, lmi)),
        argv_to_env(line, {}, Move(own, lmi)),
        argv_to_env(["m"], {"VLLM_API_KEY": "sk-1aaa"}, Move(own, lmi)),
    ):
        assert made.env["VLLM_API_KEY"] == "sk-1aaa"
        told = [item for item in made.findings if item.code == "consumer-differs"]
        assert [item.subject for item in told] == ["VLLM_API_KEY"]


def test_a_variable_that_is_no_secret_by_its_name_shows_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "dialects"
    folder.mkdir()
    text = """\
[dialect]
name = "acme"
sources = ["https://wiki.acme.example"]
prefix = "ACME_"
[consumer]
true = "bare"
false = "omit"
empty = "bare"
array = "tokens"
[[variable]]
name = "ACME_DOOR"
role = "flag"
flag = "--api-key"
"""
    (folder / "acme.toml").write_text(text)
    tables = Tables(compile_overlay(tmp_path))
    for value in ('["sk-1aaa","sk-2bbb"]', "-sk-1aaa"):
        with pytest.raises(TranslationError) as raised:
            env_to_args(
                {"ACME_MODEL": "m", "ACME_DOOR": value, "ACME_SEED": "x"},
                vllm=OLD,
                dialect="acme",
                tables=tables,
            )
        assert "sk-1aaa" not in "".join(map(repr, raised.value.findings))
