"""`check --fix` on files of every kind: only lines with something to correct change. (What is written:
tests/cases/program/check_fix.toml; that the real parser takes it: tests/real/test_fixes.py.)
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from pathlib import Path

from cases import NEWEST
from cases.test_files import FILES
from support.program import Ran, translate

# What `--fix` corrects in them, in the newest version.
OLD = ("--swap-space", "--max-seq-len-to-capture", "VLLM_USE_V1", "VLLM_RPC_TIMEOUT", "image=", "full_cuda_graph", "--preemption-mode", "--cuda-graph-sizes")  # fmt: skip
FIXABLE = {
    "replaced",
    "now-default",
    "removed",
    "bad-json",
    "unexpected-value",
    "repaired-variable",
}


def _check(paths: list[Path], *options: str) -> Ran:
    return translate("check", "--vllm", NEWEST, *options, *map(str, paths))


def test_files(tmp_path: Path) -> None:
    """Only lines with such a finding change, and fixing again changes nothing."""
    before = {}
    for at, entry in enumerate(FILES):
        text = entry["text"]
        if any(name in text for name in OLD):
            path = tmp_path / f"{at}-{Path(entry['path']).name}"
            path.write_text(text)
            before[path] = text
    assert len(before) > 15
    ran = _check(list(before), "--fix", "--format", "json")
    left = [item for item in json.loads(ran.out)["findings"] if item["code"] in FIXABLE]
    changed = 0
    for path, text in before.items():
        old, new = text.split("\n"), path.read_text().split("\n")
        parts = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        assert all(what != "insert" for what, *_ in parts)
        assert sum(end - start for what, start, end, *_ in parts if what != "equal") <= 8
        changed += old != new
    assert changed > 12
    assert len(left) <= 4, left
    assert _check(list(before), "--diff").out == ""
