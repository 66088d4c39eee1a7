"""`translate upgrade`: what only files on a disk show."""

import os
from pathlib import Path

import pytest
from support.program import translate

COMPOSE = """\
services:
  llm: {image: "vllm/vllm-openai:${TAG}", command: [--model, m, --swap-space, "4"]}
"""


@pytest.mark.parametrize("how", ["--write", "print"])
def test_what_keeps_one_file_from_being_written_keeps_all(how: str, tmp_path: Path) -> None:
    """The tag in one file, the flags in another."""
    (tmp_path / ".env").write_text("TAG=v0.10.2\n")
    (tmp_path / "compose.yaml").write_text(COMPOSE)
    os.link(tmp_path / ".env", tmp_path / "other")
    options = ["--write"] if how == "--write" else []
    ran = translate("upgrade", "--to", "0.33.0", *options, ".env", "compose.yaml", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, "")
    assert ".env: not written: the file has another name (a hard link)" in ran.err
    assert "0 files" in ran.err
    assert (tmp_path / ".env").read_text() == "TAG=v0.10.2\n"
    assert (tmp_path / "compose.yaml").read_text() == COMPOSE
    (tmp_path / "other").unlink()
    ran = translate("upgrade", "--to", "0.33.0", *options, ".env", "compose.yaml", cwd=tmp_path)
    assert ran.status == 0
    assert ("+TAG=v0.33.0" in ran.out) == (not options)
    assert ((tmp_path / ".env").read_text() == "TAG=v0.33.0\n") == bool(options)
