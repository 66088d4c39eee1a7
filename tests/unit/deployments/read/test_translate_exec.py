"""The project's own entrypoint in manifests, compose files and commands: its variables and its
tokens are checked as it would read them.
"""

import shlex
from pathlib import Path

import pytest
from support.documents import ROOT, blocks
from support.program import codes, translate

from translator.deployments.read import Context
from translator.deployments.read.registry import read_text
from translator.deployments.read.unwrap import read_tokens

(POD,) = blocks(ROOT / "docs" / "containers.md", "yaml")
(CLUSTER,) = blocks(ROOT / "docs" / "platforms.md", "yaml")


def test_what_it_stands_for(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    ran = translate("convert", "--to", "0.30.0", stdin=path.read_bytes())
    line = "vllm serve org/model --host=0.0.0.0 --max-model-len=25600 --port=8000"
    assert (ran.status, ran.out.split()[:6]) == (0, line.split())
    ran = translate("args-to-env", "--file", str(path))
    assert ran.out.splitlines()[:2] == ["MAX_MODEL_LEN=25600", "MODEL_NAME=org/model"]
    assert "VLLM_EXTRA_ARGS='--host=0.0.0.0 --port=8000'" in ran.out
    path.write_text(CLUSTER)
    ran = translate("convert", stdin=path.read_bytes())
    line = "vllm serve org/large-model --host=0.0.0.0 --port=8000 --tensor-parallel-size=16\n"
    assert (ran.out, "`--cluster lws`" in ran.err) == (line, True)
    path.write_text(CLUSTER.replace('"16"', "16x"))
    wrong = [("warning", "unresolved-value"), ("error", "bad-integer")]
    for command in ("convert", "args-to-env"):
        ran = translate(command, stdin=path.read_bytes())
        assert (ran.status, ran.out, codes(ran.err)) == (1, "", wrong)


@pytest.mark.parametrize(
    "line",
    [
        "translate exec --", "/usr/local/bin/translate exec --vllm=0.27.1 --", "tini -- translate exec --", "python3 -I -m translator exec --",
        "sh -c 'export A=b; exec translate exec -- --port 80x'", "docker run --entrypoint translate registry.example/llm exec --",
        "docker run -e MODEL_NAME=m -e MAX_MODEL_LEN=8 registry.example/vllm:v0.30.0",
    ],
)  # fmt: skip
def test_the_forms_of_its_command(line: str) -> None:
    tokens = shlex.split(line) + ["--port", "80x"] * ("80x" not in line)
    done = read_tokens(tokens, Context(dialect="runpod"))
    assert done.entry is not None
    assert (done.tokens, done.findings[1:]) == (["--port", "80x"], [])
    ran = translate("check", "--", *tokens)
    assert [item for item in codes(ran.out) if item[0] == "error"] == [("error", "bad-integer")]


def test_its_options_count() -> None:
    done = read_text(
        "MY_SEED=1 translate exec --dialect prefix:MY_ --cluster=lws --vllm 0.12.0 --worker-defaults --"
        " --port 1"
    )
    assert done.entry is not None
    entry = done.entry
    found = (entry.dialect, entry.cluster, entry.worker_defaults, done.vllm)
    assert found == ("prefix:MY_", "lws", True, "0.12.0")
    assert read_text("TRANSLATE_VLLM_VERSION=0.13.0 translate exec").vllm == "0.13.0"
    line = "MY_SEED=a MY_MODEL=m SEED=b translate exec --dialect prefix:MY_"
    ran = translate("check", "--", *line.split())
    assert codes(ran.out) == [("error", "bad-integer")]
    assert "MY_SEED=a" in ran.out
    assert "`--tables` of" in read_text("translate exec --tables /x").findings[0].message


@pytest.mark.parametrize(
    "text",
    [
        "docker run -e MY_SEED=1 vllm/vllm-openai:v0.30.0 --model m",
        "docker run -e MY_SEED=1 registry.example/llm vllm serve m --seed $MY_SEED",
        "docker run -e MY_SEED=1 --entrypoint vllm registry.example/llm serve m",
        "image: vllm/vllm-openai-rocm:v0.30.0\nenv: [{name: MY_SEED, value: '1'}]\nargs: [--model, m]",
        "image: x\nenv: [{name: MY_SEED, value: '1'}]\ncommand: [sh, -c, vllm serve m]",
        (
            "image: company/vllm:v0.30.0\nenv: [{name: MY_SEED, value: '1'}]\nargs: [--model, m,"
            " --seed, $(MY_SEED)]"
        ),
    ],
)
def test_vllm_itself_reads_no_variables_of_a_dialect(text: str) -> None:
    done = read_text(text, Context({"MY_SEED": "1"}, dialect="prefix:MY_"))
    assert done.entry is None
    assert done.tokens[:2] == ["vllm", "serve"]


def test_the_names_by_which_a_container_is_known() -> None:
    reads = Context(dialect="runpod").reads
    assert all(map(reads, (["MODEL_NAME", "MAX_MODEL_LEN"], ["VLLM_EXTRA_ARGS"])))
    for names in ("HF_TOKEN PATH VLLM_USE_V1", "SEED ALLOWED_ORIGINS PORT", "MAX_MODEL_LEN"):
        assert not reads(names.split())
    assert not reads(["MODEL_NAME", "ALLOWED_ORIGINS", "SEED"])
    assert reads(["SEED"], 0)
    assert Context(dialect="sagemaker").reads(["SM_VLLM_SEED"])
    assert not Context(dialect="no such dialect").reads(["MODEL_NAME"], 0)
    assert not Context().reads(["MODEL_NAME"])
