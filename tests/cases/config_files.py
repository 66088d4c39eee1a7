"""Files of `vllm serve --config`, and which versions' real parsers take them: config_files.json.

python -m tests.real.record_files        asks the real parsers (TRANSLATE_REAL_DIR), a minute
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("config_files.json")
# Of each way in which a file became tokens: words, lists as text, tokens for lists, JSON for objects.
VERSIONS = ("0.6.2", "0.8.5", "0.11.0", "0.33.0")

# The model stands on the command line, as `m`.
FILES = (
    "max-model-len: 4096",
    "max_model_len: 4096",
    "max-model-len: '4096'",
    "max-model-len: 8k",
    "max-model-len: 25.6k",
    "max-model-len: auto",
    "max-model-len: 1.5",
    "max-model-len: many",
    "max-model-len: true",
    "max-model-len: false",
    "max-model-len: [4096]",
    "max-model-len: [1, 2]",
    "max-model-len: 1_000",
    "max-model-l: 4096",
    "max-model-lem: 4096",
    "max-model-len=4096: true",
    "max-num-seqs: 64\nseed: 0\n",
    "gpu-memory-utilization: 0.9",
    "gpu-memory-utilization: '.9'",
    "gpu-memory-utilization: 1e-1",
    "gpu-memory-utilization: high",
    "gpu-memory-utilization: [0.5, 0.6]",
    "dtype: bfloat16",
    "dtype: BFLOAT16",
    "dtype: fp9",
    "dtype: [half]",
    "tensor-parallel-size: 2",
    "tensor-parallel-size: two",
    "tensor-parallel: 2",
    "tensor: 2",
    "tp: 2",
    "enforce-eager: true",
    "enforce-eager: 'true'",
    "enforce-eager: false",
    "enforce-eager: 1",
    "enable-prefix-caching: true",
    "no-enable-prefix-caching: true",
    "no-enable-prefix-caching: 3",
    "served-model-name: a",
    "served-model-name: [a, b]",
    "served-model-name: []",
    "served-model-name: 7",
    "served-model-name: -x",
    "served-model-name: null",
    "lora-modules: [a=/a, b=/b]",
    "lora-modules: a",
    "allowed-origins: ['*']",
    "allowed-origins: '[\"*\"]'",
    "chat-template: /x.jinja",
    "chat-template: {a: 1}",
    "hf-overrides: {rope_scaling: {factor: 2}}",
    "compilation-config: 3",
    "compilation-config: '{\"cudagraph_capture_sizes\": [1, 2]}'",
    "compilation-config: {cudagraph_capture_sizes: [1, 2]}",
    "compilation-config: {no_such_key: 1}",
    "compilation-config: [1, 2]",
    "compilation-config.cudagraph_capture_sizes: [1]",
    "kv-transfer-config: {kv_connector: a, kv_role: kv_both}",
    "kv-transfer-config: {kv_connector: a, kv_role: nothing}",
    "limit-mm-per-prompt: image=2",
    "limit-mm-per-prompt: {image: 2}",
    "swap-space: 4",
    "swap-space: false",
    "task: embed",
    "disable-log-requests: true",
    "no-such-flag: 1",
    "no-such-flag: false",
    "no-such-flag: []",
    "-tp: 2",
    "tensor_parallel_size: 2\nno such: 1\n",
    "[max-model-len]",
    "max-model-len",
    "",
)


def recorded() -> dict[str, dict[str, bool]]:
    """Return the record: version → file → whether its real parser takes it."""
    found: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return found


def write(answers: dict[str, dict[str, bool]]) -> None:
    RECORD.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", "utf-8")
