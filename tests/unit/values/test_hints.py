"""What is proposed instead of a value that is nearly right, and that it is accepted."""

from __future__ import annotations

import pytest

from translator import TranslationError, args_to_env, env_to_args


@pytest.mark.parametrize(
    ("name", "text", "instead"),
    [
        ("MAX_MODEL_LEN", '"8192"', "8192"), ("MAX_MODEL_LEN", "8,192", "8192"),
        ("MAX_MODEL_LEN", "32kb", "32000"), ("MAX_MODEL_LEN", "1.5K", "1.5k"),
        ("MAX_NUM_SEQS", "0.7", "1"), ("SEED", "abc", ""),
        ("GPU_MEMORY_UTILIZATION", "90%", "0.9"), ("GPU_MEMORY_UTILIZATION", "0,9", "0.9"),
        ("GPU_MEMORY_UTILIZATION", "x", ""), ("ENFORCE_EAGER", "'yes'", "true"),
        ("DTYPE", "bf16", "bfloat16"), ("DTYPE", "fp16", "float16"), ("DTYPE", '"half"', "half"), ("DTYPE", "zzz", ""),
        ("ALLOWED_ORIGINS", "*", '["*"]'), ("ALLOWED_METHODS", "GET,POST", '["GET","POST"]'),
    ],
)  # fmt: skip
def test_what_to_write_instead(name: str, text: str, instead: str) -> None:
    """And what is proposed is accepted."""
    with pytest.raises(TranslationError) as caught:
        env_to_args({"MODEL_NAME": "m", name: text}, vllm="0.27.1")
    (found,) = (item for item in caught.value.findings if item.severity == "error")
    assert found.facts["write"] == (f"{name}={instead}" if instead else "")
    if instead:
        assert found.hint == f"Write `{name}={instead}`."
        assert env_to_args({"MODEL_NAME": "m", name: instead}, vllm="0.27.1").argv


def test_what_to_write_instead_on_a_command_line() -> None:
    """As a shell reads it."""
    line = ["m", "--max-model-len", "8,192", "--hf-overrides", "{'a': 1}", "--max-num-seqs=8k"]
    with pytest.raises(TranslationError) as caught:
        args_to_env(line, vllm="0.10.2")
    errors = [item for item in caught.value.findings if item.severity == "error"]
    assert [item.hint for item in errors] == [
        "Write `--max-model-len 8192`.",
        "Write `--hf-overrides '{\"a\":1}'`.",
        "Write `--max-num-seqs 8000`.",
    ]


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
    assert [(item.code, item.hint) for item in found] == [("unknown-variable", f"Use `{meant}`.")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("COMPILATION_CONFIG__", "Write `COMPILATION_CONFIG__KEY`."),
        ("COMPILATION_CONFIG__A____B", "Write `COMPILATION_CONFIG__KEY`."),
        ("MAX_MODEL_LEN__X", "Set `MAX_MODEL_LEN`."),
    ],
)
def test_keys_that_are_none(name: str, hint: str) -> None:
    """Of a flag that takes none, and without a name."""
    found = env_to_args({"MODEL_NAME": "m", name: "3"}, vllm="0.27.1").findings
    assert [(item.code, item.hint) for item in found] == [("misspelt-variable", hint)]
