"""`upgrade` on files of every kind: only lines with something to correct change. (What is written:
tests/cases/program/upgrade.toml and check_fix.toml; that the real parser takes it: tests/real/test_fixes.py.)
"""

import json
from difflib import SequenceMatcher
from pathlib import Path

from cases import NEWEST
from cases.test_files import FILES
from support.program import Ran, translate

# What is corrected in them, for the newest version.
OLD = ("--swap-space", "--max-seq-len-to-capture", "VLLM_USE_V1", "VLLM_RPC_TIMEOUT", "image=", "full_cuda_graph", "--preemption-mode", "--cuda-graph-sizes")  # fmt: skip
FIXABLE = {
    "replaced",
    "now-default",
    "removed",
    "bad-json",
    "unexpected-value",
    "repaired-variable",
}


def _upgrade(paths: list[Path], *options: str) -> Ran:
    return translate("upgrade", "--to", NEWEST, *options, *map(str, paths))


def test_files(tmp_path: Path) -> None:
    """Only lines with such a finding, or a version, change, and a second time changes nothing."""
    before = {}
    for at, entry in enumerate(FILES):
        text = entry["text"]
        if any(name in text for name in OLD):
            path = tmp_path / f"{at}-{Path(entry['path']).name}"
            path.write_text(text)
            before[path] = text
    assert len(before) > 15
    _upgrade(list(before), "--write")
    ran = translate("check", "--vllm", NEWEST, "--format", "json", *map(str, before))
    left = [item for item in json.loads(ran.out)["findings"] if item["code"] in FIXABLE]
    changed = 0
    for path, text in before.items():
        old, new = text.split("\n"), path.read_text().split("\n")
        parts = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        assert all(what != "insert" for what, *_ in parts)
        assert sum(end - start for what, start, end, *_ in parts if what != "equal") <= 8
        changed += old != new
    assert changed > 11
    assert len(left) <= 6, left  # of images of their own, which stay
    assert _upgrade(list(before)).out == ""
