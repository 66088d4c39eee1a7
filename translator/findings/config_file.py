"""The file of `vllm serve --config`."""

from __future__ import annotations

from translator.findings import ERROR, INFO, WARNING
from translator.findings.code import Code

CODES: dict[str, Code] = {
    "config-file": Code(
        ERROR,
        "config-file",
        explanation="The file of --config cannot be read, or holds what vLLM would crash on.",
        example=(
            "vllm serve org/m --config settings.json",
            "vllm serve org/m --config settings.yaml",
        ),
    ),
    "config-file-kept": Code(
        INFO,
        "config-file-kept",
        explanation=(
            "The command runs in a container, and its --config file is not here: it stays a file,"
            " and has to be where vLLM runs. Otherwise its content would have become variables."
        ),
        example=("docker run vllm/vllm-openai --config /etc/v.yaml", "the same, beside the file"),
    ),
    "config-false": Code(
        WARNING,
        "config-false",
        explanation=(
            "A file for --config sets a key to false. No version of vLLM makes anything of that:"
            " the key is dropped. Its negation set to true does it."
        ),
        example=("enable-prefix-caching: false", "no-enable-prefix-caching: true"),
    ),
    "config-not-read": Code(
        WARNING,
        "config-not-read",
        explanation=(
            "vLLM looks for a file only behind `--config` as a token of its own. Joined by `=`,"
            " the option is taken, and the file is never opened."
        ),
        example=(
            "vllm serve org/model --config=/etc/vllm.yaml",
            "vllm serve org/model --config /etc/vllm.yaml",
        ),
    ),
    "model-beside-config": Code(
        WARNING,
        "model-beside-config",
        explanation=(
            "Up to 0.7, vLLM takes the model from its command line only. The file is written"
            " without it."
        ),
        example=(
            "env-to-args --format yaml       (for vLLM 0.7.3)",
            "vllm serve org/m --config file.yaml",
        ),
    ),
}
