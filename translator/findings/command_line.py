"""Reading a `vllm serve` command line."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, REMOVE, REPLACE, WARNING, Code

CODES: dict[str, Code] = {
    "missing-model": Code(
        ERROR,
        "missing model",
        message=(
            "vLLM {version} needs a model beside `{flag}`, and none is set.",
            "vLLM {version} needs a model, and none is set.",
        ),
        remedy=("Set `{variable}`.", "Put the model right after `vllm serve`."),
        cases={
            "first": (
                "vLLM {version} needs the model as its first argument.",
                "Put the model right after `vllm serve`.",
            ),
            "served": (
                "vLLM {version} accepts `{flag}` only behind the model.",
                "Put the model right after `vllm serve`.",
            ),
            "config": (
                "vLLM {version} needs the model in front of `--config`.",
                "Put the model right after `vllm serve`.",
            ),
            "file": (
                "vLLM {version} needs a model, and neither the command line nor `{file}` names"
                " one.",
                "Put the model right after `vllm serve`.",
            ),
        },
        explanation=(
            "No model is set, or it is not where this vLLM expects it, and vLLM does not start. Up"
            " to 0.7 the model is always required."
        ),
        example=("MAX_MODEL_LEN=8k       (for vLLM 0.7.3)", "MODEL_NAME=org/m MAX_MODEL_LEN=8k"),
    ),
    "no-model": Code(
        WARNING,
        "no model is set",
        message="No model is set, so vLLM {version} serves its small default model.",
        remedy=("Set `{variable}`.", "Put the model right after `vllm serve`."),
        explanation=(
            "No model is set. This vLLM starts anyway and serves a small default model, which is"
            " rarely intended."
        ),
        example=("MAX_MODEL_LEN=8k", "MODEL_NAME=org/m MAX_MODEL_LEN=8k"),
    ),
    "model-like-option": Code(
        WARNING,
        "model that looks like an option",
        message="`{given}` contains a space, so vLLM {version} reads it as the model.",
        remedy="If it is an option, remove the quotes and check its spelling.",
        explanation=(
            "The model begins with a dash and contains a space. vLLM's parser reads such a token as"
            " the model and not as an unknown option. Most likely it is a misspelt option in"
            " quotes."
        ),
        example=("vllm serve '--max-modle-len 8k'", "vllm serve org/m --max-model-len 8k"),
    ),
    "ambiguous-flag": Code(
        ERROR,
        "ambiguous abbreviation of a flag",
        message="`{given}` is ambiguous in vLLM {version}: it may mean {names}.",
        remedy="Write the full name, such as `{write}`.",
        explanation=(
            "Several flags begin with this abbreviation, and the parser of vLLM refuses it. Write"
            " the full name of the flag."
        ),
        example=("vllm serve org/m --max-n 8", "vllm serve org/m --max-num-seqs 8"),
    ),
    "missing-value": Code(
        ERROR,
        "flag without its value",
        message="`{given}` needs a value in vLLM {version}.",
        remedy=("Write `{write}`.", "Add the value, or remove `{given}`."),
        cases={
            "dash": (
                "The value of `{flag}` begins with a dash, so vLLM {version} reads it as the next"
                " option.",
                "If it is the value, write `{flag}=…`.",
            ),
            "dashes": (
                "`{given}`: the parser drops `--`, so `{flag}` has no value.",
                "Write another value, or remove `{flag}`.",
            ),
        },
        explanation=(
            "A flag that needs a value has none. A value that begins with a dash must be joined to"
            " its flag by `=`."
        ),
        example=("vllm serve org/m --chat-template", "vllm serve org/m --chat-template=./t.jinja"),
    ),
    "unexpected-value": Code(
        ERROR,
        "value of a flag that accepts none",
        message="`{given}`: `{flag}` of vLLM {version} accepts no value.",
        remedy=("Write `{write}`.", "Remove `{remove}`.", "Remove the value."),
        cases={
            "help": ("`{given}` prints vLLM's help and starts no server.", "Remove `{given}`."),
        },
        fix={"": REPLACE},
        explanation=(
            "A flag that is on or off has a value, or the command prints vLLM's help. `--flag`"
            " switches a flag on, `--no-flag` switches it off where it exists."
        ),
        example=(
            "vllm serve org/m --enable-prefix-caching=true",
            "vllm serve org/m --enable-prefix-caching",
        ),
    ),
    "stray-token": Code(
        ERROR,
        "argument that belongs to no flag",
        message="vLLM {version} refuses `{given}`, which belongs to no flag.",
        remedy=(
            "Remove it (the model is already given), or put quotes around the value that it is"
            " part of."
        ),
        cases={
            "blank": (
                "A blank stands in front of `{flag}`: vLLM {version} reads no flag there.",
                "Remove the backslash in front of the blank: one that ends no line keeps it.",
            ),
            "switch": (
                "vLLM {version} refuses `{given}`, which belongs to no flag.",
                "Remove it: a flag that is on or off accepts no value.",
            ),
            "off": (
                "vLLM {version} refuses `{given}`, which belongs to no flag.",
                "Remove it and the flag: one that is on or off accepts no value.",
            ),
        },
        fix={"switch": REMOVE},
        explanation=(
            "A token belongs to no flag. Most often it is the value of a flag that accepts none, or"
            " part of a value whose quotes are missing."
        ),
        example=(
            "vllm serve org/m --enable-prefix-caching true",
            "vllm serve org/m --enable-prefix-caching",
        ),
    ),
    "model-option": Code(
        ERROR,
        "`--model` where vLLM refuses it",
        message="vLLM {version} refuses `--model`: the model is the first argument.",
        remedy="Put the model right after `vllm serve`.",
        explanation=(
            "From 0.8 to 0.10, `vllm serve` accepts the model only as its first argument and"
            " refuses `--model`."
        ),
        example=("vllm serve --model org/m       (for vLLM 0.9.2)", "vllm serve org/m"),
    ),
    "repeated-flag": Code(
        INFO,
        "flag that is set more than once",
        message=(
            "`{earlier}` has no effect in vLLM {version}: `{given}` sets the same flag again.",
            "`{given}` is set more than once: vLLM {version} uses the last value.",
        ),
        remedy="Remove the earlier ones.",
        cases={
            "model": (
                "`--model` has no effect: vLLM {version} uses the model that is given without a"
                " flag.",
                "Name the model once.",
            ),
        },
        explanation=(
            "A flag is set more than once, and only the last value has an effect. Dotted keys count"
            " as last, and replace the whole JSON that is given to the flag itself."
        ),
        example=("vllm serve org/m --seed 1 --seed 2", "vllm serve org/m --seed 2"),
    ),
    "deprecated-flag": Code(
        WARNING,
        "deprecated flag",
        message="`{flag}` is deprecated in vLLM {version}: a later version removes it.",
        remedy="`translate explain {flag}` shows what replaces it.",
        explanation=(
            "This version accepts the flag, but announces its removal. `translate explain FLAG`"
            " and `translate convert` show what replaces it."
        ),
        example=(
            "vllm serve org/m --task embed       (for vLLM 0.12.0)",
            "vllm serve org/m --runner pooling --convert embed",
        ),
    ),
    "bad-extra-args": Code(
        ERROR,
        "unclosed quote",
        message="A quote in the value is not closed, so it cannot be split into tokens.",
        remedy="Close the quote.",
        explanation=(
            "The variable for further flags cannot be split into tokens as a shell splits them,"
            " because a quote is not closed."
        ),
        example=(
            "VLLM_EXTRA_ARGS=--served-model-name 'a b",
            "VLLM_EXTRA_ARGS=--served-model-name 'a b'",
        ),
    ),
}
