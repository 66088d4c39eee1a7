"""The writer of command lines."""

from typing import Any

import pytest
from support.made_up import scope as made_scope

from translator.core.argv import writer as argv
from translator.core.settings import Resolved
from translator.core.settings.scope import Scope
from translator.core.text.words import VARIABLE, Origin


@pytest.fixture(scope="module")
def here() -> Scope:
    return made_scope(
        "--model kind=str", "--config kind=str", "--b kind=int", "--a kind=str", "--on kind=toggle negations:--no-on", "--sw kind=switch",
        "--l kind=list element=str", "--j kind=json", "--key kind=list element=str",
        grammar="dotted plus", secrets=("@patterns\tpatterns:token", "--key\tsecret\tvariable=VLLM_KEY"),
    )  # fmt: skip


def assembled(values: dict[str, Any]) -> Resolved:
    done = Resolved()
    done.values = dict(values)
    done.origins = {name: [Origin(VARIABLE, name.strip("-").upper())] for name in values}
    return done


def written(
    here: Scope, values: dict[str, Any], **options: Any
) -> tuple[list[list[str]], list[str]]:
    written, findings = argv.write_argv(assembled(values), here.catalog, **options)
    groups = [tokens for _, tokens in written]
    return groups, [f"{item.code} {item.subject}" for item in findings]


@pytest.mark.parametrize("model", ["-m", "--model", "--", "-1.5", "org/m", "-", "-1", "a b", "./-m", "m=1"])  # fmt: skip
def test_a_model_that_looks_like_an_option_is_refused(here: Scope, model: str) -> None:
    """vLLM would not take it for the model; any other is written as it is."""
    groups, findings = written(here, {"--model": model})
    refused = model in ("-m", "--model", "--", "-1.5")
    assert ("not-on-argv MODEL" in findings) == refused
    assert refused or groups == [["vllm", "serve", model]]


def test_what_no_command_line_can_hold(here: Scope) -> None:
    """An element that looks like an option beside another, and NUL; everything else is still
    written, so that all errors are found.
    """
    groups, findings = written(here, {"--model": "m", "--l": ["a", "-b"], "--a": "x\0y", "--b": 1})
    assert findings == ["bad-text A", "not-on-argv L"]
    assert ["--b=1"] in groups
    assert written(here, {"--a": "--"})[1] == ["not-on-argv A"]
    assert written(here, {"--a": "a=--"})[1] == []


def test_json_style(here: Scope) -> None:
    """Compact, or by dotted keys where the version knows them."""
    values = {"--j": {"a": {"b": 1}, "c": ["x", "y"]}}
    (compact,) = written(here, values)[0][1:]
    assert compact == ['--j={"a":{"b":1},"c":["x","y"]}']
    (dotted,) = written(here, values, json_style="dotted")[0][1:]
    assert dotted == ["--j.a.b=1", "--j.c+=x,y"]
    old = made_scope("--j kind=json")
    assert written(old, {"--j": {"a": 1}}, json_style="dotted")[0][1:] == [['--j={"a":1}']]


def test_a_missing_model_is_an_error_where_the_version_needs_one() -> None:
    """Else a warning, since vLLM then serves its own default."""
    strict = made_scope("--model kind=str", grammar="model_required")
    assert argv.missing_model(assembled({}), strict.catalog, "MODEL_NAME").code == "missing-model"
    found = argv.missing_model(assembled({}), made_scope("--model kind=str").catalog, "MODEL_NAME")
    assert (found.code, found.hint) == ("no-model", "Set `MODEL_NAME`.")


def test_a_secret_inside_a_value_is_warned_of(here: Scope) -> None:
    """Once a flag, without showing it; not of a secret flag, which has a warning of its own."""
    secret = {"token": "abcdefgh", "b": {"token": "ijklmnop"}}
    values = {
        "--j": secret, "--b": 1, "--a": "http://u:p@h", "--api-key": "sk-proj-abc123def456ghi789",
    }  # fmt: skip
    found = argv.secrets_on(assembled(values), here.catalog, values)
    told = [("secret-on-argv", "J"), ("secret-on-argv", "A")]
    assert [(item.code, item.subject) for item in found] == told
    assert "abcdefgh" not in str(found)
    plain = {"--j": {"a": "b"}, "--a": "x"}
    assert argv.secrets_on(assembled(plain), here.catalog, plain) == []
