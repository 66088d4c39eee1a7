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
            "overridden": (
                "`{origin}` and `{others}` set `{what}` to different values: `{origin}` wins.",
                "Set `{what}` once.",
            ),
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
        "worker-default",
        message="`{given}` is the documented default of the platform.",
        remedy="Set `{name}` to use another value.",
        explanation=(
            "With --worker-defaults, a default that the dialect's documentation gives was added."
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
        "consumer-default",
        message="`{flag}` is added by {reader}.",
        remedy="",
        cases={
            "model": (
                "No variable names a model, so {reader} serves the one in `{directory}`.",
                "",
            ),
        },
        explanation=(
            "The program that reads the dialect adds an argument of its own, such as --port 8080,"
            " or looks for the model in a folder. Read here, the same is added; written here, it"
            " is said, because the command line that was given does not have it."
        ),
        example=("SM_VLLM_MODEL=org/m", "SM_VLLM_MODEL=org/m SM_VLLM_PORT=8080"),
    ),
    "consumer-differs": Code(
        WARNING,
        "consumer-differs",
        cases={
            "iso-8859-1": (
                "{file}: Java reads the file as ISO-8859-1, so its UTF-8 characters become other"
                " ones.",
                "Write such characters as `\\uXXXX`.",
            ),
        },
        explanation=(
            "The program that reads the dialect makes something else of this variable than its"
            " text says: it leaves `false` out, drops a flag, knows only certain values, or passes"
            " on what vLLM refuses. The finding says which, and what was done here."
        ),
        example=("SM_VLLM_ENABLE_PREFIX_CACHING=false", "SM_VLLM_NO_ENABLE_PREFIX_CACHING=true"),
    ),
    "consumer-needs": Code(
        WARNING,
        "consumer-needs",
        explanation=(
            "The container of the dialect does not start without these variables, and nothing that"
            " was given says what they hold."
        ),
        example=(
            "vllm serve org/m --max-model-len 8000",
            (
                "VLLM_MAX_MODEL_LEN=8000 MODEL_NAME=org/m LOCAL_MODEL_PATH=… S3_BUCKET_MODELS=…"
                " S3_MOUNT_POINT=… THREADS=…"
            ),
        ),
    ),
    "newer-than-consumer": Code(
        INFO,
        "newer-than-consumer",
        explanation=(
            "The program that the dialect was made for runs an older vLLM than the one that is"
            " written for, and that one does not have the flag: the variable is for a container"
            " that starts the newer vLLM through this program."
        ),
        example=("vllm serve org/m --dp-sync-interval 3       (for vLLM 0.33.0)", ""),
    ),
}
