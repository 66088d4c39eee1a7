"""A dialect's own file of settings, in the syntax of Java's properties: read as variables, and
written.
"""

from pathlib import Path
from typing import Any

import pytest
from cases import table
from hypothesis import given
from hypothesis import strategies as st
from support.consumers import lmi
from support.program import translate

from translator import env_to_args
from translator.core.tables.catalog import shipped
from translator.formats import properties
from translator.formats.properties import Keys, keys_of, read, write

EVERYTHING = Keys("any.properties", {"": "X_"})
OWN = keys_of("lmi", shipped())


@pytest.mark.parametrize("case", table("properties").values(), ids=table("properties"))
def test_the_syntax_of_java(case: dict[str, Any]) -> None:
    found = dict(properties._entry(line) for _, line in properties._lines(case["text"]))
    assert found == case["keys"]


@given(
    st.dictionaries(
        st.from_regex(r"X_[A-Z0-9_]+", fullmatch=True),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    )
)
def test_what_is_written_is_read_again(env: dict[str, str]) -> None:
    text, unsaid = write(env, EVERYTHING)
    assert (read(text.encode("ascii"), "f", EVERYTHING).env, unsaid) == (env, [])


def test_what_the_container_does_nothing_with_is_told() -> None:
    """Keys in capitals, keys that cannot be a variable's; a misspelt option is told of like a
    misspelt variable.
    """
    found = read(b"option.Max_Model_Len=1\nfoo.bar=2\noption.max_model_length=3\n", "f", OWN)
    assert [item.subject for item in found.findings] == ["option.Max_Model_Len", "foo.bar"]
    assert {item.code for item in found.findings} == {"unknown-variable"}
    told = env_to_args({"HF_MODEL_ID": "m", **found.env}, vllm="0.27.1", dialect="lmi").findings
    assert ("unknown-variable", "OPTION_MAX_MODEL_LENGTH") in [
        (item.code, item.subject) for item in told
    ]


def test_characters_that_java_reads_otherwise_and_bad_escapes_are_told() -> None:
    assert [item.code for item in read("option.model_id=ü\n".encode(), "f", OWN).findings] == [
        "platform-differs"
    ]
    assert read(b"option.model_id=\xfc\n", "f", OWN).findings == []
    for bad in (rb"option.revision=\u00g1", rb"option.revision=\u12", rb"option.revision=\ud83d"):
        found = read(b"engine=Python\n" + bad + b"\n", "f", OWN)
        assert [(item.code, item.subject) for item in found.findings] == [("bad-env-file", "f:2")]
        assert found.env == {"OPTION_ENGINE": "Python"}


def test_the_file_wins_over_the_variables(tmp_path: Path) -> None:
    """As the model server has it, whatever the order; a difference is told, without the values."""
    file, env = tmp_path / "serving.properties", tmp_path / ".env"
    file.write_text("option.max_model_len=100\n")
    env.write_text("HF_MODEL_ID=m\nOPTION_MAX_MODEL_LEN=200\nOPTION_SEED=3\n")
    for first, second in ((file, env), (env, file)):
        options = f"--dialect lmi --vllm 0.27.1 --env-file {first} --env-file {second}"
        done = translate("env-to-args", *options.split(), "--format", "lines")
        assert {"--max-model-len=100", "--seed=3"} < set(done.out.splitlines())
        assert "overrides the variable `OPTION_MAX_MODEL_LEN`" in done.err
    given = {"HF_MODEL_ID": "m", "OPTION_MAX_MODEL_LEN": "200", "OPTION_SEED": "3"}
    theirs = lmi(given, properties={"option.max_model_len": "100"})
    assert theirs[theirs.index("--max_model_len") + 1] == "100"
