"""What changed between vLLM versions.

Facts that most of these have: `given` is the setting as it was written (`--task embed`,
`TASK=embed`), `removed` the release that no longer has it, `added` the first one that has it (of a
setting that is too new), `version` the one that is translated for, `write` what to write instead.
"""

from __future__ import annotations

from translator.findings.code import INFO, REMOVE, REMOVE_UNSAFE, REPLACE, WARNING, Code

# The case "idle": what the server answers is the same without it.
_DROPPED = (
    (
        "`{given}` was removed in vLLM {removed}. {why}",
        "`{given}` was removed in vLLM {removed}, and nothing replaces it.",
        "`{given}` needs vLLM {added} or newer, not {version}. {why}",
        "`{given}` needs vLLM {added} or newer, not {version}.",
        "`{given}` does not exist in vLLM {version}. {why}",
        "`{given}` does not exist in vLLM {version}.",
    ),
    "Remove it.",
)

CODES: dict[str, Code] = {
    "carried": Code(
        WARNING,
        "replaced by another flag, key or variable",
        message=(
            "`{given}` was removed in vLLM {removed}.",
            "`{given}` needs vLLM {added} or newer, not {version}.",
            "`{given}` does not exist in vLLM {version}.",
        ),
        remedy=(
            "Use `{write}`. {note}",
            "Use `{write}`.",
            "Use `{instead}`. {note}",
            "Use `{instead}`.",
        ),
        fix=REPLACE,
        explanation=(
            "This version does not have what was given, but has something with the same meaning. A"
            " translation writes that instead. vLLM itself refuses a flag that it does not have:"
            " when `check` reads a command that starts vLLM, this is an error."
        ),
        example=(
            "vllm serve org/m --guided-decoding-backend xgrammar",
            "vllm serve org/m --structured-outputs-config.backend xgrammar",
        ),
    ),
    "carried-value": Code(
        WARNING,
        "renamed value",
        message="In vLLM {version}, the value `{old}` of `{flag}` is called `{new}`.",
        remedy="Write `{write}`.",
        fix=REPLACE,
        explanation="The value has another name in this version, which is used instead.",
        example=(
            "ALL2ALL_BACKEND=flashinfer_nvlink_two_sided       (for vLLM 0.15.1)",
            "ALL2ALL_BACKEND=flashinfer_all2allv",
        ),
    ),
    "now-default": Code(
        INFO,
        "no longer needed",
        message=(
            "`{given}` was removed in vLLM {removed}: it is the default now. {why}",
            "`{given}` was removed in vLLM {removed}: it is the default now.",
            "`{given}` does not exist in vLLM {version}: it is the default. {why}",
            "`{given}` does not exist in vLLM {version}: it is the default.",
        ),
        remedy="Remove it.",
        cases={
            "empty": ("`{given}` does not exist in vLLM {version}, and sets nothing.", "Remove it.")
        },
        fix=REMOVE,
        explanation=(
            "This version has no such setting any more, and always does what the value selected."
            " Removing it changes nothing. vLLM itself refuses a flag that it does not have: when"
            " `check` reads a command that starts vLLM, this is an error."
        ),
        example=("VLLM_USE_V1=1       (for vLLM 0.33.0)", ""),
    ),
    "dropped": Code(
        WARNING,
        "not in this version, and not replaced",
        cases={"": _DROPPED, "idle": _DROPPED},
        fix={"": REMOVE_UNSAFE, "idle": REMOVE},
        explanation=(
            "This version does not have what was given, and nothing in it has the same meaning. A"
            " translation leaves it out. vLLM itself refuses a flag that it does not have: when"
            " `check` reads a command that starts vLLM, this is an error. The message says why it"
            " was removed and what comes closest."
        ),
        example=("vllm serve org/m --swap-space 4", "vllm serve org/m"),
    ),
    "default-changed": Code(
        INFO,
        "default differs between versions",
        message=(
            "`{name}` is not set: its default is {after} in vLLM {version}, and {before} in"
            " {other}. {effect}"
        ),
        remedy=("To keep it as it was, write `{write}`.",),
        cases={
            "kept": (
                "`{write}` is added: it is the default of vLLM {other}, and that of {version} is"
                " {after}.",
                "Remove it to use the new default.",
            ),
            "others": (
                "{count} other defaults differ between vLLM {other} and {version}, such as"
                " `{names}`.",
                "`translate diff {other} {version}` lists them.",
            ),
            "one": (
                "Another default differs between vLLM {other} and {version}: that of `{names}`.",
                "`translate diff {other} {version}` shows it.",
            ),
        },
        explanation=(
            "The two versions have different defaults for a setting that is not made, so vLLM"
            " behaves differently although nothing in the configuration changed. Defaults that"
            " matter have a finding each, the weightiest first; `translate diff` lists all of"
            " them. `translate convert --pin-defaults` writes the old values. Where vLLM decides"
            " when it starts, the message says what it decides for a model that generates text,"
            " on an NVIDIA GPU."
        ),
        example=(
            "translate convert --from 0.19.1 --to 0.33.0 -- vllm serve org/m",
            "translate convert --from 0.19.1 --to 0.33.0 -- vllm serve org/m"
            " --gpu-memory-utilization 0.9 …",
        ),
    ),
    "written-for-another": Code(
        WARNING,
        "flags of another vLLM version",
        message=(
            "vLLM {version} does not have `{flags}`: the command line is written for vLLM {other}.",
            "vLLM {version} does not have `{flags}`.",
        ),
        remedy="The next findings name the replacements.",
        explanation=(
            "This version refuses the command line, because it has flags that only other versions"
            " have. A translation reads it as those versions do and warns; when `check` reads a"
            " command that starts vLLM, this is an error, as nothing stands between the command and"
            " vLLM's parser. A finding for each flag says what replaces it."
        ),
        example=(
            "vllm serve org/m --task embed",
            "vllm serve org/m --runner pooling --convert embed",
        ),
    ),
}
