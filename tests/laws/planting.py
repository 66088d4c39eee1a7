"""Secrets that people have, planted where people put them.

`plant(number)` makes an input, the secret in it, and the call that reads it; `leak(number)` runs it
in this process and returns the output that holds the secret, or "".
"""

import json
import random
import shlex
import string
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from support.program import in_process

from translator import TranslationError, args_to_env, check, convert, env_to_args, explain
from translator.core.secrets import looks_random
from translator.core.tables.catalog import shipped

ALNUM, HEX = string.ascii_letters + string.digits, "0123456789abcdef"
VERSIONS = ("0.6.6", "0.12.0", "0.27.1", shipped().versions()[-1])


def word(rand: random.Random, size: int, letters: str = ALNUM) -> str:
    """A word that a generator of tokens makes: one that looks like `Bert2Model` is thrown again."""
    while True:
        made = "".join(rand.choices(letters, k=size))
        if size < 20 or letters == HEX or looks_random(made):
            return made


def _pem(rand: random.Random) -> str:
    lines = "\n".join(word(rand, 64) for _ in range(3))
    return f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----"


# What is secret wherever it stands.
SHAPES: tuple[Callable[[random.Random], str], ...] = (
    lambda rand: f"hf_{word(rand, 34)}",
    lambda rand: f"sk-{word(rand, 48)}",
    lambda rand: f"sk-proj-{word(rand, 40)}",
    lambda rand: f"ghp_{word(rand, 36)}",
    lambda rand: f"github_pat_{word(rand, 22)}_{word(rand, 59)}",
    lambda rand: f"glpat-{word(rand, 20)}",
    lambda rand: f"AKIA{word(rand, 16, string.ascii_uppercase + string.digits)}",
    lambda rand: f"AIza{word(rand, 35)}",
    lambda rand: f"xoxb-{word(rand, 12, string.digits)}-{word(rand, 24)}",
    lambda rand: f"nvapi-{word(rand, 64)}",
    lambda rand: f"rpa_{word(rand, 40)}",
    lambda rand: f"eyJ{word(rand, 33)}.eyJ{word(rand, 50)}.{word(rand, 43)}",
    _pem,
    lambda rand: word(rand, rand.randint(20, 64)),
    lambda rand: word(rand, rand.randint(20, 64), string.ascii_lowercase + string.digits),
)
# What is secret by its name only.
PASSWORDS: tuple[Callable[[random.Random], str], ...] = (
    *SHAPES,
    lambda rand: f"{word(rand, 9, string.ascii_lowercase)}-{word(rand, 9, string.ascii_lowercase)}",
    lambda rand: word(rand, 40, HEX),
    lambda rand: word(rand, 10, string.ascii_lowercase + string.digits + "!%^*"),
)
NAMES = ("HF_TOKEN", "API_KEY", "DB_PASS", "ACME_KEY_1", "VLLM_API_KEY", "OPENAI_API_KEY", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_CLIENT_SECRET")  # fmt: skip
OPTIONS = ("--api-key", "--hf-token", "--api_key", "--apikey", "--api_keys", "--hf_token", "--auth-token", "--password")  # fmt: skip
KEYS = ("token", "api_key", "accessToken", "password", "client_secret", "pass", "subscription-key", "Authorization", "aws_secret_access_key")  # fmt: skip
MISTAKES = ("--no-such-flag", "--dtype=fp9", "--swap-space=4", "--task=embed", "--max-model-len=x", "--seed=3", "stray")  # fmt: skip
FREE = ("MAX_MODEL_LEN", "DTYPE", "ENFORCE_EAGER", "SERVED_MODEL_NAME", "VLLM_PORT", "VLLM_NO_SUCH", "HF_OVERRIDES", "TASK", "DOWNLOAD_DIR", "MODEL_REVISION")  # fmt: skip


def _line(text: str) -> str:
    return text.replace("\n", "\\n")


def _named(rand: random.Random) -> tuple[str, str]:
    """A text with a secret behind its name, or in a URL; and the secret."""
    secret = _line(rand.choice(PASSWORDS)(rand))
    simple = word(rand, 20)
    return rand.choice(
        (
            (json.dumps({"url": "x", rand.choice(KEYS): secret}), secret),
            (json.dumps({"extra": {rand.choice(KEYS): [secret]}}), secret),
            (f"{{'{rand.choice(KEYS)}': '{simple}'", simple),
            (f"https://user:{simple}@host:8000/path", simple),
            (f"https://{simple}@github.com/a/b", simple),
            (f"https://host/x?{rand.choice(KEYS)}={simple}&a=1", simple),
            (f"Authorization: Bearer {simple}", simple),
        )
    )


def tokens_of(rand: random.Random) -> tuple[list[str], str]:
    """The arguments of a command line, and the secret in them."""
    secret, option = _line(rand.choice(PASSWORDS)(rand)), rand.choice(OPTIONS)
    shaped = _line(rand.choice(SHAPES)(rand))
    text, held = _named(rand)
    tokens, secret = rand.choice(
        (
            ([option, secret], secret),
            ([f"{option}={secret}"], secret),
            ([option, "first-of-two", secret], secret),
            ([rand.choice(("--dtype", "--max-model-len", "--served-model-name", "--no-such")), shaped], shaped),
            ([f"{rand.choice(('--dtype', '--seed', '--no-such', '--hf-overrides'))}={shaped}"], shaped),
            ([shaped], shaped),
            ([f"{rand.choice(('--kv-transfer-config', '--hf-overrides', '--dtype', '--no-such'))}={text}"], held),
            (["--kv-transfer-config", text], held),
            ([f"--kv-transfer-config.kv_connector_extra_config.{rand.choice(KEYS)}={secret}"], secret),
        )
    )  # fmt: skip
    beside = rand.sample(MISTAKES, rand.randrange(3))
    return [*(["org/m"] if rand.randrange(5) else []), *beside, *tokens], secret


def log_of(rand: random.Random) -> tuple[str, str]:
    """The log of a start that names a secret, and shows it again; and the secret."""
    secret, name = (
        word(rand, 20),
        rand.choice(("HF_TOKEN", "VLLM_API_KEY", "AWS_SECRET_ACCESS_KEY")),
    )
    named = rand.choice(
        (f"{name}={secret}", f"'api_key': ['{secret}']", f"the {name} {secret} is bad", f'"{name}": "{secret}"')
    )  # fmt: skip
    shown = rand.choice(
        (f"BoomError: no access with {secret}", f"vllm: error: unrecognized arguments: --no-such {secret}",
         f"error: argument --dtype: invalid choice: '{secret}' (choose from 'auto')",
         f"1 validation error for CacheConfig\nblock_size\n  x [type=int, input_value='{secret}', input_type=str]")
    )  # fmt: skip
    lines = [named, shown]
    rand.shuffle(lines)
    return "\n".join(lines), secret


def env_of(rand: random.Random) -> tuple[dict[str, str], str]:
    """An environment, and the secret in it."""
    secret, shaped = rand.choice(PASSWORDS)(rand), rand.choice(SHAPES)(rand)
    text, held = _named(rand)
    tokens, given = tokens_of(rand)
    env, secret = rand.choice(
        (
            ({rand.choice(NAMES): secret}, secret),
            ({rand.choice(NAMES): secret, rand.choice(FREE): secret}, secret),
            ({rand.choice(FREE): shaped}, shaped),
            ({rand.choice((*FREE, "KV_TRANSFER_CONFIG", "SPECULATIVE_CONFIG")): text}, held),
            ({"VLLM_EXTRA_ARGS": " ".join(f"'{token}'" for token in tokens)}, given),
        )
    )
    beside = {rand.choice(FREE): "maybe"} if rand.randrange(2) else {}
    return {"MODEL_NAME": "org/m", **beside, **env}, secret


def _pod(**container: object) -> str:
    containers = [{"image": "vllm/vllm-openai:v0.27.1", **container}]
    return json.dumps({"kind": "Pod", "spec": {"containers": containers}})


def file_of(rand: random.Random) -> tuple[str, str, str]:
    """A file's name, its text, and the secret in it."""
    tokens, secret = tokens_of(rand)
    quoted = " ".join(f"'{token}'" for token in tokens)
    listed = json.dumps(tokens)
    if "'" in quoted.replace("' '", "").strip("'"):
        quoted = " ".join(json.dumps(token) for token in tokens)
    files = (
        ("pod.yaml", _pod(args=tokens)),
        ("compose.yaml", f"services:\n  a:\n    image: vllm/vllm-openai:v0.27.1\n    command: {listed}\n"),
        ("Dockerfile", f"FROM vllm/vllm-openai:v0.27.1\nCMD {listed}\n"),
        ("run.sh", f"#!/bin/bash\nvllm serve {quoted}\n"),
        ("run.sh", f"docker run vllm/vllm-openai:v0.27.1 {quoted}\n"),
        ("a.container", f"[Container]\nImage=vllm/vllm-openai:v0.27.1\nExec={quoted}\n"),
        ("run.py", f"import subprocess\nsubprocess.run({['vllm', 'serve', *tokens]!r})\n"),
        ("README.md", f"# a\n```bash\nvllm serve {quoted}\n```\n"),
    )  # fmt: skip
    if rand.randrange(3):
        return *rand.choice(files), secret
    env, secret = env_of(rand)
    pod = _pod(args=["org/m"], env=[{"name": name, "value": text} for name, text in env.items()])
    clean = {name: _line(text) for name, text in env.items()}
    lines = "\n".join(f"{name}={text}" for name, text in clean.items())
    form = rand.choice((("pod.yaml", pod), ("worker.env", lines)))
    return *form, secret if form[0] == "pod.yaml" else _line(secret)


def program(arguments: list[str], env: Mapping[str, str]) -> str:
    """Run a command in this process; return what it logs, and what it prints if that is a report."""
    _, out, err = in_process(arguments, env=env)
    return err + (out if arguments[0] in ("check", "exec", "explain") else "")


def library(call: Callable[[], object]) -> str:
    """Return what a call of the library says."""
    try:
        done = call()
    except TranslationError as error:
        return f"{error} {error!r} {error.findings} {[item.facts for item in error.findings]}"
    findings = done if isinstance(done, tuple) else done.findings  # type: ignore[attr-defined]
    return f"{[item.line() for item in findings]} {findings} {[item.facts for item in findings]}"


def plant(number: int) -> tuple[str, str, Callable[[], str]]:
    """Return what is read (for messages), the secret in it, and the call that reads it."""
    rand = random.Random(number)
    vllm, other = rand.choice(VERSIONS), rand.choice(VERSIONS)
    kind = rand.randrange(9)
    if kind == 8:
        text, secret = log_of(rand)
        calls = (
            lambda: library(lambda: explain(text, vllm) or ()),
            lambda: program(["explain", text, "--format", rand.choice(("text", "json"))], {}),
        )
        return f"log {text}", secret, rand.choice(calls)
    if kind < 3:
        tokens, secret = tokens_of(rand)
        calls = (
            lambda: library(lambda: args_to_env(tokens, vllm)),
            lambda: library(lambda: check(tokens, vllm)),
            lambda: library(lambda: convert(tokens, vllm, other)),
            lambda: program(["check", "--vllm", vllm, "--format", rand.choice(("text", "json", "github", "sarif", "gitlab", "junit")), "--", "vllm", "serve", *tokens], {}),
            lambda: program(["args-to-env", "--vllm", vllm, "--explain", "--", *tokens], {}),
            lambda: program(["exec", "--dry-run", "--explain", "--vllm", vllm, "--", *tokens], {"MODEL_NAME": "m"}),
            lambda: program(["check", *tokens[-2:]], {}),
            lambda: library(lambda: explain(f"vllm: error: unrecognized arguments: {shlex.join(tokens)}", vllm) or ()),
            lambda: program(["explain", f"vllm: error: unrecognized arguments: {shlex.join(tokens)}"], {}),
        )  # fmt: skip
        return f"argv {tokens}", secret, rand.choice(calls)
    if kind < 6:
        env, secret = env_of(rand)
        calls = (
            lambda: library(lambda: env_to_args(env, vllm)),
            lambda: library(lambda: check(env, vllm)),
            lambda: library(lambda: convert(env, vllm, other)),
            lambda: program(["env-to-args", "--vllm", vllm, "--explain"], env),
            lambda: program(["exec", "--dry-run", "--explain", "--vllm", vllm], env),
            lambda: program(["check", "--vllm", vllm, "--format", rand.choice(("text", "json"))], env),
        )  # fmt: skip
        return f"env {env}", secret, rand.choice(calls)
    name, text, secret = file_of(rand)

    def checked() -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_text(text)
            is_command = name != "worker.env" and not rand.randrange(4)
            command = ["args-to-env", "--file"] if is_command else ["check"]
            return program([*command, str(path)], {})

    return f"file {name} {text}", secret, checked


def leak(number: int) -> str:
    """Return the output that shows the secret of a number, or ""."""
    what, secret, run = plant(number)
    said = run()
    forms = [secret, json.dumps(secret)[1:-1], *secret.split("\n")[1:2]]
    shown = next((form for form in forms if form in said), "")
    return f"{number}: {shown!r} of {what}\n{said}" if shown else ""
