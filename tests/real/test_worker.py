"""Law 4: what is printed for RunPod's worker, by the worker's published rules, is the same
configuration for its own vLLM.
"""

from __future__ import annotations

import pytest
from laws.test_runpod_worker import PINNED, VERSION, worker_argv

from translator import args_to_env

from . import forms
from .laws import SECRET_DESTS, Case, Ours, Tally, accepted, assignments, compare, ours, shell
from .parsers import Parsers


def test_every_flag_reaches_the_workers_vllm(version: str, parsers: Parsers, tally: Tally) -> None:
    """Every flag in every spelling that the round trip asks, for the version that the worker
    runs.
    """
    if version != VERSION:
        pytest.skip(f"the worker runs vLLM {VERSION}")
    lines = [
        line for line in forms.of(version) if not any(token.startswith("--conf") for token in line)
    ]
    pinned = {name.removeprefix("--") for name in PINNED}
    cases: list[Case] = []
    for line in accepted(parsers, version, lines):
        done = ours(lambda line=line: args_to_env(["vllm", "serve", *line], vllm=version))
        if done.value is None:
            continue
        mine = {name.partition("=")[0] for name in line if name.startswith("--") and name != "--"}
        hidden = set(SECRET_DESTS) | {
            name for name in pinned if not any(f"--{name}".startswith(item) for item in mine)
        }
        tokens = Ours(tuple(worker_argv(done.value.env)))
        shown = f"variables: {assignments(done.value.env)}"
        cases.append(Case(shell(line), tokens, line, hidden=hidden, shown=shown))
    compare(parsers, tally, cases)
    tally.settle()
