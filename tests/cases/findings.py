"""An input for every code, and the exact texts that it gives: findings.toml.

    PYTHONPATH=.:tests python -m cases.findings      writes findings.toml anew

Read the difference before it is committed: it is what users will read.
"""

from __future__ import annotations

import json
import tempfile
from argparse import Namespace
from pathlib import Path

from translator import TranslationError, args_to_env, convert, env_to_args
from translator.api.check import check_argv, check_env
from translator.cli.ask import refusal
from translator.cli.check.checker import Checker, Result
from translator.cli.check.targets import Target, comments_in
from translator.files.command import Context
from translator.files.registry import read_commands, read_text
from translator.findings import Finding
from translator.formats import read_env, write_env
from translator.formats.env_files import bake
from translator.formats.forms import Environment
from translator.formats.vllm_config import ConfigFiles, tokens_of, write
from translator.settings.scope import scope
from translator.tables.catalog import shipped
from translator.tables.installed import Build, about_installed

NEWEST = "0.33.0"


def env(version: str = NEWEST, /, **variables: str):
    return lambda folder: check_env(
        {"MODEL_NAME": "m", **variables}, scope(version, "runpod", {}, shipped())[0]
    )


def argv(*tokens: str, version: str = NEWEST):
    return lambda folder: check_argv(
        ["vllm", "serve", *tokens], {}, scope(version, "runpod", {}, shipped())[0]
    )


def idle_comment():
    comments = {"a.yaml": comments_in("args:\n- --seed=1  # translate: ignore[bad-choice]\n")}
    result = Result(Target("the container", comments=comments), NEWEST, [])
    checker = Checker(Namespace(select=[], ignore=[]), shipped())
    return checker.counted([result])[-1].findings


def to_env(*tokens: str, version: str = NEWEST):
    return lambda folder: args_to_env(["vllm", "serve", *tokens], version).findings


def pasted(text: str):
    return lambda folder: read_text(text).findings


def version_of(text: str, dialect: str = "runpod"):
    return lambda folder: env_to_args({"MODEL_NAME": "m"}, text, dialect).findings


def catalog(version: str = NEWEST):
    return shipped().catalog(version)


def kept_file(folder: Path):
    files = ConfigFiles(catalog(), lambda path: (folder / "none").read_text(), keep_missing=True)
    files("x.yaml")
    return files.findings


def baked(content: str):
    def produce(folder: Path):
        path = folder / "args.json"
        path.write_text(content)
        return bake({}, str(path))[1]

    return produce


def in_dialect(dialect: str = "sagemaker", **variables: str):
    return lambda folder: env_to_args(variables, NEWEST, dialect).findings


def in_cluster(version: str = NEWEST, **variables: str):
    return lambda folder: (
        env_to_args({"MODEL_NAME": "m", **variables}, version, cluster="lws").findings
    )


PRODUCERS = {
    "consumer-default": in_dialect(SM_VLLM_MODEL="m"),
    "consumer-differs": in_dialect(SM_VLLM_MODEL="m", SM_VLLM_ENABLE_PREFIX_CACHING="false"),
    "set-elsewhere": lambda folder: args_to_env(["org/m"], NEWEST, "kserve").findings,
    "newer-than-consumer": to_env("m", "--dp-sync-interval", "3"),
    "older-consumer": to_env("m", "--middleware", "a.b", version="0.23.0"),
    "platform-breaks": to_env("m", "--port", "9000"),
    "platform-differs": env(SERVED_MODEL_NAME="a,b"),
    "over-limit": (
        lambda folder: (
            args_to_env(["m", "--chat-template", "x" * 1100], NEWEST, "sagemaker").findings
        )
    ),
    "bad-cluster": in_cluster(LWS_GROUP_SIZE="2", LWS_WORKER_INDEX="2", LWS_LEADER_ADDRESS="first"),
    "cluster-size": in_cluster(
        LWS_GROUP_SIZE="2",
        LWS_WORKER_INDEX="0",
        LWS_LEADER_ADDRESS="first",
        TENSOR_PARALLEL_SIZE="3",
    ),
    "no-server-here": in_cluster(
        LWS_GROUP_SIZE="2",
        LWS_WORKER_INDEX="1",
        LWS_LEADER_ADDRESS="first",
        TENSOR_PARALLEL_SIZE="2",
        API_SERVER_COUNT="4",
    ),
    "place-made-up": lambda folder: check_env(
        {"MODEL_NAME": "m"}, scope(NEWEST, "runpod", {}, shipped())[0], cluster="lws"
    ),
    "cluster-not-in-version": in_cluster(
        "0.10.2", LWS_GROUP_SIZE="2", LWS_WORKER_INDEX="0", LWS_LEADER_ADDRESS="first"
    ),
    "machines-to-join": in_cluster(
        DISTRIBUTED_EXECUTOR_BACKEND="ray",
        LWS_GROUP_SIZE="2",
        LWS_WORKER_INDEX="0",
        LWS_LEADER_ADDRESS="first",
    ),
    "bad-bool": env(ENFORCE_EAGER="maybe"),
    "bad-integer": env(MAX_MODEL_LEN="25.6K"),
    "bad-float": env(GPU_MEMORY_UTILIZATION="90%"),
    "bad-choice": env(DTYPE="fp9"),
    "bad-json": env(HF_OVERRIDES='{"a":'),
    "bad-list": env(LORA_MODULES="adapter"),
    "bad-key": env(COMPILATION_CONFIG='{"mod": 3}'),
    "bad-key-value": env(COMPILATION_CONFIG='{"cudagraph_mode": "SOMETIMES"}'),
    "bad-text": env(CHAT_TEMPLATE="a\0b"),
    "repaired-json": env(HF_OVERRIDES="{'a': True}"),
    "not-on-argv": env(MODEL_NAME="-m"),
    "unknown-flag": argv("m", "--max-modle-len", "1"),
    "flag-not-in-version": env(
        "0.8.5", ATTENTION_BACKEND="FLASHINFER", ADDITIONAL_CONFIG="{}", GRPC="1"
    ),
    "unknown-variable": env(VLLM_USER_V1="1"),
    "ignored-key": env("0.12.0", COMPILATION_CONFIG='{"mod":3}'),
    "refused-at-start": (
        lambda _: env_to_args({"MODEL_NAME": "m", "ENABLE_AUTO_TOOL_CHOICE": "1"}).findings
    ),
    "misspelt-variable": env(TENSOR_PARALELL_SIZE="2"),
    "reserved-name": env(PORT="80"),
    "worker-only": env(MAX_CONCURRENCY="3"),
    "empty-element": env(SERVED_MODEL_NAME="a,b,"),
    "no-key": env("0.8.5", ATTENTION_CONFIG__NO_SUCH_KEY="1"),
    "missing-model": argv("--seed", "1", version="0.7.3"),
    "no-model": argv("--seed", "1"),
    "ambiguous-flag": argv("m", "--max-n", "1"),
    "missing-value": argv("m", "--chat-template"),
    "unexpected-value": argv("m", "--enforce-eager=true"),
    "stray-token": argv("m", "--enforce-eager", "true"),
    "model-option": argv("--model", "m", version="0.9.2"),
    "repeated-flag": argv("m", "--seed", "1", "--seed", "2"),
    "shell-variable": pasted("vllm serve $MODEL"),
    "expands-too-much": pasted(
        "\n".join(
            ["A0=xxxx", *(f'A{at + 1}="$A{at}$A{at}"' for at in range(20)), "vllm serve $A20"]
        )
    ),
    "shell-syntax": pasted("vllm serve $(cat m)"),
    "not-vllm-serve": lambda folder: check_argv(
        ["vllm", "bench"], {}, scope(NEWEST, "runpod", {}, shipped())[0]
    ),
    "image-version": pasted("docker run vllm/vllm-openai:v0.11.2 --model m"),
    "deprecated-flag": argv("m", "--task", "embed", version="0.12.0"),
    "bad-extra-args": env(VLLM_EXTRA_ARGS="'a"),
    "config-file": argv("m", "--config", "x.json"),
    "config-file-kept": kept_file,
    "config-not-read": argv("m", "--config=x.yaml"),
    "config-false": lambda folder: tokens_of({"enforce-eager": False}, catalog())[1],
    "model-beside-config": lambda folder: write(["vllm", "serve", "m"], catalog("0.7.3"))[1],
    "model-like-option": env("0.33.0", MODEL_NAME="--max-modle-len 8k"),
    "cut-off": pasted("vllm serve m > log"),
    "comment-in-command": pasted("vllm serve m \\\n  # --seed 1 \\\n  --port 80"),
    "bad-env-file": lambda folder: read_env("dotenv", b"A='x", "f").findings,
    "repeated-variable": lambda folder: read_env("dotenv", b"A=1\nA=2\n", "f").findings,
    "unread-key": pasted(
        "servingEngineSpec: {modelSpec: [{modelURL: m, vllmConfig: {maxNumBatchedTokens: 1}}]}"
    ),
    "bad-manifest": pasted("args: [1]\nenv: [{name: A, value: 1}]"),
    "starts-something-else": lambda folder: (
        read_text("docker run vllm/vllm-openai:v0.17.1 vllm serve org/m").findings
    ),
    "unused-ignore": lambda folder: idle_comment(),
    "value-not-known": lambda folder: read_text("vllm serve $MODEL").for_check(),
    "unreadable-file": lambda folder: (
        read_commands("kind: Pod\nspec:\n  args: {{ .Values.args }}\n  image: vllm", Context())[
            0
        ].findings
    ),
    "unresolved-value": pasted("docker run -e A vllm/vllm-openai m"),
    "default-changed": lambda folder: convert(["m"], "0.19.1", "0.33.0").findings[:1],
    "carried": to_env("m", "--guided-decoding-backend", "xgrammar"),
    "carried-value": env("0.15.1", ALL2ALL_BACKEND="flashinfer_nvlink_two_sided"),
    "now-default": env(VLLM_USE_V1="1"),
    "dropped": to_env("m", "--swap-space", "4"),
    "written-for-another": to_env("m", "--swap-space", "4"),
    "disagreement": env(TOKENIZER_NAME="a", TOKENIZER="b"),
    "worker-default": (
        lambda folder: env_to_args({"MODEL_NAME": "m"}, worker_defaults=True).findings
    ),
    "baked-args": baked(json.dumps({"MODEL_NAME": "m"})),
    "bad-baked-args": baked("{"),
    "bad-variable": env(VLLM_DEEP_GEMM_WARMUP="sometimes"),
    "repaired-variable": env(VLLM_USE_DEEP_GEMM="true"),
    "variable-not-in-version": env(
        "0.8.5",
        VLLM_ALLREDUCE_USE_FLASHINFER="1",
        VLLM_LOG_MODEL_INSPECTION="1",
        VLLM_DEBUG_WORKSPACE="1",
    ),
    "plugin-variable": env(VLLM_ASCEND_ENABLE_NZ="1"),
    "service-link": env(VLLM_PORT="tcp://10.0.0.1:80"),
    "not-the-server-address": env(VLLM_PORT="8080"),
    "empty-variable": env(VLLM_USE_DEEP_GEMM=""),
    "secret-moved": to_env("m", "--api-key", "sk-secret"),
    "secret-on-argv": argv("m", "--api-key", "sk-secret"),
    "version-too-old": version_of("0.5.0"),
    "version-too-new": version_of("0.99.0"),
    "version-between": version_of("0.8.9"),
    "bad-version": version_of("latest"),
    "other-version": lambda folder: about_installed("0.8.5", "0.32.0", "0.8.5"),
    "version-assumed": lambda folder: about_installed("", None, NEWEST),
    "not-asked": lambda folder: [
        refusal(Build("0.1.dev1+g51f799c", str(folder), own=True), "ImportError: no vLLM")
    ],
    "unknown-dialect": version_of(NEWEST, "none"),
    "cannot-be-said": lambda folder: write_env("docker", Environment({"A": "x\ny"}))[1],
    "not-in-file": lambda folder: write_env("properties", Environment({"HF_TOKEN": "x"}, "lmi"))[1],
    "kept-in-extra-args": to_env("m", "--middleware", "a.b", "--middleware", "c"),
}


def produced(code: str, folder: Path) -> list[Finding]:
    """Return what the input for a code gives."""
    try:
        return list(PRODUCERS[code](folder))
    except TranslationError as error:
        return list(error.findings)


def rendered(code: str, folder: Path) -> dict[str, str]:
    """Return the first finding with the code as people see it."""
    found = produced(code, folder)
    item = next((item for item in found if item.code == code), None)
    assert item is not None, f"the input of {code} in PRODUCERS gives {[it.code for it in found]}"
    return {name: text.replace(str(folder), "FOLDER") for name, text in item.as_dict().items()}


def main() -> None:
    """Write findings.toml."""
    lines = ["# Written by `PYTHONPATH=.:tests python -m cases.findings`: each code, exactly."]
    for code in sorted(PRODUCERS):
        with tempfile.TemporaryDirectory() as folder:
            fields = rendered(code, Path(folder))
        lines += ["", f"[{fields.pop('code')}]"]
        lines += [
            f"{name} = {json.dumps(text, ensure_ascii=False)}" for name, text in fields.items()
        ]
    place = Path(__file__).with_suffix(".toml")
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
