"""Law 4: what is printed for RunPod's worker, by the worker's published rules, is the same
configuration for its own vLLM.
"""

from __future__ import annotations

import pytest
from laws.test_runpod_worker import PINNED, VERSION, worker_argv

from translator import args_to_env

from . import forms
from .laws import SECRET_DESTS, Argv, Tally, assignments, both, ours, shell
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
    pairs: list[tuple[Argv, Argv, str]] = []
    for line in lines:
        done = ours(lambda line=line: args_to_env(["vllm", "serve", *line], vllm=version))
        if done.value is not None:
            pairs.append((line, tuple(worker_argv(done.value.env)), assignments(done.value.env)))
    pinned = {name.removeprefix("--") for name in PINNED}
    typed = parsers.parse(version, [line for line, _, _ in pairs])
    theirs = parsers.parse(version, [tokens for _, tokens, _ in pairs])
    for (line, tokens, env), real, worker in zip(pairs, typed, theirs, strict=True):
        if real.ok is None:
            continue  # carried over from another version, which the worker does not run
        tally.asked += 1
        mine = {name.partition("=")[0] for name in line if name.startswith("--") and name != "--"}
        ignored = set(SECRET_DESTS) | {
            name for name in pinned if not any(f"--{name}".startswith(item) for item in mine)
        }
        if worker.ok is None or worker.without(ignored) != real.without(ignored):
            tally.add(
                "differs",
                shell(line),
                f"  variables: {env}\n  the worker's: {shell(tokens)}\n{both(real, worker)}",
            )
        else:
            tally.accepted += 1
    tally.settle()
