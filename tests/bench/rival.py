"""A stand-in for a stdlib-only entrypoint, written for the comparison: names to flags by a dict, no
validation, one version; prints JSON.

It imports what such scripts import, maps the same variables as the benchmark's environment sets,
and does nothing else.
"""

import json
import logging
import os
import shlex
import sys

VALUES = [
    "ADDITIONAL_CONFIG", "ALLOWED_HEADERS", "ALLOWED_LOCAL_MEDIA_PATH", "ALLOWED_MEDIA_DOMAINS", "ALLOWED_METHODS", "ALLOWED_ORIGINS", "API_SERVER_COUNT",
    "ATTENTION_BACKEND", "BLOCK_SIZE", "CHAT_TEMPLATE", "CHAT_TEMPLATE_CONTENT_FORMAT", "CODE_REVISION", "COLLECT_DETAILED_TRACES", "COMPILATION_CONFIG",
    "CONFIG_FORMAT", "CONVERT", "CPU_OFFLOAD_GB", "DATA_PARALLEL_ADDRESS", "DATA_PARALLEL_BACKEND", "DATA_PARALLEL_RANK", "DATA_PARALLEL_RPC_PORT",
    "DATA_PARALLEL_SIZE", "DATA_PARALLEL_SIZE_LOCAL", "DATA_PARALLEL_START_RANK", "DBO_DECODE_TOKEN_THRESHOLD", "DBO_PREFILL_TOKEN_THRESHOLD",
    "DECODE_CONTEXT_PARALLEL_SIZE", "DEFAULT_MM_LORAS", "DISTRIBUTED_EXECUTOR_BACKEND", "DOWNLOAD_DIR", "DTYPE", "EPLB_CONFIG", "EXPERT_PLACEMENT_STRATEGY",
    "GENERATION_CONFIG", "GPU_MEMORY_UTILIZATION", "H11_MAX_HEADER_COUNT", "H11_MAX_INCOMPLETE_EVENT_SIZE", "HF_CONFIG_PATH", "HF_OVERRIDES", "HF_TOKEN",
    "IGNORE_PATTERNS", "IO_PROCESSOR_PLUGIN", "KV_CACHE_DTYPE", "KV_CACHE_MEMORY_BYTES", "KV_EVENTS_CONFIG", "KV_OFFLOADING_BACKEND", "KV_OFFLOADING_SIZE",
    "KV_TRANSFER_CONFIG", "LIMIT_MM_PER_PROMPT", "LOAD_FORMAT", "LOG_CONFIG_FILE", "LOGITS_PROCESSORS", "LOGPROBS_MODE", "LONG_PREFILL_TOKEN_THRESHOLD",
    "LORA_DTYPE", "LORA_MODULES", "MAMBA_CACHE_DTYPE", "MAMBA_SSM_CACHE_DTYPE", "MAX_CPU_LORAS", "MAX_LOG_LEN", "MAX_LOGPROBS", "MAX_LORA_RANK",
    "MAX_LORAS", "MAX_MODEL_LEN", "MAX_NUM_BATCHED_TOKENS", "MAX_NUM_SEQS", "MAX_PARALLEL_LOADING_WORKERS", "MEDIA_IO_KWARGS", "MIDDLEWARE",
    "MM_ENCODER_TP_MODE", "MM_PROCESSOR_CACHE_GB", "MM_PROCESSOR_CACHE_TYPE", "MM_PROCESSOR_KWARGS", "MM_SHM_CACHE_MAX_OBJECT_SIZE_MB", "MODEL_IMPL",
    "MODEL_LOADER_EXTRA_CONFIG", "NUM_GPU_BLOCKS_OVERRIDE", "OTLP_TRACES_ENDPOINT", "OVERRIDE_ATTENTION_DTYPE", "OVERRIDE_GENERATION_CONFIG",
    "PIPELINE_PARALLEL_SIZE", "POOLER_CONFIG", "PREFIX_CACHING_HASH_ALGO", "PT_LOAD_MAP_LOCATION", "QUANTIZATION", "REASONING_PARSER", "RESPONSE_ROLE",
    "REVISION", "ROOT_PATH", "RUNNER", "SAFETENSORS_LOAD_STRATEGY", "SCHEDULER_CLS", "SCHEDULING_POLICY", "SEED", "SERVED_MODEL_NAME",
    "SHOW_HIDDEN_METRICS_FOR_VERSION", "SPECULATIVE_CONFIG", "SSL_CA_CERTS", "SSL_CERT_REQS", "SSL_CERTFILE", "SSL_KEYFILE", "STRUCTURED_OUTPUTS_CONFIG",
    "TENSOR_PARALLEL_SIZE", "TOKENIZER", "TOKENIZER_MODE", "TOKENIZER_REVISION", "TOOL_CALL_PARSER", "TOOL_PARSER_PLUGIN", "TOOL_SERVER", "UDS",
    "UVICORN_LOG_LEVEL", "VIDEO_PRUNING_RATE", "WORKER_CLS", "WORKER_EXTENSION_CLS",
]  # fmt: skip
PAIRS = [
    "ALLOW_CREDENTIALS", "ASYNC_SCHEDULING", "CALCULATE_KV_SCALES", "DATA_PARALLEL_HYBRID_LB", "DISABLE_CASCADE_ATTN", "DISABLE_CHUNKED_MM_INPUT",
    "DISABLE_CUSTOM_ALL_REDUCE", "DISABLE_FASTAPI_DOCS", "DISABLE_HYBRID_KV_CACHE_MANAGER", "DISABLE_SLIDING_WINDOW", "DISABLE_UVICORN_ACCESS_LOG",
    "ENABLE_AUTO_TOOL_CHOICE", "ENABLE_CHUNKED_PREFILL", "ENABLE_DBO", "ENABLE_EPLB", "ENABLE_EXPERT_PARALLEL", "ENABLE_FORCE_INCLUDE_USAGE",
    "ENABLE_LOG_OUTPUTS", "ENABLE_LOG_REQUESTS", "ENABLE_LORA", "ENABLE_PREFIX_CACHING", "ENABLE_PROMPT_EMBEDS", "ENABLE_PROMPT_TOKENS_DETAILS",
    "ENABLE_REQUEST_ID_HEADERS", "ENABLE_SERVER_LOAD_TRACKING", "ENABLE_SLEEP_MODE", "ENABLE_SSL_REFRESH", "ENABLE_TOKENIZER_INFO_ENDPOINT",
    "ENFORCE_EAGER", "EXCLUDE_TOOLS_WHEN_TOOL_CHOICE_NONE", "FULLY_SHARDED_LORAS", "INTERLEAVE_MM_STRINGS", "KV_SHARING_FAST_PREFILL", "LOG_ERROR_STACK",
    "RAY_WORKERS_USE_NSIGHT", "RETURN_TOKENS_AS_TOKEN_IDS", "SKIP_MM_PROFILING", "SKIP_TOKENIZER_INIT", "TRUST_REMOTE_CODE", "TRUST_REQUEST_CHAT_TEMPLATE",
    "USE_TQDM_ON_LOAD",
]  # fmt: skip
ALIASES = {
    "MODEL_NAME": "--model", "MODEL_REVISION": "--revision", "TOKENIZER_NAME": "--tokenizer",
    "OPENAI_SERVED_MODEL_NAME_OVERRIDE": "--served-model-name",
}  # fmt: skip
TRUE, FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


def flag_of(name):
    """MAX_MODEL_LEN as --max-model-len."""
    return "--" + name.lower().replace("_", "-")


def arguments(env):
    """The tokens behind `vllm serve`."""
    found = {}
    for name in sorted(VALUES):
        text = env.get(name)
        if text is not None and text.strip():
            found[flag_of(name)] = text.strip()
    for name in sorted(PAIRS):
        text = env.get(name)
        if text is None or not text.strip():
            continue
        word = text.strip().lower()
        if word in TRUE:
            found[flag_of(name)] = None
        elif word in FALSE:
            found["--no-" + flag_of(name)[2:]] = None
        else:
            raise ValueError(f"{name}={word}")
    for name, flag in ALIASES.items():
        text = env.get(name)
        if text is not None and text.strip():
            found[flag] = text.strip()
    tokens = []
    for flag, value in found.items():
        tokens.append(flag)
        if value is not None:
            tokens.append(value)
    return tokens + shlex.split(env.get("VLLM_EXTRA_ARGS", ""))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    print(json.dumps(["vllm", "serve", *arguments(os.environ)]))
