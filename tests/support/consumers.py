"""The programs that read the dialects' variables, written down once more from their documentation
and their public rules; those of RunPod and SageMaker are our functions, held against the programs
by recordings.

Each takes a container's environment and gives the tokens behind `vllm serve`, the model first. Where
a program adds what no one asked for, it is here, too, so that a difference shows. What depends on
the machine has one value here, such as one GPU.
"""

import configparser
import io
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from translator.core.platforms import run
from translator.core.platforms.programs import PROGRAMS
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped

Env = Mapping[str, str]
Consumer = Callable[[Env], list[str]]


class Stops(Exception):
    """The program ends before it starts vLLM."""


def model_first(tokens: Sequence[str]) -> list[str]:
    """`--model X`, which most of them pass to vLLM's module, as the positional of `vllm serve`; of
    several the last counts.
    """
    found, rest, at = [], [], 0
    while at < len(tokens):
        if tokens[at] == "--model" and at + 1 < len(tokens):
            found = [tokens[at + 1]]
            at += 1
        elif tokens[at].startswith("--model="):
            found = [tokens[at].removeprefix("--model=")]
        else:
            rest.append(tokens[at])
        at += 1
    return found + rest


# --- RunPod's worker from 2.24 on; up to vLLM 0.27.1 with the lists of 2.24 and 2.25

RUNPOD_PINNED = {"--host": "127.0.0.1", "--port": 8000}


def runpod(env: Env, version: str = "0.30.0") -> list[str]:
    """What the function makes of it, which tests/cases/programs holds against the worker's code."""
    outcome = run(PROGRAMS["runpod"], env, scope(version, "runpod", {}, shipped())[0])
    if outcome.stops:
        raise Stops(outcome.stops[0].variable)
    return [token.text for token in outcome.tokens if token.text is not None]


# --- SageMaker: https://github.com/aws/deep-learning-containers/blob/main/docs/vllm/configuration.m


def supervised(env: Env, tokens: Sequence[str], *, quoted: bool = True) -> list[str]:
    """What standard-supervisor and supervisord make of a command line: a line of a file in the
    syntax of configparser, which interpolates, then expanded and split. Up to standard-supervisor
    0.1.15 the tokens are joined unquoted. (aws/model-hosting-container-standards 0.1.14 to 0.1.16,
    supervisor/generator.py and scripts/standard_supervisor.py, and supervisor 4.3, were run beside
    this.)
    """
    if env.get("PROCESS_AUTO_RECOVERY", "true").lower() not in ("true", "1"):
        return list(tokens)
    try:
        written = configparser.ConfigParser()
        written.add_section("program:app")
        written.set("program:app", "command", shlex.join(tokens) if quoted else " ".join(tokens))
        text = io.StringIO()
        written.write(text)
        read = configparser.RawConfigParser(inline_comment_prefixes=(";", "#"), strict=False)
        read.read_string(text.getvalue())
        return shlex.split(read.get("program:app", "command") % {"here": "/tmp"})
    except (configparser.Error, ValueError, KeyError, TypeError) as error:
        raise Stops(f"supervisord: {error}") from error


def _sagemaker(dialect: str, env: Env, *, quoted: bool = True) -> list[str]:
    """What the function makes of it, which tests/cases/programs holds against the script; of folders
    nothing is known but that of the model.
    """
    here = scope("0.27.1", dialect, {}, shipped())[0]
    outcome = run(PROGRAMS[dialect], env, here)
    found: list[str] = []
    for token in outcome.tokens:
        found += ["--model", "/opt/ml/model"] if token.text is None else [token.text]
    return model_first(supervised(env, found, quoted=quoted))


sagemaker_shell = partial(_sagemaker, "sagemaker@shell")


# --- DJL-Serving: https://github.com/deepjavalibrary/djl-serving, docs/lmi, and what its properties

LMI_RUNNERS = {
    "auto": ("auto", "auto"), "generate": ("generate", "auto"), "text-generation": ("generate", "auto"), "text-embedding": ("auto", "embed"),
    "classify": ("auto", "classify"), "feature-extraction": ("pooling", "embed"),
}  # fmt: skip
# Two classes read it, HuggingFaceProperties and VllmRbProperties; these pass both.
LMI_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "auto": "auto"}
# Its Python classes (d21927c4, 2026-06-24) were run beside the tables with 1,432 options and the
# real engine arguments of vLLM 0.23.0: where both start, each difference is a finding.
# Read by the container itself; those that it hands to vLLM's HTTP classes mean what vLLM's flags of
# the same name mean, but for reasoning_parser: vLLM's own flag sets it for the engine, too.
LMI_SERVER = (
    "enable_auto_tool_choice", "tool_call_parser", "chat_template", "chat_template_content_format",
    "enable_reasoning",
)  # fmt: skip
LMI_OWN = (
    "engine", "entryPoint", "model_id", "model_dir", "rolling_batch", "cluster_size", "enable_streaming", "batch_size", "output_formatter", "input_formatter",
    "waiting_steps", "mpi_mode", "tgi_compat", "bedrock_compat", "lmcache_auto_config", "draft_model_id", "spec_length", "device", "normalize", "task",
    "tensor_parallel_degree", "pipeline_parallel_degree", "max_rolling_batch_size", "max_rolling_batch_prefill_tokens", "quantize", "quantization",
    "max_num_batched_tokens", "cpu_offload_gb", "cpu_offload_gb_per_gpu", "dtype", "max_loras", "enable_lora", "trust_remote_code", "revision",
    "long_lora_scaling_factors", "reasoning_parser", *LMI_SERVER,
)  # fmt: skip
LMI_BATCHES = {"auto": "32", "disable": "32", "vllm": "256", "lmi-dist": "256", "trtllm": "256"}
# What it passes on though it is what vLLM does anyway.
LMI_ALOUD = {"enable_lora": "False", "cpu_offload_gb": "0.0"}
LMI_TRUE = ("true", "1", "yes", "on", "t", "y")


def lmi(
    env: Env, fields: Collection[str] | None = None, properties: Mapping[str, str] | None = None
) -> list[str]:
    """The options as the container's own classes sort them, and the tokens that it makes for vLLM's
    engine.

    Args:
        env: the container's environment.
        fields: the fields of vLLM's engine arguments: an option of another name is dropped. None:
            nothing is known to be dropped.
        properties: what stands in serving.properties; it wins over the environment.
    """
    options = {
        name.removeprefix("option."): text
        for name, text in (properties or {}).items()
        if name.startswith("option.")
    }
    if env.get("HF_MODEL_ID"):
        options["model_id"] = env["HF_MODEL_ID"]
        options |= {
            key: env[name]
            for name, key in (("HF_REVISION", "revision"), ("HF_TASK", "task"))
            if name in env
        }
    env = _lmi_entrypoint(env)
    for name, text in env.items():
        key = name.removeprefix("OPTION_")
        if key != name and text:
            key = key.lower() if key == key.upper() else key
            options.setdefault("entryPoint" if key == "entrypoint" else key, text)
    options.setdefault("tensor_parallel_degree", env.get("TENSOR_PARALLEL_DEGREE") or "max")
    options.setdefault("pipeline_parallel_degree", env.get("PIPELINE_PARALLEL_DEGREE") or "1")
    batch = options.get("rolling_batch", "auto")
    if batch not in LMI_BATCHES:
        raise Stops("no such engine")
    options.setdefault("max_rolling_batch_size", LMI_BATCHES[batch])
    if batch != "vllm" and options.get("quantize") in ("bitsandbytes4", "bitsandbytes8"):
        raise Stops("no device map")
    if "tokens_only" in options:
        raise Stops("an option that the engine's parser does not know")
    if options["pipeline_parallel_degree"] != "1":
        raise Stops("one machine only")
    runner, convert = LMI_RUNNERS.get(options.get("task", "auto"), ("auto", "auto"))
    degree = options["tensor_parallel_degree"]
    on = {
        name: str(options.get(name, "false").lower() in LMI_TRUE)
        for name in ("enable_lora", "trust_remote_code")
    }
    offload = options.get("cpu_offload_gb", options.get("cpu_offload_gb_per_gpu", "0"))
    made: dict[str, str] = {
        "model": options.get("model_id") or "/opt/ml/model",
        "tensor_parallel_size": "1" if degree == "max" else str(int(degree)),
        "pipeline_parallel_size": "1",
        "max_num_seqs": str(int(options["max_rolling_batch_size"])),
        "dtype": LMI_DTYPES[options.get("dtype", "auto")],
        "revision": options.get("revision", "None"),
        "max_loras": str(int(options.get("max_loras", "4"))),
        **on,
        "cpu_offload_gb": str(float(offload)),
        "quantization": options.get("quantization", options.get("quantize", "None")),
    }
    prefill = options.get("max_num_batched_tokens", options.get("max_rolling_batch_prefill_tokens"))
    made |= {"max_num_batched_tokens": str(int(prefill))} if prefill is not None else {}
    made |= {"runner": runner, "convert": convert}
    for theirs in ("tensor_parallel_size", "pipeline_parallel_size", "max_num_seqs"):
        if theirs in options:
            raise Stops(f"{theirs} stands beside the container's own name")
    made |= {
        key: text
        for key, text in options.items()
        if key not in LMI_OWN and (fields is None or key in fields)
    }
    made |= {key: options[key] for key in LMI_SERVER if key in options}
    argv: list[str] = []
    for key, text in made.items():
        spelled_out = {"true": [f"--{key}"], "false": [f"--no-{key}"]}
        argv += spelled_out.get(text.lower(), [f"--{key}", text])
    return model_first(argv)


def _lmi_entrypoint(env: Env) -> Env:
    """The container's entrypoint gives older names their new ones, where those are not set."""
    found = dict(env)
    older = {
        "HF_MODEL_QUANTIZE": "OPTION_QUANTIZE", "HF_MODEL_TRUST_REMOTE_CODE": "OPTION_TRUST_REMOTE_CODE", "SM_NUM_GPUS": "TENSOR_PARALLEL_DEGREE",
        "MAX_BATCH_PREFILL_TOKENS": "OPTION_MAX_ROLLING_BATCH_PREFILL_TOKENS", "MAX_BATCH_SIZE": "OPTION_MAX_ROLLING_BATCH_SIZE",
        "CUDA_MEMORY_FRACTION": "OPTION_GPU_MEMORY_UTILIZATION",
    }  # fmt: skip
    for name, newer in older.items():
        if env.get(name):
            found[newer] = found.get(newer) or env[name]
    if env.get("ENABLE_CUDA_GRAPHS") and not env.get("OPTION_ENFORCE_EAGER"):
        found["OPTION_ENFORCE_EAGER"] = "false" if env["ENABLE_CUDA_GRAPHS"] == "true" else "true"
    return found


# --- NIM: https://docs.nvidia.com/nim/large-language-models/latest/reference/environment-variables.


def nim(env: Env) -> list[str]:
    """The few documented variables; NIM_PASSTHROUGH_ARGS behind them."""
    flags = {
        "NIM_MAX_MODEL_LEN": "--max-model-len",
        "NIM_PIPELINE_PARALLEL_SIZE": "--pipeline-parallel-size",
        "NIM_SERVED_MODEL_NAME": "--served-model-name",
    }
    argv = ["--model", env["NIM_MODEL_PATH"].removeprefix("hf://")]
    for name, flag in flags.items():
        argv += [flag, env[name]] if name in env else []
    argv += ["--enforce-eager"] if env.get("NIM_DISABLE_CUDA_GRAPH") in ("1", "true") else []
    return model_first(argv + shlex.split(env.get("NIM_PASSTHROUGH_ARGS", "")))


# --- KServe: kserve/kserve, aaac4e2, config/llmisvcconfig/config-llm-template.yaml -----------------


def kserve(env: Env, *, data_parallel: bool = False) -> list[str]:
    """The preset for one node, or what the one for data parallelism reads beside, without TLS: its
    own flags, then VLLM_ADDITIONAL_ARGS, evaluated by a shell.
    """
    own = "/mnt/models --port 8000"
    if data_parallel:
        own += f" --api-server-count {env.get('VLLM_API_SERVER_COUNT') or '8'}"
    return shlex.split(f"{own} {env.get('VLLM_ADDITIONAL_ARGS', '')}")


CONSUMERS: dict[str, Consumer] = {
    "runpod": runpod, "lmi": lmi, "nim": nim, "kserve": kserve,
    **{name: partial(_sagemaker, name) for name in PROGRAMS if name.startswith("sagemaker")},
}  # fmt: skip
# Older generations of RunPod's worker are asked by themselves: tests/laws/test_generations.py.
GENERATIONS = tuple(name for name in shipped().dialects() if name.startswith("runpod@"))
DIALECTS = tuple(
    "prefix:MY_" if name == "prefix" else name
    for name in shipped().dialects()
    if name not in GENERATIONS
)
# KServe's model is a field of its manifest, so no configuration is carried over whole.
PAIRED = tuple(name for name in DIALECTS if name != "kserve")


def tokens_for(dialect: str, env: Env, **more: Any) -> list[str] | None:
    """What the dialect's program passes to `vllm serve`; None when nobody but ourselves reads the
    dialect.

    Raises:
        Stops: it ends before it starts vLLM.
    """
    program = CONSUMERS.get(dialect)
    return program(env, **more) if program is not None else None
