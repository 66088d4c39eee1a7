"""Values that a flag does not take."""

from __future__ import annotations

from translator.findings.code import ERROR, WARNING, Code

CODES: dict[str, Code] = {
    "bad-bool": Code(
        ERROR,
        "bad-bool",
        explanation=(
            "A flag that is on or off was given something else. The words are true and false, 1"
            " and 0, yes and no, on and off, in any case. Anything else is an error and never"
            " taken for false, because a typing mistake that silently switches something off is"
            " found weeks later."
        ),
        example=("ENFORCE_EAGER=maybe", "ENFORCE_EAGER=true"),
    ),
    "bad-integer": Code(
        ERROR,
        "bad-integer",
        explanation=(
            "An integer was expected. Sizes may have a suffix as vLLM itself reads it: k, m, g and"
            " t count in thousands and may have decimals (25.6k), K, M, G and T count in 1024s and"
            " may not (25.6K is no whole number). `auto` is taken where the flag takes it. On the"
            " command line, an old vLLM takes plain digits only."
        ),
        example=("MAX_MODEL_LEN=25.6K", "MAX_MODEL_LEN=25.6k"),
    ),
    "bad-float": Code(
        ERROR,
        "bad-float",
        explanation="A number was expected, such as 0.9 or 1e-3.",
        example=("GPU_MEMORY_UTILIZATION=90%", "GPU_MEMORY_UTILIZATION=0.9"),
    ),
    "bad-choice": Code(
        ERROR,
        "bad-choice",
        explanation=(
            "The flag takes only certain values, and this is none of them in this version."
            " `translate explain --FLAG` shows which values it takes in which version."
        ),
        example=("DTYPE=fp9", "DTYPE=float16"),
    ),
    "bad-json": Code(
        ERROR,
        "bad-json",
        explanation=(
            "A JSON text was expected and this cannot be read as one, nor be repaired without"
            " guessing. A Python literal and one stray pair of quotes around the whole are"
            " repaired; a missing bracket is not. Old versions take KEY=NUMBER pairs for some"
            " flags instead."
        ),
        example=('HF_OVERRIDES={"a":', 'HF_OVERRIDES={"a": 1}'),
    ),
    "bad-list": Code(
        ERROR,
        "bad-list",
        explanation=(
            "A list was expected: a JSON array, or elements separated by commas; for flags such as"
            " --lora-modules each element is NAME=PATH or a JSON object."
        ),
        example=("LORA_MODULES=adapter", "LORA_MODULES=adapter=org/adapter"),
    ),
    "empty-element": Code(
        WARNING,
        "empty-element",
        explanation=(
            "A list has an empty element, most often for a comma too many at its end. vLLM's own "
            "syntax keeps it, as an element that is empty or none."
        ),
        example=("SERVED_MODEL_NAME=small,large,", "SERVED_MODEL_NAME=small,large"),
    ),
    "bad-key": Code(
        ERROR,
        "bad-key",
        explanation=(
            "A JSON flag that vLLM parses into a class holds a key that the class of this version"
            " does not have, or lacks one that it must have. vLLM would refuse to start."
        ),
        example=('COMPILATION_CONFIG={"mod": 3}', 'COMPILATION_CONFIG={"mode": 3}'),
    ),
    "bad-key-value": Code(
        ERROR,
        "bad-key-value",
        explanation=(
            "The value of one key inside a JSON flag is not what the class of this version takes:"
            " of another type, outside of its limits, none of its choices, or without the"
            " neighbour that it needs."
        ),
        example=(
            'COMPILATION_CONFIG={"cudagraph_mode": "SOMETIMES"}',
            'COMPILATION_CONFIG={"cudagraph_mode": "PIECEWISE"}',
        ),
    ),
    "ignored-key": Code(
        WARNING,
        "ignored-key",
        explanation=(
            "The JSON value has a key that the class of this vLLM version does not have. Newer"
            " versions refuse it; this one reads over it without a word, so that the setting has"
            " no effect."
        ),
        example=(
            'COMPILATION_CONFIG={"mod":3}       (for vLLM 0.12.0)',
            'COMPILATION_CONFIG={"mode":3}',
        ),
    ),
    "bad-text": Code(
        ERROR,
        "bad-text",
        explanation="A text holds what no command line can: a NUL byte.",
        example=("a chat template with a NUL byte in it", "the template without it"),
    ),
    "repaired-json": Code(
        WARNING,
        "repaired-json",
        explanation=(
            "The value is not JSON, but it is plain what was meant: a Python literal ({'a':"
            " True}), or JSON in one stray pair of quotes, as docker's --env-file leaves them. It"
            " was read so; write JSON to be sure."
        ),
        example=("HF_OVERRIDES={'rope_theta': 1000000}", 'HF_OVERRIDES={"rope_theta": 1000000}'),
    ),
    "not-on-argv": Code(
        ERROR,
        "not-on-argv",
        explanation=(
            "No command line can say this to vLLM: one of several list elements begins with a"
            " dash, or a model's name does, and argparse would take it for an option."
        ),
        example=("MODEL_NAME=-my-model", "MODEL_NAME=./-my-model"),
    ),
    "refused-at-start": Code(
        WARNING,
        "refused-at-start",
        explanation=(
            "vLLM's parser takes the command line, and then vLLM refuses to start with it, because"
            " one flag needs another, or because two exclude each other. `exec` starts nothing and"
            " `check` calls it an error; a translation has it as a warning, for what the parser"
            " takes can be said."
        ),
        example=(
            "ENABLE_AUTO_TOOL_CHOICE=true",
            "ENABLE_AUTO_TOOL_CHOICE=true TOOL_CALL_PARSER=hermes",
        ),
    ),
}
