"""Names that are not known, or are read by somebody else."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, WARNING, Code

CODES: dict[str, Code] = {
    "unknown-flag": Code(
        ERROR,
        "unknown-flag",
        explanation=(
            "No version of vLLM that is known has this flag, or not this version and nothing"
            " stands for it. The nearest name is in the hint."
        ),
        example=("vllm serve org/m --max-modle-len 8192", "vllm serve org/m --max-model-len 8192"),
    ),
    "flag-not-in-version": Code(
        ERROR,
        "flag of another vLLM version",
        message=(
            "`{given}` was removed in vLLM {removed}, and nothing replaces it.",
            "`{given}` needs vLLM {added} or newer, not {version}.",
            "`{given}` does not exist in vLLM {version}.",
        ),
        remedy=("Remove it, or use vLLM {versions}.", "Remove it."),
        explanation=(
            "Other vLLM versions have this flag, this one does not, and nothing in it means the"
            " same. vLLM would refuse to start. Remove it, or use a version that has it."
        ),
        example=("GRPC=true       (for vLLM 0.10.2)", ""),
    ),
    "unknown-variable": Code(
        WARNING,
        "unknown-variable",
        cases={
            "key": (
                "{file}, line {line}: `{key}` is not a key of {known}, and has no effect.",
                "Write keys in small letters.",
            ),
        },
        explanation=(
            "A variable whose name begins with VLLM_ (or as those of the dialect do) that no known"
            " version reads. It does nothing, and vLLM itself warns of it; or the dialect's own"
            " program drops it without a word, or passes on what vLLM refuses: the finding says"
            " which."
        ),
        example=("VLLM_USER_V1=1", "VLLM_USE_V1=1"),
    ),
    "misspelt-variable": Code(
        WARNING,
        "misspelt-variable",
        explanation=(
            "A variable that nobody reads, and whose name is nearly one that is read. It stays in"
            " the environment, but it sets nothing."
        ),
        example=("TENSOR_PARALELL_SIZE=2", "TENSOR_PARALLEL_SIZE=2"),
    ),
    "reserved-name": Code(
        WARNING,
        "reserved-name",
        explanation=(
            "The name would set a flag of vLLM if it did not mean something else on common"
            " platforms: many set PORT or HOST for their own ends. So it is not read; the message"
            " says what to write instead."
        ),
        example=("PORT=8080", "VLLM_EXTRA_ARGS=--port=8080"),
    ),
    "worker-only": Code(
        INFO,
        "worker-only",
        explanation=(
            "The variable configures the worker around vLLM, not vLLM itself: how many jobs it"
            " takes at once, for example. A vLLM server has nothing for it."
        ),
        example=("MAX_CONCURRENCY=30", ""),
    ),
    "no-key": Code(
        ERROR,
        "unknown key of a flag of another version",
        message="`{given}` does not exist in vLLM {version}, and no version has this key.",
        remedy="Check the spelling, or remove it.",
        explanation=(
            "This version does not have the JSON flag, and no known version has the key that"
            " follows the dot or the double underscore, so that nothing can replace it."
        ),
        example=(
            "ATTENTION_CONFIG__BACKND=FLASH_ATTN       (for vLLM 0.8.5)",
            "ATTENTION_CONFIG__BACKEND=FLASH_ATTN",
        ),
    ),
}
