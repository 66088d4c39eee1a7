"""Streams that are closed or full: a log that cannot be written stops nothing, a result that cannot
be written is an error.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from support.program import HOME, entry_point

ENV = {
    "PYTHONPATH": HOME,
    "PYTHONSAFEPATH": "1",
    "LC_ALL": "C.UTF-8",
    "MODEL_NAME": "m",
    "HOST": "1",
}
# Of each way to write: a result, lines for people, argparse's help, the log of a start.
EACH_WAY = ["env-to-args", "tables list", "--help", "exec --dry-run"]
COMMANDS = [
    "env-to-args", "exec --dry-run", "tables list", "explain --seed", "args-to-env -- vllm serve m", "check", "convert -- vllm serve m",
    "--help", "exec --help", "--version", "completion bash",
]  # fmt: skip


def shell(line: str, **env: str) -> tuple[int, str, str]:
    """A line of a shell, where `T` is the program that is installed: its exit status, output and
    log.
    """
    with tempfile.TemporaryDirectory() as folder:
        script = f'T() {{ "{entry_point(Path(folder))}" "$@"; }}\n{line}\n'
        done = subprocess.run(
            ["/bin/sh", "-c", script],
            env={"PATH": os.defpath, **ENV, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [*((command, "") for command in COMMANDS), *((command, "1") for command in EACH_WAY)],
)
def test_a_result_that_cannot_be_written_is_an_error(command: str, unbuffered: str) -> None:
    for where, why in ((">&-", "standard output is closed"), (">/dev/full", "No space left")):
        status, _, log = shell(f"T {command} {where}", PYTHONUNBUFFERED=unbuffered)
        assert (status, why in log) == (1, True), (where, log)
        assert "internal error" not in log
    if command in EACH_WAY:
        assert shell(f"T {command} >&- 2>&-")[0] == 1


@pytest.mark.parametrize("command", EACH_WAY)
def test_a_log_that_cannot_be_written_loses_no_result(command: str) -> None:
    expected = shell(f"T {command}")
    assert expected[1]
    for where in ("2>&-", "2>/dev/full"):
        assert shell(f"T {command} {where}") == (expected[0], expected[1], "")


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full", "<&- 2>&-", ">&- 2>file"])
def test_vllm_is_started_whatever_becomes_of_the_log(where: str, tmp_path: Path) -> None:
    program = tmp_path / "vllm"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/started\nexit 7\n')
    program.chmod(0o755)
    status, _, _ = shell(f"cd {tmp_path}; T exec {where}", PATH=f"{tmp_path}:{os.defpath}")
    assert (status, (tmp_path / "started").read_text()) == (7, "serve m\n")


def test_standard_input_that_is_closed() -> None:
    status, _, log = shell("T args-to-env <&-")
    assert (status, "error: no command" in log) == (2, True)
    status, _, log = shell("T check --env-file - <&-")
    assert (status, "standard input is closed" in log) == (2, True)


def test_the_end_of_the_process_loses_nothing() -> None:
    """It does not wait for Python to take itself down: a long result through a pipe, and an exit
    status, arrive whole.
    """
    status, said, log = shell(
        "T tables show --vllm 0.33.0 --format json | cat; T env-to-args --vllm 0.33.0 >/dev/null; T"
        " explain NO_SUCH_THING; exit $?"
    )
    assert json.loads(said)["flags"]
    assert (status, "NO_SUCH_THING" in log) == (1, True)
    assert shell("T exec --dry-run | true")[0] == 0
    assert shell("T tables show --vllm 0.33.0 | head -c 1") == (0, "v", "")


@pytest.mark.parametrize(
    "line",
    [
        *(f"{command} --help" for command in ("check", "explain", "convert", "args-to-env", "exec")),
        "explain --seed", "args-to-env -- vllm serve org/m\u00e9", "check -- vllm serve org/m\u00e9", "check \u00e9.yaml",
        "env-to-args --env-file \u00e9.env", "exec --dry-run",
    ],
)  # fmt: skip
def test_a_locale_without_utf8(line: str, tmp_path: Path) -> None:
    """Files and command lines hold characters that such a locale's strings cannot."""
    (tmp_path / "\u00e9.env").write_text("MODEL_NAME=org/m\u00e9\n", "utf-8")
    compose = "services: {\u00e9: {image: vllm/vllm-openai, command: --model m\u00e9 --seed x}}\n"
    (tmp_path / "\u00e9.yaml").write_text(compose, "utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    status, output, log = shell(f"cd {tmp_path}; T {line}", **ascii_only, TOKENIZER="\u00e9")
    assert (status, output, log) == shell(f"cd {tmp_path}; T {line}", TOKENIZER="\u00e9")
    assert "internal error" not in log
