"""What an output format cannot hold."""

from __future__ import annotations

from translator.findings import ERROR, INFO, WARNING
from translator.findings.code import Code

CODES: dict[str, Code] = {
    "cannot-be-said": Code(
        ERROR,
        "cannot-be-said",
        explanation=(
            "The output form cannot hold a value: a line break in docker's file, bytes that are"
            " not UTF-8 in YAML, a flag without a variable in a dialect that has none for further"
            " tokens."
        ),
        example=("translate args-to-env --format docker", "translate args-to-env --format k8s"),
    ),
    "kept-in-extra-args": Code(
        INFO,
        "kept-in-extra-args",
        explanation=(
            "The dialect has other readers than this program (RunPod's published worker), and they"
            " make something else of a variable for this flag, or none. So it stands in the"
            " variable for further tokens, which every reader splits as a shell would."
        ),
        example=(
            "vllm serve org/m --middleware a.b --middleware c.d",
            "VLLM_EXTRA_ARGS=--middleware=a.b --middleware=c.d",
        ),
    ),
    "not-in-file": Code(
        WARNING,
        "not-in-file",
        explanation=(
            "The dialect's file has no key for this variable: secrets and vLLM's own variables"
            " stay in the container's environment, beside the file. Or a command line is written"
            " in a form that has no place for the variables that stood with it."
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
        "over-limit",
        explanation=(
            "The platform of the dialect takes no name, no value, or no environment of that"
            " length, in bytes."
        ),
        example=(
            "SM_VLLM_CHAT_TEMPLATE=(two thousand characters)",
            "SM_VLLM_CHAT_TEMPLATE=/opt/ml/model/template.jinja",
        ),
    ),
}
