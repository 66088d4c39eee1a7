"""What is said about platforms: each message and remedy as it is printed."""

from __future__ import annotations

import pytest

from translator import TranslationError, args_to_env, env_to_args
from translator.findings import Finding, finding


def told(found: tuple[Finding, ...], code: str) -> list[tuple[str, str]]:
    return [(item.message, item.hint) for item in found if item.code == code]


@pytest.mark.parametrize(
    ("dialect", "env", "message", "hint"),
    [
        ("lmi", {"HF_MODEL_ID": "m", "OPTION_HOST": "h"}, "`OPTION_HOST` sets `--host` here, but the LMI container does not pass `--host` on to vLLM.", ""),
        ("gaudi", {"MODEL": "m", "SEED": "1"}, "`SEED` sets `--seed` here, but the Gaudi container does not pass `--seed` on to vLLM.", "Write it into `EXTRA_ARGS`."),
        ("sagemaker", {"SM_VLLM_MODEL": "m", "SM_VLLM_HF_OVERRIDES__A": "1"},
         "`SM_VLLM_HF_OVERRIDES__A` sets a key of `SM_VLLM_HF_OVERRIDES` here, but the sagemaker image passes the name on as `--hf-overrides--a`, which vLLM refuses.",
         "Set the key in `SM_VLLM_HF_OVERRIDES`, which is JSON."),
        ("lmi", {"HF_MODEL_ID": "m", "OPTION_HF_OVERRIDES__A": "1"}, "`OPTION_HF_OVERRIDES__A` sets a key of `OPTION_HF_OVERRIDES` here, but the LMI container reads no keys in names.",
         "Set the key in `OPTION_HF_OVERRIDES`, which is JSON."),
        ("nim", {"NIM_MODEL_PATH": "m", "NIM_NO_ENFORCE_EAGER": "true"},
         "`NIM_NO_ENFORCE_EAGER` sets `--enforce-eager` here, but NIM knows the flag as `NIM_ENFORCE_EAGER` only.",
         "Use `NIM_ENFORCE_EAGER`."),
        ("gaudi", {"MODEL": "a b"}, "`MODEL` has blanks or wildcards, and the Gaudi container leaves the value to a shell, which splits and expands it.", ""),
        ("gaudi", {"MODEL": "m", "MAX_NUM_SEQS": "8 "}, "`MAX_NUM_SEQS` has blanks or wildcards, and the Gaudi container leaves the value to a"
         " shell, which splits and expands it.", ""),
        ("gaudi", {"MODEL": "m", "EXTRA_ARGS": "--enable-prefix-caching"},
         "`EXTRA_ARGS (--enable-prefix-caching)` has no effect: the Gaudi container appends `--no-enable-prefix-caching`.", "Set `ENABLE_PREFIX_CACHING=True`."),
        ("lmi", {"HF_MODEL_ID": "m", "VLLM_API_KEY": "k-1aaa"}, "`VLLM_API_KEY` keeps nobody out: the LMI container does not use `--api-key`.",
         "Restrict access by the platform's own means."),
        ("sagemaker@shell", {"SM_VLLM_MODEL": "m", "SM_VLLM_CHAT_TEMPLATE": "a\nb"},
         "`SM_VLLM_CHAT_TEMPLATE`: the older sagemaker image reads line by line, and loses what follows a line break or a single `=` at the end.", ""),
        ("sagemaker", {"SM_VLLM_MODEL": "m", "SM_VLLM_ENABLE_PREFIX_CACHING": "false"},
         "`SM_VLLM_ENABLE_PREFIX_CACHING=false` has no effect: the sagemaker image leaves it out, and `--enable-prefix-caching` keeps its default.",
         "Write `SM_VLLM_DISABLE_PREFIX_CACHING=true`."),
        ("sagemaker@upstream", {"SM_VLLM_MODEL": "m", "SM_VLLM_ENFORCE_EAGER": "true"},
         "`SM_VLLM_ENFORCE_EAGER=true`: vLLM 0.33.0 refuses what vLLM's sagemaker script passes on.", "Write `SM_VLLM_ENFORCE_EAGER=`."),
        ("gaudi", {"MODEL": "m", "ENABLE_PREFIX_CACHING": "false"}, "`ENABLE_PREFIX_CACHING=false` counts as `True` for the Gaudi container.", "Use one of True, 1, False, 0."),
        ("gaudi", {"MODEL": "m", "TENSOR_PARALLEL_SIZE": "9"}, "`TENSOR_PARALLEL_SIZE=9`: the Gaudi container accepts only integers from 1 to 8.", ""),
        ("gaudi", {"MODEL": "m", "MAX_MODEL_LEN": "0"}, "`MAX_MODEL_LEN=0`: the Gaudi container accepts only integers ≥ 1.", ""),
        ("gaudi", {"MODEL": "m", "EXTRA_ARGS": "--seed '1'"}, "`EXTRA_ARGS`: the Gaudi container removes no quotes, and expands `*`, `?` and `[`.",
         "Leave out what needs quotes."),
    ],
)  # fmt: skip
def test_a_variable_that_the_platform_reads_differently(
    dialect: str, env: dict[str, str], message: str, hint: str
) -> None:
    try:
        found = env_to_args(env, vllm="0.33.0", dialect=dialect).findings
    except TranslationError as error:
        found = error.findings
    assert (message, hint) in told(found, "consumer-differs")


def test_what_a_worker_of_the_version_does_not_carry() -> None:
    found = args_to_env(["m", "--dp-sync-interval", "3"], vllm="0.33.0").findings
    assert told(found, "newer-than-consumer") == [
        ("`--dp-sync-interval` is newer than vLLM 0.27.1, which RunPod's worker runs.", "")
    ]
    found = args_to_env(["m", "--port", "80"], vllm="0.27.1").findings
    assert told(found, "kept-in-extra-args") == [
        ("RunPod's worker has no variable for `--port`, so it goes into `VLLM_EXTRA_ARGS`.", "")
    ]
    found = env_to_args({"MODEL_NAME": "m"}, vllm="0.27.1", worker_defaults=True).findings
    assert (
        "`DTYPE=auto` was added: it is the documented default of the platform.",
        "Set `DTYPE` to use another value.",
    ) in told(found, "worker-default")


def test_secrets_and_the_command_line() -> None:
    line = ["m", "--api-key", "sk-1aaa"]
    assert told(args_to_env(line, vllm="0.27.1").findings, "secret-moved") == [
        (
            "`--api-key` is a secret, so vLLM gets it as `VLLM_API_KEY`, not as an argument.",
            "Set `VLLM_API_KEY` instead.",
        )
    ]
    facts = {"origin": "--api-key", "variable": "VLLM_API_KEY"}
    several = finding("secret-on-argv", "--api-key", case="several", **facts)
    assert (several.message, several.hint) == (
        "`--api-key` has several secrets, and `VLLM_API_KEY` can hold one. They stay on the"
        " command line, where every process on the machine can read them.",
        "Keep one of them, in `VLLM_API_KEY`.",
    )
    blank = finding("secret-on-argv", "--api-key", case="unsaid", **facts)
    assert (blank.message, blank.hint) == (
        "`VLLM_API_KEY` cannot hold the value of `--api-key`. It stays on the command line, where"
        " every process on the machine can read it.",
        "Use another secret.",
    )
