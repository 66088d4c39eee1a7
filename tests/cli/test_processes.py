"""The same with many things, on all processors: in processes of their own, since a test's process
may have threads, with which forking is unsafe.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.program import PLACE, PYTHON, translate

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")


def lines_of(call: str, count: int = 1000) -> list[str]:
    """What a program prints that calls `spread` with a function of `n`, on four processors."""
    program = f"""
import os, sys
os.cpu_count = lambda: 4
first = os.getpid()
from translator.cli.processes import spread
{call}
print(*spread(call, range({count}), "done"), sep="\\n")
"""
    done = subprocess.run(
        [PYTHON, "-c", program], env=PLACE, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout.splitlines() or [done.stderr.splitlines()[-1]]


def test_results_are_in_order_and_from_all_processes() -> None:
    found = lines_of("def call(n): return f'{n} {os.getpid()}'")
    assert [line.split()[0] for line in found] == [str(number) for number in range(1000)]
    assert len({line.split()[1] for line in found}) == 4


def test_a_few_things_are_done_in_one_process() -> None:
    found = lines_of("def call(n): return os.getpid()", 150)
    assert len(found) == 150
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    "failure",
    ["os._exit(3)", "os.kill(os.getpid(), 9)", "raise ValueError", "return lambda: n"],
    ids=["ends", "is killed", "raises", "cannot be pickled"],
)
def test_what_another_process_did_not_do_is_done_here(failure: str) -> None:
    found = lines_of(
        f"def call(n):\n    if n == 777 and os.getpid() != first:\n        {failure}\n    return n"
    )
    assert found == [str(number) for number in range(1000)]


def test_an_error_is_raised_as_in_one_process() -> None:
    found = lines_of("def call(n):\n    if n == 777: raise ValueError(n)")
    assert found == ["ValueError: 777"]


def test_text_keeps_its_place() -> None:
    found = lines_of("""
from translator.text.placed import place, whole
def call(n): return whole(f"{n}", "f")
spread_, spread = spread, lambda *a: [f"{place(a)}" for a in spread_(*a)]
""")
    assert set(found) == {"('f', 1, 1)"}


def test_many_files_are_checked_as_one_is(tmp_path: Path) -> None:
    flags = ("--swap-space 4", "--max-model-len 1k", "--wat")
    for number in range(210):
        (tmp_path / f"{number:03}.sh").write_text(f"vllm serve m {flags[number % 3]}\n")
    found = translate("check", "--vllm", "0.33.0", "--format", "github", str(tmp_path))
    alone = [
        translate("check", "--vllm", "0.33.0", "--format", "github", str(tmp_path / name)).out
        for name in ("000.sh", "001.sh", "002.sh")
    ]
    expected = [
        alone[number % 3].replace(f"{number % 3:03}.sh", f"{number:03}.sh") for number in range(210)
    ]
    assert found.out == "".join(expected)
    assert found.status == 1


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_the_program(end: signal.Signals, tmp_path: Path) -> None:
    """Its standard output ends with it: a process that kept it open made a pipeline wait for ever."""
    for number in range(1500):
        (tmp_path / f"{number}.sh").write_text(
            f"vllm serve m --seed {number} --served-model-name a b\n" * 3
        )
    program = "import os, sys; os.cpu_count = lambda: 4; from translator.cli import main; main()"
    output, there = os.pipe()
    started = subprocess.Popen(
        [PYTHON, "-c", program, "check", str(tmp_path)], env=PLACE, stdout=there, stderr=there
    )
    os.close(there)
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
    deadline = time.monotonic() + 30
    while len(children.read_text().split()) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    started.send_signal(end)
    started.wait(10)
    deadline = time.monotonic() + 20
    while select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
        if not os.read(output, 1 << 16):
            break
    else:
        pytest.fail("a process still holds the standard output")
    os.close(output)
