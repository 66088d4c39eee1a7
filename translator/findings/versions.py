"""Which vLLM, which platform."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, WARNING, Code

CODES: dict[str, Code] = {
    "version-too-old": Code(
        ERROR,
        "vLLM older than every supported version",
        message="vLLM {given} is older than {first}, the oldest supported version.",
        remedy="Use vLLM {first} to {last}.",
        explanation=(
            "Nothing is known about the flags of this vLLM. Use one of the versions that"
            " `translate tables list` shows."
        ),
        example=("--vllm 0.5.0", "--vllm 0.6.6"),
    ),
    "version-too-new": Code(
        WARNING,
        "vLLM newer than every known version",
        message=(
            "vLLM {given} is newer than {last}, the newest known version: the flags of {last} are"
            " used."
        ),
        remedy=(
            "Run `translate tables harvest` where that vLLM is installed, and pass the result with"
            " `--tables`."
        ),
        explanation=(
            "The flags of the newest known version are used. vLLM may have changed some of them"
            " since. `translate tables harvest` reads the flags of an installed vLLM into a table"
            " of your own."
        ),
        example=("--vllm 0.99", "--vllm 0.33.0"),
    ),
    "version-between": Code(
        WARNING,
        "vLLM that is not a known release",
        message=(
            "vLLM {given} is not a known release: the flags of {last}, the one before, are used."
        ),
        remedy=(
            "Run `translate tables harvest` where that vLLM is installed, and pass the result with"
            " `--tables`."
        ),
        explanation=(
            "Every release has its table. For a version between two of them, the flags of the older"
            " one are used, and this vLLM may have changed some of them."
            " `translate tables harvest` reads the flags of an installed vLLM into a table of your"
            " own."
        ),
        example=("--vllm 0.8.9", "--vllm 0.8.5"),
    ),
    "bad-version": Code(
        ERROR,
        "not a version",
        message="`{given}` is not a vLLM version.",
        remedy="Write a version from {first} to {last}.",
        cases={
            "type": ("The vLLM version is of type {type}, not str.", 'Write `"0.27.1"` or another.')
        },
        explanation=(
            "A vLLM version is two to four numbers, such as 0.27.1; a suffix such as rc1, .post1 or"
            " +cpu may follow."
        ),
        example=("--vllm latest", "--vllm 0.33.0"),
    ),
    "other-version": Code(
        WARNING,
        "translated for another vLLM than installed",
        message=(
            "vLLM {installed} is installed, but the command line is for vLLM {given} (flags of"
            " {used}): vLLM may refuse it."
        ),
        remedy="Remove `{variable}` and `--vllm`, or install vLLM {given}.",
        explanation=(
            "`TRANSLATE_VLLM_VERSION` or `--vllm` names another vLLM than the one that `translate"
            " exec` starts. The installed one may refuse a flag, or give it another meaning."
        ),
        example=("TRANSLATE_VLLM_VERSION=0.8.5        (where vLLM 0.32.0 is installed)", ""),
    ),
    "version-assumed": Code(
        INFO,
        "vLLM version assumed",
        message=(
            "No installed vLLM was found, beside this program or beside `vllm` on PATH: vLLM"
            " {used}, the newest known version, is assumed."
        ),
        remedy="Set `{variable}` to the version that is started.",
        cases={
            "build": (
                "vLLM {given} is a build of its own, not a release: the flags of {used} are used.",
                "Where it is installed, `--ask` reads its own flags.",
            ),
            "image": (
                (
                    "`{image}` has {publisher}'s version number, not vLLM's: vLLM {used} is"
                    " assumed.",
                    "`{image}`: vLLM {release} is assumed, the version in its tag.",
                    "`{image}` does not say which vLLM is in it: vLLM {used} is assumed.",
                ),
                "Name it with `--vllm`, or set `{variable}`.",
            ),
            "unnumbered": (
                (
                    "The version {given} does not say which vLLM it is. It was built from"
                    " `{source}`: the flags of {used} are used.",
                    "The version {given} does not say which vLLM it is. Its files are from {date}:"
                    " the flags of {used}, the newest release at that time, are used.",
                    "The version {given} does not say which vLLM it is: the flags of {used}, the"
                    " newest known version, are used.",
                ),
                "Set `{variable}` to the nearest release; or, where it is installed, use `--ask`"
                " to read its own flags.",
            ),
        },
        explanation=(
            "Which vLLM is started is not known for certain, and its flags may differ from those"
            " that are used. Either no version was given and no vLLM was found, and the newest"
            " known version is assumed; or it is a development build, a fork, or a build whose"
            " version says nothing (`0.1.dev1+g51f799c`), and the nearest known release is used."
            " Or an image does not say which vLLM is in it (`:latest`, a digest, another"
            " publisher's version that is not in `mappings/images.toml`)."
            " Name the version with `TRANSLATE_VLLM_VERSION` or `--vllm`, or let `--ask` read the"
            " flags of the installed vLLM. `translate exec` does so by itself where the version"
            " says nothing."
        ),
        example=("translate exec", "translate exec --vllm 0.27.1"),
    ),
    "not-asked": Code(
        WARNING,
        "flags of the installed vLLM not read",
        message="The flags of the installed vLLM {given} could not be read: {reason}.",
        remedy="Set `{variable}` to the nearest release.",
        explanation=(
            "`--ask` reads the flags of the installed vLLM with the Python that runs it, and that"
            " failed. The flags of the nearest known version are used instead; vLLM may refuse"
            " some of them. The reason is what that Python said last."
        ),
        example=("translate exec --ask        (where vLLM cannot be imported)", ""),
    ),
    "unknown-dialect": Code(
        ERROR,
        "unknown dialect",
        message="There is no dialect `{dialect}`.",
        remedy="Use one of {known}.",
        cases={
            "type": ("The dialect is of type {type}, not str.", 'Write `"runpod"` or another.'),
            "prefix": (
                "The dialect `{dialect}` needs a prefix.",
                "Write `{dialect}:MY_` for variables such as `MY_MAX_MODEL_LEN`.",
            ),
            "no-prefix": ("The dialect `{dialect}` has no prefix to choose.", "Write `{dialect}`."),
            "bad-prefix": (
                "`{prefix}` cannot begin the names of variables.",
                "Use capitals, digits and underscores, such as `MY_`.",
            ),
            "circle": (
                "The dialect `{dialect}` extends itself: {chain}.",
                "Correct `extends` in its table.",
            ),
            "base": (
                "The dialect `{dialect}` extends `{base}`, which does not exist.",
                "Correct `extends` in its table.",
            ),
        },
        explanation=(
            "A dialect is the naming scheme of a platform, and there is none of this name."
            " `translate tables list` shows all of them."
        ),
        example=("--dialect runpud", "--dialect runpod"),
    ),
}
