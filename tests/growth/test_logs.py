"""Twice a log takes less than 2.6 times the time: of each pattern, an example of its own, again and
again in one line; and what was quadratic once.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.program import in_process

from growth.measure import RATIO, growth
from translator.core.tables.catalog import MESSAGES, RELATIONS, shipped

if sys.version_info >= (3, 11):
    from re import _parser as grammar
else:
    import sre_parse as grammar


def _patterns() -> Iterator[str]:
    tables = shipped()
    yield from (entry["says"] for entry in tables.records(MESSAGES).values())
    yield from (one["says"] for one in tables.records(RELATIONS).values() if "says" in one)


def _example(parsed: Any) -> str:
    """What a pattern matches."""
    found = ""
    for kind, given in parsed:
        name = str(kind)
        if name == "LITERAL":
            found += chr(given)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            found += _example(given[2]) * max(given[0], 1)
        elif name == "SUBPATTERN":
            found += _example(given[-1])
        elif name == "BRANCH":
            found += _example(given[1][0])
        elif name == "IN" and str(given[0][0]) == "LITERAL":
            found += chr(given[0][1])
        elif name in ("IN", "NOT_LITERAL", "ANY"):
            found += "1"
    return found


def _explained(text: str) -> None:
    status, _, err = in_process(["explain", "-"], text.encode(), {})
    assert status in (0, 1), err
    assert "internal error" not in err


@pytest.mark.parametrize("pattern", dict.fromkeys(_patterns()))
def test_each_pattern_of_a_log(pattern: str) -> None:
    """Whole, and less its end, which makes every beginning one that fails late."""
    text = _example(grammar.parse(pattern))
    assert re.search(pattern, text)
    for unit in (text, text[:-1], text[: len(text) // 2]):
        grown = growth(unit.__mul__, partial(re.search, pattern), start=64, most=1 << 13)
        assert grown.ratio < RATIO, (unit, grown)


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "a" * size,
        lambda size: "aB3/+x" * size,
        lambda size: "[a] " * size,
        lambda size: "\x1b[" * size + "0m" * size,
        lambda size: "Free memory on device " * size,
        lambda size: "model's max seq len (1), (1.0 GiB " * size,
        lambda size: "NCCL error " * size,
        lambda size: "error: argument -" + "a" * size,
        lambda size: "error: argument --x: " + "Value " * size,
        lambda size: "1 validation error for X\nfoo\n  a" + " [type=x, input_value=" * size,
        lambda size: "HF_TOKEN hunter2hunter2 'api_key': ['x\n" * size,
        lambda size: "vllm: error: unrecognized arguments: --a b\n" * size,
        lambda size: "".join(f"INFO 11-28 10:00:00 [loggers.py:{at}] Running: {at} reqs\n" for at in range(size // 16)),
    ],
    ids=["a word", "base64", "brackets", "colours", "memory", "length", "NCCL", "an argument", "values", "keys", "secrets", "lines", "lines that differ"],
)  # fmt: skip
def test_logs(text: Callable[[int], str]) -> None:
    grown = growth(text, _explained, start=512, most=1 << 15)
    assert grown.ratio < RATIO, grown


def _pods(count: int) -> str:
    """Documents that start an old vLLM, each with two mistakes to fix."""
    pod = """kind: Pod
metadata: {name: pNUMBER}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.9.2
    args: ["--model", "org/mNUMBER", "--enable_prefix_caching", "--dtype", "bf16"]
"""
    return "---\n".join(pod.replace("NUMBER", str(at)) for at in range(count))


def _command(folder: Path, name: str, line: str, text: str) -> None:
    path = folder / name
    path.write_text(text)
    status, _, err = in_process([*line.split(" "), str(path)], b"", {})
    assert status in (0, 1), err


@pytest.mark.parametrize(
    ("name", "line", "text"),
    [
        ("requirements.txt", "upgrade --to 0.33.0", lambda size: "vllm==0.10.2\n" + "\n" * size),
        ("requirements.txt", "upgrade --to 0.33.0", lambda size: "vllm==0.10.2 " * size),
        ("uv.lock", "upgrade --to 0.33.0", lambda size: 'name = "vllm"\nversion = "0.10.2"\n' * size),
        ("run.sh", "check --vllm 0.33.0 --diff", lambda size: "".join(f"vllm serve m{at} --swap-space 4 --runner generate --task embed\n" for at in range(size // 16))),
        ("run.sh", "check --vllm 0.33.0", lambda size: "".join(f"export A{at}=x\nvllm serve m{at} --seed {at}\n" for at in range(size // 16))),
        ("pods.yaml", "check --diff", lambda size: _pods(size // 16)),
        ("pods.yaml", "upgrade --to 0.33.0", lambda size: _pods(size // 16)),
    ],
    ids=["blank lines", "again in a line", "locked", "fixes that do not hold", "exports and commands", "documents to fix", "documents to move"],
)  # fmt: skip
def test_files(name: str, line: str, text: Callable[[int], str], tmp_path: Path) -> None:
    grown = growth(text, partial(_command, tmp_path, name, line), start=256, most=1 << 12)
    assert grown.ratio < RATIO, grown


@pytest.mark.parametrize("line", ["check --diff", "upgrade --to 0.33.0"])
@pytest.mark.parametrize("has_variables", [False, True], ids=["alone", "with variables"])
def test_folders(line: str, has_variables: bool, tmp_path: Path) -> None:
    """Each file is fixed alone, and with the .env beside it."""
    value = "${VLLM_USE_V1}" if has_variables else "1"
    text = f"""services:
  vllm:
    image: vllm/vllm-openai:v0.9.2
    command: --model org/m --dtype bf16
    environment: {{VLLM_USE_V1: "{value}"}}
"""

    def folder_of(count: int) -> Path:
        above = tmp_path / str(count)
        for at in range(count):
            folder = above / str(at)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "compose.yaml").write_text(text)
            if has_variables:
                (folder / ".env").write_text("VLLM_USE_V1=1\n")
        return above

    def run(folder: Path) -> None:
        status, _, err = in_process([*line.split(" "), str(folder)], b"", {})
        assert status in (0, 1), err

    grown = growth(folder_of, run, start=64, most=512, most_seconds=20)
    assert grown.ratio < RATIO, grown
