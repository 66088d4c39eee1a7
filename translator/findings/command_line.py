"""Reading a `vllm serve` command line."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, WARNING, Code

CODES: dict[str, Code] = {
    "missing-model": Code(
        ERROR,
        "missing-model",
        explanation=(
            "This vLLM does not start without a model (or takes what was given only behind one),"
            " as up to 0.7 none does."
        ),
        example=("MAX_MODEL_LEN=8k       (for vLLM 0.7.3)", "MODEL_NAME=org/m MAX_MODEL_LEN=8k"),
    ),
    "no-model": Code(
        WARNING,
        "no-model",
        explanation=(
            "No model is set. This vLLM starts all the same, and serves a small default model of"
            " its own, which is rarely what is meant."
        ),
        example=("MAX_MODEL_LEN=8k", "MODEL_NAME=org/m MAX_MODEL_LEN=8k"),
    ),
    "model-like-option": Code(
        WARNING,
        "model-like-option",
        explanation=(
            "The model begins with a dash and holds a space. vLLM's parser takes such a token for"
            " the model, not for an option that it does not know: most likely an option is"
            " misspelt."
        ),
        example=("vllm serve '--max-modle-len 8k'", "vllm serve org/m --max-model-len 8k"),
    ),
    "ambiguous-flag": Code(
        ERROR,
        "ambiguous-flag",
        explanation=(
            "A flag was abbreviated, and the abbreviation begins several. The real parser"
            " refuses it."
        ),
        example=("vllm serve org/m --max-n 8", "vllm serve org/m --max-num-seqs 8"),
    ),
    "missing-value": Code(
        ERROR,
        "missing-value",
        explanation=(
            "A flag that takes a value stands without one. If the value begins with a dash, it has"
            " to be joined to the flag by `=`."
        ),
        example=("vllm serve org/m --chat-template", "vllm serve org/m --chat-template=./t.jinja"),
    ),
    "unexpected-value": Code(
        ERROR,
        "unexpected-value",
        explanation=(
            "A flag that is on or off was given a value, or one that prints help was given."
            " `--flag` switches it on; its negation switches it off."
        ),
        example=(
            "vllm serve org/m --enable-prefix-caching=true",
            "vllm serve org/m --enable-prefix-caching",
        ),
    ),
    "stray-token": Code(
        ERROR,
        "stray-token",
        explanation=(
            "A word that belongs to no flag: most often the value of a flag that takes none, or a"
            " word too many because quotes are missing."
        ),
        example=(
            "vllm serve org/m --enable-prefix-caching true",
            "vllm serve org/m --enable-prefix-caching",
        ),
    ),
    "model-option": Code(
        ERROR,
        "model-option",
        explanation=(
            "From 0.8 to 0.10, `vllm serve` takes the model as its first argument and refuses"
            " --model."
        ),
        example=("vllm serve --model org/m       (for vLLM 0.9.2)", "vllm serve org/m"),
    ),
    "repeated-flag": Code(
        INFO,
        "repeated-flag",
        explanation=(
            "A flag was given more than once, and only the last use counts; what stood before has"
            " no effect. A dotted key counts as behind everything else, and replaces the whole"
            " JSON given to the flag itself."
        ),
        example=("vllm serve org/m --seed 1 --seed 2", "vllm serve org/m --seed 2"),
    ),
    "deprecated-flag": Code(
        WARNING,
        "deprecated-flag",
        explanation=(
            "The version still takes the flag, but has announced that a later one will not."
            " `translate explain FLAG` and `translate convert` say what comes after it."
        ),
        example=(
            "vllm serve org/m --task embed       (for vLLM 0.12.0)",
            "vllm serve org/m --runner pooling --convert embed",
        ),
    ),
    "bad-extra-args": Code(
        ERROR,
        "bad-extra-args",
        message="A quote in the value is not closed, so it cannot be split into tokens.",
        remedy="Close the quote.",
        explanation="The variable for further tokens cannot be split into them as a shell would.",
        example=(
            "VLLM_EXTRA_ARGS=--served-model-name 'a b",
            "VLLM_EXTRA_ARGS=--served-model-name 'a b'",
        ),
    ),
}
