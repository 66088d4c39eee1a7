"""Whole processes: wall time and peak memory, each command in turn, so that what the machine does meanwhile hits all of them alike."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import translator

from .inputs import DEPLOYMENT, LINE, VERSION

HERE = Path(__file__).parent
BARE, RIVAL = "python -I -c pass", "the rival (stand-in)"


def program() -> list[str]:
    """The installed `translate`, or the module where there is none."""
    beside = Path(sys.executable).with_name("translate")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "translator"]


def commands() -> dict[str, list[str]]:
    """What is measured, by title."""
    ours = program()
    return {
        BARE: [sys.executable, "-I", "-c", "pass"],
        RIVAL: [sys.executable, "-I", str(HERE / "rival.py")],
        "translate exec --dry-run": [*ours, "exec", "--vllm", VERSION, "--dry-run"],
        "translate env-to-args": [*ours, "env-to-args", "--vllm", VERSION],
        "translate args-to-env": [*ours, "args-to-env", "--vllm", VERSION, "--", *LINE],
        "translate check": [*ours, "check", "--vllm", VERSION, "--", *LINE],
    }


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The benchmark's environment, with what an interpreter needs to find our package."""
    found = dict(settings)
    found["PYTHONPATH"] = str(Path(translator.__file__).parent.parent)
    return found


# A child's peak memory counts what its parent held when it was started, so that a small parent has to start it: one with nothing imported.
LAUNCHER = """
import posix, sys, time
nothing = [(posix.POSIX_SPAWN_OPEN, number, "/dev/null", posix.O_RDWR, 0) for number in (0, 1, 2)]
started = time.perf_counter()
process = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ, file_actions=nothing)
_, status, usage = posix.wait4(process, 0)
print((time.perf_counter() - started) * 1000, usage.ru_maxrss, posix.waitstatus_to_exitcode(status))
"""


def once(command: list[str], env: Mapping[str, str]) -> tuple[float, int]:
    """Milliseconds and kilobytes of one run, in a folder from which nothing can be imported by accident."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *command], env=dict(env), capture_output=True, text=True, check=True, cwd="/")
    passed, kilobytes, status = done.stdout.split()
    if status not in ("0", "1"):
        raise RuntimeError(f"{command} ended with {status}")
    return float(passed), int(kilobytes)


def spread(values: list[float]) -> dict[str, float]:
    """The median and the middle half."""
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "low": low, "high": high}


def run(runs: int) -> list[dict[str, object]]:
    """For each command: milliseconds, kilobytes, and its ratio to the bare interpreter and to the rival run by run."""
    env = environment(DEPLOYMENT)
    titles = commands()
    times: dict[str, list[float]] = {title: [] for title in titles}
    memory: dict[str, list[float]] = {title: [] for title in titles}
    for turn in range(runs + 2):
        for title, command in titles.items():
            passed, kilobytes = once(command, env)
            if turn >= 2:  # the first two warm the caches
                times[title].append(passed)
                memory[title].append(kilobytes)
    found = []
    for title in titles:
        to_bare = [mine / bare for mine, bare in zip(times[title], times[BARE], strict=True)]
        to_rival = [mine / theirs for mine, theirs in zip(times[title], times[RIVAL], strict=True)]
        more = statistics.median(memory[title]) - statistics.median(memory[BARE])
        found.append({
            "command": title, "milliseconds": spread(times[title]), "to_bare": spread(to_bare), "to_rival": spread(to_rival),
            "kilobytes": statistics.median(memory[title]), "kilobytes_above_bare": more,
        })  # fmt: skip
    return found


def from_source(runs: int) -> dict[str, float]:
    """The entrypoint without compiled `.pyc` files of its own (a read-only image that was built without them), against the bare interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(translator.__file__).parent
        shutil.copytree(package, Path(folder) / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        env = {**DEPLOYMENT, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "translator", "exec", "--vllm", VERSION, "--dry-run"]
        ratios = [once(command, env)[0] / once([sys.executable, "-I", "-c", "pass"], env)[0] for _ in range(runs)]
    return spread(ratios)
