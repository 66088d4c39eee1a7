"""Which vLLM an image holds: by vLLM's own tags, by the table, or not known."""

import pytest
from cases import WORKER_VLLM

from translator.core.tables.catalog import Tables, shipped
from translator.core.tables.images import image_of
from translator.maintain.compile import compile_overlay


def known(image: str) -> tuple[str, str]:
    found = image_of(image, shipped())
    return found.version, found.runs


SERVER, COMMAND, PROGRAM = "server", "command", "program"


@pytest.mark.parametrize(
    ("image", "version", "runs"),
    [
        ("vllm/vllm-openai:v0.17.1", "0.17.1", SERVER),
        ("docker.io/vllm/vllm-openai:v0.17.1-cu129", "0.17.1", SERVER),
        ("vllm/vllm-openai:v0.11.2-x86_64", "0.11.2", SERVER),
        ("vllm/vllm-openai:v0.17.1-aarch64", "0.17.1", SERVER),
        ("vllm/vllm-openai:v0.10.1.1", "0.10.1.1", SERVER),
        ("vllm/vllm-openai:v0.6.3.post1", "0.6.3.post1", SERVER),
        ("vllm/vllm-openai:v0.11.0rc2", "0.11.0rc2", SERVER),
        ("vllm/vllm-openai:v0.11.0@sha256:abc", "0.11.0", SERVER),
        ("host:5000/vllm/vllm-openai:0.9.2", "0.9.2", SERVER),
        ("mirror.example.org/docker-hub/vllm/vllm-openai:v0.17.1", "0.17.1", SERVER),
        ("mirror.example.org/ai/vllm-openai:v0.17.1", "0.17.1", SERVER),
        ("vllm/vllm-openai-rocm:v0.14.0", "0.14.0", SERVER),
        ("vllm/vllm-openai-cpu:v0.17.1", "0.17.1", SERVER),
        ("public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.9.1", "0.9.1", SERVER),
        ("nvcr.io/nvidia/vllm:25.10-py3", "0.10.2", COMMAND),
        ("nvcr.io/nvidia/vllm:26.01-py3", "0.13.0", COMMAND),
        ("nvcr.io/nvidia/vllm:25.12-py3", "0.11.1", COMMAND),
        ("nvcr.io/nvidia/vllm:25.12.post1-py3", "0.12.0", COMMAND),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.1.0", "0.19.0", COMMAND),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.1.0-dev.1", "0.17.1", COMMAND),
        ("registry.redhat.io/rhaiis/vllm-cuda-rhel9:3.0.0", "0.8.4", SERVER),
        ("rocm/vllm:rocm6.4.1_vllm_0.9.1_20250715", "0.9.1", COMMAND),
        ("rocm/vllm:rocm6.3.1_instinct_vllm0.8.3_20250410", "0.8.3", COMMAND),
        ("quay.io/ascend/vllm-ascend:v0.11.0rc1", "0.11.0", COMMAND),
        ("quay.io/ascend/vllm-ascend:v0.11.0rc1-openeuler", "0.11.0", COMMAND),
        ("quay.io/ascend/vllm-ascend:v0.14.0rc1", "0.14.1", COMMAND),
        ("runpod/worker-v1-vllm:v2.6.0stable-cuda12.1.0", "0.9.0.1", PROGRAM),
        ("runpod/worker-v1-vllm:v2.25.1", "0.27.1", PROGRAM),
        ("runpod/worker-v1-vllm:v2.26.0", "0.28.0", PROGRAM),
        ("runpod/worker-v1-vllm:v2.27.2", "0.29.0", PROGRAM),
        ("runpod/worker-v1-vllm:v2.28.0", "0.30.0", PROGRAM),
        ("deepjavalibrary/djl-serving:0.33.0-lmi15.0.0-cu128", "0.8.4", PROGRAM),
        ("763104351884.dkr.ecr.us-west-2.amazonaws.com/djl-inference:0.36.0-lmi20.0.0-cu128-v1.0", "0.15.1", PROGRAM),
        ("763104351884.dkr.ecr.us-east-1.amazonaws.com/vllm:0.11-gpu-py312", "0.11", ""),
        ("public.ecr.aws/deep-learning-containers/vllm:0.27.1-gpu-py312-ec2", "0.27.1", ""),
        ("public.ecr.aws/deep-learning-containers/vllm:server-cuda-v2.3", "0.27.0", ""),
    ],
)  # fmt: skip
def test_images_whose_vllm_is_public(image: str, version: str, runs: str) -> None:
    assert known(image) == (version, runs)


@pytest.mark.parametrize(
    ("image", "publisher", "assumed"),
    [
        ("vllm/vllm-openai", "", ""),
        ("vllm/vllm-openai:latest", "", ""),
        ("vllm/vllm-openai:nightly", "", ""),
        ("vllm/vllm-openai:nightly-51f799c0ddd23d0d1f8b5c6e7a2d3d4e5f607182", "", ""),
        ("vllm/vllm-openai:nightly-0.9.1", "", ""),
        ("vllm/vllm-openai@sha256:0123", "", ""),
        ("vllm/vllm-openai:gptoss", "", ""),
        ("vllm/vllm-openai:deepseekv4", "", ""),
        ("host:5000/vllm-openai", "", ""),
        ("nvcr.io/nvidia/vllm:26.11-py3", "NVIDIA", ""),
        ("nvcr.io/nvidia/vllm:26.03.post1-py3", "NVIDIA", ""),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:9.9.9", "NVIDIA Dynamo", ""),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.1.0.post7", "NVIDIA Dynamo", ""),
        ("rhaiis/vllm-cuda-rhel9:3.2.1", "Red Hat AI Inference Server", ""),
        ("lmcache/vllm-openai:v0.3.9", "LMCache", ""),
        ("docker.io/lmcache/vllm-openai:latest", "LMCache", ""),
        ("rocm/vllm:latest", "", ""),
        ("rocm/vllm-dev:nightly_main_20260801", "", ""),
        # A platform's program: the release before that of the tag, or the newest.
        ("runpod/worker-v1-vllm:v2.7.0stable-cuda12.1.0", "RunPod", "0.9.0.1"),
        ("runpod/worker-v1-vllm:v2.99.0", "RunPod", WORKER_VLLM),
        ("runpod/worker-v1-vllm:stable-cuda12.1.0", "RunPod", WORKER_VLLM),
        ("runpod/worker-v1-vllm", "RunPod", WORKER_VLLM),
        ("runpod/worker-v1-vllm:0.3.0", "RunPod", "0.5.3.post1"),
        ("quay.io/ascend/vllm-ascend:v0.11.0rc9", "vLLM Ascend", ""),
        ("quay.io/ascend/vllm-ascend:main", "vLLM Ascend", ""),
        ("vllm/vllm-tpu:nightly", "tpu-inference", ""),
        ("ghcr.io/llm-d/llm-d:v0.3.0", "llm-d", ""),
        ("opea/vllm-gaudi:1.2", "OPEA", ""),
        ("public.ecr.aws/deep-learning-containers/vllm:server-cuda-v1.3", "", ""),
        # Nobody's numbers are known: a release in the tag is the best guess.
        ("example.org/my-vllm:v0.11.2-patched", "", "0.11.2"),
        ("example.org/my-vllm:1.4.2", "", ""),
        ("example.org/anything:prod", "", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_images_that_do_not_say_which_vllm(image: str, publisher: str, assumed: str) -> None:
    found = image_of(image, shipped())
    assert (found.version, found.publisher, found.assumed) == ("", publisher, assumed)


def test_old_images_start_the_module() -> None:
    started = {text: image_of(f"vllm/vllm-openai:v{text}", shipped()).module for text in ("0.11.0", "0.11.1", "0.17.1")}  # fmt: skip
    assert started == {"0.11.0": True, "0.11.1": False, "0.17.1": False}


def test_images_of_ones_own_are_added(tmp_path) -> None:
    (tmp_path / "images.toml").write_text(
        '[[image]]\nnames = ["corp/llm"]\npublisher = "us"\nsources = ["https://example.org"]\n'
        'runs = "server"\n[image.versions]\n"7" = "0.27.1"\n'
    )
    tables = Tables(compile_overlay(tmp_path))
    assert image_of("registry.corp/corp/llm:7", tables).version == "0.27.1"
    assert image_of("registry.corp/corp/llm:7.1", tables).version == ""
    assert image_of("registry.corp/xcorp/llm:7", tables).version == ""
    assert image_of("vllm/vllm-openai:v0.17.1", tables).version == "0.17.1"
