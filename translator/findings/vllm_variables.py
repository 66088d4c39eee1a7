"""Variables that vLLM itself reads."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, REMOVE, REPLACE, REPLACE_UNSAFE, WARNING, Code

CODES: dict[str, Code] = {
    "bad-variable": Code(
        ERROR,
        "value that crashes vLLM",
        message="`{given}` would crash vLLM {version}: it must be {expected}.",
        remedy=("Write `{write}`.", ""),
        fix=REPLACE_UNSAFE,
        explanation=(
            "vLLM reads this variable itself, and this version would crash on its value. What was"
            " meant is not clear enough to correct it."
        ),
        example=("VLLM_DEEP_GEMM_WARMUP=sometimes", "VLLM_DEEP_GEMM_WARMUP=relax"),
    ),
    "repaired-variable": Code(
        INFO,
        "variable that vLLM misreads",
        message="`{given}` would crash vLLM {version}: `{write}` is used.",
        remedy="Write `{write}`.",
        cases={
            "opposite": (
                "vLLM {version} reads `{given}` as its opposite: `{write}` is used.",
                "Write `{write}`.",
            ),
            "kept": ("`{given}` would crash vLLM {version}.", "Write `{write}`."),
            "opposite-kept": (
                "vLLM {version} reads `{given}` as its opposite.",
                "Write `{write}`.",
            ),
            "version": (
                "`{name}` was `{was}`; the result is for vLLM {now}, so the variable is set to"
                " that.",
                "",
            ),
        },
        fix=dict.fromkeys(("", "opposite", "kept", "opposite-kept"), REPLACE),
        explanation=(
            "vLLM reads this variable itself. This version would crash on its value or read it as"
            " the opposite: a third of these variables accept 1 and crash on true. A translation"
            " passes on the corrected value. Where `check` reads a command that starts vLLM itself,"
            " nothing corrects it, and a crash is an error. `convert` also reports it when it sets"
            " TRANSLATE_VLLM_VERSION to the target version."
        ),
        example=("VLLM_USE_DEEP_GEMM=true", "VLLM_USE_DEEP_GEMM=1"),
    ),
    "variable-not-in-version": Code(
        WARNING,
        "variable of another vLLM version",
        message=(
            "`{given}` was removed in vLLM {removed}, and has no effect.",
            "`{given}` needs vLLM {added} or newer, not {version}, and has no effect.",
            "`{given}` has no effect in vLLM {version}.",
        ),
        remedy="Remove it.",
        fix=REMOVE,
        explanation=(
            "Only other vLLM versions read this variable, and nothing in this one means the same."
            " It is not passed on to vLLM, which would warn about it."
        ),
        example=("VLLM_DEBUG_WORKSPACE=1       (for vLLM 0.8.5)", ""),
    ),
    "plugin-variable": Code(
        INFO,
        "variable of a plugin",
        message="`{name}` is read by the plugin {plugin} ({hardware}), not by vLLM itself.",
        cases={
            "prefix": (
                "`{name}` begins with `{prefix}`, as variables of the plugin {plugin} ({hardware})"
                " do, but is none of those that are known.",
                ("Did you mean `{near}`?", ""),
            ),
        },
        explanation=(
            "vLLM runs on other hardware through plugins, which have variables of their own. vLLM"
            " does not read them: they have an effect only where the plugin is installed. They stay"
            " in the environment. `mappings/plugins.toml` has the plugins and their sources."
        ),
        example=("VLLM_ASCEND_ENABLE_NZ=1", ""),
    ),
    "service-link": Code(
        WARNING,
        "Kubernetes service link",
        message=(
            "`{given}` was made by Kubernetes for a service named vllm…; vLLM would read it as its"
            " own variable, so it is removed."
        ),
        remedy="Set `enableServiceLinks: false` in the pod's spec, or rename the service.",
        cases={
            "kept": (
                "`{given}` was made by Kubernetes for a service named vllm…; vLLM reads it as its"
                " own variable and crashes.",
                "Set `enableServiceLinks: false` in the pod's spec, or rename the service.",
            ),
            "unread": (
                "`{given}` was made by Kubernetes for a service named vllm…; vLLM does not read"
                " it.",
                "Set `enableServiceLinks: false` in the pod's spec, or rename the service.",
            ),
        },
        explanation=(
            "Kubernetes makes variables for every service in the namespace. A service called vllm"
            " gives VLLM_PORT=tcp://…, which vLLM reads as a port and crashes on. A translation"
            " removes such variables from vLLM's environment; nothing does where a command starts"
            " vLLM itself, so that `check` reports an error."
        ),
        example=("VLLM_PORT=tcp://10.43.1.39:8000", "enableServiceLinks: false in the pod's spec"),
    ),
    "not-the-server-address": Code(
        WARNING,
        "not the server's address",
        message="`{name}`: {note}",
        remedy=("For the server, set `{variable}={meant}=…`.", "For the server, write `{meant}`."),
        cases={"plain": ("`{name}`: {note}", "For the server, write `{meant}`.")},
        explanation=(
            "The variable sets an address that vLLM's processes use among themselves, not the one"
            " it serves on: that is --host and --port."
        ),
        example=("VLLM_PORT=8080", "VLLM_EXTRA_ARGS=--port=8080"),
    ),
    "empty-variable": Code(
        INFO,
        "variable without a value",
        message="`{name}` is empty and would crash vLLM {version}: it is removed.",
        remedy="Remove it.",
        cases={
            "kept": ("`{name}` is empty and would crash vLLM {version}.", "Remove it."),
            "none": ("`{name}` is None, which means not set: it is removed.", "Remove it."),
            "file": (
                (
                    "{file}, line {line}: `{name}` has no value, and sets nothing.",
                    "{file}, line {line}: a name without a value sets nothing.",
                ),
                "Write NAME=value.",
            ),
        },
        fix=dict.fromkeys(("", "none", "kept"), REMOVE),
        explanation=(
            "The variable has no value. It is removed where this version would crash on that; in a"
            " file, a name without a value sets nothing."
        ),
        example=("VLLM_USE_DEEP_GEMM=", ""),
    ),
}
