"""`translate check FILE`: what a file refers to, and what is said all the same where that is not
known.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.program import codes, translate

CONTAINER = {
    "name": "vllm", "image": "vllm/vllm-openai:v0.19.1", "env": [{"name": "HF_HOME", "value": "/x"}],
    "args": ["--model", "m", "--seed", "1", "--served-model-name", "\U0001f600"],
}  # fmt: skip
POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [CONTAINER]}}


@pytest.mark.parametrize(("name", "indent"), [("p.json", None), ("p.yaml", 4), ("p.json", "\t")])
@pytest.mark.parametrize(
    "whole",
    [
        POD,
        {"apiVersion": "v1", "kind": "List", "items": [POD]},
        [POD],
        {"services": {"a": CONTAINER}},
    ],
)
def test_a_manifest_in_json(
    name: str, indent: int | str | None, whole: object, tmp_path: Path
) -> None:
    """`kubectl get -o json` was taken for a shell script."""
    path = tmp_path / name
    text = json.dumps(whole, indent=indent)
    if "services" in text:
        text = text.replace('"args"', '"command"').replace('"env"', '"labels"')
    path.write_text(text)
    ran = translate("check", str(path))
    assert (ran.status, codes(ran.out)) == (0, [])
    assert "vLLM 0.19.1" in ran.err
    ran = translate("args-to-env", "--file", str(path))
    assert (ran.status, "SEED=1\n" in ran.out, "\U0001f600" in ran.out) == (0, True, True)
    path.write_text(text.replace('"1"', '"x"'))
    ran = translate("check", str(path))
    assert codes(ran.out) == [("error", "bad-integer")]
    path.write_text(text[: len(text) // 2])
    ran = translate("check", str(path))
    assert (ran.status, "not valid YAML" in ran.err) == (2, True)


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    """In a folder, or of a pattern; one that the command line names has to be readable."""
    (tmp_path / "good.sh").write_text("vllm serve m --seed x\n")
    (tmp_path / "latin.sh").write_bytes(b"# \xfc\nvllm serve m\n")
    (tmp_path / "nul.json").write_bytes(b"vllm\0serve")
    os.mkfifo(tmp_path / "pipe.yaml")  # nobody writes to it
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    for target in (str(tmp_path), str(tmp_path / "*.*")):
        ran = translate("check", target)
        assert (ran.status, codes(ran.out)) == (1, [("error", "bad-integer")])
        assert "2 of 3 files cannot be read: " in ran.err
        assert "latin.sh: not UTF-8" in ran.err
    ran = translate("check", str(tmp_path / "good.sh"), str(tmp_path / "latin.sh"))
    assert (ran.status, ran.out) == (2, "")
    assert "latin.sh: not UTF-8" in ran.err
    ran = translate("check", str(tmp_path / "no*such"))
    assert (ran.status, "No such file" in ran.err) == (2, True)
