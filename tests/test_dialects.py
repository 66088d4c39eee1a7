"""Each shipped dialect against its consumer's published rules, written down here once more from its documentation; the clusters laid over them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from translator import TranslationError, args_to_env, env_to_args
from translator.api import assemble_argv
from translator.catalog import Catalog, Flag, Tables, shipped
from translator.envwriter import same
from translator.findings import Finding
from translator.scope import scope
from translator.tables.compile import compile_overlay
from translator.tables.lint import lint_directory
from translator.values import survives_alone, tokens

VERSIONS = ("0.27.1", "0.33.0")
DIALECTS = ("runpod", "sagemaker", "sagemaker@shell", "sagemaker@upstream", "lmi", "prefix:MY_", "lisa", "nim", "gaudi", "koyeb")


# --- the consumers, from their documentation -----------------------------------------------------------------------------------


def loop(env: Mapping[str, str], make: Callable[[str, str], list[str]]) -> list[str]:
    """`--port 8080`, then a variable after the other."""
    found = ["--port", "8080"]
    for name in sorted(env):
        if name.startswith("SM_VLLM_"):
            found += make("--" + name.removeprefix("SM_VLLM_").lower().replace("_", "-"), env[name])
    return found


def python_builder(env: Mapping[str, str]) -> list[str]:
    """true: bare; false: nothing; a JSON array: an element a token, but for four flags; `[]`: nothing; several objects in a row: a token each."""

    def make(flag: str, text: str) -> list[str]:
        if text.strip().lower() in ("true", "false"):
            return [flag] if text.strip().lower() == "true" else []
        if not text:
            return [flag]
        if flag not in ("--allowed-origins", "--allowed-methods", "--allowed-headers", "--middleware") and text.strip()[0] == "[" and text.strip()[-1] == "]":
            try:
                items = json.loads(text)
            except ValueError:
                return [flag, text]
            return [flag, *[item if isinstance(item, str) else json.dumps(item) for item in items]] if items else []
        return [flag, text]

    return loop(env, make)


def shell_loop(env: Mapping[str, str]) -> list[str]:
    """true: bare; false: nothing; empty: bare; anything else: one token. Nothing behind a line break arrives."""

    def make(flag: str, text: str) -> list[str]:
        assert "\n" not in text
        assert not text.endswith("=") or text.endswith("==")
        return [] if text.lower() == "false" else [flag] if text.lower() in ("true", "") else [flag, text]

    return loop(env, make)


def example_script(env: Mapping[str, str]) -> list[str]:
    """Empty: bare; anything else, `true` too: one token."""
    return loop(env, lambda flag, text: [flag, text] if text else [flag])


LMI_NAMES = {
    "model_id": "model", "tensor_parallel_degree": "tensor_parallel_size", "pipeline_parallel_degree": "pipeline_parallel_size", "quantize": "quantization",
    "max_rolling_batch_size": "max_num_seqs", "max_rolling_batch_prefill_tokens": "max_num_batched_tokens", "cpu_offload_gb_per_gpu": "cpu_offload_gb",
}  # fmt: skip


def lmi(env: Mapping[str, str]) -> list[str]:
    """true: --x; false: --no-x; else one token; an empty variable is none; names of its own; 32 sequences and 4 LoRAs unless told otherwise."""
    found: dict[str, str] = {"max_num_seqs": "32", "max_loras": "4", "model": env["HF_MODEL_ID"]}
    for name, text in env.items():
        if not name.startswith("OPTION_") or not text:
            continue
        key = name.removeprefix("OPTION_").lower()
        assert key not in ("tensor_parallel_size", "pipeline_parallel_size", "max_num_seqs"), "the two names conflict"
        assert key != "dtype" or text in ("float32", "float16", "bfloat16", "auto")
        assert key != "pipeline_parallel_degree" or text == "1"
        found[LMI_NAMES.get(key, key)] = text
    argv: list[str] = []
    for key, text in found.items():
        argv += [f"--{key}"] if text.lower() == "true" else [f"--no-{key}"] if text.lower() == "false" else [f"--{key}", text]
    return argv


def words(flags: Mapping[str, str], env: Mapping[str, str], switches: Mapping[str, Callable[[str], bool]]) -> list[str]:
    """A shell's command line with unquoted expansions: every text falls apart at blanks."""
    found: list[str] = []
    for name, flag in flags.items():
        assert not set(env.get(name, "")) & set("*?[")
        found += [flag, *env[name].split()] if env.get(name) else []
    return found + [f"--{name.removeprefix('VLLM_').lower().replace('_', '-')}" for name, on in switches.items() if on(env.get(name, ""))]


def lisa(env: Mapping[str, str]) -> list[str]:
    """The flags of its entrypoint; a switch is on when its text is `true`."""
    names = (
        "DTYPE", "GPU_MEMORY_UTILIZATION", "MAX_MODEL_LEN", "MAX_NUM_BATCHED_TOKENS", "MAX_NUM_SEQS", "MAX_PARALLEL_LOADING_WORKERS", "QUANTIZATION",
        "REASONING_PARSER", "REASONING_PARSER_PLUGIN", "TENSOR_PARALLEL_SIZE", "TOOL_CALL_PARSER",
    )  # fmt: skip
    switches = ("ASYNC_SCHEDULING", "ENABLE_AUTO_TOOL_CHOICE", "ENABLE_CHUNKED_PREFILL", "ENABLE_PREFIX_CACHING", "TRUST_REMOTE_CODE")
    flags = {f"VLLM_{name}": f"--{name.lower().replace('_', '-')}" for name in names} | {"MODEL_NAME": "--served-model-name"}
    return ["--model", env["LOCAL_MODEL_PATH"], "--port", "8080", *words(flags, env, dict.fromkeys([f"VLLM_{name}" for name in switches], lambda text: text == "true"))]


def gaudi(env: Mapping[str, str]) -> list[str]:
    """A few flags, then EXTRA_ARGS, all unquoted."""
    flags = {"MAX_MODEL_LEN": "--max-model-len", "MAX_NUM_SEQS": "--max-num-seqs", "TENSOR_PARALLEL_SIZE": "--tensor-parallel-size", "GPU_MEM_UTILIZATION": "--gpu-memory-utilization"}
    return ["--model", env["MODEL"], "--generation-config", "vllm", *words(flags, env, {}), *env.get("EXTRA_ARGS", "").split()]


def koyeb(env: Mapping[str, str]) -> list[str]:
    """Each variable of its list that is not empty: a switch, or a flag with the text as one token."""
    table = shipped().records("dialect.koyeb.txt")
    switches = table["@consumer.switch_flags"]["switch_flags"]
    argv = ["--model", env["MODEL_NAME"]]
    for flag in (*switches, *table["@consumer.value_flags"]["value_flags"]):
        text = env.get(flag[2:].upper().replace("-", "_"))
        argv += [] if not text else [flag] if flag in switches else [flag, text]
    return argv


def nim(env: Mapping[str, str]) -> list[str]:
    """A few flags; NIM_PASSTHROUGH_ARGS behind them."""
    flags = {"NIM_MAX_MODEL_LEN": "--max-model-len", "NIM_PIPELINE_PARALLEL_SIZE": "--pipeline-parallel-size", "NIM_SERVED_MODEL_NAME": "--served-model-name"}
    argv = ["--model", env["NIM_MODEL_PATH"].removeprefix("hf://")]
    for name, flag in flags.items():
        argv += [flag, env[name]] if name in env else []
    argv += ["--enforce-eager"] if env.get("NIM_DISABLE_CUDA_GRAPH") in ("1", "true") else []
    return argv + shlex.split(env.get("NIM_PASSTHROUGH_ARGS", ""))


CONSUMERS = {"sagemaker": python_builder, "sagemaker@shell": shell_loop, "sagemaker@upstream": example_script, "lmi": lmi, "lisa": lisa, "gaudi": gaudi, "koyeb": koyeb, "nim": nim}


# --- every flag ------------------------------------------------------------------------------------------------------------------


def samples(flag: Flag) -> list[Any]:
    """Values of a flag, typed."""
    if flag.kind in ("switch", "toggle", "bool-value"):
        return [True, False] if flag.off or flag.kind == "bool-value" else [True]
    if flag.choices:
        return [[flag.choices[0]]] if flag.kind in ("list", "append") else [flag.choices[-1]]
    plain: dict[str, list[Any]] = {"int": [3, -1], "size": [4096], "size-or-auto": [4096, -1], "float": [0.5], "optional-str": ["text", True], "json-or-str": ["text", {"a": 1}]}
    if flag.kind in plain:
        return plain[flag.kind]
    if flag.kind in ("list", "append"):
        if flag.element in ("int", "float"):
            return [[1], [1, 2]]
        return [["a=b"], ["a=b", "c=d"]] if "path" in flag.element else [["a"], ["a", "b c"], ["[x"]]
    if flag.kind == "json":
        return [{"image": 1}] if flag.syntax else [{}] if flag.shaped else [{"key": [1, "two words"]}, ["*"]]
    return ["text", "two words", "*.py", '{"a"', "0", "x=", "two\nlines", "hf://a"]


def settings(argv: list[str], version: str, *, module: bool = False) -> dict[str, Any]:
    """What our grammar reader makes of a command line; it is held against the real parser elsewhere."""
    findings: list[Finding] = []
    done = assemble_argv(argv, scope(version, "runpod", {}, shipped())[0], findings, None, module=module)
    assert not [item for item in (*findings, *done.findings) if item.severity == "error"], argv
    return done.values


def argv_of(flag: Flag, value: Any) -> list[str]:
    return tokens(flag, value, survives_alone)


def cases(catalog: Catalog) -> list[tuple[Flag, Any]]:
    return [(flag, value) for flag in catalog.flags() if flag.flag not in ("--model", "--config", "--help", "--served-model-name") for value in samples(flag)]


def holds(wanted: dict[str, Any], found: dict[str, Any]) -> bool:
    return all(same(found.get(name), value) for name, value in wanted.items())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_flag_arrives_or_is_told_of(dialect: str, version: str) -> None:
    catalog = shipped().catalog(version)
    arrived = told = 0
    for flag, value in cases(catalog):
        try:
            argv = ["org/model", *argv_of(flag, value)]
            wanted = settings(argv, version)
        except (AssertionError, TranslationError, ValueError):
            continue
        if flag.flag not in wanted:
            continue
        try:
            made = args_to_env(argv, vllm=version, dialect=dialect)
        except TranslationError as error:
            assert {item.code for item in error.findings if item.severity == "error"} <= {"cannot-be-said", "over-limit"}, (argv, error)
            told += 1
            continue
        secret = any(item.code == "secret-moved" for item in made.findings)
        wanted = {"--model": "org/model"} if secret else wanted
        assert holds(wanted, settings(env_to_args(made.env, vllm=version, dialect=dialect).argv[2:], version)), (argv, made.env)
        if dialect in CONSUMERS:
            assert holds(wanted, settings(CONSUMERS[dialect](made.env), version, module=True)), (argv, made.env)
        arrived += 1
    assert arrived > (20 if dialect in ("lisa", "koyeb") else 100)
    assert told > 0 or dialect in ("runpod", "prefix:MY_", "nim")
