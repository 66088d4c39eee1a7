"""The reader of command lines (args_to_env), in several versions and dialects, with law 3: what it
writes reads back to the same command line.
"""

from __future__ import annotations

from laws.meaning import meaning, unlike

from fuzz import names
from fuzz.laws import Broken, answer, bounded
from fuzz.taker import MARKER, Taker, expand
from translator import args_to_env, env_to_args

_FRONTS = (
    ("vllm", "serve"),
    (),
    ("python3", "-m", "vllm.entrypoints.openai.api_server"),
    ("vllm", "serve", "org/model"),
)


def run(data: bytes) -> None:
    """A version, a dialect, a beginning, and tokens."""
    taker = Taker(data)
    vllm, dialect, front, secret = (
        taker.pick(names.VERSIONS),
        taker.pick(names.DIALECTS),
        taker.pick(_FRONTS),
        taker.byte() % 2,
    )
    tokens = [expand(field, names.spellings(vllm), names.words()) for field in taker.fields()]
    if not secret:
        tokens = [token.replace(MARKER, "plain") for token in tokens]
    argv = [*front, *([f"--api-key={MARKER}"] if secret else ()), *tokens]
    with bounded():
        first = answer(lambda: args_to_env(argv, vllm=vllm, dialect=dialect))
        if first is None:
            return
        if secret and any(MARKER in name for name in first.env):
            raise Broken("a secret in a variable's name")
        made = env_to_args(
            first.env, vllm=vllm, dialect=dialect
        ).argv  # a TranslationError is a broken law: it was written by ourselves
        again = args_to_env(made, vllm=vllm, dialect=dialect)
        if env_to_args(again.env, vllm=vllm, dialect=dialect).argv != made:
            raise Broken(f"no fixed point: {made!a}")
        read = meaning(
            tokens if front[-1:] != ("org/model",) else ["org/model", *tokens],
            vllm,
            module=front[:1] == ("python3",),
        )
        if dialect == "runpod" and read is not None and unlike(read, meaning(made[2:], vllm)):
            raise Broken(f"{argv!a} has become {made!a}: {unlike(read, meaning(made[2:], vllm))!a}")
