"""The program before the options: `vllm serve`, or the older module."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_SERVING = ("vllm.entrypoints.openai.api_server",)


class Stripped:
    """A command without its program.

    Attributes:
        tokens: the arguments.
        module: whether the program was the older module, which accepts --model in every version.
        findings: why the command is not a vLLM server, if it is not.
    """

    __slots__ = ("findings", "module", "tokens")

    def __init__(
        self, tokens: list[str], module: bool = False, findings: Sequence[Finding] = ()
    ) -> None:
        self.tokens, self.module, self.findings = tokens, module, list(findings)


def _program(text: str) -> str:
    return text.rpartition("/")[2]


def strip_command(tokens: list[str]) -> Stripped:
    """Remove `vllm serve` or `python -m vllm.entrypoints.openai.api_server` from the front.

    Without either, all tokens are options.
    """
    if not tokens:
        return Stripped([])
    first = _program(tokens[0])
    if first == "vllm":
        if len(tokens) > 1 and tokens[1] == "serve":
            return Stripped(tokens[2:])
        if len(tokens) == 1:
            return _refused("vllm", command="vllm")
        return _refused("vllm", case="subcommand", subcommand=shown_text(tokens[1]))
    if _is_python(first):
        rest = [item for item in tokens[1:2] if item.startswith("-") and item != "-m"]
        at = 1 + len(rest)
        if tokens[at : at + 1] == ["-m"] and len(tokens) > at + 1:
            module = tokens[at + 1]
            if module in _SERVING:
                return Stripped(tokens[at + 2 :], True)
            if module == "vllm.entrypoints.cli.main" and tokens[at + 2 : at + 3] == ["serve"]:
                return Stripped(tokens[at + 3 :])
        return _refused(
            shown_text(tokens[0]),
            command=" ".join(map(shown_text, tokens[:3])),
        )
    if first == "serve":
        return Stripped(tokens[1:])
    return Stripped(list(tokens))


def _is_python(word: str) -> bool:
    rest = word.removeprefix("python")
    return word.startswith("python") and (not rest or rest.replace(".", "").isdecimal())


_WORDS = ("-m", "-c", "-u", "bench", "chat", "collect-env", "complete", "launch", "run-batch")


def _refused(subject: str, case: str = "", **facts: str) -> Stripped:
    return Stripped([], findings=[finding("not-vllm-serve", subject, case=case, **facts)])
