"""Secrets planted at every place of every input, by a generator that needs a number only.

`case(number)` makes an input, the secret in it, and the call that reads it: another number, another
spelling. `leaks(number)` runs it in this process and returns where the secret came out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import random
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from translator import TranslationError, args_to_env, check, convert, env_to_args
from translator.commands.command import Context
from translator.commands.registry import read_text
from translator.findings import Finding
from translator.formats.forms import ENV_FILE_FORMATS, EnvSource
from translator.formats.registry import read_env
from translator.formats.vllm_config import ConfigFiles
from translator.tables.catalog import shipped

LETTERS = "ghjqvwzGHJQVWZ"
SHAPES: tuple[Callable[[str, str], str], ...] = (
    lambda a, b: a + b, lambda a, b: a + b, lambda a, b: f"sk-{a}{b}", lambda a, b: f"hf_{a}{b}", lambda a, b: f"{a}-{b}", lambda a, b: f"{a}'{b}",
    lambda a, b: f'{a}"{b}', lambda a, b: f"{a}\n{b}", lambda a, b: f"{a}\t{b}", lambda a, b: f"{a}ü{b}日", lambda a, b: f"{a}%41{b}%2F", lambda a, b: f"{a}/{b}+=",
    lambda a, b: f"{a}\\{b}", lambda a, b: f"{a} {b}", lambda a, b: f"{a}${b}", lambda a, b: f"{a}:{b}@", lambda a, b: f"{a}={b}", lambda a, b: f"{a},{b}",
    lambda a, b: f"-----BEGIN PRIVATE KEY-----\n{a}\n{b}\n-----END PRIVATE KEY-----", lambda a, b: f"{a}#{b}", lambda a, b: f"{{{a}}}{b}", lambda a, b: f"-{a}{b}",
    lambda a, b: f"{a}\u202e{b}\x1b", lambda a, b: f"AKIA{a}{b}", lambda a, b: f"{a}.{b}", lambda a, b: f"{a}_{b}",
)  # fmt: skip
VERSIONS = tuple(shipped().versions())
FLAGS = (
    "--api-key", "--hf-token", "--api_key", "--hf_token", "--apikey", "--api-kye", "--hf-tokn", "--api-token", "--hftoken", "--token", "--password", "--secret",
    "--auth-token", "--API-KEY", "-api-key", "--api--key", "—api-key", "–hf-token", "−−api-key", "--s3-secret-access-key", "--key", "--x-no-such", "--api-key ",
)  # fmt: skip
NAMES = (
    "accessToken", "authToken", "apiToken", "hfToken", "accessKey", "privateKey", "accountKey", "connectionString", "api_keys", "wandb_token", "vault_token",
    "x-amz-security-token", "jwt", "cookie", "auth", "authorization", "dbPassword", "s3_secret_access_key", "Authorization", "sig", "credential", "my_api_key",
)  # fmt: skip
KNOWN = (
    "--max-model-len",
    "--dtype",
    "--seed",
    "--enforce-eager",
    "--chat-template",
    "--served-model-name",
    "--kv-transfer-config",
    "--swap-space",
    "--task",
)
BETWEEN = ("=", " ", "\xa0", "\t", "\n", "= ", " =", ": ", "\u2003", "\\ ", '="')
QUOTES = ("{}", '"{}"', "'{}'", "“{}”", "‘{}’", "«{}»", '"{}', "{}'", "\\{}", "`{}`")
JSON_FLAGS = (
    "KV_TRANSFER_CONFIG",
    "HF_OVERRIDES",
    "SPECULATIVE_CONFIG",
    "MODEL_LOADER_EXTRA_CONFIG",
    "COMPILATION_CONFIG",
    "LORA_MODULES",
    "ROPE_SCALING",
)


class Case:
    """One input with a secret.

    Attributes:
        name: the place, for messages.
        secret: the secret, a part of the input.
        run: reads the input; returns everything that may be seen.
    """

    def __init__(self, name: str, secret: str, run: Callable[[], list[str]]) -> None:
        self.name, self.secret, self.run = name, secret, run


def secret_of(rand: random.Random) -> str:
    """Letters that nothing else has, and mostly digits, in one of the shapes."""
    if not rand.randrange(5):
        return rand.choice(SHAPES)(*("".join(rand.choices(LETTERS, k=14)) for _ in range(2)))
    parts = [
        "".join(rand.choice(LETTERS + "0123456789") for _ in range(rand.randint(9, 14)))
        for _ in range(2)
    ]
    # Each part has both: a word of letters alone may be a name.
    return rand.choice(SHAPES)(f"{parts[0]}7q3Z", f"{parts[1]}8w4J")


def pieces(secret: str) -> list[str]:
    """The parts of a secret that no encoding changes."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in secret).split()
    return [word for word in words if len(word) >= 9]


# --- what may be seen -----------------------------------------------------------------------------


def of_findings(findings: Sequence[Finding]) -> list[str]:
    found = []
    for item in findings:
        found += [
            repr(item),
            item.line(),
            json.dumps(item.as_dict(), ensure_ascii=False),
            str(tuple(item)),
        ]
    if findings:
        found.append(repr(pickle.loads(pickle.dumps(findings[0]))))
    return found


def of_error(error: BaseException) -> list[str]:
    found = [str(error), repr(error), repr(error.args)]
    at: BaseException | None = error
    while at is not None:
        found += [str(at), repr(at), repr(vars(at))]
        at = at.__cause__ or at.__context__
    found += traceback.format_exception_only(type(error), error)
    if isinstance(error, TranslationError):
        found += of_findings(error.findings)
        found.append(str(pickle.loads(pickle.dumps(error))))
    return found


def seen(call: Callable[[], Any]) -> list[str]:
    """Run a call of the library; return its findings, or all of its exception."""
    try:
        done = call()
    except TranslationError as error:
        return of_error(error)
    findings = done if isinstance(done, tuple) else done.findings
    found = of_findings(findings)
    if not isinstance(done, tuple):
        # The names of the caller's own variables are data, as in `env`.
        origins = [item for items in done.origins.values() for item in items if "__" not in item]
        found += [repr(done), repr(origins)]
    return found


def program(
    arguments: list[str], stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> list[str]:
    """Run a command in this process; return what it logs, and what it prints if that is a report."""
    from translator.cli import main

    out, err = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(out, "utf-8", "surrogateescape")
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    with (
        mock.patch.dict(os.environ, env or {}, clear=True),
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(err),
    ):
        main(arguments)
    stdout.flush()
    found = [err.getvalue()]
    text = out.getvalue().decode("utf-8", "replace")
    if arguments[0] in ("check", "explain", "tables", "exec", "diff"):
        found.append(text)
    elif "json" in arguments and text.startswith("{"):
        found.append(json.dumps(json.loads(text)["findings"], ensure_ascii=False))
    return found


# --- places ---------------------------------------------------------------------------------------


def _in_one_token(rand: random.Random, secret: str) -> str:
    """Option and value in one piece, in one of the ways in which people break them."""
    text = rand.choice(FLAGS) + rand.choice(BETWEEN) + rand.choice(QUOTES).format(secret)
    before = rand.choice(("", "", "--model m ", "x ", "--seed 1 "))
    return rand.choice(QUOTES).format(before + text)


def _tokens(rand: random.Random, secret: str) -> list[str]:
    """A command line with a secret at one place."""
    kind = rand.randrange(9)
    head = rand.choice((["vllm", "serve", "org/m"], ["org/m"], ["vllm", "serve"], []))
    if kind == 0:
        more = [_in_one_token(rand, secret)]
    elif kind == 1:
        more = [
            rand.choice(FLAGS[:18]) + rand.choice(("=", "= ", "")),
            rand.choice(QUOTES).format(secret),
        ]
    elif kind == 2:  # unquoted JSON that a shell took apart
        more = [rand.choice(("--kv-transfer-config", "--hf-overrides", "--nothing"))]
        more += [f"{{{rand.choice(NAMES)}:", secret + "}"]
    elif kind == 3:
        more = [
            rand.choice(KNOWN),
            json.dumps({rand.choice(NAMES): secret})[: rand.choice((-1, None, -2))],
        ]
    elif kind == 4:
        more = [f"--{secret}" + rand.choice(("", "=1", ".a=1"))] + rand.choice(([], ["x"]))
    elif kind == 5:
        more = [rand.choice(("--enforce-eager", "--seed=1", "--dtype=half")), "x", secret]
    elif kind == 6:
        more = [f"--hf-overrides.{rand.choice(NAMES)}={secret}", f"--no-such.{secret}=1"]
    elif kind == 7:
        where = rand.choice(("https://{}@host/x", "redis://u:{}@h:1/0", "https://h/p?sig={}", "https://h/?access_token={}&x=1", "Authorization: Bearer {}", "Server=x;Password={};"))  # fmt: skip
        text = where.format(
            secret.replace("&", "x").replace("#", "x").replace("/", "x")
            if "://" in where
            else secret
        )
        flag = rand.choice(
            (
                "--otlp-traces-endpoint",
                "--max-model-len",
                "--dtype",
                "--no-such",
                "--allowed-origins",
                "--chat-template",
            )
        )
        more = [flag, text] if rand.randrange(2) else [f"{flag}={text}"]
    else:
        more = [
            f"{rand.choice(FLAGS)}={secret}",
            rand.choice(("--max-modle-len", "--dtype=fp9", "--seed=x")),
        ]
    at = rand.randint(0, 1)
    return [*head, *(more if at else [*more, "--seed=1"])]


def _env(rand: random.Random, secret: str) -> dict[str, str]:
    """An environment with a secret at one place."""
    kind = rand.randrange(8)
    found = {"MODEL_NAME": "org/m"}
    if kind == 0:
        found["VLLM_EXTRA_ARGS"] = rand.choice(QUOTES[:3]).format(
            " ".join(_quoted(rand, _tokens(rand, secret)))
        )
    elif kind == 1:
        found[rand.choice(JSON_FLAGS)] = _json(rand, secret)
    elif kind == 2:
        found[rand.choice(("MAX_MODEL_LEN", "DTYPE", "ENFORCE_EAGER", "SEED", "SWAP_SPACE", "VLLM_LOGGING_LEVEL", "VLLM_USE_V1", "VLLM_PORT"))] = _in_one_token(rand, secret)  # fmt: skip
    elif kind == 3:
        found["HF_TOKEN"] = secret
        found[
            rand.choice(
                (
                    "MAX_MODEL_LEN",
                    "DTYPE",
                    "TENSOR_PARALELL_SIZE",
                    "VLLM_NO_SUCH",
                    "VLLM_EXTRA_ARGS",
                )
            )
        ] = rand.choice(("{}", "x{}", "'{}'")).format(secret)
    elif kind == 4:
        found[f"{rand.choice(JSON_FLAGS)}__{rand.choice(NAMES).upper().replace('-', '_')}"] = secret
    elif kind == 5:
        found[rand.choice(("TRANSLATE_VLLM_VERSION", "MODEL_NAME", "VLLM_CONFIG_FILE"))] = (
            rand.choice(
                ("-----BEGIN KEY-----\n{}", "https://{}@h/x", "--api-key {}", "0.27.1+{}", "0.9{}")
            ).format(secret)
        )
    elif kind == 6:  # the name itself
        word = "".join(c if c.isascii() and c.isalnum() else "_" for c in secret)
        name = rand.choice(("VLLM_{}", "VLLM_USE_V1_{}", "MAX_MODEL_LEN__{}", "SWAP_SPACE__{}", "COMPILATION_CONFIG__{}"))  # fmt: skip
        found[name.format(word)] = rand.choice(("1", "x", "None"))
    else:
        found[rand.choice(("API_KEY", "VLLM_API_KEY", "HF_TOKEN"))] = rand.choice(
            ('["{}"', '["{}", 1]', "['{}']", "{}")
        ).format(secret)
    return found


def _quoted(rand: random.Random, tokens: Sequence[str]) -> list[str]:
    return [rand.choice(("'{}'", '"{}"', "{}")).format(item) for item in tokens]


def _json(rand: random.Random, secret: str) -> str:
    inner: Any = rand.choice((secret, [secret], {"a": secret}, f"https://u:{secret}@h"))
    key = rand.choice((*NAMES, "anything", secret, "model", "kv_role"))
    value = {rand.choice(("kv_connector", "model", "x")): "m", key: inner if key != secret else 1}
    if rand.randrange(2):
        value = {"kv_connector_extra_config": value}
    text = rand.choice((json.dumps(value), repr(value), json.dumps(value, ensure_ascii=False)))
    return rand.choice(
        (
            text,
            text,
            text[:-1],
            text[1:],
            f"'{text}'",
            text.replace('"', ""),
            text + ",",
            f'"{text}"',
        )
    )


def _env_file(rand: random.Random, secret: str) -> tuple[str, str]:
    """A file of variables in one of the formats, right or wrong; and its format."""
    form = rand.choice(tuple(ENV_FILE_FORMATS))
    line = rand.choice(
        (
            "HF_TOKEN={}",
            'HF_TOKEN="{}',
            "HF_TOKEN: {}",
            "{}",
            "export {}",
            "HF TOKEN={}",
            "option.hf_token={}",
            "{}=1",
            "SEED=1\n  {}",
            "A='{}",
            "$env:HF_TOKEN={}",
            "set HF_TOKEN {}",
            "MAX_MODEL_LEN=--api-key {}",
            "TOKEN=x\\\n{}",
            "A=${{{}}}",
            "A=$({})",
            "A=1\nA={}\nA=2",
            "option.max_model_len=8 \\\n {}",
            "- {}",
            "  {} # x",
        )
    ).format(secret)
    return f"MODEL_NAME=m\n{line}\nSEED=1\n", form


def _text(rand: random.Random, secret: str) -> str:
    """Something that people paste: a shell's, PowerShell's, docker's, Kubernetes' or compose's."""
    line = " ".join(_quoted(rand, _tokens(rand, secret)) or ["vllm serve m"])
    return rand.choice(
        (
            lambda: line,
            lambda: f"vllm serve m {line}",
            lambda: f"HF_TOKEN={secret} vllm serve m --no-such",
            lambda: f'$env:HF_TOKEN="{secret}"; vllm serve m --seed x',
            lambda: f"export HF_TOKEN='{secret}'\nvllm serve m --max-model-len",
            lambda: f"vllm serve m > https://u:{secret}@h/x 2>&1",
            lambda: f"curl -H 'Authorization: Bearer {secret}' https://h | vllm serve m",
            lambda: f"login {secret} && vllm serve m",
            lambda: f"vllm serve m --api-key \\ {secret}",
            lambda: f"vllm serve m --api-key $({secret}) --x ${{{secret}}}",
            lambda: f"docker run -e HF_TOKEN={secret} -e {secret} vllm/vllm-openai:v0.11.0 --model m {line}",
            lambda: f"docker {secret} vllm/vllm-openai --model m",
            lambda: f"docker run --env-file https://u:{secret}@h/f u:{secret}@r/vllm/vllm-openai:v0.11.0 --model m",
            lambda: f"python {secret} serve m",
            lambda: f"vllm {secret} m",
            lambda: f"translate exec --vllm {secret} --no-such {secret}",
            lambda: json.dumps(["vllm", "serve", *_tokens(rand, secret)]),
            lambda: f"A=({secret} 'x')\nif [ -n \"$Q\" ]; then A+=(--no-such {secret}); fi\nvllm serve m \"${{A[@]}}\"",
            lambda: f"f() {{ local a={secret}; vllm serve $1 --no-such $a; }}\nf {secret}",
            lambda: f"bash <<EOF\n{line}\nvllm serve m --api-key {secret}\nEOF",
            lambda: f"FROM vllm/vllm-openai:v0.11.0\nENV HF_TOKEN={secret} A={secret}\nCMD vllm serve m --no-such $A {line}",
            lambda: f"[Service]\nEnvironment=HF_TOKEN={secret}\nExecStart=/bin/vllm serve m --no-such {secret} ${{{secret}}}",
            lambda: f"A = {secret}\nrun:\n\tvllm serve m --no-such $(A) --api-key $({secret}) {line}",
            lambda: f"```bash\nvllm serve <{secret}> --api-key <{secret}> {line}\n```",
            lambda: f"env: {{HF_TOKEN: {json.dumps(secret)}}}\nrun: {json.dumps('vllm serve m --no-such ' + secret + ' ${{ ' + secret + ' }}')}",
            lambda: _manifest(rand, secret),
            lambda: _manifest(rand, secret)[:-3],
            lambda: _manifest(rand, secret).replace('"', "", 3),
        )
    )()  # fmt: skip


def _manifest(rand: random.Random, secret: str) -> str:
    """A manifest of one of the kinds."""
    args = [item for item in _tokens(rand, secret) if item]
    env = (
        [{"name": "HF_TOKEN", "value": secret}]
        if rand.randrange(2)
        else [{"name": secret, "value": "1"}]
    )
    container: dict[str, Any] = {
        "name": "c",
        "image": "vllm/vllm-openai:v0.11.2",
        "args": args,
        "env": env,
    }
    kind = rand.randrange(11)
    if kind == 0:
        container["name"] = secret
    elif kind == 10:  # those of operators
        model = {"engine": "VLLM", "url": f"hf://{secret}", "args": args, "env": {secret: secret}}
        container = {"name": "main", "args": args, "env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": secret}]}  # fmt: skip
        service = {"model": {"name": secret}, "template": {"containers": [container]}}
        chart = {"name": secret, "modelCommand": "vllmServe", "args": args}
        values = {"modelArtifacts": {"name": secret, "uri": f"hf://{secret}"}, "decode": {"parallelism": {"tensor": secret}, "containers": [chart]}}  # fmt: skip
        return json.dumps(rand.choice(({"catalog": {secret: model}}, values, {"image": {"repository": secret, "tag": secret, "command": ["vllm", "serve", *args]}}, {"kind": "LLMInferenceService", "spec": service})), ensure_ascii=False)  # fmt: skip
    elif kind == 9:  # RunPod's hub.json
        variable = rand.choice(({"key": "HF_TOKEN", "value": secret}, {"key": secret, "value": [1]}, {"key": "SEED", "input": {"default": secret, "required": secret}}))  # fmt: skip
        preset = {"name": secret, "defaults": {rand.choice(("DTYPE", secret)): rand.choice((secret, [secret]))}}  # fmt: skip
        return json.dumps({"title": f"vLLM {secret}", "config": {"env": [{"key": "MODEL_NAME", "value": "m"}, variable], "presets": [preset]}}, ensure_ascii=False)  # fmt: skip
    elif kind == 10:  # a Helm chart's values
        config = {rand.choice(("dtype", "maxModelLen", secret)): rand.choice((secret, {"a": secret})), "extraArgs": args}  # fmt: skip
        model = {"name": secret, "repository": rand.choice(("vllm/vllm-openai", secret)), "tag": secret, "modelURL": rand.choice(("m", secret)), "vllmConfig": config, "env": env, "toolCallParser": secret}  # fmt: skip
        return json.dumps({"servingEngineSpec": {"modelSpec": [model]}}, ensure_ascii=False)
    elif kind == 7:  # engine arguments
        arguments = {"model": "m", rand.choice(("seed", "hf_overrides", "hf_token", "dtype", secret)): rand.choice((secret, {"a": secret}, {secret: 1}))}  # fmt: skip
        ray = {"model_loading_config": {"model_id": secret}, "engine_kwargs": arguments}
        return json.dumps(rand.choice((arguments, {"vllm": arguments}, ray)), ensure_ascii=False)
    elif kind == 1:
        container["args"] = [{"name": secret}]
    elif kind == 2:
        container["command"] = ["translate", "exec", "--vllm", secret]
    elif kind == 3:
        container["env"] = [
            {"name": "HF_TOKEN", "value": {"a": secret}},
            {"name": secret, "valueFrom": {}},
        ]
    elif kind == 4:
        container["args"] = ["--api-key", f"$({secret})", "--no-such"]
    elif kind == 5:
        service = {"image": container["image"], "command": args, "env_file": rand.choice(("x.env", secret, [{"path": "x.env", "format": secret}])), "build": rand.choice((".", {"dockerfile": secret, "args": [secret]})), "extends": rand.choice((secret, {"file": "x.yaml", "service": secret})), "environment": rand.choice(([secret, f"A={secret}"], {"HF_TOKEN": secret, secret: None}, [f"A=${{{secret}}}"]))}  # fmt: skip
        return json.dumps({"services": {rand.choice(("web", secret)): service}}, ensure_ascii=False)
    elif kind == 6:
        return f"services:\n  web:\n    image: vllm/vllm-openai\n    command: !!bool {json.dumps(secret)}\n    environment: !!int {json.dumps(secret)}\n"
    metadata = {"name": rand.choice(("d", secret))}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": rand.choice(("Pod", secret)),
            "metadata": metadata,
            "spec": {"containers": [container]},
        },
        ensure_ascii=False,
    )


def _config(rand: random.Random, secret: str) -> str:
    """A file for --config."""
    quoted = json.dumps(secret, ensure_ascii=False)
    return rand.choice(
        (
            f"api-key: {quoted}\nno-such: 1\n", f"{quoted}: 1\n", f"seed: !!bool {quoted}\n", f"seed: !!int {quoted}\n", f"a: [{quoted}\n", f"api-key: '{secret}\n",
            f"model: m\nno-such-flag: {quoted}\n", f"hf-overrides: {{accessToken: {quoted}}}\ndtype: fp9\n", f"- {quoted}\n", f"{secret}\n", f"? [{quoted}]\n: 1\n",
            f"seed: !!timestamp {quoted}\n", f"a: !{secret} x\n", f"a: &{secret} x\nb: *{secret}x\n", f"seed: {quoted}\n  x: 1\n", f"max-model-len: [{quoted}]\n",
        )
    )  # fmt: skip


def _fixable(rand: random.Random, secret: str) -> tuple[str, str]:
    """The name and the text of a file that `check --fix` corrects, with a secret in it."""
    quoted = json.dumps(secret, ensure_ascii=False)
    line = rand.choice(
        (
            f"HF_TOKEN={secret} VLLM_USE_V1=1 vllm serve m --api-key {secret} --task embed --swap-space 4 # {secret}",
            f"vllm serve m --swap-space {secret} --enable-prefix-caching true --preemption-mode {secret}",
            f"vllm serve m --guided-decoding-backend={secret} --hf-overrides \"{{'a': '{secret}', 'hf_token': '{secret}'}}\"",
            f"vllm serve m --limit-mm-per-prompt {secret}=2 --max-modle-len {secret} --task {secret}",
            f"vllm serve m --swap-space 4 \\\n  --{secret} {secret} --task embed {secret} \\\n  --device {secret}",
            f"vllm serve m --{secret}=1 --swap-space 4 --seed {secret}7 --dtype={secret}",
        )
    )
    return rand.choice(
        (
            ("x.sh", line),
            ("x.md", f"```bash\n{line}\n```\n"),
            ("x.yaml", f"kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n    args: [m, --swap-space, '4', --no-such, {quoted}]\n    env:\n    - {{name: VLLM_USE_V1, value: {quoted}}}\n    - {{name: VLLM_USE_DEEP_GEMM, value: true}} # {secret}\n"),
            ("x.yaml", f"kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n    args:\n    - m\n    - --swap-space # {secret}\n    - {quoted}\n    - --port\n    - 8000 # {secret}\n"),
            ("compose.yaml", f"services:\n  {secret}:\n    image: vllm/vllm-openai\n    command: {json.dumps(line.partition(' serve ')[2])}\n    environment: {{VLLM_USE_V1: {quoted}, VLLM_USE_DEEP_GEMM: 'true', A: {quoted}}}\n"),
            ("x.env", f"MODEL_NAME=m\nTASK=embed # {secret}\nHF_TOKNE={{{quoted}: 1}}\nexport VLLM_API_KYE={secret[0]}\\ {secret} # {secret}\n"),
            ("x.yaml", f"kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.33.0\n    command: [translate, exec]\n    env:\n    - {{name: MODEL_NAME, value: m}}\n    - {{x: {quoted}, name: TASK, value: embed, y: {quoted}}} # {secret}\n    - name: HF_TOKNE\n      value: {quoted}\n"),
            ("x.env", f"VLLM_USE_DEEP_GEMM=true # {secret}\nVLLM_USE_V1={secret}\nTASK=embed {secret}\nHF_OVERRIDES={{'a': '{secret}'}}\nSWAP_SPACE={secret}\nVLLM_RPC_TIMEOUT={secret}\n"),
        )
    )  # fmt: skip


def _with_file(name: str, content: bytes, arguments: list[str]) -> list[str]:
    """What is seen of a command about a file of a name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        return program([*arguments, str(path)])


def _encoded(rand: random.Random, text: str) -> bytes:
    """The bytes of a file, sometimes in an encoding that is not the right one."""
    form = rand.choice((*["utf-8"] * 7, "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"))
    if form in ("latin-1", "cp1252"):
        return text.encode(form, "replace") + rand.choice((b"", b"\xff", b"\xfc\x80"))
    return text.encode(form, "surrogatepass")


TABLE = """\
[dialect]
name = "acme"
sources = ["https://acme.example/llm"]
prefix = "ACME_"
extra_args = "ACME_ARGS"
[[variable]]
name = "ACME_CONTEXT"
role = "flag"
flag = "--max-model-len"
"""
_WORDS = tuple(
    match.span() for match in re.finditer(r'"[^"\n]*"|^\w+(?= =)|(?<=\[)\w+(?=\])', TABLE, re.MULTILINE)
)  # fmt: skip


def _table(rand: random.Random, secret: str) -> str:
    """A table of one's own, with a secret in place of one of its words or behind them."""
    quoted = json.dumps(secret)
    start, end = rand.choice((*_WORDS, (len(TABLE), len(TABLE))))
    put = rand.choice((quoted, secret, f"[{quoted}]", f"{quoted} x", f'"https://u:{secret}@h"', f"x = {quoted}", f"[{secret}]"))  # fmt: skip
    return TABLE[:start] + put + TABLE[end:]


def _with_tables(arguments: list[str], content: bytes) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "dialects").mkdir()
        Path(folder, "dialects", "acme.toml").write_bytes(content)
        return program(
            [*arguments, "--tables", folder], env={"ACME_MODEL": "m", "ACME_CONTEXT": "8k"}
        )


ENV_WAYS = (
    "shell",
    "json",
    "explain",
    "check",
    "github",
    "exec",
    "convert",
    "library",
    "sagemaker",
)


def _run_env(rand: random.Random, env: dict[str, str], vllm: str) -> Callable[[], list[str]]:
    way = rand.choice((*ENV_WAYS, *["library"] * 8))
    dialect = rand.choice(("runpod", "runpod", "sagemaker", "lmi", "prefix:MY_"))
    if way == "library":
        other = rand.choice(VERSIONS)
        call = rand.choice(
            (
                lambda: env_to_args(env, vllm=vllm),
                lambda: env_to_args(env, vllm=vllm, dialect=dialect),
                lambda: check(env, vllm),
                lambda: convert(env, vllm, other),
            )
        )
        return lambda: seen(call)
    arguments = {
        "shell": ["env-to-args", "--vllm", vllm],
        "json": ["env-to-args", "--vllm", vllm, "--format", "json"],
        "explain": ["env-to-args", "--vllm", vllm, "--explain", "--format", "yaml"],
        "check": ["check", "--vllm", vllm, "--format", "json"],
        "github": ["check", "--vllm", vllm, "--format", rand.choice(("github", "sarif"))],
        "exec": ["exec", "--dry-run", "--explain", "--vllm", vllm],
        "convert": ["exec", "--dry-run"],
        "sagemaker": ["check", "--dialect", "sagemaker"],
    }[way]
    clean = {name: text.replace("\0", "") for name, text in env.items()}
    return lambda: program(arguments, env=clean)


def _run_argv(rand: random.Random, tokens: list[str], vllm: str) -> Callable[[], list[str]]:
    beside = {"HF_TOKEN": tokens[-1]} if rand.randrange(4) == 0 and tokens else {}
    way = rand.randrange(12)
    if way < 8:
        other = rand.choice(VERSIONS)
        call = rand.choice(
            (
                lambda: args_to_env(tokens, vllm=vllm, env=beside),
                lambda: args_to_env(tokens, vllm=vllm),
                lambda: check(tokens, vllm, env=beside),
                lambda: convert(tokens, vllm, other),
                lambda: env_to_args({"MODEL_NAME": "m", **beside}, vllm=vllm, extra=tokens),
            )
        )
        return lambda: seen(call)
    arguments = (
        ["args-to-env", "--vllm", vllm, "--explain", "--format", "json"],
        ["check", "--vllm", vllm, "--format", "github"],
        ["convert", "--from", vllm, "--to", "0.33.0"],
        ["exec", "--dry-run", "--explain", "--vllm", vllm],
    )[way - 8]
    return lambda: program([*arguments, "--", *tokens], env=beside)


KINDS = (*["argv"] * 6, *["env"] * 4, *["file"] * 2, *["text"] * 4, *["config"] * 2, "usage", "usage", "tables", "fix")  # fmt: skip


def case(number: int) -> Case:
    """The case of a number: the same on every machine."""
    rand = random.Random(number)
    secret, vllm = secret_of(rand), rand.choice((*VERSIONS, *["0.33.0"] * 10))
    kind = rand.choice(KINDS)
    if kind == "argv":
        tokens = _tokens(rand, secret)
        return Case(f"argv {tokens}", secret, _run_argv(rand, tokens, vllm))
    if kind == "env":
        env = _env(rand, secret)
        return Case(f"env {env}", secret, _run_env(rand, env, vllm))
    if kind == "file":
        text, form = _env_file(rand, secret)
        command = rand.choice(
            (["env-to-args"], ["check", "--format", "json"], ["convert", "--from", vllm])
        )
        dialect = (
            ["--dialect", "lmi"]
            if form == "properties" and command[0] != "convert"
            else ["--from-dialect", "lmi"]
            if form == "properties"
            else []
        )
        arguments = [*command, *dialect, "--env-file", "-", "--env-file-format", form]
        content = _encoded(rand, text)
        if rand.randrange(5):
            return Case(f"{form} {content!r}", secret, lambda: _read_file(content, form, vllm))
        return Case(f"{arguments} {content!r}", secret, lambda: program(arguments, content))
    if kind == "text":
        text = _text(rand, secret)
        command = rand.choice((["args-to-env", "--file", "-"], ["check", "-"], ["check", "--format", "github", "-"], ["convert", "--file", "-", "--from", vllm], ["args-to-env", "--format", "json", "--explain", "--file", "-"]))  # fmt: skip
        if rand.randrange(5):
            return Case(f"text {text!r}", secret, lambda: _read_text(text, vllm))
        content = _encoded(rand, text)
        return Case(f"{command} {content!r}", secret, lambda: program(command, content))
    if kind == "config":
        text = _config(rand, secret)
        tokens = rand.choice((["m"], ["--model", "m"], []))
        arguments = [
            rand.choice(("args-to-env", "check", "convert")),
            "--",
            "vllm",
            "serve",
            *tokens,
            "--config",
            "config.yaml",
        ]
        if rand.randrange(5):
            line = ["vllm", "serve", *tokens, "--config", "config.yaml"]
            return Case(f"config {text!r}", secret, lambda: _read_config(line, text, vllm))
        content = _encoded(rand, text)
        return Case(f"{arguments} {content!r}", secret, lambda: _with_config(arguments, content))
    if kind == "fix":
        name, text = _fixable(rand, secret)
        content = text.encode("utf-8", "replace")
        how = rand.choice((["--fix", "--unsafe-fixes"], ["--diff", "--unsafe-fixes"], ["--diff"], ["--format", "sarif"]))  # fmt: skip
        arguments = ["check", "--vllm", vllm, *how]
        return Case(f"fix {text!r}", secret, lambda: _with_file(name, content, arguments))
    if kind == "tables":
        content = _encoded(rand, _table(rand, secret))
        arguments = rand.choice((["env-to-args", "--dialect", "acme"], ["check", "--dialect", "acme"], ["tables", "lint"], ["explain", "ACME_CONTEXT", "--dialect", "acme"], ["exec", "--dry-run", "--dialect", "acme"]))  # fmt: skip
        return Case(
            f"tables {arguments} {content!r}", secret, lambda: _with_tables(arguments, content)
        )
    arguments = rand.choice(
        (
            ["check", "--vllm", secret], ["env-to-args", "--dialect", secret], ["env-to-args", "--format", secret], [secret], ["explain", secret], ["explain", f"--{secret}"],
            ["exec", "--dry-run", f"--{secret}"], ["exec", "--api-key", secret], ["check", f"https://u:{secret}@h/x.yaml"], ["check", "--vllm", f"0.9..{secret}"],
            ["env-to-args", "--prefix", secret], ["env-to-args", "--cluster", secret], ["tables", secret], ["tables", "show", "--vllm", secret], ["env-to-args", "--vllm", f"9.9+{secret}"],
            ["convert", "--to", secret, "--", "vllm", "serve", "m"], ["args-to-env", "--max-model-len", secret], ["check", "--", f"vllm serve m --api-key {secret}"],
            ["tables", "docs", "--dialect", secret], ["completion", secret], ["diff", secret, "0.33.0"], ["diff", "0.8.4", f"0.9+{secret}", "--format", secret],
            ["check", f"--strict={secret}"], ["check", f"-h{secret}"], [f"che{secret}"], ["explain", f"--hf-overrides.{secret}"], ["explain", "--format", "json", f"SEED={secret}"],
            ["check", "--dialect", f"prefix:{secret}", "--prefix", "A_"], ["tables", "add", "0.99.0", "--harvested", secret], ["tables", "drift", "--against", secret],
            ["exec", "--dry-run", "--ask", "--vllm", secret], ["env-to-args", "--tables", secret], ["tables", "add", secret], ["tables", "harvest", "--output", secret],
        )
    )  # fmt: skip
    arguments = [item.replace("\0", "") for item in arguments]
    return Case(f"usage {arguments}", secret, lambda: program(arguments))


def _read_file(content: bytes, form: str, vllm: str) -> list[str]:
    """As the commands read a file of variables, without their options."""
    dialect = "lmi" if form == "properties" else "runpod"
    try:
        read = read_env(form, EnvSource(content, "f.env", dialect=dialect))
    except UnicodeError:
        return []
    return of_findings(read.findings) + seen(
        lambda: env_to_args(read.env, vllm=vllm, dialect=dialect)
    )


def _read_text(text: str, vllm: str) -> list[str]:
    """As the commands read what is pasted."""
    beside = f"A={text}\nHF_TOKEN={text}\n{text}\nB=${{A}}"
    command = read_text(text, Context(beside=lambda path: ("x.env", beside)))
    found = of_findings(command.findings) + [command.name, str(command.unknown.values())]
    if command.entry is not None:
        return found + seen(lambda: env_to_args(command.env, vllm=vllm, extra=command.tokens))
    return found + seen(lambda: args_to_env(command.tokens, vllm=vllm, env=command.env))


def _read_config(line: list[str], text: str, vllm: str) -> list[str]:
    """As the commands read a file for --config."""
    files = ConfigFiles(shipped().catalog(vllm), lambda path: text)
    found = seen(lambda: args_to_env(line, vllm=vllm, config=files))
    return found + of_findings(files.findings)


def _with_config(arguments: list[str], content: bytes) -> list[str]:
    real = open

    def opened(path: Any, *more: Any, **options: Any) -> Any:
        if path == "config.yaml":
            return io.BytesIO(content)
        return real(path, *more, **options)

    with mock.patch("builtins.open", opened):
        return program(arguments)


def leaks(number: int) -> list[str]:
    """Run a case; return each line in which a part of its secret came out."""
    made = case(number)
    texts = made.run()
    found = []
    for word in pieces(made.secret):
        for text in texts:
            at = text.find(word)
            if at >= 0:
                found.append(f"{number}: {made.name}: {text[max(0, at - 150) : at + 60]!r}")
    return found


def all_leaks(numbers: range) -> Iterator[str]:
    for number in numbers:
        try:
            yield from leaks(number)
        except Exception as error:  # a crash is reported with its case
            yield f"{number}: {case(number).name}: {type(error).__name__}: {error}"
