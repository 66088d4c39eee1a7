"""What is proposed instead of a value that is nearly right, and that it is taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator import TranslationError, env_to_args
from translator.values import hints as remedies


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("MAX_MODEL_LEN", '"8192"', "write 8192"), ("MAX_MODEL_LEN", "8,192", "write 8192"), ("MAX_MODEL_LEN", "32kb", "write 32000"),
        ("MAX_MODEL_LEN", "1.5K", "write 1.5k"), ("MAX_NUM_SEQS", "0.7", "write 1"), ("SEED", "abc", "write a whole number, such as 8192 or 8k"),
        ("GPU_MEMORY_UTILIZATION", "90%", "write 0.9"), ("GPU_MEMORY_UTILIZATION", "0,9", "write 0.9"),
        ("GPU_MEMORY_UTILIZATION", "x", "write a number, such as 0.9"),
        ("ENFORCE_EAGER", "'yes'", "write true"), ("DTYPE", "bf16", "write bfloat16"), ("DTYPE", '"half"', "write half"), ("DTYPE", "zzz", ""),
        ("ALLOWED_ORIGINS", "*", 'write ["*"]'), ("ALLOWED_METHODS", "GET,POST", 'write ["GET","POST"]'),
        ("COMPILATION_CONFIG__CUDAGRAPH_CAPTURE_SIZES", "1,2,4", "write [1,2,4]"), ("VLLM_PORT", "abc", "write a whole number"),
    ],
)  # fmt: skip
def test_what_to_write_instead(name: str, text: str, hint: str) -> None:
    """And what is proposed is taken."""
    with pytest.raises(TranslationError) as caught:
        env_to_args({"MODEL_NAME": "m", name: text}, vllm="0.27.1")
    assert [item.hint for item in caught.value.findings if item.severity == "error"] == [hint]
    proposed = hint.removeprefix("write ")
    if hint and not proposed.startswith("a "):
        assert env_to_args({"MODEL_NAME": "m", name: proposed}, vllm="0.27.1").argv


@given(st.text(max_size=12))
def test_no_text_is_too_odd(text: str) -> None:
    """Every remedy says something, or nothing."""
    for found in (remedies.whole(text), remedies.number(text), remedies.array(text)):
        assert found == "" or found.startswith("write ")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("VLLM_DTYPE", "DTYPE"),
        ("VLLM_MAX_MODEL_LEN", "MAX_MODEL_LEN"),
        ("VLLM_MODEL_NAME", "MODEL_NAME"),
        ("VLLM_ENFORCE_EAGER", "ENFORCE_EAGER"),
    ],
)
def test_a_flag_with_vllm_in_front_is_the_flag(name: str, meant: str) -> None:
    """Rather than a variable of vLLM's that is called something like it."""
    found = env_to_args({"MODEL_NAME": "m", name: "auto"}, vllm="0.27.1").findings
    assert [(item.code, item.hint) for item in found] == [("unknown-variable", f"write {meant}")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("COMPILATION_CONFIG__", "write COMPILATION_CONFIG"),
        ("COMPILATION_CONFIG__A____B", "write COMPILATION_CONFIG"),
        ("MAX_MODEL_LEN__X", "write MAX_MODEL_LEN"),
    ],
)
def test_keys_that_are_none(name: str, hint: str) -> None:
    """Of a flag that takes none, and without a name."""
    found = env_to_args({"MODEL_NAME": "m", name: "3"}, vllm="0.27.1").findings
    assert [(item.code, item.hint) for item in found] == [("misspelt-variable", hint)]
