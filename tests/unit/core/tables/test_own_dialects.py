"""Dialects that are not shipped: a table of one's own, and any prefix."""

from pathlib import Path

import pytest
from support.dialects import told
from support.tables import TEN_LINES

from translator import TranslationError, args_to_env, env_to_args
from translator.core.tables.catalog import Tables
from translator.maintain.compile import compile_overlay


def test_an_unknown_name_with_the_prefix_is_told(tmp_path: Path) -> None:
    """Whoever chose the prefix meant it for us; what a container's service links are called is
    nobody's choice.
    """
    names = {
        "MY_MAX_MODEL_LENGTH": "Did you mean `MY_MAX_MODEL_LEN`?",
        "MY_FLASH": "",
        "MY_Max_Model_Lenght": "Did you mean `MY_MAX_MODEL_LEN`?",
    }
    links = ("MY_SERVICE_HOST", "MY_SERVICE_PORT_HTTP", "MY_PORT_80_TCP", "MY_PORT_80_TCP_ADDR")
    env = dict.fromkeys((*names, *links, "MAX_MODEL_LENGTH", "YOUR_FLASH"), "1")
    found = env_to_args({"MY_MODEL": "m", **env}, vllm="0.27.1", dialect="prefix:MY_").findings
    assert {item.subject: item.hint for item in found if item.code == "unknown-variable"} == names
    assert len(found) == len(names)
    made = env_to_args(
        {"ACME_MODEL": "m", "ACME_ARGS": "--seed 3", "ACME_FOO": "1"},
        vllm="0.27.1",
        dialect="acme",
        tables=own(tmp_path, acme=TEN_LINES),
    )
    assert [(item.code, item.subject) for item in made.findings] == [
        ("unknown-variable", "ACME_FOO")
    ]
    assert made.argv == ["vllm", "serve", "m", "--seed=3"]
    assert told("sagemaker", SM_VLLM_MODEL="m", SM_VLLM_MAX_MODEL_LENGTH="1") == {
        ("unknown-variable", "SM_VLLM_MAX_MODEL_LENGTH")
    }


def test_very_many_unknown_names_are_told_in_time() -> None:
    """Each of them, but what it may have meant of the first few."""
    found = env_to_args(
        {"MY_MODEL": "m", **{f"MY_MAX_MODEL_LENGTH_{at}": "1" for at in range(3000)}},
        vllm="0.27.1",
        dialect="prefix:MY_",
    ).findings
    assert len(found) == 3000
    assert sum(bool(item.hint) for item in found) <= 20


def own(tmp_path: Path, **files: str) -> Tables:
    for name, text in files.items():
        path = tmp_path / "dialects" / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return Tables(compile_overlay(tmp_path))


def test_a_dialect_of_ones_own_extends_a_shipped_one(tmp_path: Path) -> None:
    head = '[dialect]\nname = "ours"\nsources = ["https://acme.example"]\nextends = "sagemaker"\n'
    text = head + '[[variable]]\nname = "OUR_MODEL"\nrole = "flag"\nflag = "--model"\n'
    tables = own(tmp_path, ours=text)
    made = env_to_args(
        {"OUR_MODEL": "m", "SM_VLLM_SEED": "3"}, vllm="0.27.1", dialect="ours", tables=tables
    )
    assert made.argv == ["vllm", "serve", "m", "--port=8080", "--seed=3"]


def test_a_dialect_of_ones_own_reads_values_as_a_shipped_program(tmp_path: Path) -> None:
    consumer = '[consumer]\nprogram = "sagemaker"\n[[variable]]'
    tables = own(tmp_path, acme=TEN_LINES.replace("[[variable]]", consumer, 1))
    env = {"ACME_MODEL": "m", "ACME_SERVED_MODEL_NAME": '["a", "b"]', "ACME_ENFORCE_EAGER": ""}
    made = env_to_args(env, vllm="0.27.1", dialect="acme", tables=tables)
    assert made.argv == ["vllm", "serve", "m", "--enforce-eager", "--served-model-name", "a", "b"]
    written = args_to_env(made.argv, vllm="0.27.1", dialect="acme", tables=tables).env
    assert written == {**env, "ACME_SERVED_MODEL_NAME": '["a","b"]', "ACME_ENFORCE_EAGER": "true"}


def test_what_is_extended_must_be_there(tmp_path: Path) -> None:
    """A dialect without what it stands on would read nothing, without a word."""
    head = '[dialect]\nname = "{}"\nsources = ["https://acme.example"]\nextends = "{}"\n'
    bases = {"lost": "sagemakr", "more": "lost", "own": "own", "one": "two", "two": "one"}
    tables = own(tmp_path, **{name: head.format(name, base) for name, base in bases.items()})
    lost = "`lost` extends the unknown dialect `sagemakr`."
    itself = "extends itself: {}."
    for name, said in (
        ("lost", lost),
        ("more", lost),
        ("own", itself.format("own → own")),
        ("one", itself.format("one → two → one")),
    ):
        with pytest.raises(TranslationError) as raised:
            env_to_args({"SM_VLLM_MODEL": "m"}, vllm="0.27.1", dialect=name, tables=tables)
        (found,) = raised.value.findings
        assert (found.code, said in found.message) == ("unknown-dialect", True)


def test_a_flag_of_a_table_that_no_version_has_is_told(tmp_path: Path) -> None:
    more = '[[variable]]\nname = "ACME_NOPE"\nrole = "flag"\nflag = "--nope"\n'
    more += '[[variable]]\nname = "ACME_TASK"\nrole = "choice"\nsets = { a = { "--nope" = "1" } }\n'
    tables = own(tmp_path, acme=TEN_LINES + more)
    assert (
        env_to_args(
            {"ACME_MODEL": "m", "ACME_NOPE": ""}, vllm="0.27.1", dialect="acme", tables=tables
        ).findings
        == ()
    )
    for name, text in (("ACME_NOPE", "x"), ("ACME_TASK", "a")):
        with pytest.raises(TranslationError) as raised:
            env_to_args(
                {"ACME_MODEL": "m", name: text}, vllm="0.27.1", dialect="acme", tables=tables
            )
        assert [(item.code, item.subject) for item in raised.value.findings] == [
            ("unknown-flag", name)
        ]
        assert "`--nope`, which no vLLM version has" in raised.value.findings[0].message


def test_a_variable_that_is_no_secret_by_its_name_shows_nothing(tmp_path: Path) -> None:
    consumer = '[consumer]\nprogram = "sagemaker"\n'
    door = '[[variable]]\nname = "ACME_DOOR"\nrole = "flag"\nflag = "--api-key"\n'
    tables = own(tmp_path, acme=TEN_LINES.replace("[[variable]]", f"{consumer}[[variable]]") + door)
    for value in ('["sk-1aaa","sk-2bbb"]', "-sk-1aaa"):
        env = {"ACME_MODEL": "m", "ACME_DOOR": value, "ACME_SEED": "x"}
        with pytest.raises(TranslationError) as raised:
            env_to_args(env, vllm="0.8.5", dialect="acme", tables=tables)
        assert "sk-1aaa" not in "".join(map(repr, raised.value.findings))
