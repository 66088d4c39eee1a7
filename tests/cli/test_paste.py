"""What the page check.html shows: the answers of the command line, and nothing of a secret in a link."""

import json
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from support.program import process, translate

from translator.cli.paste import answer, holds_a_secret, paste
from translator.core.tables.catalog import shipped
from translator.reference.site import PYODIDE, SHELL, package, runtime

LINE = "vllm serve org/m \\\n  --max-model-len 8k \\\n  --swap-space 4\n"
VARIABLES = "# a model\nMODEL_NAME=org/m\nMAX_MODEL_LEN=8k\nENFORCE_EAGER=maybe\n"
MANIFEST = """\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.11.2
    args: ["--model", "org/m", "--task", "embed"]
"""
INPUTS = [
    (LINE, "command", {"source": "0.8.5", "target": "0.33.0"}),
    (VARIABLES, "variables", {"target": "0.27.1", "dialect": "lmi"}),
    (MANIFEST, "command", {}),
]


@pytest.mark.parametrize(("text", "kind", "choices"), INPUTS, ids=["line", "variables", "manifest"])
def test_the_answer_is_that_of_the_command_line(
    text: str, kind: str, choices: dict[str, str]
) -> None:
    found = paste(text, **choices)
    assert found["kind"] == kind
    for part in ("check", "command", "variables"):
        shown = found[part]
        done = translate(*shown["arguments"], stdin=text.encode())
        assert (shown["status"], shown["out"], shown["err"]) == (done.status, done.out, done.err)
    told = json.loads(found["check"]["out"])
    assert found["checked"] == told["checked"] != []
    assert [{**item, "mark": None} for item in found["findings"]] == [
        {**item, "mark": None} for item in told["findings"]
    ]


LOG = """\
INFO 11-02 10:00:00 [api_server.py:1] vLLM API server version 0.33.0
vllm: error: unrecognized arguments: --swap-space 4
"""


@pytest.mark.parametrize("kind", ["auto", "log"])
def test_a_log_is_explained(kind: str) -> None:
    explained = paste(LOG, kind)
    done = translate(*explained["check"]["arguments"], stdin=LOG.encode())
    assert explained["check"]["out"] == done.out
    assert (explained["kind"], explained["version"]) == ("log", "0.33.0")
    assert [(item["code"], item["mark"]) for item in explained["findings"]] == [("removed", 2)]
    assert not {"command", "variables"} & {*explained}


def test_a_text_that_is_nothing_is_no_log() -> None:
    assert paste("hello world\n")["kind"] == "command"


def test_every_part_is_for_the_same_version() -> None:
    """Else what `convert` writes would be for the newest, and the findings for the image's."""
    found = paste(MANIFEST)
    assert found["version"] == "0.11.2"
    assert "--task" in found["command"]["out"]
    assert "TASK" in found["variables"]["out"]
    assert paste(MANIFEST, target="0.33.0")["version"] == "0.33.0"
    assert paste(LINE)["version"] == shipped().versions()[-1]
    assert paste(VARIABLES)["version"] == "0.30.0"  # of RunPod's worker


def test_a_finding_marks_the_line_of_its_subject() -> None:
    found = paste(LINE, target="0.33.0")
    assert {item["subject"]: item["mark"] for item in found["findings"]}["--swap-space"] == 3
    found = paste(VARIABLES, target="0.33.0")
    assert [item["mark"] for item in found["findings"]] == [4]


def test_the_kind_may_be_named() -> None:
    assert paste("A=1 vllm serve m")["kind"] == "command"
    assert paste("MODEL_NAME=m", kind="command")["kind"] == "command"
    assert paste("export MODEL_NAME=m\n\n# no more")["kind"] == "variables"


@pytest.mark.parametrize("text", ["", "'", "hello", "{", "a: [", "\ud800", "\0"])
def test_no_text_breaks_it(text: str) -> None:
    found = json.loads(answer(json.dumps({"text": text})))
    assert "internal error" not in found["check"]["err"] + found["command"]["err"]


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve m --api-key tiger",
        "vllm serve m --api-key=tiger",
        "HF_TOKEN=tiger",
        "env:\n- name: HF_TOKEN\n  value: tiger",
        "docker run -e VLLM_API_KEY=tiger vllm/vllm-openai --model m",
        "vllm serve https://me:tiger@host/m",
        'vllm serve m --model-loader-extra-config \'{"api_key": "tiger"}\'',
        "echo hf_abcdefghijklmnopqrstuvwxyz",
        "vllm serve m --hf-tokn tiger",  # nobody knows what its value is
        "vllm serve m --hf-tokn='tiger",
        "vllm serve m  # sk-abcdefghijklmnopqrstuvwxyz",
    ],
)
def test_a_text_with_a_secret_gets_no_link(text: str) -> None:
    assert paste(text)["secret"]


@pytest.mark.parametrize(
    "text", [LINE, VARIABLES, MANIFEST, "vllm serve m --max-num-batched-tokens 8"]
)
def test_a_text_without_one_does(text: str) -> None:
    assert not holds_a_secret(text)


def test_the_zip_holds_all_that_the_page_runs(tmp_path: Path) -> None:
    """In a Python that has nothing else."""
    data = package()
    assert data == package()
    zipfile.ZipFile(BytesIO(data)).extractall(tmp_path)
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from translator.cli.paste import answer\n"
        f"print(answer({json.dumps({'text': LINE, 'target': '0.33.0'})!r}))"
    )
    done = process([sys.executable, "-I", "-S", "-c", script])
    assert json.loads(done.stdout) == paste(LINE, target="0.33.0")


def test_the_cache_is_named_by_what_is_in_it(tmp_path: Path) -> None:
    for name in PYODIDE:
        (tmp_path / name).write_text(name)
    shell = dict.fromkeys(SHELL, b"")
    files = dict(runtime(tmp_path, shell))
    other = dict(runtime(tmp_path, {**shell, SHELL[0]: b"changed"}))
    assert files == dict(runtime(tmp_path, shell))
    assert {path for path, content in files.items() if other[path] != content} == {"offline.js"}


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    for name in PYODIDE[1:]:
        (tmp_path / name).write_text(name)
    done = translate("tables", "site", "--output", str(tmp_path / "s"), "--pyodide", str(tmp_path))
    assert done.status == 2
    assert "pyodide.mjs" in done.err
