"""Files with engine arguments are read as the command that makes the same arguments."""

from __future__ import annotations

import pytest

from translator.files.command import Context
from translator.files.registry import read_commands, read_text

# The example of Ray's documentation, doc/source/serve/llm/quick-start.md in ray-project/ray.
RAY = """\
applications:
- args:
    llm_configs:
        - model_loading_config:
            model_id: qwen-0.5b
            model_source: Qwen/Qwen2.5-0.5B-Instruct
          accelerator_type: A10G
          deployment_config:
            autoscaling_config:
                min_replicas: 1
                max_replicas: 2
  import_path: ray.serve.llm:build_openai_app
  name: llm_app
  route_prefix: "/"
"""
# samples/model_repository/vllm_model/1/model.json in triton-inference-server/vllm_backend.
TRITON = """\
{
    "model":"facebook/opt-125m",
    "gpu_memory_utilization": 0.5,
    "enforce_eager": true
}
"""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (TRITON, ["facebook/opt-125m", "--gpu-memory-utilization=0.5", "--enforce-eager"]),
        (RAY, ["Qwen/Qwen2.5-0.5B-Instruct", "--served-model-name=qwen-0.5b"]),
        (RAY.replace("deployment_config", "engine_kwargs").replace("autoscaling_config", "hf_overrides"), ["Qwen/Qwen2.5-0.5B-Instruct", "--served-model-name=qwen-0.5b", '--hf-overrides={"min_replicas":1,"max_replicas":2}']),
        ("model_loading_config: {model_id: a/b}\nengine_kwargs: {max_model_len: 8192}\n", ["a/b", "--max-model-len=8192"]),
        ("vllm:\n  max-model-len: 131072\n  swap-space: 4\n", ["--max-model-len=131072", "--swap-space=4"]),
        ("max_probe_steps: 6\nkv_cache_cpu_memory_utilization: 0.5\nvllm:\n  seed: 4\n", ["--seed=4"]),
        ("model: a/b\nno_enable_prefix_caching: true\n", ["a/b", "--no-enable-prefix-caching"]),
    ],
)  # fmt: skip
def test_the_command_that_makes_them(text: str, tokens: list[str]) -> None:
    found = read_text(text)
    assert (found.tokens, found.findings) == (["vllm", "serve", *tokens], [])


@pytest.mark.parametrize(
    "text", ["model: m\nno_such: 1\n", "vllm: {image: x}\n", "model: {a: 1}\n"]
)
def test_other_documents_are_not_taken_for_them(text: str) -> None:
    assert read_text(text).tokens[:2] != ["vllm", "serve"]


def test_a_value_that_yaml_cannot_make_is_an_error() -> None:
    found = read_text("model: m\nseed: !!int x\n")
    assert [item.code for item in found.findings] == ["bad-manifest"]


def test_the_models_of_a_ray_service() -> None:
    """As in ray-project/kuberay, ray-operator/config/samples/ray-service.llm-serve.yaml."""
    text = "kind: RayService\nspec:\n  serveConfigV2: |\n" + "".join(
        f"    {line}\n" for line in RAY.replace("  accelerator_type", "  engine_kwargs: {seed: 1}\n          x").split("\n")
    ) + "  rayClusterConfig:\n    containers: [{name: head, image: rayproject/ray-llm:2}]\n"  # fmt: skip
    (made,) = read_commands(text, Context(), "x.yaml")
    assert made.tokens[2:] == ["Qwen/Qwen2.5-0.5B-Instruct", "--served-model-name=qwen-0.5b", "--seed=1"]  # fmt: skip
    assert made.place[1] == 3 + RAY.split("\n").index("          accelerator_type: A10G") + 1
    assert made.image is not None
    assert made.image.name == "rayproject/ray-llm:2"


def test_the_configuration_of_kaito_in_a_config_map() -> None:
    text = "kind: ConfigMap\ndata:\n  other: x\n  c.yaml: |\n    max_probe_steps: 6\n    vllm:\n      seed: 1\n"
    (made,) = read_commands(text, Context(), "x.yaml")
    assert (made.tokens[2:], made.place[1]) == (["--seed=1"], 7)
    assert read_commands(text.replace("max_probe_steps", "x"), Context(), "x.yaml") == []
    assert read_commands(text.replace("seed: 1", "seed: [1"), Context(), "x.yaml") == []


def test_a_builder_of_ones_own_has_its_models_where_it_likes() -> None:
    """As in anyscale/ray-serve-llm-perf-examples, disaggregated_wide_ep/pd.yaml."""
    text = """
applications:
- import_path: builder:build
  runtime_env: {env_vars: {A: "1", B: "1"}}
  args:
    prefill_config:
      model_loading_config: {model_id: m}
      engine_kwargs: {tensor_parallel_size: 2}
    decode:
    - model_loading_config: {model_id: m, model_source: org/m}
      runtime_env: {env_vars: {B: "2"}}
"""
    made = read_commands(text, Context(), "serve.yaml")
    assert [item.tokens[2:] for item in made] == [
        ["m", "--tensor-parallel-size=2"],
        ["org/m", "--served-model-name=m"],
    ]
    assert [item.env for item in made] == [{"A": "1", "B": "1"}, {"A": "1", "B": "2"}]
