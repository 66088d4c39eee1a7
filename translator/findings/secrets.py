"""Secrets on the command line."""

from __future__ import annotations

from translator.findings.code import WARNING, Code

CODES: dict[str, Code] = {
    "secret-moved": Code(
        WARNING,
        "secret-moved",
        explanation=(
            "A secret was given where every process on the machine could read it. vLLM reads the"
            " same from a variable, and is given it there."
        ),
        example=("vllm serve org/m --api-key sk-…", "VLLM_API_KEY=sk-… vllm serve org/m"),
    ),
    "secret-on-argv": Code(
        WARNING,
        "secret-on-argv",
        cases={
            "seen": (
                "`{flag}` puts a secret on the command line, where every process on the machine can"
                " read it.",
                ("Set `{variable}` instead.", "Use a file or an environment variable."),
            ),
        },
        explanation=(
            "A secret stands on the command line of vLLM, where every process on the machine can"
            " read it, because vLLM takes it nowhere else (or because it was written there)."
        ),
        example=("vllm serve org/m --api-key sk-…", "VLLM_API_KEY=sk-… vllm serve org/m"),
    ),
}
