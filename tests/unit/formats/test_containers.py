"""Whole starts of vLLM's image hold every text exactly, by each platform's own rules and by our own
readers; what stands around the command line.
"""

from copy import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import NEWEST
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.readers import docker_client, needs
from support.starts import READERS, SECRET
from support.texts import PIECES, TEXTS, VARIABLES, is_text

from translator import check_file
from translator.core.argv.reader import settle_argv, strip_command
from translator.core.findings import Finding
from translator.core.tables.catalog import shipped
from translator.core.translate import write_line
from translator.deployments.read import Context
from translator.deployments.read.registry import read_text
from translator.formats.forms import CommandLine
from translator.formats.references import has_hole
from translator.formats.registry import STARTS, write_argv
from translator.translations import named_scope

# What YAML, a shell, a unit or a template reads as something else than the text that it is.
TYPED = (
    "on",
    "1e3",
    "0x1f",
    "1_000",
    "~",
    "null",
    "2026-01-01",
    "12:30:45",
    "=",
    "<<",
    "y",
    "{}",
    "[a]",
    "$(A)",
    "$$(A)",
    "%h",
    "%%",
    "$A",
    "${A}",
    "a\nb",
    "{% if x %}{{ x }}{% endif %}",
)
WORDS = TEXTS | st.sampled_from(TYPED)


def write(form: str, tokens: list[str], env: dict[str, str]) -> str | None:
    """A start with these tokens; None if the form says that it cannot hold one of them."""
    groups = [["vllm", "serve", "org/m"], *([token] for token in tokens)]
    text, findings = write_argv(form, CommandLine(groups, shipped().catalog(NEWEST), env))
    codes = {item.code for item in findings}
    assume("not-in-file" not in codes)  # a secret
    assert codes <= {"not-expressible"}
    return None if findings else text


def is_held(form: str, tokens: list[str], env: dict[str, str]) -> bool:
    """Whether a form can hold them."""
    texts = [*tokens, *env.values()]
    if form == "quadlet" and any("\x80" in text for text in texts):
        return False
    return all(map(is_text, texts)) and not (form == "quadlet" and {"", ";"} & {*tokens})


def unix_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("form", STARTS)
@given(st.lists(WORDS | WORDS.map("--x={}".format), max_size=4), VARIABLES)
@example([text for text in PIECES if is_text(text) and text not in ("", ";", "\x80")], {})
@example([f"--x={text}" for text in (*PIECES, *TYPED) if is_text(text) and text != "\x80"], {})
@example([*TYPED], {"A": "x", "B": "$(A)"})
@example(["", ";", "\x80", "\udc80"], {})
def test_the_platform_starts_what_was_written(
    form: str, tokens: list[str], env: dict[str, str]
) -> None:
    text = write(form, tokens, env)
    assert (text is not None) == is_held(form, tokens, env)
    if text is None:
        return
    started = READERS[form](text)
    assert started.image == f"vllm/vllm-openai:v{NEWEST}"
    assert started.args == ["org/m", *tokens]
    assert started.env == env
    command = read_text(text, Context(), f"a.{'container' if form == 'quadlet' else form}")
    # A script may have come from Windows, so the reader of one makes line breaks of Unix's.
    if form == "docker":
        tokens = list(map(unix_breaks, tokens))
        env = {name: unix_breaks(value) for name, value in env.items()}
    assert strip_command(command.tokens)[0] == ["org/m", *tokens]
    known = {name: value for name, value in command.env.items() if not has_hole(value)}
    assert known.items() <= env.items()
    assert {name for name in env if "${" not in env[name]} <= known.keys()


@needs("docker")
@needs("bash")
def test_the_client_of_docker_creates_what_was_written(tmp_path: Path) -> None:
    tokens = [f"--x={text}" for text in (*PIECES, *TYPED) if is_text(text)]
    env = {f"V{at}": text for at, text in enumerate((*PIECES, *TYPED)) if is_text(text)}
    groups = [["vllm", "serve", "m"], *([token] for token in tokens)]
    values = {"--tensor-parallel-size": 2}
    line = CommandLine(groups, shipped().catalog(NEWEST), env, values=values)
    text = write_argv("docker", line)[0].replace("docker run", "docker create")
    with docker_client(tmp_path) as client:
        created = client.created(["bash", "-c", text])
    assert created["Image"] == f"vllm/vllm-openai:v{NEWEST}"
    assert created["Cmd"] == ["m", *tokens]
    assert dict(item.split("=", 1) for item in created["Env"]) == env
    assert created["Healthcheck"]["Test"][1:] == ["curl -fsS http://localhost:8000/health"]
    host = created["HostConfig"]
    assert (host["ShmSize"], host["DeviceRequests"][0]["Count"]) == (1 << 30, 2)
    assert host["PortBindings"]["8000/tcp"][0]["HostPort"] == "8000"


# --- what stands around the command line


def start(form: str, *tokens: str, vllm: str = NEWEST, **env: str) -> tuple[str, list[Finding]]:
    scope, _ = named_scope(vllm, "runpod", {}, None)
    resolved = settle_argv(["vllm", "serve", *tokens], scope)
    groups = [tokens for _, tokens in write_line(resolved, scope, "--model")[0]]
    line = CommandLine(groups, scope.catalog, env, values=resolved.values)
    return write_argv(form, line)


def pod(*tokens: str, vllm: str = NEWEST) -> dict[str, Any]:
    text, findings = start("k8s", *tokens, vllm=vllm)
    assert findings == []
    deployment, *services = yaml.safe_load_all(text)
    found: dict[str, Any] = deployment["spec"]["template"]["spec"]
    for service in services:
        (port,) = service["spec"]["ports"]
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert service["spec"]["selector"] == labels
        assert port["port"] == found["containers"][0]["ports"][0]["containerPort"]
    assert bool(services) == ("ports" in found["containers"][0])
    return found


@pytest.mark.parametrize(
    ("tokens", "gpus", "size"),
    [
        ([], 1, None),
        (["-tp", "2"], 2, "1Gi"),
        (["-tp", "2", "-pp", "3"], 6, "1Gi"),
        (["-dp", "4"], 4, None),
        (["-tp", "2", "-dp", "8"], 16, "2Gi"),
        (["--kv-offloading-size", "20"], 1, "21Gi"),
        (["--kv-offloading-size", "20", "-tp", "2"], 2, "22Gi"),
    ],
)
def test_gpus_and_memory_are_those_that_check_asks_for(
    tokens: list[str], gpus: int, size: str | None, tmp_path: Path
) -> None:
    found = pod("m", *tokens)
    assert found["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": gpus}}
    given = [item["emptyDir"].get("sizeLimit") for item in found.get("volumes", ())]
    assert given == ([size] if size else [])
    for form, file in {"k8s": "a.yaml", "compose": "b.yaml", "docker": "a.sh"}.items():
        text, _ = start(form, "m", *tokens)
        path = tmp_path / file
        path.write_text(text)
        assert {item.severity for item in check_file(path)} <= {"info"}
        fewer = {f"gpu: {gpus}": f"gpu: {gpus - 1}", f"count: {gpus}": f"count: {gpus - 1}"}
        fewer[f"--gpus {gpus}"] = f"--gpus {gpus - 1}"
        for old, new in fewer.items() if gpus > 1 else ():
            text = text.replace(old, new)
        path.write_text(text)
        assert [item.code for item in check_file(path) if item.severity == "error"] == (
            ["too-few-gpus"] if gpus > 1 else []
        )


@pytest.mark.parametrize(
    ("tokens", "port", "probe"),
    [
        ([], 8000, {"path": "/health", "port": 8000}),
        (["--port", "9"], 9, {"path": "/health", "port": 9}),
        (
            ["--ssl-keyfile=k", "--ssl-certfile=c"],
            8000,
            {"path": "/health", "port": 8000, "scheme": "HTTPS"},
        ),
        (["--ssl-keyfile=k", "--ssl-certfile=c", "--ssl-cert-reqs=2"], 8000, None),
        (["--grpc"], 8000, None),
        (["--uds=/run/vllm.sock"], None, None),
    ],
)
def test_what_a_probe_asks(
    tokens: list[str], port: int | None, probe: dict[str, Any] | None
) -> None:
    (container,) = pod("m", *tokens)["containers"]
    assert container.get("ports") == ([{"containerPort": port}] if port else None)
    for name in ("startupProbe", "readinessProbe"):
        assert container.get(name, {}).get("httpGet") == probe
    for form in ("compose", "docker", "quadlet"):
        text, _ = start(form, "m", *tokens)
        scheme = "https" if probe and "scheme" in probe else "http"
        assert (f"{scheme}://localhost:{port}/health" in text) == bool(probe)
        assert (f"{port}:{port}" in text) == bool(port)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3-8B", "qwen3-8b"), ("m", "m"), ("/models/My Model_2/", "my-model-2"), ("org/7B.chat", "vllm-7b-chat"), ("org/日", "vllm"),
        ("a" * 80, "a" * 63), ("s3://b/x:Q4_K", "x-q4-k"), ("org/null", "null"),
    ],
)  # fmt: skip
def test_it_is_called_after_its_model(model: str, name: str) -> None:
    for form in STARTS:
        text, _ = start(form, model)
        assert f"name: {name}\n" in text or f"name: '{name}'\n" in text or form != "k8s"
        assert name in text


def test_images_before_vllm_serve_take_the_model_as_an_option() -> None:
    for vllm, first in {"0.5.2": "--model=m", "0.11.0": "--model=m", "0.11.1": "m"}.items():
        (container,) = pod("m", vllm=vllm)["containers"]
        assert container["args"] == [first]
        assert container["image"] == f"vllm/vllm-openai:v{vllm}"


@pytest.mark.parametrize("form", STARTS)
def test_what_no_single_container_starts(form: str) -> None:
    for tokens in (
        ["--nnodes", "2", "--node-rank", "0", "--master-addr", "a"],
        ["--headless"],
        ["--data-parallel-size=4", "--data-parallel-size-local=2", "--data-parallel-address=a"],
    ):
        text, findings = start(form, "m", *tokens)
        assert (text, [(item.code, item.case) for item in findings]) == (
            "",
            [("not-expressible", "machines")],
        )
    assert start(form, "m", "--nnodes", "1", "--node-rank", "0")[1] == []
    assert [item.case for item in start(form, "--config", "a.yaml")[1]] == ["config"]


@pytest.mark.parametrize("form", STARTS)
def test_a_version_without_a_release_has_no_image(form: str) -> None:
    catalog = copy(shipped().catalog(NEWEST))
    catalog.version = "99.0.0"
    text, findings = write_argv(form, CommandLine([["vllm", "serve", "m"]], catalog))
    assert (text, [item.case for item in findings]) == ("", ["image"])


@pytest.mark.parametrize("form", STARTS)
def test_secrets_are_referred_to(form: str, tmp_path: Path) -> None:
    env = {
        "HF_TOKEN": "hf_abcdefghijkl",
        "VLLM_API_KEY": "k",
        "CUDA_VISIBLE_DEVICES": "3",
        "A": "b",
    }
    text, findings = start(form, "m", '--hf-overrides={"api_key":"sk-abcdefghijkl"}', **env)
    assert [item.case for item in findings] == [
        "secret",
        "visible",
        "compose" if form == "compose" else "reference",
    ]
    assert not any(value in text for value in ("abcdefghijkl", "VISIBLE"))
    started = READERS[form](text)
    own = {name: SECRET for name in env if name in started.env and name != "A"}
    assert started.env == {"A": "b", **own}
    assert started.args == ["m"]
    assert ("vllm.env" in text) == (form in ("docker", "quadlet"))
    assert own.keys() == ({"HF_TOKEN", "VLLM_API_KEY"} if form in ("k8s", "compose") else set())
