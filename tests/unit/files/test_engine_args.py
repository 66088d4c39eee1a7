"""Files with engine arguments are read as the command that makes the same arguments."""

from __future__ import annotations

from translator.files import Context
from translator.files.registry import read_commands

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
