"""The library, warm: calls per second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from translator import args_to_env, env_to_args

from .inputs import DEPLOYMENT, VERSION, command_line, environment
from .rival import arguments


def microseconds(call: Callable[[], Any], seconds: float) -> float:
    """The best of several batches, a call."""
    call()
    started = time.perf_counter()
    call()
    number = max(1, int(0.02 / max(time.perf_counter() - started, 1e-7)))
    best = float("inf")
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        for _ in range(number):
            call()
        best = min(best, (time.perf_counter() - started) / number)
    return best * 1e6


def run(seconds: float) -> list[dict[str, object]]:
    """Each call with its microseconds and calls per second."""
    found: list[dict[str, object]] = []

    def measured(title: str, call: Callable[[], Any]) -> None:
        passed = microseconds(call, seconds)
        found.append({"call": title, "microseconds": passed, "per_second": 1e6 / passed})

    measured("the rival (stand-in): 58 variables, 20 translate", lambda: arguments(DEPLOYMENT))
    measured(
        "env_to_args: 58 variables, 20 translate", lambda: env_to_args(DEPLOYMENT, vllm=VERSION)
    )
    for count in (20, 200, 2000):
        env = environment(count)
        measured(f"env_to_args: {count} variables", lambda env=env: env_to_args(env, vllm=VERSION))
    for count in (20, 300):
        line = command_line(count)
        measured(f"args_to_env: {count} tokens", lambda line=line: args_to_env(line, vllm=VERSION))
    return found
