"""Whole processes: wall time and peak memory, each command in turn, so that what the machine does
meanwhile hits all of them alike.
"""

import collections
import compileall
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import translator

from ..support.program import entry_point
from .inputs import DEPLOYMENT, JSON, LINE, VERSION

HERE = Path(__file__).parent
Command = tuple[list[str], dict[str, str]]  # its arguments, and its environment
BARE, RIVAL = "python -I -c pass", "the rival (stand-in)"


def lay_out(root: Path, *, compiled: bool) -> Path:
    """The package in a folder as an installed wheel has it, with or without .pyc files."""
    package = root / "translator"
    shutil.copytree(
        Path(translator.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    entry_point(root)
    if compiled:
        compileall.compile_dir(package, quiet=1)
    return root


def commands(with_pyc: Path, without: Path) -> dict[str, Command]:
    """What is measured, by title."""
    there = DEPLOYMENT | {"PYTHONPATH": str(with_pyc), "PYTHONDONTWRITEBYTECODE": "1"}
    bare = there | {"PYTHONPATH": str(without)}
    ours, version = str(with_pyc / "translate"), ("--vllm", VERSION)
    dry_run = ("exec", *version, "--dry-run")
    return {
        BARE: ([sys.executable, "-I", "-c", "pass"], DEPLOYMENT),
        RIVAL: ([sys.executable, "-I", str(HERE / "rival.py")], DEPLOYMENT),
        "translate exec --dry-run": ([ours, *dry_run], there),
        "the same without .pyc files": ([str(without / "translate"), *dry_run], bare),
        "the same with two JSON values": ([ours, *dry_run], there | JSON),
        "translate env-to-args": ([ours, "env-to-args", *version], there),
        "translate args-to-env": ([ours, "args-to-env", *version, "--", *LINE], there),
        "translate check": ([ours, "check", *version, "--", *LINE], there),
        "translate convert": ([ours, "convert", "--to", VERSION, "--", *LINE], there),
        "translate explain": ([ours, "explain", "max-model-len"], there),
    }


# A child's peak memory counts what its parent held when it was started, so that a small parent has
# to start it: one with nothing imported.
LAUNCHER = """
import posix, sys, time
nothing = [(posix.POSIX_SPAWN_OPEN, number, "/dev/null", posix.O_RDWR, 0) for number in (0, 1, 2)]
started = time.perf_counter()
process = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ, file_actions=nothing)
_, status, usage = posix.wait4(process, 0)
print((time.perf_counter() - started) * 1000, usage.ru_maxrss, posix.waitstatus_to_exitcode(status))
"""


def once(command: list[str], env: dict[str, str]) -> tuple[float, int]:
    """Milliseconds and kilobytes of one run, in a folder from which nothing can be imported by
    accident.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, *command],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    passed, kilobytes, status = done.stdout.split()
    if status not in ("0", "1"):
        raise RuntimeError(f"{command} ended with {status}")
    return float(passed), int(kilobytes)


def spread(values: list[float]) -> dict[str, float]:
    """The median and the middle half."""
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "low": low, "high": high}


def run(runs: int) -> list[dict[str, object]]:
    """For each command: milliseconds, kilobytes, and its ratio to the bare interpreter and to the
    rival run by run.
    """
    times, memory = collections.defaultdict(list), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        titles = commands(lay_out(Path(one), compiled=True), lay_out(Path(other), compiled=False))
        for turn in range(runs + 2):
            for title, what in titles.items():
                passed, kilobytes = once(*what)
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
