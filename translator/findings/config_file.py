"""The file of `vllm serve --config`."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, WARNING, Code

CODES: dict[str, Code] = {
    "config-file": Code(
        ERROR,
        "unusable --config file",
        cases={
            "twice": ("`--config` may be given only once.", "Merge the files into one."),
            "suffix": (
                "`{given}`: vLLM {version} accepts only files that end in .yaml or .yml for"
                " `--config`.",
                "Rename the file.",
            ),
            "unreadable": ("`--config` cannot be read: {problem}.", "Check the path."),
            "yaml": ("{file} is not YAML: {problem}.", "Fix the syntax."),
            "mapping": (
                "{file} is not a YAML mapping: vLLM {version} crashes on it.",
                "Write one `flag-name: value` a line.",
            ),
            "key": (
                "{file}: the key `{key}` is not a string: vLLM {version} crashes on it.",
                "Put it in quotes.",
            ),
            "json": (
                "{file}: the value of `{key}` is not JSON ({problem}): vLLM {version} crashes on"
                " it.",
                "Put it in quotes.",
            ),
        },
        explanation=(
            "The file of `--config` cannot be read, or vLLM would crash on it. vLLM expects a YAML"
            " mapping of flag names to values, in a file that ends in .yaml or .yml."
        ),
        example=(
            "vllm serve org/m --config settings.json",
            "vllm serve org/m --config settings.yaml",
        ),
    ),
    "config-file-kept": Code(
        INFO,
        "--config file that is not here",
        message="`--config {file}` cannot be read here and stays a file.",
        remedy="Make sure that it exists where vLLM runs.",
        explanation=(
            "The command runs in a container, and its `--config` file is not on this machine."
            " `--config` stays as it is, and the file must exist where vLLM runs. A file that is"
            " here becomes variables."
        ),
        example=("docker run vllm/vllm-openai --config /etc/v.yaml", "the same, beside the file"),
    ),
    "config-false": Code(
        WARNING,
        "ignored `false` in a --config file",
        message="{file}: vLLM {version} ignores `{key}: false`.",
        remedy=("Write `{write}`.", "Remove the line."),
        explanation=(
            "A `--config` file sets a key to false. vLLM drops such a key, so the flag keeps its"
            " default. Set the negative flag to true."
        ),
        example=("enable-prefix-caching: false", "no-enable-prefix-caching: true"),
    ),
    "config-not-read": Code(
        WARNING,
        "--config file that is never opened",
        message="`{given}`: vLLM {version} opens no file when `--config` is joined to it by `=`.",
        remedy="Write `--config {file}`.",
        explanation=(
            "vLLM looks for a file only behind `--config` as a token of its own. Joined by `=`, the"
            " parser accepts the option and never opens the file."
        ),
        example=(
            "vllm serve org/model --config=/etc/vllm.yaml",
            "vllm serve org/model --config /etc/vllm.yaml",
        ),
    ),
    "model-beside-config": Code(
        WARNING,
        "model that the --config file cannot name",
        message="vLLM {version} reads the model from its command line only, not from a file.",
        remedy="Start it as `{command}`.",
        explanation=(
            "Up to 0.7, and in 0.9.0, vLLM reads the model from its command line only, so the file"
            " is written without it. Name the model on the command line."
        ),
        example=(
            "env-to-args --format yaml       (for vLLM 0.7.3)",
            "vllm serve org/m --config file.yaml",
        ),
    ),
}
