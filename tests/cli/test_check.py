"""`translate check`, as a process."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.program import translate

from translator import TranslationError, args_to_env
from translator.api.check import check_argv
from translator.cli import main, options
from translator.cli.check.checker import versions_in
from translator.cli.process import UsageError
from translator.settings.scope import scope as scope_of
from translator.tables.catalog import Tables, shipped

MANIFEST = """apiVersion: apps/v1
kind: Deployment
metadata: {name: v}
spec:
  template:
    spec:
      containers:
      - name: server
        image: vllm/vllm-openai:v0.19.1
        env:
        - name: VLLM_USE_DEEP_GEMM
          value: "true"
        - name: VLLM_PORT
          value: tcp://10.0.0.1:80
        args:
        - --model=org/m
        - --enable-prefix-caching=true
"""


def test_an_environment() -> None:
    ran = translate(
        "check",
        env={
            "MODEL_NAME": "m",
            "ENFORCE_EAGER": "maybe",
            "TENSOR_PARALELL_SIZE": "2",
            "MAX_CONCURRENCY": "3",
        },
    )
    assert ran.status == 1
    assert [line.partition("[")[0] for line in ran.out.splitlines()] == ["error", "warning", "info"]
    assert "1 error, 1 warning, 1 note" in ran.err
    ran = translate("check", env={"MODEL_NAME": "m"})
    assert (ran.status, ran.out) == (0, "")


def test_an_abbreviated_served_name_needs_no_model() -> None:
    """vLLM 0.25.1 takes it: before its parser, it looks for the flag's full name only."""
    for flag, refused in (("--ser", False), ("--served_model_name", True)):
        found = check_argv([flag, "abc"], {}, scope_of("0.25.1", "runpod", {}, shipped())[0])
        assert any(item.severity == "error" for item in found) == refused


@pytest.mark.parametrize("version", ["0.7.3", "0.12.0", "0.27.1", "0.33.0"])
@pytest.mark.parametrize("dialect", ["runpod", "sagemaker", "nim"])
@pytest.mark.parametrize(
    "line",
    [
        ["--max-modle-len 8k"],
        ["m", "--max-modle-len", "8k"],
        ["m", "--middleware", "a.b", "--middleware", "c.d"],
        ["m", "--task", "embed", "--swap-space", "4"],
        ["m", "--guided-decoding-backend", "xgrammar"],
        ["m", "--seed", "1", "--seed", "2", "--api-key", "sk-secretsecret"],
        ["m", "--otlp-traces-endpoint", "http://me:s3cretsecret@host"],
        ["m", "--served-model-name", "a", "--", "-b"],
        ["m", "--chat-template", "x" * 1100],
        ["m", "--chat-template", "a\0b"],
        ["m", "--enable-auto-tool-choice"],
        ["--seed", "1"],
        ["-x y", "--seed", "two"],
    ],
)
def test_it_says_no_less_of_the_line_than_args_to_env(
    line: list[str], dialect: str, version: str
) -> None:
    """`check -- vllm serve '--max-modle-len 8k'` had nothing to say. Of the variables that
    args-to-env writes it says nothing: nobody writes them.
    """
    try:
        said = args_to_env(["vllm", "serve", *line], version, dialect).findings
    except TranslationError as error:
        said = error.findings
    found = [
        (item.code, item.subject)
        for item in check_argv(
            ["vllm", "serve", *line], {}, scope_of(version, dialect, {}, shipped())[0]
        )
    ]
    of_variables = {
        "kept-in-extra-args", "consumer-default", "cannot-be-said", "over-limit",
        "consumer-differs", "older-consumer", "platform-breaks",
    }  # fmt: skip
    assert not of_variables.union({"secret-moved"}).intersection(code for code, _ in found)
    moved = {"secret-moved": "secret-on-argv"}  # check moves nothing
    assert [
        item
        for item in said
        if (moved.get(item.code, item.code), item.subject) not in found
        and item.code not in of_variables
    ] == []


def test_tables_of_ones_own_are_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were for every container, and once more for every file of properties."""
    path = tmp_path / "d.yaml"
    path.write_text(
        "services:\n"
        + "".join(
            f"  s{at}: {{image: x, environment: [MODEL_NAME=m, MAX_MODEL_LEN=8]}}\n"
            for at in range(3)
        )
    )
    asked: list[str] = []

    def counted(folder: str) -> Tables:
        asked.append(folder)
        return shipped()

    monkeypatch.setattr(options, "tables_from", counted)
    assert main(["check", "--tables", "mine", str(path), str(path)]) == 0
    assert asked == ["mine"]
    capsys.readouterr()


def test_annotations_for_github(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(MANIFEST)
    ran = translate("check", "--format", "github", str(path))
    assert (
        f"::error file={path},line=11,col=17,title=repaired-variable (vLLM"
        " 0.19.1)::`VLLM_USE_DEEP_GEMM=true`" in ran.out
    )
    assert all(line.startswith("::") for line in ran.out.splitlines())


def test_annotations_begin_with_errors_and_are_few(tmp_path: Path) -> None:
    """GitHub shows the first ten of each severity: each version had its own, in the order of the
    lines.
    """
    path = tmp_path / "d.yaml"
    path.write_text(MANIFEST.replace("tcp://10.0.0.1:80", "8000").replace("USE_DEEP", "USER_DEEP"))
    ran = translate("check", "--format", "github", "--vllm", "0.17.1..0.19.1", str(path))
    found = [line.split(" ")[0] for line in ran.out.splitlines()]
    assert found == sorted(found, key=("::error", "::warning", "::notice").index)
    error = next(line for line in ran.out.splitlines() if "unexpected-value" in line)
    assert "title=unexpected-value (vLLM 0.17.1 to 0.19.1)::" in error
    assert error.endswith("accepts no value.%0AWrite `--enable-prefix-caching`.")
    assert ran.out.count("title=unexpected-value ") == 1


def test_a_table_of_versions_in_under_a_second() -> None:
    began = time.perf_counter()
    ran = translate(
        "check",
        "--vllm",
        "0.8..0.33",
        "--",
        "vllm",
        "serve",
        "m",
        "--task",
        "embed",
        "--swap-space",
        "4",
        "--guided-decoding-backend",
        "xgrammar",
        "--wat",
    )
    assert time.perf_counter() - began < 5  # 0.5 s alone; the machine may be busy
    lines = ran.out.splitlines()
    assert lines[1].split()[:3] == ["vLLM", "all", "1"]
    assert lines[2].split()[:2] == ["0.8.0", "to"]
    assert lines[2].split()[3:5] == ["E", "E"]
    assert any(line.startswith(" 1 error[unknown-flag]") for line in lines)
    assert any(line.startswith("E error, W warning") for line in lines)
    assert ran.status == 1
    assert translate("check", "--vllm", "0.8..", "--", "vllm", "serve", "m").status == 0


def test_ranges() -> None:
    known = shipped().versions()
    assert versions_in("0.9..0.10", known) == [
        "0.9.0",
        "0.9.0.1",
        "0.9.1",
        "0.9.2",
        "0.10.0",
        "0.10.1",
        "0.10.1.1",
        "0.10.2",
    ]
    assert versions_in("0.6.6.post1..0.7.1", known) == ["0.6.6.post1", "0.7.0", "0.7.1"]
    assert versions_in("0.32..", known) == known[known.index("0.32.0") :]
    assert versions_in("..0.5.3", known) == ["0.5.2", "0.5.3"]
    assert versions_in("all", known) == known
    assert versions_in("0.19.1", known) == ["0.19.1"]
    for text in ("a..b", "99.0..", "0.9..0.8"):
        with pytest.raises(UsageError):
            versions_in(text, known)


def test_what_containers_have_in_common_is_numbered_once(tmp_path: Path) -> None:
    """In the tables of several versions, each container had all of it again."""
    path = tmp_path / "compose.yaml"
    service = "image: vllm/vllm-openai:v0.19.1\n    command: --model m --swap-space 4"
    path.write_text(
        "x-env: &env {VLLM_USER_V1: 1}\nservices:\n"
        f"  a:\n    {service}\n    environment: *env\n"
        f"  b:\n    {service} --dtype fp9\n    environment: *env\n"
    )
    ran = translate("check", str(path), "--vllm", "0.17.1", "--vllm", "0.19.1")
    numbers = [line.split() for line in ran.out.splitlines() if line.startswith("vLLM ")]
    assert numbers == [["vLLM", "all", *"1234"], ["vLLM", "all", *"51234"]]
    listed = [line for line in ran.out.splitlines() if line[:2].strip().isdecimal()]
    assert [line[:2].strip() for line in listed] == [*"1234", *"5124"]
    assert listed[-2].endswith(":9:24: error[dropped]: the same as above")
    assert ran.out.count("VLLM_USER_V1") == 1  # at the same place for both
