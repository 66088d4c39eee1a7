"""Secrets on the command line."""

from __future__ import annotations

from translator.findings.code import WARNING, Code

CODES: dict[str, Code] = {
    "secret-moved": Code(
        WARNING,
        "secret moved to its variable",
        message="`{origin}` is a secret, so vLLM gets it as `{variable}`, not as an argument.",
        remedy="Set `{variable}` instead.",
        explanation=(
            "Every process on the machine can read the command line. vLLM also reads this secret"
            " from a variable, so it was moved there."
        ),
        example=("vllm serve org/m --api-key sk-…", "VLLM_API_KEY=sk-… vllm serve org/m"),
    ),
    "secret-on-argv": Code(
        WARNING,
        "secret on the command line",
        message=(
            "`{flag}` contains a secret, and vLLM {version} accepts it only on the command line,"
            " where every process on the machine can read it."
        ),
        remedy="Put the secret into a file or a variable, if the connector reads one.",
        cases={
            "seen": (
                "`{flag}` puts a secret on the command line, where every process on the machine can"
                " read it.",
                ("Set `{variable}` instead.", "Use a file or an environment variable."),
            ),
            "several": (
                "`{origin}` has several secrets, and `{variable}` can hold one. They stay on the"
                " command line, where every process on the machine can read them.",
                "Keep one of them, in `{variable}`.",
            ),
            "unsaid": (
                "`{variable}` cannot hold the value of `{origin}`. It stays on the command line,"
                " where every process on the machine can read it.",
                "Use another secret.",
            ),
        },
        explanation=(
            "A secret is on the command line of vLLM, where every process on the machine can read"
            " it: it was written there, or vLLM accepts it nowhere else."
        ),
        example=("vllm serve org/m --api-key sk-…", "VLLM_API_KEY=sk-… vllm serve org/m"),
    ),
}
