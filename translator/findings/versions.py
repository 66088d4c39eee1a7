"""Which vLLM, which platform."""

from __future__ import annotations

from translator.findings import ERROR, INFO, WARNING
from translator.findings.code import Code

CODES: dict[str, Code] = {
    "version-too-old": Code(
        ERROR,
        "version-too-old",
        explanation="The vLLM is older than the oldest that there is a table for.",
        example=("--vllm 0.5.0", "--vllm 0.6.6"),
    ),
    "version-too-new": Code(
        WARNING,
        "version-too-new",
        explanation=(
            "The vLLM is newer than the newest that there is a table for: what the newest takes is"
            " used. `translate tables harvest` makes a table of yours."
        ),
        example=("--vllm 0.99", "--vllm 0.33.0"),
    ),
    "bad-version": Code(
        ERROR,
        "bad-version",
        explanation="The text is no version.",
        example=("--vllm latest", "--vllm 0.33.0"),
    ),
    "other-version": Code(
        WARNING,
        "other-version",
        explanation=(
            "`translate exec` was told to translate for another vLLM than the one that is"
            " installed, which may refuse the command line, or understand it otherwise."
        ),
        example=("TRANSLATE_VLLM_VERSION=0.8.5        (where vLLM 0.32.0 is installed)", ""),
    ),
    "version-assumed": Code(
        INFO,
        "version-assumed",
        explanation=(
            "`translate exec` found no vLLM installed, and nothing says which one it starts: the "
            "newest that it knows is assumed."
        ),
        example=("translate exec", "translate exec --vllm 0.27.1"),
    ),
    "unknown-dialect": Code(
        ERROR,
        "unknown-dialect",
        explanation="There is no table for a dialect of this name.",
        example=("--dialect runpud", "--dialect runpod"),
    ),
}
