"""What an output format, or a platform, cannot hold."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, WARNING, Code

CODES: dict[str, Code] = {
    "cannot-be-said": Code(
        ERROR,
        "value that the output cannot hold",
        # of a format:
        cases={
            "name": (
                (
                    "`--format {format}` cannot hold a variable called `{name}`.",
                    "`--format {format}` cannot hold a variable without a name.",
                ),
                "Use `--format {use}`.",
            ),
            "shell-name": (
                "`--format {format}` cannot set `{name}`, which bash or zsh sets itself.",
                "Use `--format {use}`.",
            ),
            "bytes": (
                "`--format {format}` cannot hold `{name}`, which has bytes that are not UTF-8.",
                "Use `--format {use}`.",
            ),
            "line-break": (
                "`--format {format}` cannot hold `{name}`, which has a line break.",
                "Use `--format {use}`.",
            ),
            "carriage-return": (
                "`--format {format}` loses the carriage return at the end of `{name}`.",
                "Use `--format {use}`.",
            ),
            "length": (
                "`--format {format}` cannot hold `{name}`, which is longer than the {limit} bytes"
                " that docker reads of a line.",
                "Use `--format {use}`.",
            ),
            "config": (
                "A `--config` file cannot name another one ({file}).",
                "Copy its keys into this file.",
            ),
            "config-value": (
                "No `--config` file of vLLM {version} can hold this value of `{flag}`.",
                "Pass it on the command line.",
            ),
            "engine-config": (
                "The engine's arguments cannot name a `--config` file ({file}).",
                "Copy its keys into the arguments.",
            ),
            # of a dialect:
            "not-passed-on": (
                "{reader} does not pass `{flag}` on to vLLM, so no variable can set it.",
                "{instead}.",
            ),
            "value": ("No variable of {reader} can hold this value of `{flag}`.", "{instead}."),
        },
        explanation=(
            "The output format cannot hold a value: a line break in docker's file, bytes that are"
            " not UTF-8 in YAML, a flag without a variable in a dialect that has no variable for"
            " further flags. Choose another format."
        ),
        example=("translate args-to-env --format docker", "translate args-to-env --format k8s"),
    ),
    "kept-in-extra-args": Code(
        INFO,
        "flags without a variable of their own",
        message=("{reader} has no variable for `{flags}`, so it goes into `{variable}`."),
        explanation=(
            "Other images read the same variables (RunPod's published worker), and they read a"
            " variable for this flag differently, or have none. So the flag goes into the variable"
            " for further flags, which every one of them splits as a shell would."
        ),
        example=(
            "vllm serve org/m --middleware a.b --middleware c.d",
            "VLLM_EXTRA_ARGS=--middleware=a.b --middleware=c.d",
        ),
    ),
    "not-in-file": Code(
        WARNING,
        "variable without a place in the output",
        message="`{file}` has no key for `{name}`, so it stays a variable of the container.",
        remedy="Set `{name}` beside the file.",
        cases={
            "format": (
                "`--format {format}` has no place for `{name}`, which was set with the command: it"
                " was left out.",
                "Set `{name}` where vLLM is started, or use `--format shell`.",
            ),
            "public": (
                "`{name}` is a secret, and a hub.json is public: its value is left out.",
                "Enter it where the endpoint is deployed.",
            ),
            "unread-secret": (
                "`{name}` is a secret that vLLM does not read, so it was left out.",
                "Set it where the program that reads it is started.",
            ),
            "reference": (
                "`{name}` has a secret, so `--format {format}` writes a reference: {reference}.",
                "Create what it refers to.",
            ),
            "secret-flag": (
                "`{flags}` has a secret, so `--format {format}` leaves it out.",
                "Pass the secret in a file or in a variable, if vLLM reads one.",
            ),
            "secret": (
                "`{name}` is a secret, and `--format {format}` has no place for a reference to it:"
                " it was left out.",
                "Set `{name}` in the container that starts vLLM.",
            ),
            "engine": (
                "The engine's arguments of vLLM {version} have no options of the server, so"
                " `{flags}` was left out.",
                "",
            ),
            "launcher": (
                "`--format {format}` leaves out `{flags}`: the program that reads the file sets"
                " it itself, or refuses it.",
                "",
            ),
            "launcher-variable": (
                "`--format {format}` leaves out `{name}`: that program's server does not ask for"
                " it.",
                "Protect the endpoint by other means.",
            ),
            "pairs": (
                "`--format {format}` leaves out `{flags}`: its program passes on one value for"
                " each flag, and only one switch.",
                "Use `--format shell`, and start `vllm serve` in a container of your own.",
            ),
        },
        explanation=(
            "The file of the dialect has no key for this variable: secrets and vLLM's own variables"
            " stay in the environment of the container. Or a command line is written in a format"
            " that has no place for the variables that were set with it."
        ),
        example=(
            (
                "translate args-to-env --dialect lmi --format properties -- vllm serve org/m"
                " --api-key …"
            ),
            "VLLM_API_KEY=… in the environment of the container",
        ),
    ),
    "over-limit": Code(
        ERROR,
        "longer than the platform allows",
        cases={
            "name": (
                "The name `{name}` has {size} bytes: the platform of {reader} allows {limit}.",
                "",
            ),
            "value": (
                "The value of `{name}` has {size} bytes: the platform of {reader} allows {limit}.",
                "Put it into a file, if the flag accepts one.",
            ),
            "all": (
                "The variables have {size} bytes together: the platform of {reader} allows"
                " {limit}.",
                "",
            ),
        },
        explanation=(
            "The platform of the dialect limits the length of a name, of a value or of the whole"
            " environment, in bytes, and does not start the container. Put long values into files."
        ),
        example=(
            "SM_VLLM_CHAT_TEMPLATE=(two thousand characters)",
            "SM_VLLM_CHAT_TEMPLATE=/opt/ml/model/template.jinja",
        ),
    ),
}
