"""Files of variables, and what people paste: dotenv, docker's files, shell commands, command lines
of containers (envfile.py, paste.py, shellwords.py).
"""

from __future__ import annotations

from fuzz import names
from fuzz.laws import Broken, answer, bounded, fit
from fuzz.taker import Taker, expand
from translator import args_to_env
from translator.argv import reader as command
from translator.files.command import Context
from translator.files.registry import read_text
from translator.files.unwrap import read_tokens
from translator.findings import Finding, has_errors
from translator.formats.forms import Environment, EnvSource
from translator.formats.registry import read_env, write_env
from translator.text import shell as shellwords
from translator.text.quoting import quote
from translator.text.references import END, UNKNOWN

_OUTSIDE = {"HOME": "/root", "A": "a b", "HF_TOKEN": "outside"}


def _files(text: str) -> None:
    for form in ("dotenv", "docker"):
        found = read_env(form, EnvSource(text, "x.env", outside=_OUTSIDE, before={"B": "b"}))
        fit(found.findings)
        written, told = write_env(form, Environment(found.env))
        fit(told)
        if has_errors(told):
            continue
        again = read_env(form, EnvSource(written, "y.env"))
        if again.env != found.env or has_errors(again.findings):
            raise Broken(f"{form}: {found.env!a} is read back as {again.env!a}")


def _pasted(text: str, vllm: str) -> None:
    for words in shellwords.split(text, _OUTSIDE):
        fit([Finding(*told) for told in words.told])
    done = read_text(text, Context(_OUTSIDE))
    fit(done.findings)
    fit(read_tokens(text.split(" "), Context(_OUTSIDE)).findings)
    fit(command.strip_command(done.tokens).findings)
    if not has_errors(done.findings):
        answer(lambda: args_to_env(done.tokens, vllm=vllm, env=done.env))
    line = " ".join(quote(token) for token in done.tokens) + "\n"
    plain = not any(char in token for token in done.tokens for char in "\r\n" + UNKNOWN + END)
    if plain and not line.lstrip().startswith("$ "):
        again = [list(words) for words in shellwords.split(line)]
        if again != ([done.tokens] if done.tokens else []):
            raise Broken(f"{done.tokens!a} is read back as {again!a}")


def run(data: bytes) -> None:
    """A version, and a text."""
    taker = Taker(data)
    vllm = taker.pick(names.VERSIONS)
    text = expand(taker.rest(), names.variables(), names.words()).replace(
        "S3cr-t0k3n-0a1b2c3d4e5f", "plain"
    )
    with bounded():
        _files(text)
        _pasted(text, vllm)
