"""The programs of platforms, by the names that tables give them (`program` of a `[consumer]`)."""

from __future__ import annotations

from translator.core.platforms import runpod, sagemaker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.core.platforms import Program, Words

PROGRAMS: Mapping[str, Program] = {
    "runpod": runpod.tokens,
    "sagemaker": sagemaker.tokens,
    "sagemaker@shell": sagemaker.shell_tokens,
    "sagemaker@huggingface": sagemaker.huggingface_tokens,
    "sagemaker@upstream": sagemaker.upstream_tokens,
}


def lmi_words(flag: str, text: str) -> list[str] | None:
    """Return the tokens of an option of DJL-Serving's LMI containers: `true` and `false` are the
    two spellings of a flag, and an empty value is nothing.
    """
    word = text.strip().lower()
    if word in ("true", "false"):
        return [flag if word == "true" else "--no-" + flag[2:]]
    return [flag, text] if text else None


WORDS: Mapping[str, Words] = {
    "sagemaker": sagemaker.words,
    "sagemaker@shell": sagemaker.shell_words,
    "sagemaker@huggingface": sagemaker.shell_words,
    "sagemaker@upstream": sagemaker.upstream_words,
    "lmi": lmi_words,
}
"""What programs that go by a variable's value alone make of one: our own reading of it, too."""
