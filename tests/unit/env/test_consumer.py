"""What older generations of RunPod's worker make of a variable, where we make something else of
it.
"""

from __future__ import annotations

import pytest
from support.dialects import subjects

from translator import Finding, TranslationError, env_to_args


def about(dialect: str, vllm: str, env: dict[str, str]) -> list[Finding]:
    done = env_to_args({"MODEL_NAME": "m", **env}, vllm=vllm, dialect=dialect)
    return [item for item in done.findings if item.severity != "info"]


@pytest.mark.parametrize(
    ("dialect", "vllm", "given", "message", "hint"),
    [
        ("runpod@2.5", "0.6.6.post1", "MAX_MODEL_LEN=25.6k", "stops at `MAX_MODEL_LEN=25.6k`: it reads only whole numbers in digits.", "Write `MAX_MODEL_LEN=25600`."),
        ("runpod@2.5", "0.6.6.post1", "BLOCK_SIZE=", "stops at `BLOCK_SIZE=`: it reads only whole numbers in digits.", "Remove `BLOCK_SIZE`."),
        ("runpod@2.5", "0.6.6.post1", "QUANTIZATION=None", "reads `QUANTIZATION=None` as the text `None`.", "Remove `QUANTIZATION`."),
        ("runpod@2.13", "0.15.0", "GPU_MEMORY_UTILIZATION=None", "stops at `GPU_MEMORY_UTILIZATION=None`.", "Remove `GPU_MEMORY_UTILIZATION`."),
        ("runpod@2.17", "0.16.0", "MAX_NUM_BATCHED_TOKENS=8k", "ignores `MAX_NUM_BATCHED_TOKENS=8k`: it reads only whole numbers in digits.", "Write `MAX_NUM_BATCHED_TOKENS=8000`."),
        ("runpod@2.17", "0.16.0", "BLOCK_SIZE=", "reads `BLOCK_SIZE=` as vLLM's own default.", "Remove `BLOCK_SIZE`."),
    ],
)  # fmt: skip
def test_what_the_worker_makes_of_it_is_told_with_what_to_write(
    dialect: str, vllm: str, given: str, message: str, hint: str
) -> None:
    """And by itself: no other finding is about the variable."""
    name, _, text = given.partition("=")
    (found,) = about(dialect, vllm, {name: text})
    assert (found.code, found.subject) == ("consumer-differs", name)
    assert found.message == f"RunPod's worker {dialect[7:]} {message}"
    assert found.hint == hint


def test_a_variable_that_is_read_beside_others_only() -> None:
    """Also if the same value was right a moment before."""
    alone = {"SPECULATIVE_ENFORCE_EAGER": "true"}
    beside = {**alone, "SPECULATIVE_METHOD": "ngram", "NUM_SPECULATIVE_TOKENS": "3"}
    assert not subjects(about("runpod@2.20", "0.19.1", beside), "consumer-differs")
    (found,) = about("runpod@2.20", "0.19.1", alone)
    assert found.message == (
        "RunPod's worker 2.20 ignores `SPECULATIVE_ENFORCE_EAGER=true` unless one of "
        "`NGRAM_PROMPT_LOOKUP_MAX`, `SPECULATIVE_METHOD`, `SPECULATIVE_MODEL` is set."
    )


def test_what_is_wrong_anyway_is_told_once() -> None:
    with pytest.raises(TranslationError) as caught:
        about("runpod@2.5", "0.6.6.post1", {"MAX_NUM_SEQS": "abc"})
    (found,) = (item for item in caught.value.findings if item.severity != "info")
    assert (found.code, found.subject) == ("bad-integer", "MAX_NUM_SEQS")


@pytest.mark.parametrize("text", ["8k", "8192", "25.6k"])
def test_it_is_translated_all_the_same(text: str) -> None:
    """`translate exec` starts vLLM itself: without the name of a generation, nothing is to tell."""
    for dialect in ("runpod", "runpod@2.5"):
        done = env_to_args(
            {"MODEL_NAME": "m", "MAX_MODEL_LEN": text}, vllm="0.6.6.post1", dialect=dialect
        )
        number = {"8k": 8000, "25.6k": 25600}.get(text, text)
        assert f"--max-model-len={number}" in done.argv
        told = subjects(done.findings, "consumer-differs")
        assert told == ({"MAX_MODEL_LEN"} if "@" in dialect and text != "8192" else set())


def test_none_for_the_current_worker_is_a_note() -> None:
    """It passes the text on, as `--quantization None`; vLLM does not get it from us."""
    done = env_to_args({"MODEL_NAME": "m", "QUANTIZATION": "None"}, vllm="0.27.1")
    assert done.argv == ["vllm", "serve", "m"]
    (found,) = done.findings
    assert (found.code, found.subject) == ("platform-differs", "QUANTIZATION")


def test_a_flag_that_the_program_adds_is_not_told_to_be_deprecated() -> None:
    """Nobody could do anything about it; about the same flag of a variable, somebody can."""
    assert not about("runpod@2.11", "0.11.0", {})
    (found,) = about("runpod@2.11", "0.11.0", {"GUIDED_DECODING_BACKEND": "guidance"})
    assert (found.code, found.subject) == ("deprecated-flag", "GUIDED_DECODING_BACKEND")
