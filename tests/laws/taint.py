"""Where a secret can stand, and the commands run in this process with everything that comes out of
them caught.
"""

# the places are a table, one a line
from __future__ import annotations

import io
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unittest import mock

from translator.cli import main
from translator.secrets.masking import TOO_SHORT
from translator.secrets.secrets import secrets_of
from translator.tables.catalog import shipped

MODEL = "org/model"


class Place:
    """A configuration with a secret in it.

    Attributes:
        env: the variables, if they are what is translated.
        tokens: the command line, if that is.
        text: what was pasted instead of tokens.
        files: name → content, in the working directory.
        env_file: whether the variables stand in `files` instead.
    """

    def __init__(
        self,
        env: Mapping[str, str] | None = None,
        tokens: Sequence[str] | None = None,
        text: str = "",
        files: Mapping[str, str] | None = None,
        *,
        options: Sequence[str] = (),
    ) -> None:
        self.env = dict(env or {})
        self.tokens = None if tokens is None else list(tokens)
        self.text = text
        self.files = dict(files or {})
        self.options = list(options)


# --- places ---------------------------------------------------------------------------------------

_SECRETS = secrets_of(shipped())
# Every variable that mappings/secrets.toml names, and some that only fit its patterns.
VARIABLES = sorted(_SECRETS._listed | {carrier for carrier in _SECRETS.carriers.values() if carrier}) + [
    "MY_DB_PASSWORD", "GITHUB_TOKEN", "SOME_PRIVATE_KEY", "VLLM_MY_SECRET", "HF_TOKEN__A", "VLLM_S3_SECRET_ACCESS_KEYY", "AUTHORIZATION", "SESSION_JWT",
    "KV_TRANSFER_CONFIG__API_KEY", "HF_TOKENIZER_TOKEN", "MAX_MODEL_LEN_SECRET",
]  # fmt: skip


def in_query(secret: str) -> str:
    """A secret as a URL's parameter has it: an & would end it."""
    return secret.replace("&", "%26").replace("#", "%23")


def connector(secret: str) -> dict[str, object]:
    return {
        "kv_connector": "C",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {"token": secret, "n": 1},
    }


def _json_texts(secret: str) -> dict[str, str]:
    """A JSON value with a secret in it: right, repairable, wrong in some other key, broken."""
    return {
        "token": json.dumps(connector(secret)),
        "unescaped": json.dumps(connector(secret), ensure_ascii=False),
        "s3": json.dumps(
            {
                **connector("x"),
                "kv_connector_extra_config": {
                    "s3": [{"aws_secret_access_key": secret, "region": "eu"}]
                },
            }
        ),
        "list": json.dumps(
            {**connector("x"), "kv_connector_extra_config": {"api_key": [secret, "x" + secret]}}
        ),
        "under-key": json.dumps(
            {**connector("x"), "kv_connector_extra_config": {"auth_token": {"a": {"b": secret}}}}
        ),
        "url": json.dumps(
            {**connector("x"), "kv_connector_extra_config": {"url": f"redis://u:{secret}@h:6379/0"}}
        ),
        "literal": repr(connector(secret)),
        "quoted": f"'{json.dumps(connector(secret))}'",
        "twice": json.dumps(json.dumps(connector(secret))),
        "bad-role": json.dumps({**connector(secret), "kv_role": "no-such-role"}),
        "bad-key": json.dumps({**connector(secret), "no_such_key": 1}),
        "secret-unknown-key": json.dumps({**connector("x"), "api_key": secret}),
        "wrong-type": json.dumps({**connector("x"), "kv_port": {"token": secret}}),
        "secret-in-number": json.dumps({**connector("x"), "kv_rank": {"password": secret}}),
        "cut": json.dumps(connector(secret))[:-3],
        "comma": json.dumps(connector(secret))[:-1] + ",, }",
        "no-quotes": f"{{token: {secret}}}",
        "array": json.dumps([{"api_key": secret}]),
        "assignment": f"token={secret}",
        "not-closed": '{"kv_connector_extra_config": {"token": "' + secret,
    }


def _env_places() -> dict[str, Callable[[str], Place]]:
    found: dict[str, Callable[[str], Place]] = {}
    for name in VARIABLES:
        found[f"variable {name}"] = lambda secret, name=name: Place({name: secret})
    for kind in _json_texts("x"):
        for name in (
            "KV_TRANSFER_CONFIG",
            "SPECULATIVE_CONFIG",
            "HF_OVERRIDES",
            "MODEL_LOADER_EXTRA_CONFIG",
            "ADDITIONAL_CONFIG",
            "COMPILATION_CONFIG",
        ):
            found[f"{name} {kind}"] = lambda secret, name=name, kind=kind: Place(
                {name: _json_texts(secret)[kind]}
            )
    for name in (
        "MAX_MODEL_LEN", "OTLP_TRACES_ENDPOINT", "DTYPE", "VLLM_HOST_IP", "VLLM_PORT", "VLLM_NO_SUCH", "ENFORCE_EAGER", "DOWNLOAD_DIR",
        "SPECULATIVE_MODEL", "VLLM_CONFIG_FILE", "MODEL_NAME", "ALLOWED_ORIGINS", "LORA_MODULES", "SWAP_SPACE", "TASK", "VLLM_USE_V1", "NO_SUCH_FLAG",
        "GPU_MEMORY_UTILIZATION", "VLLM_LOGGING_LEVEL", "VLLM_USE_DEEP_GEMM", "MIDDLEWARE", "LIMIT_MM_PER_PROMPT", "SERVED_MODEL_NAME", "TENSOR_PARALELL_SIZE",
        "GUIDED_DECODING_BACKEND", "VLLM_ATTENTION_BACKEND", "TRANSLATE_VLLM_VERSION", "MAX_LORA_RANK",
    ):  # fmt: skip
        found[f"url in {name}"] = lambda secret, name=name: Place(
            {name: f"https://user:{secret}@host:8000/p"}
        )
        found[f"url query in {name}"] = lambda secret, name=name: Place(
            {name: f"https://host:8000/p?x=1&api_key={in_query(secret)}"}
        )
    for name in ("KV_TRANSFER_CONFIG__KV_CONNECTOR_EXTRA_CONFIG__TOKEN", "KV_TRANSFER_CONFIG__PASSWORD", "MODEL_LOADER_EXTRA_CONFIG__S3__SECRET_KEY",
                 "SPECULATIVE_CONFIG__HF_TOKEN", "HF_OVERRIDES__API_KEY"):  # fmt: skip
        found[f"key {name}"] = lambda secret, name=name: Place({name: secret})
    for kind, line in _LINES.items():
        found[f"extra args {kind}"] = lambda secret, line=line: Place(
            {"VLLM_EXTRA_ARGS": shlex.join(line(secret))}
        )
        found[f"extra args broken {kind}"] = lambda secret, line=line: Place(
            {"VLLM_EXTRA_ARGS": shlex.join(line(secret)) + " 'open"}
        )
        found[f"behind -- {kind}"] = lambda secret, line=line: Place(
            {"TENSOR_PARALLEL_SIZE": "2"}, line(secret)
        )
    for cluster in ("lws", "torchrun", "slurm", "runpod"):
        found[f"cluster {cluster}"] = lambda secret, cluster=cluster: Place(
            dict.fromkeys(
                (
                    "LWS_LEADER_ADDRESS",
                    "MASTER_ADDR",
                    "LWS_GROUP_SIZE",
                    "NODE_RANK",
                    "SLURM_NODELIST",
                    "WORLD_SIZE",
                ),
                f"https://u:{secret}@h",
            ),
            options=["--cluster", cluster],
        )
        found[f"cluster address {cluster}"] = lambda secret, cluster=cluster: Place(
            {
                "LWS_LEADER_ADDRESS": f"http://u:{secret}@h", "LWS_GROUP_SIZE": "2", "LWS_WORKER_INDEX": "1", "MASTER_ADDR": f"http://u:{secret}@h",
                "GROUP_WORLD_SIZE": "2", "GROUP_RANK": "0", "HF_TOKEN": secret,
            },
            options=["--cluster", cluster],
        )  # fmt: skip
    return found


_LINES: dict[str, Callable[[str], list[str]]] = {
    "--api-key S": lambda secret: ["--api-key", secret],
    "--api-key=S": lambda secret: [f"--api-key={secret}"],
    "--api_key S": lambda secret: ["--api_key", secret],
    "--api-k=S": lambda secret: [f"--api-k={secret}"],
    "--hf-token": lambda secret: ["--hf-token", secret],
    "--hf-token=": lambda secret: [f"--hf-token={secret}", "--dtype=fp9"],
    "two keys": lambda secret: ["--api-key", secret, "other" + secret],
    "key twice": lambda secret: ["--api-key", "x" + secret, "--api-key", secret],
    "key with mistake": lambda secret: [
        "--api-key",
        secret,
        "--no-such-flag",
        "x",
        "--max-model-len",
        "x",
    ],
    "old flag": lambda secret: ["--api-key", secret, "--swap-space=4"],
    "dotted": lambda secret: ["--kv-transfer-config.kv_connector_extra_config.token", secret],
    "dotted=": lambda secret: [
        f"--kv-transfer-config.kv_connector_extra_config.token={secret}",
        "--kv-transfer-config.kv_role=no-such",
    ],
    "dotted+": lambda secret: [f"--kv-transfer-config.kv_connector_extra_config.api_key+={secret}"],
    "json": lambda secret: ["--kv-transfer-config", json.dumps(connector(secret))],
    "json=": lambda secret: [
        f"--kv-transfer-config={json.dumps(connector(secret), ensure_ascii=False)}"
    ],
    "json bad": lambda secret: [
        f"--kv-transfer-config={json.dumps({**connector(secret), 'kv_role': 1})}"
    ],
    "json cut": lambda secret: ["--kv-transfer-config", json.dumps(connector(secret))[:-3]],
    "json url": lambda secret: ["--kv-transfer-config", _json_texts(secret)["url"]],
    "url": lambda secret: ["--otlp-traces-endpoint", f"http://u:{secret}@h"],
    "url=": lambda secret: [f"--max-model-len=http://u:{secret}@h"],
    "url stray": lambda secret: ["--enforce-eager", f"http://u:{secret}@h"],
    "unknown": lambda secret: ["--my-password", secret],
    "unknown=": lambda secret: [f"--my-password={secret}"],
    "unknown json": lambda secret: ["--my-thing", json.dumps({"token": secret})],
    "short": lambda secret: ["-api-key", secret],
    "switch": lambda secret: [f"--enforce-eager=http://u:{secret}@h"],
    "no value": lambda secret: ["--api-key", "--enforce-eager", f"--hf-token={secret}"],
    "dash": lambda secret: [f"--api-key=-{secret}"],
    "lora": lambda secret: [
        "--enable-lora",
        "--lora-modules",
        json.dumps({"name": "a", "path": f"s3://u:{secret}@h/b"}),
    ],
    "config": lambda secret: ["--config", "conf.yaml", f"--api-key={secret}"],
    "config missing": lambda secret: ["--config", "none.yaml", f"--api-key={secret}"],
    "help": lambda secret: ["--help", f"--api-key={secret}"],
    "ambiguous": lambda secret: ["--api-key", secret, "--max", "5"],
}


def _argv_places() -> dict[str, Callable[[str], Place]]:
    found: dict[str, Callable[[str], Place]] = {}
    for kind, line in _LINES.items():
        found[f"line {kind}"] = lambda secret, line=line: Place(
            None, ["vllm", "serve", MODEL, *line(secret)]
        )
        found[f"module {kind}"] = lambda secret, line=line: Place(
            None,
            [
                "python3",
                "-m",
                "vllm.entrypoints.openai.api_server",
                "--model",
                MODEL,
                *line(secret),
            ],
        )
        found[f"pasted {kind}"] = lambda secret, line=line: Place(
            None,
            None,
            f"HF_TOKEN={shlex.quote(secret)} vllm serve {MODEL} {shlex.join(line(secret))}",
        )
        found[f"docker {kind}"] = lambda secret, line=line: Place(
            None,
            None,
            f"docker run --gpus all -e HF_TOKEN={shlex.quote(secret)} vllm/vllm-openai:v0.27.1"
            f" --model {MODEL} {shlex.join(line(secret))}",
        )
        found[f"k8s {kind}"] = lambda secret, line=line: Place(
            None, None, files={"pod.yaml": manifest(secret, line(secret))}
        )
        found[f"compose {kind}"] = lambda secret, line=line: Place(
            None, None, files={"pod.yaml": compose(secret, line(secret))}
        )
    found |= {
        "program": lambda secret: Place(None, ["python3", "--api-key", secret]),
        "other command": lambda secret: Place(None, ["vllm", "bench", "--api-key", secret]),
        "script": lambda secret: Place(None, None, f"sh --api-key {shlex.quote(secret)}"),
        "default": lambda secret: Place(None, None, f"vllm serve {MODEL} --api-key ${{KEY:-{shlex.quote(secret)}}}"),
        "required": lambda secret: Place(None, None, f"vllm serve {MODEL} --api-key ${{KEY:?{shlex.quote(secret)}}}"),
        "substitution": lambda secret: Place(None, None, f"vllm serve {MODEL} --api-key $(echo {shlex.quote(secret)})"),
        "backticks": lambda secret: Place(None, None, f"vllm serve {MODEL} --api-key `echo {shlex.quote(secret)}`"),
        "cut off": lambda secret: Place(None, None, f"export HF_TOKEN={shlex.quote(secret)} && huggingface-cli login --token {shlex.quote(secret)} && vllm serve m"),
        "piped": lambda secret: Place(None, None, f"vllm serve m | curl -H 'Authorization: {secret}' x"),
        "assigned": lambda secret: Place(None, None, f"KEY={shlex.quote(secret)}; vllm serve m --api-key $KEY"),
        "assigned and unknown": lambda secret: Place(None, None, f"HF_TOKEN=${{X}}{shlex.quote(secret)} vllm serve m"),
        "another program": lambda secret: Place(None, None, f"curl -H {shlex.quote(secret)} https://x; wget {shlex.quote(secret)}"),
        "docker exec": lambda secret: Place(None, None, f"docker login -p {shlex.quote(secret)} registry"),
        "docker env file": lambda secret: Place(None, None, f"docker run --env-file {shlex.quote(f'https://u:{secret}@h')} vllm/vllm-openai --model m"),
        "image": lambda secret: Place(None, None, f"docker run https://u:{secret}@h/vllm:v0.27.1 --model m --api-key={shlex.quote(secret)}"),
        "json list": lambda secret: Place(None, None, json.dumps(["vllm", "serve", "m", "--api-key", secret, "--dtype", "x"])),
        "broken yaml": lambda secret: Place(None, None, files={"pod.yaml": f"apiVersion: v1\nkind: Pod\nspec:\n  env: *{secret}\n"}),
        "broken yaml tag": lambda secret: Place(None, None, files={"pod.yaml": f"apiVersion: v1\nkind: Pod\nspec:\n  containers: [{{image: vllm, args: [!{''.join(secret.split())} x]}}]\n"}),
        "broken yaml flow": lambda secret: Place(None, None, files={"pod.yaml": f"apiVersion: v1\nspec: {{containers: [{{image: vllm, args: ['--api-key', {secret}\n"}),
        "number in env": lambda secret: Place(None, None, files={"pod.yaml": manifest("1", []).replace("value: '1'", "value: 1") + f"    - {{name: X, value: [{json.dumps(secret)}]}}\n"}),
    }  # fmt: skip
    for kind, text in (
        ("key", "api-key: {}\n"), ("list", "api-key: [{0}, x{0}]\n"), ("token", "hf-token: {}\ndtype: fp9\n"), ("quoted", "no-such-password: {}\n"),
        ("object", "kv-transfer-config: {{kv_role: kv_both, kv_connector: C, kv_connector_extra_config: {{token: {}}}}}\n"),
        ("url", "otlp-traces-endpoint: http://u:{}@h\n"),
    ):  # fmt: skip
        for model in ("", "model: m\n"):
            found[f"config {kind} {bool(model)}"] = lambda secret, text=text, model=model: Place(
                None,
                ["vllm", "serve", *([] if model else [MODEL]), "--config", "conf.yaml"],
                files={"conf.yaml": model + text.format(json.dumps(secret))},
            )
        found[f"config broken {kind}"] = lambda secret, text=text: Place(
            None,
            ["vllm", "serve", MODEL, "--config", "conf.yaml"],
            files={"conf.yaml": text.format(json.dumps(secret)) + "x: [\n"},
        )
    for kind, text in (("alias", "api-key: *{}\n"), ("tag", "api-key: !{} x\n"), ("directive", "%{}\n---\nx: 1\n"), ("plain", "x{}\n"), ("anchor", "a: &{0} 1\nb: &{0} 2\n"),
                       ("merge", "<<: x{}\n"), ("key", "{}: [\n"), ("binary", "api-key: !!binary {}\n"), ("float", "api-key: !!float {}\n"),
                       ("int", "api-key: !!int {}\n"), ("time", "api-key: !!timestamp {}\n"), ("escape", 'api-key: "\\q{}"\n'),
                       ("short escape", 'api-key: "\\U{}"\n')):  # fmt: skip
        found[f"config yaml {kind}"] = lambda secret, text=text: Place(
            None,
            ["vllm", "serve", MODEL, "--config", "conf.yaml"],
            files={"conf.yaml": text.format(secret)},
        )
    return found


def manifest(secret: str, args: Sequence[str]) -> str:
    args_text = json.dumps(["--model", MODEL, *args])
    return (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: llm}\nspec:\n  containers:\n  - name:"
        f" vllm\n    image: vllm/vllm-openai:v0.27.1\n    args: {args_text}\n    env:\n    -"
        f" {{name: HF_TOKEN, value: {json.dumps(secret)}}}\n    - {{name: VLLM_API_KEY, value:"
        f" {json.dumps(secret)}}}\n    - {{name: A, value: '1'}}\n"
    )


def compose(secret: str, args: Sequence[str]) -> str:
    command = json.dumps(["--model", MODEL, *(item.replace("$", "$$") for item in args)])
    dollars = json.dumps(secret.replace("$", "$$"))
    return (
        "services:\n  llm:\n    image: vllm/vllm-openai:v0.27.1\n    environment:\n      HF_TOKEN:"
        f" {dollars}\n      X: ${{Y}}\n    command: {command}\n"
    )


def _file_places() -> dict[str, Callable[[str], Place]]:
    """.env files, right and wrong."""
    forms: dict[str, Callable[[str], str]] = {
        "plain": "HF_TOKEN={}\nMODEL_NAME=m\n".format,
        "single": "HF_TOKEN='{}'\nDTYPE=fp9\n".format,
        "double": 'export VLLM_API_KEY="{}"\nMODEL_NAME=m\n'.format,
        "open single": "MODEL_NAME=m\nHF_TOKEN='{}\n".format,
        "open double": 'MODEL_NAME=m\nHF_TOKEN="{}\n'.format,
        "alone": lambda secret: f"MODEL_NAME=m\n{secret.replace('=', '-')}\n",
        "spaces": "HF_TOKEN {}\n".format,
        "colon": "HF_TOKEN: {}\nMODEL_NAME=m\n".format,
        "value behind value": "A='x' {}\nMODEL_NAME=m\n".format,
        # Shorter ones are masked only where a secret is meant to stand.
        "refers": lambda secret: (
            f"HF_TOKEN={secret}\nMAX_MODEL_LEN=${{HF_TOKEN}}\nMODEL_NAME=m\n"
            if len(secret) > TOO_SHORT and secret.isalnum()
            else ""
        ),
        # A line's end ends a URL, and python-dotenv puts something else for ${…}.
        "url": lambda secret: (
            f"MAX_MODEL_LEN=http://u:{secret.replace(chr(10), '%0A').replace(chr(13), '%0D').replace('$', '%24')}@h\nMODEL_NAME=m\n"
        ),
        # What is not quoted ends at a blank.
        "extra": lambda secret: (
            f"VLLM_EXTRA_ARGS=--api-key={''.join(secret.replace('$', '').split())}\nMODEL_NAME=m\n"
        ),
    }
    found: dict[str, Callable[[str], Place]] = {}
    for kind, form in forms.items():
        for name, more in (("dotenv", []), ("docker", ["--env-file-format", "docker"])):
            if (name, kind) == ("docker", "value behind value"):
                continue  # docker takes it all for a value, which is not secret
            found[f"{name} {kind}"] = lambda secret, form=form, more=more: Place(
                {}, None, files={"a.env": form(secret)}, options=["--env-file", "a.env", *more]
            )
    return found


ENV_PLACES = _env_places()
ARGV_PLACES = _argv_places()
FILE_PLACES = _file_places()


# --- commands -------------------------------------------------------------------------------------


class Outcome:
    """All that left a command.

    Attributes:
        status: its exit status.
        out, err: what it wrote.
        started: the command line and the environment that vLLM was started with.
    """

    def __init__(
        self, status: int, out: str, err: str, started: tuple[list[str], dict[str, str]] | None
    ) -> None:
        self.status, self.out, self.err, self.started = status, out, err, started


class _Stream(io.TextIOWrapper):
    """A standard stream whose bytes are kept."""

    def __init__(self) -> None:
        self.bytes = io.BytesIO()
        super().__init__(
            self.bytes, encoding="utf-8", errors="surrogateescape", newline="", write_through=True
        )

    def text(self) -> str:
        return self.bytes.getvalue().decode("utf-8", "surrogateescape")

    def isatty(self) -> bool:
        return False


class Started(BaseException):
    """vLLM would run now."""


def run(
    arguments: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    *,
    start: Callable[..., None] | None = None,
) -> Outcome:
    """One command in this process.

    Args:
        env: its environment.
        folder: its working directory.
        start: called in place of os.execve; by default it notes what would be started.
    """
    out, err = _Stream(), _Stream()
    started: list[tuple[list[str], dict[str, str]]] = []

    def execve(path: str, argv: list[str], environment: dict[str, str]) -> None:
        started.append((argv, environment))
        if start is not None:
            start(path, argv, environment)
        raise SystemExit(0)

    before = os.getcwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.dict(os.environ, {"PATH": str(folder), **env}, clear=True),
            mock.patch.object(sys, "stdout", out),
            mock.patch.object(sys, "stderr", err),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b""))),
            mock.patch("os.execve", execve),
            mock.patch("translator.cli.exec._ignore_signals"),
        ):
            status = main(arguments)
    finally:
        os.chdir(before)
    return Outcome(status, out.text(), err.text(), started[0] if started else None)
