"""The programs of platforms, by the names that tables give them (`program` of a `[consumer]`): the
only place that lists them.
"""

from __future__ import annotations

from translator.core.platforms import Program, runpod, sagemaker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.core.settings.scope import Scope


def lmi_words(flag: str, text: str) -> list[str] | None:
    """Return the tokens of an option of DJL-Serving's LMI containers: `true` and `false` are the
    two spellings of a flag, and an empty value is nothing.
    """
    word = text.strip().lower()
    if word in ("true", "false"):
        return [flag if word == "true" else "--no-" + flag[2:]]
    return [flag, text] if text else None


PROGRAMS: Mapping[str, Program] = {
    "runpod": Program(runpod.tokens),
    "sagemaker": Program(sagemaker.tokens, sagemaker.words),
    "sagemaker@shell": Program(sagemaker.shell_tokens, sagemaker.shell_words),
    "sagemaker@huggingface": Program(sagemaker.huggingface_tokens, sagemaker.shell_words),
    "sagemaker@upstream": Program(sagemaker.upstream_tokens, sagemaker.upstream_words),
    "lmi": Program(None, lmi_words),
}
_NONE = Program(None)


def program_of(scope: Scope) -> Program:
    """Return the program of a dialect; one of which nothing is known where it has none."""
    return PROGRAMS.get(scope.consumer.program, _NONE)
