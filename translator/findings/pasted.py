"""Shell lines, env files and manifests as people paste them."""

from __future__ import annotations

from translator.findings import ERROR, INFO, WARNING
from translator.findings.code import Code

CODES: dict[str, Code] = {
    "shell-variable": Code(
        ERROR,
        "shell-variable",
        explanation=(
            "The text refers to a variable whose value is not known here. Only --env-file (and "
            "assignments in the text itself) are looked at, never the environment of this process."
        ),
        example=(
            "vllm serve $MODEL",
            "translate args-to-env --env-file vars.env 'vllm serve $MODEL'",
        ),
    ),
    "shell-syntax": Code(
        ERROR,
        "shell-syntax",
        explanation=(
            "The text needs a shell that runs it (a command substitution, a here-document), or"
            " would be taken apart by one (an open quote, braces with commas outside of quotes)."
        ),
        example=("vllm serve $(cat model.txt)", "vllm serve org/m"),
    ),
    "not-vllm-serve": Code(
        ERROR,
        "not-vllm-serve",
        explanation=(
            "What was given does not start vLLM's server: only `vllm serve` and `python -m"
            " vllm.entrypoints.openai.api_server` are translated, also inside of docker run, sh -c"
            " and a container's YAML."
        ),
        example=("vllm bench --model org/m", "vllm serve org/m"),
    ),
    "image-version": Code(
        INFO,
        "image-version",
        explanation=(
            "The tag of the image says which vLLM is in it, and the command is read for that"
            " version. --vllm overrides it."
        ),
        example=("docker run vllm/vllm-openai:v0.11.2 --model org/m", "vllm serve org/m"),
    ),
    "cut-off": Code(
        INFO,
        "cut-off",
        explanation=(
            "Something stood around the command that is for the shell, or is another command: a "
            "redirection, a pipe, `cd`. It was left out."
        ),
        example=("vllm serve org/m > log.txt 2>&1 &", "vllm serve org/m"),
    ),
    "bad-env-file": Code(
        ERROR,
        "bad-env-file",
        explanation="A line of a file of variables cannot be read.",
        example=("MODEL_NAME='org/m", "MODEL_NAME='org/m'"),
    ),
    "repeated-variable": Code(
        WARNING,
        "repeated-variable",
        explanation=(
            "A file sets a variable twice, to different values. As for every reader of such files,"
            " the later line wins; the earlier one has no effect."
        ),
        example=("two lines, MODEL_NAME=org/m and MODEL_NAME=org/n", "MODEL_NAME=org/n"),
    ),
    "bad-manifest": Code(
        ERROR,
        "bad-manifest",
        explanation=(
            "The YAML cannot be read, or Kubernetes would refuse it: an argument or a variable's"
            " value that is no text, a command that is no list."
        ),
        example=(
            "env: [{name: MAX_MODEL_LEN, value: 8192}]",
            'env: [{name: MAX_MODEL_LEN, value: "8192"}]',
        ),
    ),
    "unresolved-value": Code(
        WARNING,
        "unresolved-value",
        explanation=(
            "The value of a variable comes from elsewhere (a Secret, a file, docker's own "
            "environment): it is not known here, so nothing is said about it."
        ),
        example=(
            "docker run -e HF_TOKEN …",
            "translate args-to-env --env-file secrets.env 'docker run -e HF_TOKEN …'",
        ),
    ),
}
