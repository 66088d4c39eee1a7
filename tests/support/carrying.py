"""A configuration of twenty flags, carried from one dialect to another and back by `convert`; what
one of the two cannot say is left out, and noted.
"""

from dataclasses import dataclass

from translator import Finding, TranslationError, args_to_env
from translator.core.convert import Move, convert_env
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped

TWENTY = (
    "org/model", "--max-model-len=8192", "--tensor-parallel-size=4", "--max-num-seqs=64", "--gpu-memory-utilization=0.85", "--dtype=bfloat16", "--seed=7",
    "--quantization=fp8", "--enforce-eager", "--trust-remote-code", "--no-enable-prefix-caching", "--enable-chunked-prefill", "--max-num-batched-tokens=4096",
    "--kv-cache-dtype=fp8", "--load-format=safetensors", "--revision=main", "--tokenizer=org/tokenizer", "--block-size=32", "--max-loras=2",
    '--speculative-config={"method":"ngram","num_speculative_tokens":3}', "--generation-config=vllm", "--served-model-name=m", "--port=8000",
)  # fmt: skip


@dataclass(frozen=True)
class Carried:
    """What came of one ordered pair.

    Attributes:
        line: what is left of the configuration: both can say it.
        refused: flag → the error's code, of what one of them cannot say.
        start, there, back: the variables in the one, in the other, and in the one again.
        findings: of the way there and back.
    """

    line: tuple[str, ...]
    refused: dict[str, str]
    start: dict[str, str]
    there: dict[str, str]
    back: dict[str, str]
    findings: tuple[Finding, ...]


def name_of(token: str) -> str:
    return token.partition("=")[0].replace("--no-", "--")


def carry(one: str, other: str, version: str) -> Carried:
    """Twenty flags from `one` to `other` and back."""
    source, target = (scope(version, name, {}, shipped())[0] for name in (one, other))
    line, refused = list(TWENTY), {}
    while True:
        try:
            start = args_to_env(line, vllm=version, dialect=one).env
            there = convert_env(start, Move(source, target))
            back = convert_env(there.env, Move(target, source))
            return Carried(
                tuple(line), refused, start, there.env, back.env, (*there.findings, *back.findings)
            )
        except TranslationError as error:
            told = {item.subject: item.code for item in error.findings if item.severity == "error"}
            if not told.keys() <= {name_of(token) for token in line[1:]}:
                raise
            refused |= told
            line = [token for token in line if name_of(token) not in told]
