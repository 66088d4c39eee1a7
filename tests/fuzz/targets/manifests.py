"""Manifests and compose files, from the text to the verdict: variables and references among their
containers, shells in their commands, and what `check` says of each.
"""

from __future__ import annotations

from fuzz import names
from fuzz.laws import Broken, bounded, fit
from fuzz.taker import Taker, expand
from translator import TranslationError, args_to_env, check
from translator.files.command import Context
from translator.files.registry import read_commands, read_text
from translator.text.json_text import YamlError
from translator.text.references import MOST_ADDED

_ENV = {"A": "a b", "B": "x" * 1000, "HF_TOKEN": "outside"}


def run(data: bytes) -> None:
    """A version, and a text."""
    taker = Taker(data)
    vllm = taker.pick(names.VERSIONS)
    text = expand(taker.rest(), names.variables(), names.words()).replace(
        "S3cr-t0k3n-0a1b2c3d4e5f", "plain"
    )
    with bounded():
        fit(read_text(text, Context(_ENV)).findings)
        try:
            commands = read_commands(
                text, Context(_ENV, outside={"C": "c"}, beside=lambda path: (path, text))
            )
        except YamlError as error:
            if not str(error).isprintable():
                raise Broken(f"what the error says: {error!a}") from None
            return
        for command in commands:
            fit(command.findings)
            size = sum(map(len, (*command.tokens, *command.env.values())))
            if size > 2 * MOST_ADDED + 2 * len(text):
                raise Broken(f"{len(text)} characters have become {size}")
            fit(check(command.tokens, vllm, env=command.env))
            try:
                args_to_env(command.tokens, vllm=vllm, env=command.env)
            except TranslationError as error:
                fit(error.findings)
