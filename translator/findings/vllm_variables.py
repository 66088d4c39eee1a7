"""Variables that vLLM itself reads."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, WARNING, Code

CODES: dict[str, Code] = {
    "bad-variable": Code(
        ERROR,
        "bad-variable",
        explanation=(
            "One of vLLM's own variables has a value that would crash this version on reading it,"
            " and it cannot be told what was meant."
        ),
        example=("VLLM_DEEP_GEMM_WARMUP=sometimes", "VLLM_DEEP_GEMM_WARMUP=relax"),
    ),
    "repaired-variable": Code(
        INFO,
        "repaired-variable",
        cases={
            "version": (
                "`{name}` was `{was}`; the result is for vLLM {now}, so the variable now says so.",
                "",
            ),
        },
        explanation=(
            "One of vLLM's own variables had a value that would crash this version, or be read as"
            " its opposite: a third of them take 1 and crash on true. vLLM is given the value that"
            " was meant. `convert` says it of TRANSLATE_VLLM_VERSION, too, which it sets to the"
            " version that it writes for."
        ),
        example=("VLLM_USE_DEEP_GEMM=true", "VLLM_USE_DEEP_GEMM=1"),
    ),
    "variable-not-in-version": Code(
        WARNING,
        "variable of another vLLM version",
        message=(
            "`{given}` was removed in vLLM {removed}, and has no effect.",
            "`{given}` needs vLLM {added} or newer, not {version}, and has no effect.",
            "`{given}` has no effect in vLLM {version}.",
        ),
        remedy="Remove it.",
        explanation=(
            "Only other vLLM versions read this variable, and nothing in this one means the same."
            " It is not passed on to vLLM, which would warn about it."
        ),
        example=("VLLM_DEBUG_WORKSPACE=1       (for vLLM 0.8.5)", ""),
    ),
    "service-link": Code(
        WARNING,
        "service-link",
        explanation=(
            "Kubernetes makes variables for every service in the namespace. A service called vllm"
            " gives VLLM_PORT=tcp://…, which vLLM reads as a port and crashes on. They are kept"
            " from vLLM."
        ),
        example=("VLLM_PORT=tcp://10.43.1.39:8000", "enableServiceLinks: false in the pod's spec"),
    ),
    "not-the-server-address": Code(
        WARNING,
        "not-the-server-address",
        explanation=(
            "The variable sets an address of vLLM's inner workings, not the one on which it"
            " serves: those are the flags --host and --port."
        ),
        example=("VLLM_PORT=8080", "VLLM_EXTRA_ARGS=--port=8080"),
    ),
    "empty-variable": Code(
        INFO,
        "empty-variable",
        cases={
            "file": (
                (
                    "{file}, line {line}: `{name}` has no value, and sets nothing.",
                    "{file}, line {line}: a name without a value sets nothing.",
                ),
                "Write NAME=value.",
            ),
        },
        explanation=(
            "A variable is set to nothing. Where this version would crash on that it is left out;"
            " in a file, a name without a value sets nothing."
        ),
        example=("VLLM_USE_DEEP_GEMM=", ""),
    ),
}
