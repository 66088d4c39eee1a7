"""Resources whose operators write the command, and the containers that are no server."""

from __future__ import annotations

import pytest

from translator.files.command import Command, Context
from translator.files.registry import read_commands

MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]


def read(text: str) -> list[Command]:
    return [item for item in read_commands(text, Context(), "x.yaml") if item.starts_vllm]


SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: s}
spec:
  model: {uri: hf://org/m, name: org/m}
  parallelism: {tensor: 2}
  template:
    containers:
    - name: main
      image: vllm/vllm-openai:v0.19.1
      args: ["--kv-transfer-config", "'{\\"kv_role\\": \\"kv_both\\"}'"]
      env:
      - {name: VLLM_ADDITIONAL_ARGS, value: "--seed 1"}
      - {name: A, value: b}
    - {name: proxy, image: envoy, args: [--port, "1"]}
"""


def test_a_service_of_kserve_has_the_command_of_its_preset() -> None:
    """Its shell evaluates the arguments: quotes in them are quotes, and JSON needs them."""
    (made,) = read(SERVICE)
    base = ["vllm", "serve", "/mnt/models", "--served-model-name", "org/m", "--port", "8000"]
    base += ["--tensor-parallel-size", "2", "--seed", "1", "--kv-transfer-config"]
    assert made.tokens == [*base, '{"kv_role": "kv_both"}']
    assert (made.env, made.vllm, made.place[1]) == ({"A": "b"}, "0.19.1", 11)
    own = SERVICE.replace("      args:", "      command: [vllm, serve, m]\n      args:")
    assert read(own)[0].tokens[:3] == ["vllm", "serve", "m"]


def test_a_service_of_kserve_that_splits_prefill_and_decode() -> None:
    text = SERVICE.replace("  template:", "  prefill: {template: {containers: [{name: main}]}}\n  template:")  # fmt: skip
    decode, prefill = read(text)
    assert decode.tokens[5:7] == ["--port", "8001"]
    assert prefill.tokens[5:] == ["--port", "8000"]


@pytest.mark.parametrize(
    ("command", "starts"),
    [
        ("[sleep, infinity]", False),
        ("[sh, -c, 'ray start --address=x --block']", False),
        ("[sh, -c, 'bash /vllm-workspace/multi-node-serving.sh worker --ray_address=x']", False),
        ("[sh, -c, 'bash /vllm-workspace/multi-node-serving.sh leader; vllm serve m']", True),
        ("[bash, /vllm-workspace/run_cluster.sh, leader]", False),
        ("[bash, /scripts/start.sh]", True),
        ("[vllm, server, m]", True),
    ],
)
def test_what_a_container_of_vllms_image_starts(command: str, starts: bool) -> None:
    """What waits or joins Ray is not judged as vLLM."""
    text = f"kind: Pod\nspec: {{containers: [{{image: 'vllm/vllm-openai:v0.8.5', command: {command}}}]}}\n"
    found = read(text)
    assert bool(found) == starts
    if "leader; vllm" in command:
        assert found[0].tokens == ["vllm", "serve", "m"]
        assert not any(item.severity == "error" for item in found[0].findings)


MODELSERVICE = """\
modelArtifacts: {name: n, uri: URI}
routing: {servicePort: 9000, proxy: {targetPort: 9200}}
decode:
  parallelism: {tensor: 2, dataLocal: 2, workers: 2}
  containers: [{name: vllm, image: x, modelCommand: WAY, command: [vllm, serve, own], args: [--seed=1]}]
prefill: {create: false, containers: [{name: vllm, modelCommand: vllmServe}]}
"""
SIZES = [
    "--tensor-parallel-size",
    "2",
    "--data-parallel-size",
    "4",
    "--data-parallel-size-local",
    "2",
]


@pytest.mark.parametrize(
    ("uri", "way", "start"),
    [
        ("hf://org/m", "vllmServe", ["vllm", "serve", "org/m"]),
        ("'hf://{{ .Values.modelArtifacts.name }}'", "vllmServe", ["vllm", "serve", "n"]),
        ("pvc://claim/a/b", "vllmServe", ["vllm", "serve", "/model-cache/a/b"]),
        ("pvc+hf://claim/x/org/m", "imageDefault", [*MODULE, "--model", "org/m"]),
    ],
)
def test_the_values_of_llm_ds_chart(uri: str, way: str, start: list[str]) -> None:
    (made,) = read(MODELSERVICE.replace("URI", uri).replace("WAY", way))
    rest = ["--port", "9200", *SIZES, "--served-model-name", "n", "--seed=1"]
    assert made.tokens == [*start, *rest]
    (own,) = read(MODELSERVICE.replace("URI", uri).replace("WAY", "custom"))
    assert own.tokens == ["vllm", "serve", "own", "--seed=1"]


def test_the_values_of_vllms_own_chart_have_the_version_of_their_image() -> None:
    """As in vllm-project/vllm, examples/online_serving/chart-helm/values.yaml."""
    (made,) = read(
        "image:\n  repository: vllm/vllm-openai\n  tag: v0.19.1\n"
        "  command: [vllm, serve, /data/, --port, '8000']\n  env: [{name: A, value: b}]\n"
        "extraInit: {modelDownload: {waitContainer: {command: [/bin/bash], args: [-eucx, x]}}}\n"
    )
    assert (made.tokens, made.vllm) == (["vllm", "serve", "/data/", "--port", "8000"], "0.19.1")
    assert (made.env, made.place[1]) == ({"A": "b"}, 4)
