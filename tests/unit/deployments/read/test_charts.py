"""Values of a Helm chart are read as the containers that its templates make of them.

The commands are those that the chart's own tests expect, in vllm-project/production-stack (Apache-2.0):
helm/tests/deployment-vllm-multi_test.yaml, ray-cluster_test.yaml and lmcache_test.yaml; the others follow from
helm/templates/deployment-vllm-multi.yaml and ray-cluster.yaml of chart 0.1.12.
"""

import pytest

from translator.deployments.read import Command, Context
from translator.deployments.read.registry import read_commands

HEAD = ["vllm", "serve", "facebook/opt-125m", "--host", "0.0.0.0", "--port", "8000"]
RAY = ["--distributed-executor-backend", "ray"]
OFF = ["--no-enable-prefix-caching"]
BOTH = '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'
V0 = '{"kv_connector":"LMCacheConnector","kv_role":"kv_both"}'


def read(model: str, more: str = "") -> list[Command]:
    text = f"""
servingEngineSpec:
  enableEngine: true
  modelSpec:
  - name: "opt125m"
    repository: "vllm/vllm-openai"
    tag: "v0.27.1"
    modelURL: "facebook/opt-125m"
    replicaCount: 2
    {model}
{more}"""
    commands = read_commands(text, Context(), "values.yaml")
    return [command for command in commands if command.argv or command.name]


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("requestCPU: 1", []),
        ("vllmConfig: {enablePrefixCaching: true, maxModelLen: 1024, gpuMemoryUtilization: 0.8}", ["--enable-prefix-caching", "--max-model-len", "1024", "--gpu-memory-utilization", "0.8"]),
        ("modelRevision: abc123def", ["--revision", "abc123def"]),
        ("modelRevision: ''", []),
        ("vllmConfig: {}", []),
        ("vllmConfig: {dtype: bfloat16}", [*OFF, "--dtype", "bfloat16"]),
        ("vllmConfig: {enableChunkedPrefill: false, maxLoras: 0}", ["--no-enable-chunked-prefill", *OFF, "--max-loras", "0"]),
        ("vllmConfig: {runner: pooling, convert: embed, tensorParallelSize: 2, maxNumSeqs: 32}", [*OFF, "--tensor-parallel-size", "2", "--max-num-seqs", "32", "--runner", "pooling", "--convert", "embed"]),
        ("vllmConfig: {extraArgs: ['--enforce-eager', '--seed', 3]}", [*OFF, "--enforce-eager", "--seed", "3"]),
        ("enableLoRA: true; enableTool: true; toolCallParser: hermes; chatTemplate: a.jinja", ["--enable-lora", "--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--chat-template", "/templates/a.jinja"]),
        ("lmcacheConfig: {enabled: true}", ["--kv-transfer-config", BOTH]),
        ("lmcacheConfig: {enabled: false}", []),
        ("vllmConfig: {v0: 1}; lmcacheConfig: {enabled: true}", [*OFF, "--kv-transfer-config", V0]),
        ("lmcacheConfig: {enabled: true, kvRole: kv_producer}", ["--kv-transfer-config", BOTH.replace("both", "producer")]),
        ("raySpec: {enabled: true}", RAY),
        ("raySpec: {enabled: false}", []),
        ("raySpec: {enabled: true}; vllmConfig: {pipelineParallelSize: 2, v1: 1}; lmcacheConfig: {enabled: true}; chatTemplate: a.jinja", [*RAY, "--pipeline-parallel-size", "2", "--kv-transfer-config", BOTH, "--chat-template", "a.jinja"]),
    ],
)  # fmt: skip
def test_the_command_that_the_templates_write(model: str, tokens: list[str]) -> None:
    (found,) = read(model.replace("; ", "\n    "))
    assert found.tokens == [*HEAD, *tokens]
    assert [item.code for item in found.findings] == ["image-version"]
    assert (found.vllm, found.name) == ("0.27.1", "model opt125m")
