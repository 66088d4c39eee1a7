"""What is translated: an environment such as a deployment has, and command lines such as people
publish.
"""

import itertools

from translator.core.tables.catalog import shipped

VERSION = "0.27.1"

# Twenty variables that translate.
SETTINGS = {
    "MODEL_NAME": "meta-llama/Llama-3.1-8B-Instruct", "MAX_MODEL_LEN": "8192", "DTYPE": "bfloat16", "TENSOR_PARALLEL_SIZE": "2", "PIPELINE_PARALLEL_SIZE": "1",
    "GPU_MEMORY_UTILIZATION": "0.92",
    "QUANTIZATION": "fp8", "KV_CACHE_DTYPE": "auto", "MAX_NUM_SEQS": "256", "MAX_NUM_BATCHED_TOKENS": "8192", "SEED": "0", "LOAD_FORMAT": "auto",
    "DOWNLOAD_DIR": "/models",
    "OPENAI_SERVED_MODEL_NAME_OVERRIDE": "llama", "ENFORCE_EAGER": "false", "TRUST_REMOTE_CODE": "true", "ENABLE_PREFIX_CACHING": "true",
    "ENABLE_CHUNKED_PREFILL": "true",
    "TOOL_CALL_PARSER": "llama3_json", "ENABLE_AUTO_TOOL_CHOICE": "true",
}  # fmt: skip
# What else stands in the environment of a container.
SURROUNDINGS = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "HOSTNAME": "worker-7f6c9d", "LANG": "C.UTF-8", "PWD": "/app",
    "SHLVL": "1", "TERM": "xterm", "USER": "root",
    "HF_HOME": "/models/hf", "HF_TOKEN": "hf_notarealtokenatall", "CUDA_VISIBLE_DEVICES": "0,1", "NVIDIA_VISIBLE_DEVICES": "all",
    "NVIDIA_DRIVER_CAPABILITIES": "compute,utility", "CUDA_VERSION": "12.8.1",
    "LD_LIBRARY_PATH": "/usr/local/nvidia/lib:/usr/local/nvidia/lib64", "NCCL_DEBUG": "WARN", "OMP_NUM_THREADS": "8", "PYTHONUNBUFFERED": "1",
    "TOKENIZERS_PARALLELISM": "false", "VLLM_LOGGING_LEVEL": "INFO",
    "VLLM_USE_DEEP_GEMM": "0", "VLLM_WORKER_MULTIPROC_METHOD": "spawn", "KUBERNETES_PORT": "tcp://10.96.0.1:443", "KUBERNETES_SERVICE_HOST": "10.96.0.1",
    "KUBERNETES_SERVICE_PORT": "443",
    "KUBERNETES_PORT_443_TCP": "tcp://10.96.0.1:443", "KUBERNETES_PORT_443_TCP_PROTO": "tcp", "KUBERNETES_PORT_443_TCP_PORT": "443",
    "KUBERNETES_PORT_443_TCP_ADDR": "10.96.0.1",
    "KUBERNETES_SERVICE_PORT_HTTPS": "443", "POD_NAME": "worker-7f6c9d", "POD_NAMESPACE": "inference", "NODE_NAME": "gpu-node-3", "RAY_DEDUP_LOGS": "0",
    "TZ": "UTC", "SSL_CERT_DIR": "/etc/ssl/certs",
    "no_proxy": "localhost", "DEBIAN_FRONTEND": "noninteractive",
}  # fmt: skip
DEPLOYMENT = {**SETTINGS, **SURROUNDINGS}

# Two of the settings that are JSON.
JSON = {
    "SPECULATIVE_CONFIG": (
        '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}'
    ),
    "COMPILATION_CONFIG": '{"cudagraph_capture_sizes": [1, 2, 4, 8], "mode": 3}',
}

LINE = [
    "vllm", "serve", "meta-llama/Llama-3.1-8B-Instruct", "--max-model-len", "8192", "--dtype=bfloat16", "-tp", "2", "--gpu-memory-utilization", "0.92",
    "--trust-remote-code", "--no-enforce-eager",
    "--enable-prefix-caching", "--served-model-name", "llama", "--quantization", "fp8", "--max-num-seqs=256", "--seed=0", "--port=8000",
]  # fmt: skip


def environment(count: int) -> dict[str, str]:
    """So many variables: those of the deployment, and then others that mean nothing to vLLM."""
    others = {f"SERVICE_{number}_ADDRESS": f"10.0.{number % 250}.1" for number in range(count)}
    return dict(list({**DEPLOYMENT, **others}.items())[:count])


def command_line(count: int) -> list[str]:
    """So many tokens: the line of twenty, then plain flags of the version, over and over."""
    flags = shipped().catalog(VERSION).flags()
    plain = itertools.cycle(flag.flag for flag in flags if flag.kind == "int" and not flag.choices)
    return LINE + [f"{name}={number}" for number, name in zip(range(len(LINE), count), plain)]
