"""Values that a flag does not accept.

Facts that most of these have: `given` is the value as it was written (`DTYPE=fp9`, `--dtype fp9`),
`flag` the flag of vLLM that it is for, `write` what to write instead, in the same form.
"""

from __future__ import annotations

from translator.findings.code import ERROR, REPLACE, REPLACE_UNSAFE, WARNING, Code

CODES: dict[str, Code] = {
    "bad-bool": Code(
        ERROR,
        "not a boolean",
        message=(
            "`{given}` is not a boolean: `{flag}` of vLLM {version} is on or off.",
            "`{given}` is not a boolean.",
        ),
        remedy=("Write `{write}`.", "Use true or false."),
        fix=REPLACE_UNSAFE,
        explanation=(
            "The flag is on or off. Accepted are true and false, 1 and 0, yes and no, on and off,"
            " in any case. Everything else is an error and never read as false, because a typing"
            " mistake that silently switches something off is found weeks later."
        ),
        example=("ENFORCE_EAGER=maybe", "ENFORCE_EAGER=true"),
    ),
    "bad-integer": Code(
        ERROR,
        "not an integer",
        message=(
            "`{given}` is not an integer, which `{flag}` of vLLM {version} requires.",
            "`{given}` is not an integer.",
        ),
        remedy=("Write `{write}`.", "Use a whole number, such as 8192 or 8k."),
        cases={
            "auto": (
                (
                    "`{given}` is not an integer or auto, which `{flag}` of vLLM {version}"
                    " requires.",
                    "`{given}` is not an integer.",
                ),
                ("Write `{write}`.", "Use a whole number, such as 8192 or 8k, or auto."),
            ),
            "digits": (
                (
                    "`{given}` is not an integer: `{flag}` of vLLM {version} accepts digits only.",
                    "`{given}` is not an integer.",
                ),
                ("Write `{write}`.", "Use a whole number, such as 8192."),
            ),
            "fraction": (
                (
                    "`{given}` is not an integer, which `{flag}` of vLLM {version} requires: only"
                    " k, m, g and t may follow decimals.",
                    "`{given}` is not an integer: only k, m, g and t may follow decimals.",
                ),
                "Write `{write}`.",
            ),
            "too-large": ("`{given}` has too many digits.", ""),
        },
        fix=REPLACE_UNSAFE,
        explanation=(
            "The flag needs an integer. As in vLLM itself, k, m, g and t count in thousands and may"
            " have decimals (25.6k); K, M, G and T count in 1024s and may not (25.6K is not a whole"
            " number). Some flags also accept auto. On the command line, old versions accept digits"
            " only."
        ),
        example=("MAX_MODEL_LEN=25.6K", "MAX_MODEL_LEN=25.6k"),
    ),
    "bad-float": Code(
        ERROR,
        "not a number",
        message=(
            "`{given}` is not a number, which `{flag}` of vLLM {version} requires.",
            "`{given}` is not a number.",
        ),
        remedy=("Write `{write}`.", "Use a number, such as 0.9."),
        fix=REPLACE_UNSAFE,
        explanation="The flag needs a number, such as 0.9 or 1e-3. Percentages are not accepted.",
        example=("GPU_MEMORY_UTILIZATION=90%", "GPU_MEMORY_UTILIZATION=0.9"),
    ),
    "bad-choice": Code(
        ERROR,
        "not one of the choices",
        message=(
            "`{given}` is not valid: `{flag}` of vLLM {version} accepts {choices}.",
            "`{given}` is not valid: `{flag}` accepts {choices}.",
        ),
        remedy="Write `{write}`.",
        cases={
            "reader": ("`{given}` is not valid: {reader} accepts {choices}.", ""),
            "json-style": ("`{given}` is not a JSON style.", 'Use "compact" or "dotted".'),
        },
        fix=REPLACE_UNSAFE,
        explanation=(
            "The flag accepts only certain values, and in this version this is none of them."
            " `translate explain --FLAG` lists the values that each version accepts."
        ),
        example=("DTYPE=fp9", "DTYPE=float16"),
    ),
    "bad-json": Code(
        ERROR,
        "not valid JSON",
        message=(
            "`{given}` is not the JSON that `{flag}` of vLLM {version} requires: {reason}.",
            "`{given}` is not valid JSON: {reason}.",
        ),
        remedy=("Write `{write}`.", "Add the missing `{missing}`."),
        cases={
            "python": (
                "`{given}` is not a Python literal, which `{flag}` of vLLM {version} requires.",
                ("Write `{write}`.", "Add the missing `{missing}`."),
            ),
            "null": ("`{given}`: `{flag}` of vLLM {version} does not accept null.", "Remove it."),
            "pairs": (
                (
                    "`{given}` is not a list of KEY=NUMBER pairs, which `{flag}` of vLLM {version}"
                    " requires.",
                    "`{given}` is not a list of KEY=NUMBER pairs.",
                ),
                "Write pairs separated by commas, such as `image=1,video=0`.",
            ),
            "colons": (
                (
                    "`{given}` is not a list of KEY:VALUE pairs, which `{flag}` of vLLM {version}"
                    " requires.",
                    "`{given}` is not a list of KEY:VALUE pairs.",
                ),
                "Write pairs separated by commas, such as `a:1,b:2`.",
            ),
            "pair-twice": ("`{given}` sets one key to two different numbers.", "Keep one of them."),
            "too-deep": (
                "`{given}` nests deeper than {limit} levels.",
                "Write the whole value as JSON.",
            ),
        },
        fix=REPLACE,
        explanation=(
            "The flag needs JSON, and the value is not JSON and cannot be repaired without"
            " guessing. Python literals and one pair of quotes around the whole are repaired; a"
            " missing bracket is not. Some flags of old versions need KEY=NUMBER or KEY:VALUE pairs"
            " instead."
        ),
        example=('HF_OVERRIDES={"a":', 'HF_OVERRIDES={"a": 1}'),
    ),
    "bad-list": Code(
        ERROR,
        "not a valid list",
        message="`{given}` is neither a JSON array nor a list separated by commas: {reason}.",
        remedy="Separate the elements by commas, or write a JSON array.",
        cases={
            "name-path": (
                (
                    "`{given}`: `{flag}` of vLLM {version} needs NAME=PATH for each element.",
                    "`{given}`: each element must be NAME=PATH.",
                ),
                "Write each element as NAME=PATH, with one `=`.",
            ),
            "name-path-or-object": (
                (
                    "`{given}`: `{flag}` of vLLM {version} needs NAME=PATH or a JSON object with"
                    " `name` and `path` for each element.",
                    "`{given}`: each element must be NAME=PATH or a JSON object with `name` and"
                    " `path`.",
                ),
                'Write NAME=PATH, or `{{"name":"NAME","path":"PATH"}}`.',
            ),
            "object-keys": (
                (
                    "`{given}`: `{flag}` of vLLM {version} accepts no other keys in an object than"
                    " {known}.",
                    "`{given}`: an object may have no other keys than {known}.",
                ),
                "Remove the other keys.",
            ),
            "empty": (
                "`{flag}` of vLLM {version} needs at least one element.",
                "Add an element, or remove the flag.",
            ),
            "nested": (
                (
                    "`{given}`: `{flag}` of vLLM {version} needs a string or a number for each"
                    " element, not {type}.",
                    "`{given}`: each element must be a string or a number, not {type}.",
                ),
                "",
            ),
            "one": (
                "`{given}` has several values: `{flag}` of vLLM {version} accepts one.",
                "Keep one of them.",
            ),
            "strings": ("`{given}` is not a JSON array of strings.", 'Write `["A","B"]`.'),
        },
        explanation=(
            "The flag needs a list: a JSON array, or elements separated by commas. For flags such"
            " as `--lora-modules`, each element is NAME=PATH or a JSON object."
        ),
        example=("LORA_MODULES=adapter", "LORA_MODULES=adapter=org/adapter"),
    ),
    "empty-element": Code(
        WARNING,
        "empty element in a list",
        message="`{name}` has an empty element, and `{flag}` of vLLM {version} keeps it.",
        remedy=("Write `{write}`.", "Remove it."),
        fix=REPLACE_UNSAFE,
        explanation=(
            "A list has an empty element, usually because of a comma too many. vLLM keeps it, as an"
            " element that is empty or none."
        ),
        example=("SERVED_MODEL_NAME=small,large,", "SERVED_MODEL_NAME=small,large"),
    ),
    "bad-key": Code(
        ERROR,
        "unknown or missing key",
        message="`{flag}` of vLLM {version} has no key `{key}`.",
        remedy=("Did you mean `{near}`?", "Known keys: {known}."),
        cases={"missing": ("`{flag}` of vLLM {version} needs the key `{key}`.", "Add it.")},
        explanation=(
            "A JSON flag has a key that this version does not know, or lacks one that it requires."
            " vLLM refuses to start."
        ),
        example=('COMPILATION_CONFIG={"mod": 3}', 'COMPILATION_CONFIG={"mode": 3}'),
    ),
    "bad-key-value": Code(
        ERROR,
        "invalid value of a key",
        message="`{given}` is not valid: vLLM {version} expects {expected}.",
        remedy="Did you mean `{near}`?",
        explanation=(
            "The value of one key of a JSON flag is not what this version accepts: its type is"
            " wrong, it is out of range, it is not one of the choices, or another key that it needs"
            " is missing. vLLM refuses to start."
        ),
        example=(
            'COMPILATION_CONFIG={"cudagraph_mode": "SOMETIMES"}',
            'COMPILATION_CONFIG={"cudagraph_mode": "PIECEWISE"}',
        ),
    ),
    "ignored-key": Code(
        WARNING,
        "key that vLLM ignores",
        message="`{flag}` of vLLM {version} has no key `{key}` and ignores it.",
        remedy=("Did you mean `{near}`?", "Known keys: {known}."),
        explanation=(
            "A JSON flag has a key that this version does not know and ignores, so it has no"
            " effect. Newer versions refuse such keys."
        ),
        example=(
            'COMPILATION_CONFIG={"mod":3}       (for vLLM 0.12.0)',
            'COMPILATION_CONFIG={"mode":3}',
        ),
    ),
    "bad-text": Code(
        ERROR,
        "not a usable string",
        cases={
            "nul": (
                "`{name}` has a NUL byte, which no command line and no variable can hold.",
                "Remove the NUL byte.",
            ),
            "surrogate": (
                "`{name}` has a lone surrogate, which no command line and no variable can hold.",
                r"Write the character itself, or both halves: `\ud83e\udd99`.",
            ),
            "json": (
                "`{given}`: `{flag}` of vLLM {version} needs one plain value, not JSON.",
                "Write the value without brackets.",
            ),
            "environment": ("The environment is of type {type}, not a mapping of str to str.", ""),
            "name": ("The environment has a name of type {type}, not str.", "Remove it."),
            "value": (
                "`{name}` is of type {type}, not str.",
                ("Write `{write}`.", "Write it as str."),
            ),
            "fields": ("The arguments are of type {type}, not a mapping of str to values.", ""),
            "field": ("The arguments have a name of type {type}, not str.", "Remove it."),
            "line": ("The command line is one str, not a list.", "Split it with `shlex.split`."),
            "tokens": ("The command line is of type {type}, not a list of str.", ""),
            "token": (
                (
                    "Token {place}, after `{after}`, is of type {type}, not str.",
                    "Token {place} is of type {type}, not str.",
                ),
                ("Write `{write}`.", "Remove it, or write it as str."),
            ),
        },
        explanation=(
            "No command line can hold the value, because it has a NUL byte, or half of a character"
            r" (`\ud83e` in JSON without its other half); or a program passed something else than a"
            " string."
        ),
        example=("a chat template with a NUL byte in it", "the template without it"),
    ),
    "repaired-json": Code(
        WARNING,
        "repaired JSON",
        remedy="Write `{write}`.",
        cases={
            "quotes": ("`{name}`: the quotes around the JSON were ignored.", "Write `{write}`."),
            "list-quotes": (
                "`{name}`: the quotes around the list were ignored.",
                "Write `{write}`.",
            ),
            "literal": ("`{name}` is a Python literal and was read as JSON.", "Write `{write}`."),
            "pairs": (
                "`{name}` has KEY=NUMBER pairs, as vLLM up to 0.8 accepts them; they were read as"
                " JSON.",
                "Write `{write}`.",
            ),
        },
        fix=REPLACE,
        explanation=(
            "The value is not JSON, but it is clear what was meant: a Python literal ({'a': True}),"
            " or JSON in quotes, which docker's --env-file does not remove. It was read as such."
            " vLLM itself refuses it, so write JSON."
        ),
        example=("HF_OVERRIDES={'rope_theta': 1000000}", 'HF_OVERRIDES={"rope_theta": 1000000}'),
    ),
    "not-on-argv": Code(
        ERROR,
        "value that no command line can hold",
        message="The model `{given}` begins with a dash: vLLM would read it as an option.",
        remedy="Write `./` in front of the name of a folder.",
        cases={
            "null": (
                "`{flag}` of vLLM {version} cannot be set to null on a command line.",
                "Remove it.",
            ),
            "dash": (
                "`{flag}` of vLLM {version}: one of several elements begins with a dash, so that"
                " vLLM would read it as an option.",
                "Pass it as the only element.",
            ),
            "end": ("`{flag}`: the parser drops the value `--`.", "Use another value."),
        },
        explanation=(
            "vLLM's command line cannot hold the value: a model, or one of several elements of a"
            " list, begins with a dash, and the parser would read it as an option."
        ),
        example=("MODEL_NAME=-my-model", "MODEL_NAME=./-my-model"),
    ),
    "refused-at-start": Code(
        WARNING,
        "refused by the engine at start",
        message="`{given}` parses, but the engine of vLLM {version} refuses it.",
        remedy=("Use another value, or remove it.",),
        cases={
            "bounds": (
                "`{given}` parses, but the engine of vLLM {version} refuses it: it must be"
                " {expected}.",
                ("Did you mean `{write}`?", "Use another value, or remove it."),
            ),
            "needs": (
                "`{given}` parses, but vLLM {version} does not start without `{needs}`.",
                "Set `{needs}`.",
            ),
            "excludes": (
                "`{given}` parses, but vLLM {version} does not start with it and `{other}`"
                " together.",
                "Remove `{remove}`.",
            ),
            "key": (
                "`{flag}` has no key `{key}`: the parser of vLLM {version} accepts it, but the"
                " engine does not start.",
                ("Did you mean `{near}`?", "Known keys: {known}."),
            ),
            "key-missing": (
                "`{flag}` parses, but the engine of vLLM {version} does not start without the key"
                " `{key}`.",
                "Add it.",
            ),
            "key-value": (
                "`{given}` parses, but the engine of vLLM {version} refuses it: it expects"
                " {expected}.",
                "Did you mean `{near}`?",
            ),
        },
        fix={"bounds": REPLACE_UNSAFE},
        explanation=(
            "vLLM's parser accepts the command line, but the engine does not start: a value is out"
            " of range, a flag needs another one, or two exclude each other. `check` and `exec`"
            " report it as an error, a translation as a warning."
        ),
        example=(
            "ENABLE_AUTO_TOOL_CHOICE=true",
            "ENABLE_AUTO_TOOL_CHOICE=true TOOL_CALL_PARSER=hermes",
        ),
    ),
}
