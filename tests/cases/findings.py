"""An input for every code: its example in mappings/findings.toml, or, where that is in words or
needs a file or an option beside it, one of those below.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cases import NEWEST
from translator import TranslationError, args_to_env, check, check_file, convert, env_to_args
from translator.advice.check import check_argv, check_env
from translator.advice.unread import unread
from translator.cli.ask import refusal
from translator.core.findings import Finding, texts_of
from translator.core.settings import ModelConfig
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped
from translator.deployments.judge.results import Result, counted
from translator.deployments.options import CheckOptions
from translator.deployments.read import Context
from translator.deployments.read.registry import read_commands, read_text
from translator.deployments.read.targets import Target, comments_in
from translator.deployments.repair.upgrade import upgrade_all
from translator.formats.env_files import bake
from translator.formats.forms import Environment
from translator.formats.registry import read_env, write_env
from translator.formats.vllm_config import ConfigFiles, tokens_of, write
from translator.installed import Build, about_installed

# The inputs are for this one, not for the newest, which is written {newest}.
VERSION = "0.32.0"
CATALOG = shipped().catalog(VERSION)


def scope_of(version: str):
    return scope(version, "runpod", {}, shipped())[0]


def env_of_a_model(**given: Any):
    env = {"MODEL_NAME": "m", **{name: given[name] for name in given if name.isupper()}}
    options = {name: given[name] for name in given if name.islower()}
    return lambda _: env_to_args(env, **{"vllm": VERSION, **options}).findings


def idle_comment(folder: Path):
    comments = {"a.yaml": comments_in("args:\n- --seed=1  # translate: ignore[bad-choice]\n")}
    result = Result(Target("the container", comments=comments), VERSION, [])
    return counted([result], CheckOptions())[-1].findings


def upgrade_of(text: str):
    def produce(folder: Path):
        path = folder / "x.yaml"
        path.write_text(text)
        asked = CheckOptions(versions=[NEWEST])
        (done,), _ = upgrade_all([str(path)], asked, {}, [str(path)])
        return [*done.reasons, *done.notes]

    return produce


def kept_file(folder: Path):
    files = ConfigFiles(CATALOG, lambda path: (folder / "none").read_text(), keep_missing=True)
    files("x.yaml")
    return files.findings


def baked(content: str):
    def produce(folder: Path):
        path = folder / "args.json"
        path.write_text(content)
        return bake({}, str(path))[1]

    return produce


PRODUCERS = {
    "bad-text": lambda _: check_env(
        {"MODEL_NAME": "m", "CHAT_TEMPLATE": "a\0b"}, scope_of(VERSION)
    ),
    "bad-manifest": lambda _: read_text("args: [1]\nenv: [{name: A, value: 1}]").findings,
    "unread-key": lambda _: (
        read_text(
            "servingEngineSpec: {modelSpec: [{modelURL: m, vllmConfig: {maxNumBatchedTokens: 1}}]}"
        ).findings
    ),
    "set-elsewhere": lambda _: args_to_env(["org/m"], VERSION, "kserve").findings,
    "worker-default": env_of_a_model(worker_defaults=True),
    "cluster-not-in-version": env_of_a_model(
        vllm="0.10.2",
        cluster="lws",
        LWS_GROUP_SIZE="2",
        LWS_WORKER_INDEX="0",
        LWS_LEADER_ADDRESS="first",
    ),
    "version-too-old": env_of_a_model(vllm="0.5.0"),
    "version-too-new": env_of_a_model(vllm="0.99.0"),
    "version-between": env_of_a_model(vllm="0.8.9"),
    "bad-version": env_of_a_model(vllm="nightly"),
    "unknown-dialect": env_of_a_model(dialect="none"),
    "over-limit": lambda folder: (
        args_to_env(["m", "--chat-template", "x" * 1100], VERSION, "sagemaker").findings
    ),
    "example-ranks": lambda _: check_env({"MODEL_NAME": "m"}, scope_of(VERSION), cluster="lws"),
    "expands-too-much": lambda _: (
        read_text(
            "A0=xxxx\n"
            + "".join(f'A{at + 1}="$A{at}$A{at}"\n' for at in range(20))
            + "vllm serve $A20"
        ).findings
    ),
    "model-config": lambda _: check_argv(
        ["m"],
        {},
        scope_of(VERSION).of_model(
            ModelConfig("config.json", {"architectures": ["NoneForCausalLM"], "model_type": "none"})
        ),
    ),
    "config-file-kept": kept_file,
    "config-false": lambda folder: tokens_of({"enforce-eager": False}, CATALOG)[1],
    "model-beside-config": lambda folder: write(["vllm", "serve", "m"], shipped().catalog("0.7.3"))[
        1
    ],
    "repeated-variable": lambda folder: read_env("dotenv", b"A=1\nA=2\n", "f").findings,
    "unused-ignore": idle_comment,
    "not-moved": upgrade_of("image: vllm/vllm-openai:v0.8.5@sha256:01"),
    "upgrade-concern": upgrade_of(
        'services: {a: {image: "vllm/vllm-openai:v0.19.1", command: [--model, m]}}'
    ),
    "value-not-known": lambda folder: read_text("vllm serve $MODEL").for_check(),
    "unreadable-file": lambda folder: (
        read_commands("kind: Pod\nspec:\n  args: {{ .Values.args }}\n  image: vllm", Context())[
            0
        ].findings
    ),
    "unread-variable": lambda folder: unread(["QUANTISATION"], scope_of(VERSION)),
    "default-changed": lambda folder: convert(["m"], "0.19.1", VERSION).findings[:1],
    "baked-args": baked(json.dumps({"MODEL_NAME": "m"})),
    "bad-baked-args": baked("{"),
    "other-version": lambda folder: about_installed("0.8.5", "0.32.0", "0.8.5"),
    "version-assumed": lambda folder: about_installed("", None, NEWEST),
    "not-asked": lambda folder: [
        refusal(Build("0.1.dev1+g51f799c", str(folder), own=True), "ImportError: no vLLM")
    ],
    "not-expressible": lambda folder: write_env("docker", Environment({"A": "x\ny"}))[1],
    "not-in-file": lambda folder: write_env("properties", Environment({"HF_TOKEN": "x"}, "lmi"))[1],
}


# What some examples are for, where it is not vLLM and the dialect runpod.
DIALECTS = {
    "platform-default": "sagemaker",
    "platform-differs": "sagemaker",
    "platform-stops": "runpod@2.28.0",
}
CLUSTERS = dict.fromkeys(("bad-cluster", "cluster-size", "no-server-here"), "lws")
VARIABLE = re.compile(r"(?:^| )([A-Z][A-Z0-9_]*)=")


def example(code: str) -> tuple[str, str, str]:
    """Return the text that has a finding, the one that has it no more, and the version of vLLM."""
    before, _, rest = texts_of(code).before.partition("       (for vLLM ")
    return before, texts_of(code).after, rest.removesuffix(")") or NEWEST


def is_input(text: str) -> bool:
    return bool(VARIABLE.match(text)) or text.startswith(("vllm ", "docker run "))


def of_example(code: str, text: str, version: str) -> list[Finding]:
    """Return what check and the translations say of an example."""
    here = scope(version, DIALECTS.get(code, "runpod"), {}, shipped())[0]
    cluster = CLUSTERS.get(code)
    findings: list[Finding] = []
    if VARIABLE.match(text) and "vllm serve" not in text:
        parts = VARIABLE.split(text)[1:]
        env = dict(zip(parts[::2], parts[1::2], strict=True))
        if code not in ("missing-model", "no-model"):
            env = {"MODEL_NAME": "org/m", **env} if code not in DIALECTS else env
        findings += read_env("dotenv", text.encode(), "f").findings
        findings += check(env, version, here.name, cluster=cluster)
        findings += said(lambda: env_to_args(env, version, here.name, cluster=cluster).findings)
    else:
        done = read_text(text)
        findings += done.findings
        if done.tokens:
            findings += check_argv(done.tokens, done.env, here)
            findings += check_file(text, version) if "docker run " in text else ()
            findings += said(
                lambda: args_to_env(done.tokens, version, here.name, env=done.env).findings
            )
    return findings


def said(call: Callable[[], Sequence[Finding]]) -> Sequence[Finding]:
    try:
        return call()
    except TranslationError as error:
        return error.findings


def produced(code: str, folder: Path) -> Sequence[Finding]:
    """Return what the input for a code gives."""
    if code in PRODUCERS:
        return said(lambda: PRODUCERS[code](folder))
    before, _, version = example(code)
    return of_example(code, before, version)
