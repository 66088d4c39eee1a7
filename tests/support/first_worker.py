"""RunPod's published table of its worker's variables, from the time of vLLM 0.5: each with a value
that is not its default, and the tokens that it becomes. Those without tokens are no flags.
"""

from __future__ import annotations

RELEASES = ("0.5.2", "0.5.3", "0.5.3.post1", "0.5.4", "0.5.5")

_TABLE = """
MODEL_NAME=abc
TOKENIZER=abc --tokenizer=abc
SKIP_TOKENIZER_INIT=true --skip-tokenizer-init
TOKENIZER_MODE=slow --tokenizer-mode=slow
TRUST_REMOTE_CODE=true --trust-remote-code
DOWNLOAD_DIR=abc --download-dir=abc
LOAD_FORMAT=safetensors --load-format=safetensors
HF_TOKEN=hf_abcdefgh
DTYPE=float32 --dtype=float32
KV_CACHE_DTYPE=fp8 --kv-cache-dtype=fp8
QUANTIZATION_PARAM_PATH=abc --quantization-param-path=abc
MAX_MODEL_LEN=2 --max-model-len=2
GUIDED_DECODING_BACKEND=lm-format-enforcer --guided-decoding-backend=lm-format-enforcer
DISTRIBUTED_EXECUTOR_BACKEND=mp --distributed-executor-backend=mp
WORKER_USE_RAY=true --worker-use-ray
PIPELINE_PARALLEL_SIZE=2 --pipeline-parallel-size=2
TENSOR_PARALLEL_SIZE=2 --tensor-parallel-size=2
MAX_PARALLEL_LOADING_WORKERS=2 --max-parallel-loading-workers=2
RAY_WORKERS_USE_NSIGHT=true --ray-workers-use-nsight
ENABLE_PREFIX_CACHING=true --enable-prefix-caching
DISABLE_SLIDING_WINDOW=true --disable-sliding-window
USE_V2_BLOCK_MANAGER=true --use-v2-block-manager
NUM_LOOKAHEAD_SLOTS=1 --num-lookahead-slots=1
SEED=1 --seed=1
NUM_GPU_BLOCKS_OVERRIDE=2 --num-gpu-blocks-override=2
MAX_NUM_BATCHED_TOKENS=2 --max-num-batched-tokens=2
MAX_NUM_SEQS=257 --max-num-seqs=257
MAX_LOGPROBS=21 --max-logprobs=21
DISABLE_LOG_STATS=true --disable-log-stats
QUANTIZATION=gptq --quantization=gptq
ROPE_SCALING={"a":1} --rope-scaling={"a":1}
ROPE_THETA=0.5 --rope-theta=0.5
TOKENIZER_POOL_SIZE=1 --tokenizer-pool-size=1
TOKENIZER_POOL_TYPE=abc --tokenizer-pool-type=abc
TOKENIZER_POOL_EXTRA_CONFIG={"a":1} --tokenizer-pool-extra-config={"a":1}
ENABLE_LORA=true --enable-lora
MAX_LORAS=2 --max-loras=2
MAX_LORA_RANK=32 --max-lora-rank=32
LORA_EXTRA_VOCAB_SIZE=257 --lora-extra-vocab-size=257
LORA_DTYPE=float32 --lora-dtype=float32
LONG_LORA_SCALING_FACTORS=2.0,4.0 --long-lora-scaling-factors=2.0,4.0
MAX_CPU_LORAS=2 --max-cpu-loras=2
FULLY_SHARDED_LORAS=true --fully-sharded-loras
SCHEDULER_DELAY_FACTOR=0.5 --scheduler-delay-factor=0.5
ENABLE_CHUNKED_PREFILL=true --enable-chunked-prefill
SPECULATIVE_MODEL=abc --speculative-model=abc
NUM_SPECULATIVE_TOKENS=2 --num-speculative-tokens=2
SPECULATIVE_DRAFT_TENSOR_PARALLEL_SIZE=2 --speculative-draft-tensor-parallel-size=2
SPECULATIVE_MAX_MODEL_LEN=2 --speculative-max-model-len=2
SPECULATIVE_DISABLE_BY_BATCH_SIZE=2 --speculative-disable-by-batch-size=2
NGRAM_PROMPT_LOOKUP_MAX=2 --ngram-prompt-lookup-max=2
NGRAM_PROMPT_LOOKUP_MIN=2 --ngram-prompt-lookup-min=2
SPEC_DECODING_ACCEPTANCE_METHOD=typical_acceptance_sampler --spec-decoding-acceptance-method=typical_acceptance_sampler
TYPICAL_ACCEPTANCE_SAMPLER_POSTERIOR_THRESHOLD=0.5 --typical-acceptance-sampler-posterior-threshold=0.5
TYPICAL_ACCEPTANCE_SAMPLER_POSTERIOR_ALPHA=0.5 --typical-acceptance-sampler-posterior-alpha=0.5
MODEL_LOADER_EXTRA_CONFIG={"a":1} --model-loader-extra-config={"a":1}
PREEMPTION_MODE=abc --preemption-mode=abc
PREEMPTION_CHECK_PERIOD=0.5
PREEMPTION_CPU_CAPACITY=0.5
DISABLE_LOGGING_REQUEST=true --disable-log-requests
MAX_LOG_LEN=2 --max-log-len=2
TOKENIZER_NAME=abc --tokenizer=abc
TOKENIZER_REVISION=abc --tokenizer-revision=abc
CUSTOM_CHAT_TEMPLATE=abc --chat-template=abc
GPU_MEMORY_UTILIZATION=0.5 --gpu-memory-utilization=0.5
BLOCK_SIZE=32 --block-size=32
SWAP_SPACE=5 --swap-space=5
ENFORCE_EAGER=true --enforce-eager
MAX_SEQ_LEN_TO_CAPTURE=8193 --max-seq-len-to-capture=8193
DISABLE_CUSTOM_ALL_REDUCE=1 --disable-custom-all-reduce
DEFAULT_BATCH_SIZE=51
DEFAULT_MIN_BATCH_SIZE=2
DEFAULT_BATCH_SIZE_GROWTH_FACTOR=0.5
RAW_OPENAI_OUTPUT=0
OPENAI_SERVED_MODEL_NAME_OVERRIDE=abc --served-model-name=abc
OPENAI_RESPONSE_ROLE=abc --response-role=abc
MAX_CONCURRENCY=301
DISABLE_LOG_REQUESTS=true --disable-log-requests
"""

# What is written differently from the releases named here on.
_LATER = {
    "ENABLE_CHUNKED_PREFILL": ("0.5.3", "--enable-chunked-prefill=true"),  # it became a bool-value
    "SWAP_SPACE": ("0.5.5", "--swap-space=5.0"),  # it became a float
}

# What stays in the environment: for Hugging Face's library, and for the worker itself.
SECRET = "HF_TOKEN"
WORKERS_OWN = (
    "PREEMPTION_CHECK_PERIOD",
    "PREEMPTION_CPU_CAPACITY",
    "DEFAULT_BATCH_SIZE",
    "DEFAULT_MIN_BATCH_SIZE",
    "DEFAULT_BATCH_SIZE_GROWTH_FACTOR",
    "RAW_OPENAI_OUTPUT",
    "MAX_CONCURRENCY",
)


def rows(version: str) -> list[tuple[str, str, list[str]]]:
    """The variables of the table: name, value, and the tokens of a release."""
    found = []
    for line in _TABLE.split():
        if line.startswith("--"):
            found[-1][2].append(line)
        else:
            name, _, text = line.partition("=")
            found.append((name, text, []))
    for name, _, tokens in found:
        since, later = _LATER.get(name, ("", ""))
        if since and RELEASES.index(version) >= RELEASES.index(since):
            tokens[:] = [later]
    return found
