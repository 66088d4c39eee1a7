"""Values of a Helm chart are read as the containers that its templates make of them.

The commands are those that the chart's own tests expect, in vllm-project/production-stack (Apache-2.0):
helm/tests/deployment-vllm-multi_test.yaml, ray-cluster_test.yaml and lmcache_test.yaml; the others follow from
helm/templates/deployment-vllm-multi.yaml and ray-cluster.yaml of chart 0.1.12.
"""

from typing import Any

import pytest

from translator import env_to_args
from translator.core.argv.parser import parse
from translator.core.tables.catalog import shipped
from translator.deployments.read import Command, Context
from translator.deployments.read.registry import read_commands
from translator.formats.forms import CommandLine
from translator.formats.registry import write_argv
from translator.formats.yaml_nodes import load

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


@pytest.mark.parametrize(
    ("env", "written"),
    [
        ({}, {}),
        ({"MAX_MODEL_LEN": "8k", "GPU_MEMORY_UTILIZATION": "0.8", "DTYPE": "half"}, {"vllmConfig": {"dtype": "half", "gpuMemoryUtilization": 0.8, "maxModelLen": 8000, "enablePrefixCaching": True}}),
        ({"MAX_MODEL_LEN": "1000000"}, {"vllmConfig": {"extraArgs": ["--max-model-len=1000000"], "enablePrefixCaching": True}}),
        ({"ENABLE_PREFIX_CACHING": "0", "ENABLE_CHUNKED_PREFILL": "1", "SEED": "3"}, {"vllmConfig": {"enableChunkedPrefill": True, "enablePrefixCaching": False, "extraArgs": ["--seed=3"]}}),
        ({"ENABLE_LORA": "1", "REVISION": "a", "CHAT_TEMPLATE": "/templates/x.jinja"}, {"chatTemplate": "x.jinja", "enableLoRA": True, "modelRevision": "a"}),
        ({"CHAT_TEMPLATE": "/elsewhere/x.jinja", "SERVED_MODEL_NAME": "$(X)"}, {"vllmConfig": {"extraArgs": ["--chat-template=/elsewhere/x.jinja", "--served-model-name=$$(X)"], "enablePrefixCaching": True}}),
        ({"DOWNLOAD_DIR": "a$$b", "REVISION": "$$(c)"}, {"modelRevision": "$$$$(c)", "vllmConfig": {"extraArgs": ["--download-dir=a$$$b"], "enablePrefixCaching": True}}),
    ],
)  # fmt: skip
def test_a_command_is_written_as_values_that_make_it_again(
    env: dict[str, str], written: dict[str, Any]
) -> None:
    """But for what the templates always write: the host and the port."""
    made = env_to_args({"MODEL_NAME": "facebook/opt-125m", **env}, vllm="0.27.1")
    catalog = shipped().catalog("0.27.1")
    line = CommandLine([tokens for _, tokens in made._groups], catalog)
    text, findings = write_argv("helm", line)
    assert load(text)[0] == {
        "servingEngineSpec": {"modelSpec": [{"modelURL": "facebook/opt-125m", **written}]}
    }
    assert findings == []
    found, *_ = read_commands(text, Context(), "values.yaml")
    again, before = (parse(tokens, catalog) for tokens in (found.tokens[2:], made.argv[2:]))
    wanted = {name: value for name, (value, _) in before.settings().items()}
    got = {name: value for name, (value, _) in again.settings().items()}
    always = {"--host": "0.0.0.0", "--port": 8000}
    always |= {"--enable-prefix-caching": True} if "vllmConfig" in written else {}
    assert got == {**always, **wanted}


def test_the_port_goes_into_the_charts_own_key() -> None:
    extra = ["--port=9000", "--host=0.0.0.0"]
    made = env_to_args({"MODEL_NAME": "m"}, vllm="0.27.1", extra=extra)
    line = CommandLine([tokens for _, tokens in made._groups], shipped().catalog("0.27.1"))
    assert load(write_argv("helm", line)[0])[0]["servingEngineSpec"] == {
        "containerPort": 9000,
        "modelSpec": [{"modelURL": "m"}],
    }
