"""An input for every code: those of findings_inputs.toml, and what takes more than a line."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from cases import NEWEST, table
from translator import TranslationError, args_to_env, check, check_file, convert, env_to_args
from translator.advice.check import check_argv, check_env
from translator.advice.unread import unread
from translator.cli.ask import refusal
from translator.core.findings import Finding
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


# What an entry of findings_inputs.toml is given to.
FUNCTIONS = {
    "check_env": lambda env, vllm: check_env(env, scope_of(vllm)),
    "check": check,
    "check_argv": lambda argv, vllm: check_argv(argv, {}, scope_of(vllm)),
    "args_to_env": lambda argv, vllm, **more: args_to_env(argv, vllm, **more).findings,
    "env_to_args": lambda env, vllm, **more: env_to_args(env, vllm, **more).findings,
    "read_text": lambda text, vllm: read_text(text).findings,
    "check_file": check_file,
}


def from_table(entry: dict[str, Any], folder: Path):
    (name,) = FUNCTIONS.keys() & entry.keys()
    return FUNCTIONS[name](entry[name], vllm=entry.get("vllm", VERSION), **entry.get("with", {}))


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
    **{code: partial(from_table, entry) for code, entry in table("findings_inputs").items()},
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
    "bad-env-file": lambda folder: read_env("dotenv", b"A='x", "f").findings,
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


def produced(code: str, folder: Path) -> list[Finding]:
    """Return what the input for a code gives."""
    try:
        return list(PRODUCERS[code](folder))
    except TranslationError as error:
        return list(error.findings)
