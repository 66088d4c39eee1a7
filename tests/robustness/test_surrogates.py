"""Lone surrogates, in every dialect and every place: an answer that can be written, or a finding."""

from __future__ import annotations

import pytest
from support.examples import some

from translator import TranslationError, args_to_env, check, convert, dialects, env_to_args

# Those of other generations of a program are read by the same rules.
DIALECTS = ["prefix:MY_" if name == "prefix" else name for name in dialects() if "@" not in name]
HALVES = ("\ud800", "a\ud800b", "\udc80", "\ud83e\udd99", "\ue0d0")
NAMES = (
    "MODEL_NAME", "HF_OVERRIDES", "SM_VLLM_MODEL", "SM_VLLM_SERVED_MODEL_NAME", "SM_VLLM_DTYPE", "OPTION_MODEL_ID", "MY_MODEL", "VLLM_EXTRA_ARGS",
    "VLLM_ENGINE_ARGS", "TRANSLATE_VLLM_VERSION", "VLLM_PORT", "HF_TOKEN", "SM_VLLM_{}", "VLLM_{}", "HF_OVERRIDES__{}", "OPTION_{}", "MY_{}", "{}",
)  # fmt: skip


def answered(call) -> None:
    try:
        findings = call()
    except TranslationError as error:
        findings = error.findings
    for item in getattr(findings, "findings", findings):
        assert item.line().isprintable()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("half", HALVES)
def test_a_command_line_is_written_or_refused(dialect: str, half: str) -> None:
    for tokens in (
        [half],
        ["m", f"--served-model-name={half}"],
        ["m", "--hf-overrides", f'{{"{half}": "{half}"}}'],
        ["m", "--chat-template", half, "--middleware", half],
        ["m", "--dtype", half],
        ["m", f"--no{half}", f"--{half}", half],
        ["m", "--api-key", half],
    ):
        try:
            made = args_to_env(tokens, vllm="0.33.0", dialect=dialect)
        except TranslationError as error:
            answered(lambda error=error: error)
            continue
        for text in made.env.values():  # bytes that are not UTF-8 are surrogates of Python's
            text.encode("utf-8", "surrogateescape")
        answered(lambda made=made: env_to_args(made.env, vllm="0.33.0", dialect=dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("half", HALVES)
def test_variables_are_read_or_refused(dialect: str, half: str) -> None:
    for name in some(NAMES, DIALECTS.index(dialect) + HALVES.index(half)):
        env = {name.format(half): half}
        answered(lambda env=env: env_to_args(env, dialect=dialect))
        answered(lambda env=env: check(env, "0.33.0", dialect))
        answered(
            lambda env=env: convert(
                env, "0.10.2", "0.33.0", dialect=dialect, to_dialect="sagemaker"
            )
        )
