"""What a container lacks for the vLLM in it (containers.toml)."""

from pathlib import Path
from typing import Any

import pytest

from cases import table
from translator import check_file

CASES = table("containers")
CODES = ("too-few-gpus", "small-shm")


def _findings(text: str, folder: Path, file: str = "") -> list[Any]:
    path = folder / (file or ("a.sh" if text.startswith(("docker", "apptainer")) else "a.yaml"))
    path.write_text(text, "utf-8")
    findings = check_file(path)
    assert not [item for item in findings if item.severity == "error" and item.code not in CODES]
    return [item for item in findings if item.code in CODES]


@pytest.mark.parametrize("case", CASES["refused"].values(), ids=CASES["refused"])
def test_what_is_refused(case: dict[str, Any], tmp_path: Path) -> None:
    findings = _findings(case["text"], tmp_path, case.get("file", ""))
    assert [f"{item.severity} {item.code}" for item in findings] == case["codes"]
    assert case.get("says", "") in "".join(f"{item.message} {item.hint}" for item in findings)
    text = case["text"]
    for old, new in case["before"].items():
        assert old in text
        text = text.replace(old, new)
    assert _findings(text, tmp_path, case.get("file", "")) == []


@pytest.mark.parametrize("text", [pytest.param(it, id=why) for why, it in CASES["fine"].items()])
def test_what_looks_alike_and_is_fine(text: str, tmp_path: Path) -> None:
    assert _findings(text, tmp_path) == []
