"""`translate check`: which unknown variables of a whole application are worth a line each."""

from __future__ import annotations

import json
from pathlib import Path

from support.program import translate

SERVICE = """services:
  llm:
    image: vllm/vllm-openai:v0.10.2
    command: --model m --seed 1
    env_file: app.env
"""
OTHERS = ("VLLM_CHAT_ROLE", "VLLM_EMBED_PORT", "VLLM_IMAGE", "VLLM_REPO_URL", "VLLM_TOOLS")


def told(path: Path) -> list[tuple[str, str]]:
    ran = translate("check", str(path))
    lines = [line for line in ran.out.splitlines() if "[unknown-variable]" in line]
    return [(line.partition(": ")[0].rpartition("/")[2], line) for line in lines]


def test_the_variables_of_an_application_are_one_finding(tmp_path: Path) -> None:
    """Each had a line of its own, with a name that is like it only because both begin alike."""
    path = tmp_path / "compose.yaml"
    path.write_text(SERVICE)
    names = (*OTHERS, "VLLM_SEED", "VLLM_WEB_TITLE", "POSTGRES_HOST", "VLLM_LOGING_LEVEL")
    (tmp_path / "app.env").write_text("".join(f"{name}=1\n" for name in names))
    (first, several), (second, slip) = told(path)
    assert (first, second) == ("app.env:1", "app.env:9")
    assert all(f"`{name}`" in several for name in OTHERS)
    assert "and 2 other variables" in several
    assert "VLLM_LOGGING_LEVEL" in slip
    ran = translate("check", str(path), "--format", "json")  # for programs: each
    found = [item["subject"] for item in json.loads(ran.out)["findings"]]
    assert found.count("VLLM_IMAGE") == found.count("VLLM_WEB_TITLE") == 1


def test_a_variable_that_the_file_reads_itself_has_an_effect(tmp_path: Path) -> None:
    """To remove it, as the remedy was, breaks the file."""
    path = tmp_path / "run.sh"
    path.write_text("export VLLM_BRANCH=a VLLM_CHAT=b\ngit clone -b $VLLM_BRANCH x\nvllm serve m\n")
    ((_, line),) = told(path)
    assert "VLLM_BRANCH" not in line
    assert "VLLM_CHAT" in line
    path = tmp_path / "compose.yaml"
    text = SERVICE.replace("env_file: app.env", "environment: {VLLM_CHAT: '${VLLM_CHAT:-a}'}")
    path.write_text(text)
    assert len(told(path)) == 1
    path.write_text(text.replace("--seed 1", "--seed ${VLLM_CHAT}"))
    assert told(path) == []
