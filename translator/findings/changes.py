"""What changed between vLLM versions."""

from __future__ import annotations

from translator.findings.code import INFO, WARNING, Code

CODES: dict[str, Code] = {
    "carried": Code(
        WARNING,
        "carried",
        explanation=(
            "The version does not have what was given, but something else means the same there,"
            " and is used. Write that instead, and the warning goes."
        ),
        example=(
            "vllm serve org/m --guided-decoding-backend xgrammar",
            "vllm serve org/m --structured-outputs-config.backend xgrammar",
        ),
    ),
    "carried-value": Code(
        WARNING,
        "carried-value",
        explanation="The value is called otherwise in this version; that name is used.",
        example=(
            "ALL2ALL_BACKEND=flashinfer_nvlink_two_sided       (for vLLM 0.15.1)",
            "ALL2ALL_BACKEND=flashinfer_all2allv",
        ),
    ),
    "now-default": Code(
        INFO,
        "now-default",
        explanation=(
            "What was asked for is what the version does anyway, so nothing has to be said."
        ),
        example=("VLLM_USE_V1=1       (for vLLM 0.33.0)", ""),
    ),
    "dropped": Code(
        WARNING,
        "dropped",
        explanation=(
            "Nothing in this version stands for what was given, and it has no effect. The message"
            " says why it went, and what to do instead."
        ),
        example=("vllm serve org/m --swap-space 4", "vllm serve org/m"),
    ),
    "written-for-another": Code(
        WARNING,
        "written-for-another",
        explanation=(
            "The command line is one that this version refuses and another takes. It was read as"
            " that one does; what it means is carried over, with a finding for each change."
        ),
        example=(
            "vllm serve org/m --task embed",
            "vllm serve org/m --runner pooling --convert embed",
        ),
    ),
}
