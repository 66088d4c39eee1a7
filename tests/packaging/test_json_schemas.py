"""docs/schemas: what the commands print and read is as described. What the cases in
tests/cases/program print is held against them, too.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import tomllib
from support.program import translate
from support.schemas import FOLDER, problems, schema

MAPPINGS = Path(__file__).parents[2] / "mappings" / "vllm"
LINE = "vllm serve org/m --max-modle-len 8k --swap-space 4 --seed $SEED"
SCRIPT = f"export SEED=two\n{LINE}\n"
RUNS = {
    "args-to-env": [["--", *LINE.split()[:3], "--swap-space", "4"]],
    "check": [
        ["--vllm", "0.27.1", "run.sh", "common.sh"],
        ["--env-file", "worker.env", "--dialect", "runpod@2.28.0"],
    ],
    "diff": [["0.8.5", "0.27.1"], ["0.9.2", "0.10.2"]],
    "env-to-args": [["--env-file", "worker.env"]],
    "explain": [
        ["--max-model-len", "bad-bool", "--task"],
        ["--file", "run.sh", "vllm: error: unrecognized arguments: --swap-space 4"],
        ["vllm: error: unrecognized arguments: --swap-space 4"],
    ],
    "tables-show": [["--vllm", "0.27.1"]],
    "upgrade": [["--to", "0.33.0", "start.sh", "worker.env"]],
}


def written(name: str, folder: Path) -> list[Any]:
    """What a command prints for each of its inputs."""
    (folder / "run.sh").write_text(SCRIPT)
    (folder / "common.sh").write_text('. ./of.sh\nvllm serve org/m --seed "$SEED"\n')
    (folder / "of.sh").write_text("SEED=8k\n")
    (folder / "start.sh").write_text("docker run vllm/vllm-openai:v0.10.2 --swap-space 4\n")
    (folder / "worker.env").write_text(
        "MODEL_NAME=org/m\nMAX_MODEL_LEN=8k\nVLLM_USE_DEEP_GEMM=true\n"
    )
    command = [*name.split("-" if name == "tables-show" else " "), "--format", "json"]
    runs = (translate(*command, *run, cwd=folder) for run in RUNS[name])
    return [json.loads(ran.out) for ran in runs]


def seen(value: Any) -> Iterator[str]:
    """The names of all fields in a document."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from seen(inner)


@pytest.mark.parametrize("name", RUNS)
def test_what_a_command_prints_is_described(name: str, tmp_path: Path) -> None:
    """Every field of it, and nothing is described that it never prints."""
    documents = written(name, tmp_path)
    assert [problems(name, document) for document in documents] == [[] for _ in documents]
    fields = {field for one in schema(name)["$defs"].values() for field in one["properties"]}
    assert fields - {field for document in documents for field in seen(document)} == set()


def test_every_schema_is_of_a_command_or_a_file() -> None:
    files = {f"vllm-{path.stem}" for path in MAPPINGS.glob("*.jsonl")}
    assert {path.stem for path in FOLDER.iterdir()} == {*RUNS, *files, "translate.toml"}


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ('vllm = ["0.19.1", "0.33.0"]\nfail-on = "warning"\nignore = "unknown-variable"', 0),
        ("quiet = true\nformat = 'json'", 0),
        ("vllm = 3", 2),
        ("quiet = 'yes'", 2),
        ("format = 'xml'", 2),
        ("dialect = ['runpod']", 2),
        ("fix = true", 2),
        ("fail_on = 'error'", 2),
    ],
)
def test_the_settings_that_check_takes(settings: str, status: int, tmp_path: Path) -> None:
    """The schema and the program refuse the same."""
    (tmp_path / "translate.toml").write_text(settings)
    assert translate("check", "--", "vllm", "serve", "m", cwd=tmp_path).status == status
    assert bool(problems("translate.toml", tomllib.loads(settings))) == bool(status)


@pytest.mark.parametrize("file", sorted(MAPPINGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_each_line_of_the_tables_is_described(file: Path) -> None:
    """And no line with a field more, or with a field of another type."""
    for line in file.read_text("utf-8").splitlines():
        fact = json.loads(line)
        assert problems(f"vllm-{file.stem}", fact) == [], line
    assert problems(f"vllm-{file.stem}", {**fact, "kinds": "int"})
    assert problems(f"vllm-{file.stem}", {**fact, "since": 3})
