"""Names that are unknown, or that something else reads."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, REMOVE_UNSAFE, REPLACE_UNSAFE, WARNING, Code

CODES: dict[str, Code] = {
    "unknown-flag": Code(
        ERROR,
        "unknown flag",
        message="`{given}` is not a flag of vLLM {version}.",
        remedy=("Did you mean `{near}`?", "Check its spelling, or remove it."),
        cases={
            "table": (
                "`{name}` sets nothing: its dialect maps it to `{flag}`, which no vLLM has.",
                "Correct the table of the dialect; `translate tables lint` checks it.",
            ),
            "argument": (
                "`{given}` is not an argument of any vLLM's engine.",
                ("Did you mean `{near}`?", "Check its spelling, or remove it."),
            ),
            "one-string": (
                "`{flag}` and its value are one argument, which vLLM {version} does not split.",
                "Write two arguments, or `{flag}=VALUE`.",
            ),
            "dotted": (
                "`{given}` is not a flag of vLLM {version}, which has no dotted keys.",
                "Write `{flag}='{{\"KEY\": VALUE}}'`.",
            ),
        },
        fix={"": REPLACE_UNSAFE},
        explanation=(
            "vLLM refuses a flag that it does not know. Check its spelling: the nearest name is in"
            " the hint."
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
        fix=REMOVE_UNSAFE,
        explanation=(
            "Other vLLM versions have this flag, this one does not, and nothing in it means the"
            " same. vLLM would refuse to start. Remove it, or use a version that has it."
        ),
        example=("GRPC=true       (for vLLM 0.10.2)", ""),
    ),
    "unknown-variable": Code(
        WARNING,
        "unknown variable",
        message="No vLLM up to {version} reads `{name}`: it has no effect.",
        remedy=(
            "Use `{write}`.",
            "Remove it: `{useless}` has no effect in vLLM {version} either.",
            "Remove it.",
        ),
        cases={
            "dialect": (
                "`{name}` is not a variable of {reader}, and no vLLM has such a flag: it has no"
                " effect.",
                ("Did you mean `{near}`?", ""),
            ),
            "dropped": (
                "`{name}` is not a flag of any vLLM: {reader} ignores it silently.",
                ("Did you mean `{near}`?", ""),
            ),
            "passed": (
                "`{name}` is not a flag of any vLLM: {reader} passes it to vLLM, which refuses it.",
                ("Did you mean `{near}`?", ""),
            ),
            "several": (
                (
                    "No vLLM up to {version} reads `{names}` and {more} other variables that begin"
                    " with `VLLM_`: they have no effect.",
                    "No vLLM up to {version} reads `{names}`: they have no effect.",
                ),
                "Remove them, if no other program reads them.",
            ),
            "key": (
                "{file}, line {line}: `{key}` is not a key of {known}, and has no effect.",
                "Write keys in small letters.",
            ),
        },
        explanation=(
            "The name begins with VLLM_, or with the prefix of the platform, and no known version"
            " reads it. It has no effect, or the platform's program ignores it or passes it to a"
            " vLLM that refuses it; the message says which."
        ),
        example=("VLLM_USER_V1=1", "VLLM_USE_V1=1"),
    ),
    "misspelt-variable": Code(
        WARNING,
        "misspelt variable",
        message="Nothing reads `{name}`.",
        remedy="Did you mean `{write}`?",
        cases={
            "no-keys": ("Nothing reads `{name}`: `{write}` has no keys.", "Set `{write}`."),
            "no-key-name": (
                "Nothing reads `{name}`: the name of a key is missing after `__`.",
                "Write `{write}__KEY`.",
            ),
        },
        fix={"": REPLACE_UNSAFE},
        explanation=(
            "Nothing reads this variable, and its name is nearly one that is read. It stays in the"
            " environment, but sets nothing."
        ),
        example=("TENSOR_PARALELL_SIZE=2", "TENSOR_PARALLEL_SIZE=2"),
    ),
    "reserved-name": Code(
        WARNING,
        "name with another meaning",
        message=(
            "`{name}` is ignored: {note}",
            "`{name}` is ignored: it has another meaning on common platforms.",
        ),
        explanation=(
            "The name would set a flag of vLLM, but it means something else on common platforms:"
            " many set PORT or HOST for their own purposes. So it is ignored; the message says"
            " what to use instead."
        ),
        example=("PORT=8080", "VLLM_EXTRA_ARGS=--port=8080"),
    ),
    "worker-only": Code(
        INFO,
        "setting of the worker",
        message=(
            "`{name}` sets nothing in vLLM: {note}",
            "`{name}` sets nothing in vLLM: only the worker reads it.",
        ),
        cases={"own": ("`{name}` sets nothing in vLLM: {reader} reads it itself.", "")},
        explanation=(
            "The variable configures the worker around vLLM, not vLLM itself: for example how many"
            " jobs it runs at once. A vLLM server has no such setting."
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
