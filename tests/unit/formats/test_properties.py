"""A dialect's own file of settings, in the syntax of Java's properties: read as variables, and
written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cases import table
from hypothesis import given
from hypothesis import strategies as st
from support.consumers import lmi
from support.program import Ran, translate

from translator import args_to_env, env_to_args
from translator.formats import properties
from translator.formats.properties import Keys, keys_of, read, write
from translator.tables.catalog import shipped

EVERYTHING = Keys("any.properties", {"": "X_"})
FOUND = keys_of("lmi", shipped())
assert FOUND is not None
OWN = FOUND
FILE = """\
engine=Python
option.model_id=org/m
option.tensor_parallel_degree=2
option.rolling_batch=disable
option.entryPoint=djl_python.lmi_vllm.vllm_async_service
option.speculative_config={"method": "ngram", \\
                           "num_speculative_tokens": 3}
option.enable_prefix_caching=false
job_queue_size=200
"""
ARGV = [
    *("vllm", "serve", "org/m", "--no-enable-prefix-caching", "--max-loras=4", "--max-num-seqs=32"),
    '--speculative-config={"method":"ngram","num_speculative_tokens":3}',
    "--tensor-parallel-size=2",
]
HERE = "--dialect lmi --vllm 0.27.1"


@pytest.mark.parametrize("case", table("properties")["case"], ids=lambda case: case["title"])
def test_the_syntax_of_java(case: dict[str, Any]) -> None:
    found = dict(
        properties._entry(line)
        for _, line in properties._lines(case["text"].encode("iso-8859-1").decode("iso-8859-1"))
    )
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


def test_a_file_is_variables() -> None:
    found = read(FILE.encode(), "serving.properties", OWN)
    assert found.findings == []
    assert found.places["OPTION_ENABLE_PREFIX_CACHING"] == ("serving.properties", 8)
    made = env_to_args(found.env, vllm="0.27.1", dialect="lmi")
    assert made.argv == ARGV
    worker = {item.subject for item in made.findings if item.code == "worker-only"}
    assert worker == {"OPTION_ENGINE", "OPTION_ENTRYPOINT", "SERVING_JOB_QUEUE_SIZE"}


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
        "consumer-differs"
    ]
    assert read(b"option.model_id=\xfc\n", "f", OWN).findings == []
    for bad in (rb"option.revision=\u00g1", rb"option.revision=\u12", rb"option.revision=\ud83d"):
        found = read(b"engine=Python\n" + bad + b"\n", "f", OWN)
        assert [(item.code, item.subject) for item in found.findings] == [("bad-env-file", "f:2")]
        assert found.env == {"OPTION_ENGINE": "Python"}


def ran(line: str, *more: str) -> Ran:
    return translate(*line.split(), *more)


def test_every_command_reads_the_file(tmp_path: Path) -> None:
    """By its name, and by --env-file-format under any other."""
    file, other = tmp_path / "serving.properties", tmp_path / "settings"
    file.write_text(FILE)
    other.write_text(FILE)
    for options in (f"--env-file {file}", f"--env-file {other} --env-file-format properties"):
        assert json.loads(ran(f"env-to-args {HERE} {options} --format json").out)["argv"] == ARGV
    checked = ran(f"check {HERE} {file}")
    assert checked.status == 0
    assert f"{file}:5: info[worker-only]: `OPTION_ENTRYPOINT`" in checked.out
    to = "--from-dialect lmi --to-dialect runpod --to 0.27.1"
    carried = ran(f"convert {to} --env-file {file}")
    assert carried.out.splitlines()[:2] == ["ENABLE_PREFIX_CACHING=false", "MODEL_NAME=org/m"]
    wrong = ran(f"env-to-args --env-file {file}")
    assert wrong.status == 2
    assert "the dialect runpod has no properties file" in wrong.err


def test_the_file_wins_over_the_variables(tmp_path: Path) -> None:
    """As the model server has it, whatever the order; a difference is told, without the values."""
    file, env = tmp_path / "serving.properties", tmp_path / ".env"
    file.write_text("option.max_model_len=100\n")
    env.write_text("HF_MODEL_ID=m\nOPTION_MAX_MODEL_LEN=200\nOPTION_SEED=3\n")
    for first, second in ((file, env), (env, file)):
        done = ran(f"env-to-args {HERE} --env-file {first} --env-file {second} --format lines")
        assert {"--max-model-len=100", "--seed=3"} < set(done.out.splitlines())
        assert "overrides the variable `OPTION_MAX_MODEL_LEN`" in done.err
    given = {"HF_MODEL_ID": "m", "OPTION_MAX_MODEL_LEN": "200", "OPTION_SEED": "3"}
    theirs = lmi(given, properties={"option.max_model_len": "100"})
    assert theirs[theirs.index("--max_model_len") + 1] == "100"


def test_a_command_line_becomes_the_file(tmp_path: Path) -> None:
    line = [
        "vllm",
        "serve",
        "org/ü",
        "--max-model-len",
        "8k",
        "--convert",
        "embed",
        "--served-model-name",
    ]
    line += [" a\\b", "--api-key", "sk-secretsecret"]
    made = ran(f"args-to-env {HERE} --format properties --", *line)
    assert made.out == (
        "option.task=text-embedding\noption.max_model_len=8000\noption.model_id=org/\\u00FC\n"
        "option.served_model_name=\\ a\\\\b\n"
    )
    assert "warning[not-in-file]: `serving.properties` has no key for `VLLM_API_KEY`" in made.err
    assert "sk-secret" not in made.err + made.out
    file = tmp_path / "serving.properties"
    file.write_text(made.out)
    back = json.loads(ran(f"env-to-args {HERE} --env-file {file} --format json").out)["argv"]
    wanted = args_to_env(line[:-2], vllm="0.27.1", dialect="lmi").env
    assert back == env_to_args(wanted, vllm="0.27.1", dialect="lmi").argv
    to = "--from-dialect lmi --to 0.27.1 --format properties"
    assert ran(f"convert {to} --env-file {file}").out == made.out
    wrong = ran("args-to-env --format properties -- vllm serve m")
    assert (wrong.status, wrong.out) == (2, "")
