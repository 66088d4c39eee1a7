"""A stand-in for a stdlib-only entrypoint, written for the comparison: names to flags by a dict, no validation, one version; prints JSON.

It imports what such scripts import, maps the same variables as the benchmark's environment sets, and does nothing else.
"""

import json
import logging
import os
import shlex
import sys

VALUES = {
    name: "--" + name.lower().replace("_", "-")
    for name in (
        "MAX_MODEL_LEN", "DTYPE", "TENSOR_PARALLEL_SIZE", "PIPELINE_PARALLEL_SIZE", "GPU_MEMORY_UTILIZATION", "QUANTIZATION", "KV_CACHE_DTYPE", "MAX_NUM_SEQS", "MAX_NUM_BATCHED_TOKENS", "SEED",
        "LOAD_FORMAT", "DOWNLOAD_DIR", "TOKENIZER", "TOKENIZER_MODE", "SERVED_MODEL_NAME", "CHAT_TEMPLATE", "REVISION", "BLOCK_SIZE", "SWAP_SPACE", "CPU_OFFLOAD_GB", "HF_OVERRIDES",
        "SPECULATIVE_CONFIG", "LORA_MODULES", "MAX_LORAS", "MAX_LORA_RANK", "LIMIT_MM_PER_PROMPT", "TOOL_CALL_PARSER", "REASONING_PARSER", "MAX_LOGPROBS", "DISTRIBUTED_EXECUTOR_BACKEND",
    )
}  # fmt: skip
PAIRS = {
    name: "--" + name.lower().replace("_", "-")
    for name in ("ENFORCE_EAGER", "TRUST_REMOTE_CODE", "ENABLE_PREFIX_CACHING", "ENABLE_LORA", "ENABLE_CHUNKED_PREFILL", "ENABLE_AUTO_TOOL_CHOICE", "ENABLE_EXPERT_PARALLEL", "ENABLE_LOG_REQUESTS")
}  # fmt: skip
ALIASES = {"MODEL_NAME": "--model", "MODEL_REVISION": "--revision", "TOKENIZER_NAME": "--tokenizer", "OPENAI_SERVED_MODEL_NAME_OVERRIDE": "--served-model-name"}
TRUE, FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


def arguments(env):
    """The tokens behind `vllm serve`."""
    found = {}
    for name in sorted(VALUES):
        if env.get(name, "").strip():
            found[VALUES[name]] = env[name].strip()
    for name in sorted(PAIRS):
        word = env.get(name, "").strip().lower()
        if word in TRUE:
            found[PAIRS[name]] = None
        elif word in FALSE:
            found["--no-" + PAIRS[name][2:]] = None
        elif word:
            raise ValueError(f"{name}={word}")
    for name, flag in ALIASES.items():
        if env.get(name, "").strip():
            found[flag] = env[name].strip()
    tokens = []
    for flag, value in found.items():
        tokens.append(flag)
        if value is not None:
            tokens.append(value)
    return tokens + shlex.split(env.get("VLLM_EXTRA_ARGS", ""))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    print(json.dumps(["vllm", "serve", *arguments(os.environ)]))
