"""Several sources of one setting: variables, files, what a platform adds."""

from __future__ import annotations

from translator.findings.code import INFO, WARNING, Code

CODES: dict[str, Code] = {
    "disagreement": Code(
        WARNING,
        "two different values of one setting",
        message="`{origin}` and `{others}` set `{what}` to different values: `{origin}` wins.",
        remedy="Set `{what}` in one place.",
        cases={
            "not-keyed": (
                "`{origin}` sets a key of `{flag}`, but `{others}` sets `{flag}` to a value"
                " without keys, which is ignored.",
                "Set one of the two.",
            ),
            "cluster": (
                "`{origin}` sets `{flag}` to {value}, but `{variable}` gives {expected} for this"
                " machine: `{origin}` wins.",
                "Remove `{flag}`: it follows from `{variable}`.",
            ),
            "file": ("`{name}` has another value in {file}, which overrides the variable.", ""),
        },
        explanation=(
            "Two sources set the same flag or key to different values, and the message names the"
            " winner. The platform's own variable wins over the flag's name in capitals, a key"
            " over the whole value, and tokens over variables."
        ),
        example=("TOKENIZER_NAME=a TOKENIZER=b", "TOKENIZER_NAME=a"),
    ),
    "worker-default": Code(
        INFO,
        "documented default of the platform",
        message="`{given}` was added: it is the documented default of the platform.",
        remedy="Set `{name}` to use another value.",
        explanation=(
            "With `--worker-defaults`, the defaults that the platform documents are added where"
            " nothing else is set."
        ),
        example=("translate env-to-args --worker-defaults", "translate env-to-args"),
    ),
    "baked-args": Code(
        INFO,
        "model baked into the image",
        message=(
            "{file}: the image contains a model. {variables} override the environment, and the"
            " Hugging Face hub is not contacted.",
            "{file}: the image contains a model, and the Hugging Face hub is not contacted.",
        ),
        explanation=(
            "The image contains a model, described by a file whose path the dialect knows. The"
            " variables in the file override the environment, and the Hugging Face hub is not"
            " contacted, as in RunPod's worker."
        ),
        example=("/local_model_args.json is there", "an image without it"),
    ),
    "bad-baked-args": Code(
        WARNING,
        "unusable file of a baked-in model",
        cases={
            "unreadable": (
                "{file} is not used, because it cannot be read: {problem}.",
                "Build the image again, or remove the file.",
            ),
            "json": (
                "{file} is not used, because it is not JSON: {problem}.",
                "Build the image again, or remove the file.",
            ),
            "object": (
                "{file} is not used, because it is not a JSON object.",
                "Build the image again, or remove the file.",
            ),
            "name": (
                (
                    "{file}: `{name}` cannot be the name of a variable, and was left out.",
                    "{file}: '' cannot be the name of a variable, and was left out.",
                ),
                "Use a name without `=`, NUL and lone surrogates.",
            ),
            "value": (
                "{file}: the value of `{name}` has a NUL or a lone surrogate (`\\ud800`), which no"
                " variable can hold. It was left out.",
                "Build the image again.",
            ),
        },
        explanation=(
            "The file that describes the model baked into the image cannot be used. As in RunPod's"
            " worker, vLLM starts without it."
        ),
        example=("/local_model_args.json is no JSON", "the image built again"),
    ),
    "consumer-default": Code(
        INFO,
        "argument that the platform adds",
        cases={
            "added": (
                (
                    "`{argument}` was added, as {reader} does.",
                    "`{arguments}` were added, as {reader} does.",
                ),
                "",
            ),
            "will-add": (
                (
                    "`{argument}` will be added by {reader}: the command line has no `{flag}`.",
                    "`{arguments}` will be added by {reader}: the command line has none of these"
                    " flags.",
                ),
                "",
            ),
            "overruled": (
                "{reader} replaces `{flags}` by the number of the machine's GPUs, where there are"
                " several.",
                "",
            ),
            "calculated": (
                "Nothing sets `{flags}`, so {reader} chooses the value.",
                "",
            ),
            "model": (
                (
                    "No variable names a model, so {reader} looks for it in `{directory}`.",
                    "No variable names a model, so it is read from `{directory}`.",
                ),
                "",
            ),
        },
        explanation=(
            "The platform's program adds arguments of its own, such as `--port 8080`, or looks for"
            " the model in a folder. They are added here, too. When variables are written, the"
            " finding says what the program will add to the given command line."
        ),
        example=("SM_VLLM_MODEL=org/m", "SM_VLLM_MODEL=org/m SM_VLLM_PORT=8080"),
    ),
    "consumer-differs": Code(
        WARNING,
        "variable that the platform reads differently",
        cases={
            "not-passed-on": (
                "`{variable}` sets `{flag}` here, but {reader} does not pass `{flag}` on to vLLM.",
                "Write it into `{extra_args}`.",
            ),
            "key": (
                "`{variable}` sets a key here, but {reader} reads no keys in names.",
                "Set the key in `{base}`, which is JSON.",
            ),
            "key-refused": (
                "`{variable}` sets a key here, but {reader} passes the name on as a flag, which"
                " vLLM refuses.",
                "Set the key in `{base}`, which is JSON.",
            ),
            "spelling": (
                "`{variable}` sets `{flag}` here, but {reader} knows the flag as `{own}` only.",
                "Use `{own}`.",
            ),
            "shell": (
                "`{variable}` has blanks or wildcards, and {reader} leaves the value to a shell,"
                " which splits and expands it.",
                "",
            ),
            "text": (
                "`{variable}`: {reader} passes the value on unchanged, and vLLM reads it"
                " differently than it is read here.",
                "",
            ),
            "word": (
                "`{variable}={given}`: for {reader}, only `true` is true.",
                "Write `{variable}=true`.",
            ),
            "json": (
                "`{variable}={given}`: {reader} reads JSON, and anything else as one string.",
                "Write a list as a JSON array.",
            ),
            "pairs": (
                "`{variable}={given}`: {reader} reads only `key=number` pairs with commas between.",
                "Write such pairs.",
            ),
            "sets-nothing": ("`{variable}={given}` sets nothing for {reader}.", ""),
            "behind": (
                "`{origin}` has no effect: {reader} appends `{token}`.",
                "Set `{assignment}`.",
            ),
            "unused-secret": (
                "`{variable}` keeps nobody out: {reader} does not use `{flag}`.",
                "Restrict access by the platform's own means.",
            ),
            "line-break": (
                "`{variable}`: {reader} reads line by line, and loses what follows a line break or"
                " a single `=` at the end.",
                "",
            ),
            "left-out": (
                "`{variable}={given}` has no effect: {reader} leaves it out, and `{flag}` keeps"
                " its default.",
                "Write `{instead}`.",
            ),
            "refused": (
                "`{variable}={given}`: vLLM {version} refuses what {reader} passes on.",
                ("Write `{instead}`.", "Set `{needs}` to a value."),
            ),
            "choice": (
                "`{variable}={given}` counts as `{meant}` for {reader}.",
                "Use one of {choices}.",
            ),
            "any-text": (
                "`{variable}={given}` switches `{flag}` on: {reader} does so for every text.",
                "Remove `{variable}`.",
            ),
            "value": (
                (
                    "`{variable}={given}`: {reader} reads the value differently: {note}.",
                    "`{variable}={given}`: {reader} accepts only {only}.",
                    "`{variable}={given}`: {reader} accepts only integers from {least} to {most}.",
                    "`{variable}={given}`: {reader} accepts only integers ≥ {least}.",
                ),
                "",
            ),
            "unknown-value": (
                "`{variable}={given}`: {reader} does not know this value, and stops: {note}.",
                "",
            ),
            "partly": (
                "{reader} uses `{flag}` only in part: {note}.",
                "",
            ),
            "relay": (
                "`{variable}` does not reach vLLM unchanged: {program}, which starts it, cuts or"
                " expands the value, or stops.",
                "Set `{assignment}`.",
            ),
            "relay-set": (
                "`{assignment}` was added: {program}, which starts vLLM, would change"
                " `{variables}`.",
                "",
            ),
            "evaluated": (
                "`{variable}`: {reader} leaves the value to a shell, which expands variables,"
                " wildcards and commands in it. They are not expanded here.",
                "Put single quotes around such values.",
            ),
            "quotes": (
                "`{variable}`: {reader} removes no quotes, and expands `*`, `?` and `[`.",
                "Leave out what needs quotes.",
            ),
            "iso-8859-1": (
                "{file}: Java reads the file as ISO-8859-1, so its UTF-8 characters become other"
                " ones.",
                "Write such characters as `\\uXXXX`.",
            ),
        },
        explanation=(
            "The platform's program makes something else of the variable than its text says: it"
            " drops `false` or a whole flag, accepts certain values only, or passes on what vLLM"
            " refuses. The finding says which."
        ),
        example=("SM_VLLM_ENABLE_PREFIX_CACHING=false", "SM_VLLM_NO_ENABLE_PREFIX_CACHING=true"),
    ),
    "set-elsewhere": Code(
        WARNING,
        "flag that the platform sets elsewhere",
        message="`{flag}` is in no variable: {reader} takes it from {where}.",
        remedy="Set {where}.",
        explanation=(
            "The platform passes the flag from another place, such as a field of its manifest, and"
            " reads no variable for it. The variables hold everything else."
        ),
        example=("vllm serve org/m --max-model-len 8000", "spec.model.uri: hf://org/m"),
    ),
    "older-consumer": Code(
        WARNING,
        "flag that an older platform program lacks",
        message=(
            "{reader}, the one for vLLM {version}, does not get `{flags}` from these variables."
        ),
        remedy="{instead}.",
        explanation=(
            "The platform's program of that vLLM version reads fewer variables than the current"
            " one, and no variable for further flags. `translate exec` reads all of them. What the"
            " program does not read has no effect there, or stops it."
        ),
        example=(
            "vllm serve org/m --middleware a.b       (for vLLM 0.23.0)",
            "a newer image, or `translate exec` as the entrypoint of the image",
        ),
    ),
    "platform-breaks": Code(
        WARNING,
        "flag that breaks the platform's program",
        message="{reader} does not work with `{flag}`: {note}.",
        remedy="Leave `{flag}` out, or make `translate exec` the entrypoint of the image.",
        explanation=(
            "The platform's program starts vLLM and talks to it. With this flag it finds no"
            " server, or the server refuses its requests. The variables work where `translate"
            " exec` is the entrypoint of the image."
        ),
        example=("vllm serve org/m --port 9000", "vllm serve org/m"),
    ),
    "platform-differs": Code(
        INFO,
        "variable that the platform's own image reads differently",
        cases={
            "text": (
                "`{variable}={given}`: {reader} passes the value on as one token, which vLLM reads"
                " differently than it is read here.",
                "",
            ),
            "unset": (
                "`{variable}={given}` sets nothing here, but {reader} passes the value on.",
                "Remove `{variable}`.",
            ),
            "breaks": ("{reader} does not work with `{flag}`: {note}.", ""),
        },
        explanation=(
            "`translate exec` reads the variable as documented here. The platform's own image"
            " makes something else of it. The difference matters only where that image runs."
        ),
        example=("SERVED_MODEL_NAME=a,b", "VLLM_EXTRA_ARGS=--served-model-name a b"),
    ),
    "newer-than-consumer": Code(
        INFO,
        "flag newer than the platform's vLLM",
        message="`{flags}` is newer than vLLM {vllm}, which {reader} runs.",
        explanation=(
            "The platform's program runs an older vLLM than the one that is written for, which"
            " does not have the flag. The variable works where the container has the newer vLLM."
        ),
        example=("vllm serve org/m --dp-sync-interval 3       (for vLLM 0.33.0)", ""),
    ),
}
