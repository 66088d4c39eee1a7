"""What a container starts: the entrypoint of its image, with its arguments, as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.program import codes, translate

POD = "kind: Pod\nspec:\n  containers:\n"
CODE = "starts-something-else"


def manifest(tmp_path: Path, *containers: str) -> Path:
    path = tmp_path / "pod.yaml"
    path.write_text(POD + "".join(f"  - {container}\n" for container in containers))
    return path


@pytest.mark.parametrize(
    ("line", "starts"),
    [
        ("vllm/vllm-openai:v0.17.1 vllm serve /m", "`vllm serve vllm serve …`"),
        ("vllm/vllm-openai:latest serve /m", "`vllm serve serve …`"),
        ("vllm/vllm-openai:v0.17.1 bash -c 'vllm serve /m'", "`vllm serve bash …`"),
        ("vllm/vllm-openai:v0.9.2 vllm serve /m", "`python3 -m vllm.entrypoints.openai.api_server vllm serve …`"),
        ("--entrypoint 'vllm serve' vllm/vllm-openai:v0.17.1 /m", "one item of a list"),
    ],
)  # fmt: skip
def test_a_command_for_an_entrypoint_that_is_one(line: str, starts: str) -> None:
    """vLLM's parser refuses it; what was meant is translated all the same."""
    ran = translate("check", "--", f"docker run --gpus all {line}")
    assert (ran.status, codes(ran.out)[:1]) == (1, [("error", CODE)])
    assert starts in ran.out
    ran = translate("args-to-env", "--", f"docker run --gpus all {line}")
    assert (ran.status, "MODEL_NAME=/m" in ran.out, f"warning[{CODE}]" in ran.err) == (0, True, True)  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "vllm/vllm-openai:v0.17.1 /m",
        "--entrypoint vllm vllm/vllm-openai:v0.17.1 serve /m",
        "nvcr.io/nvidia/vllm:26.03-py3 vllm serve /m",
        "my/own:1 vllm serve /m --seed 1",
    ],
)
def test_a_command_that_is_one(line: str) -> None:
    ran = translate("check", "--", f"docker run {line}")
    assert (ran.status, CODE in ran.out) == (0, False)


@pytest.mark.parametrize(
    "container",
    [
        'image: vllm/vllm-openai:v0.17.1\n    args: ["serve", "/m"]',
        'image: vllm/vllm-openai:v0.17.1\n    command: ["vllm serve /m --port 8000"]',
        'image: my/own\n    args: ["vllm serve /m --port 8000"]',
    ],
)
def test_a_manifest_that_starts_something_else(container: str, tmp_path: Path) -> None:
    ran = translate("check", str(manifest(tmp_path, container)))
    assert (ran.status, codes(ran.out)[-1]) == (1, ("error", CODE))


# The sidecar and the router as in public manifests: llm-d/llm-d-routing-sidecar (README.md) and
# vllm-project/production-stack (helm/templates/deployment-router.yaml).
@pytest.mark.parametrize(
    "other",
    [
        "image: ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0\n"
        '    args: ["--port=8000", "--vllm-port=8200", "--connector=nixlv2"]',
        'image: lmcache/lmstack-router:latest\n    args: ["--host", "0.0.0.0", "--port", "8000",'
        ' "--service-discovery", "static", "--static-backends", "http://vllm:8000"]',
        'image: my/vllm-router:1\n    args: ["--routing-logic", "roundrobin", "--host", "x"]',
        'image: my/exporter\n    args: ["--host", "0.0.0.0", "--port", "8000"]',
        'image: my/exporter\n    command: ["export", "--vllm-url", "http://vllm:8000"]',
        'image: text-generation-inference\n    args: ["--model-id", "m", "--dtype", "float16",'
        ' "--trust-remote-code", "--max-num-seqs", "8", "--quantize", "x"]',
    ],
)
def test_other_programs_are_not_judged_as_vllm(other: str, tmp_path: Path) -> None:
    vllm = 'image: vllm/vllm-openai:v0.17.1\n    args: ["--model", "m"]'
    ran = translate("check", str(manifest(tmp_path, other, vllm)))
    assert (ran.status, ran.err.count("vLLM 0.17.1")) == (0, 1)
    assert codes(ran.out) == []
    ran = translate("check", str(manifest(tmp_path, other)))
    assert (ran.status, ran.out, "nothing in it starts vLLM" in ran.err) == (0, "", True)
    assert "`helm template … | translate check -`" in ran.err


def test_a_misspelt_flag_makes_no_other_program(tmp_path: Path) -> None:
    path = manifest(
        tmp_path, 'image: my/vllm:1\n    args: ["--model", "m", "--max-modle-len", "8"]'
    )
    ran = translate("check", str(path))
    assert (ran.status, ("error", "unknown-flag") in codes(ran.out)) == (1, True)


def test_flags_of_vllm_tell_what_a_container_runs(tmp_path: Path) -> None:
    path = manifest(tmp_path, 'image: my/own\n    args: ["--model", "m", "--max-model-len", "8x"]')
    ran = translate("check", str(path))
    assert (ran.status, ("error", "bad-integer") in codes(ran.out)) == (1, True)


def test_kubernetes_wants_strings(tmp_path: Path) -> None:
    """It refuses the manifest; compose makes strings of them."""
    path = manifest(
        tmp_path, "image: vllm/vllm-openai:v0.17.1\n    args: [m, --port, 8000, --sed, x]"
    )
    ran = translate("check", str(path))
    assert (ran.status, ("error", "bad-manifest") in codes(ran.out)) == (1, True)
    assert ("error", "unknown-flag") in codes(ran.out), "the other mistakes are told, too"
    assert "an item of `args` is a number or a boolean" in ran.out
    path.write_text("services:\n  llm:\n    image: vllm/vllm-openai:v0.17.1\n    command: [m, --port, 8000]\n")  # fmt: skip
    assert translate("check", str(path)).status == 0


def test_what_starts_something_else_is_checked_as_it_was_meant(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.17.1\n"
        "    args: [serve, org/m, --seed=x]\n    env: [{name: VLLM_PORT, value: 'tcp://10.0.0.1:80'},\n"
        "      {name: VLLM_SERVICE_HOST, value: 10.0.0.1}]\n"
    )
    found = [
        (item["code"], item["severity"], item["subject"])
        for item in json.loads(translate("check", "--format", "json", str(path)).out)["findings"]
    ]
    assert ("starts-something-else", "error", "serve") in found
    assert ("bad-integer", "error", "--seed") in found
    # Nothing removes these: vLLM crashes on the one, and does not read the other.
    assert ("service-link", "error", "VLLM_PORT") in found
    assert ("service-link", "warning", "VLLM_SERVICE_HOST") in found


def test_a_command_twice_is_an_error_among_other_files_and_in_documents(tmp_path: Path) -> None:
    """It was passed over there, as a file that does not start vLLM."""
    text = "services:\n  a:\n    image: vllm/vllm-openai:v0.33.0\n    command: [serve, m]\n"
    path, document = tmp_path / "c.yaml", tmp_path / "README.md"
    path.write_text(text)
    document.write_text(f"# A\n\n```yaml\n{text}```\n")
    ran = translate("check", str(path), str(document))
    assert ran.out.count(f"error[{CODE}]") == 2
    assert f"{document}:7:15: " in ran.out
