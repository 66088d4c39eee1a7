"""The library, warm: calls per second."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from translator import args_to_env, env_to_args

from .inputs import DEPLOYMENT, VERSION, command_line, environment
from .rival import arguments

SECONDS = 1.0  # for each call


def microseconds(call: Callable[[], Any]) -> float:
    """The best of several batches, a call."""
    call()
    started = time.perf_counter()
    call()
    number = max(1, int(0.02 / max(time.perf_counter() - started, 1e-7)))
    best = float("inf")
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        started = time.perf_counter()
        for _ in range(number):
            call()
        best = min(best, (time.perf_counter() - started) / number)
    return best * 1e6


def run() -> list[dict[str, object]]:
    """Each call with its microseconds and calls per second."""
    environments = {count: environment(count) for count in (20, 200, 2000)}
    lines = {count: command_line(count) for count in (20, 300)}
    calls: dict[str, Callable[[], Any]] = {
        "the rival (stand-in): 58 variables, 20 translate": partial(arguments, DEPLOYMENT),
        "env_to_args: 58 variables, 20 translate": partial(env_to_args, DEPLOYMENT, VERSION),
        **{
            f"env_to_args: {count} variables": partial(env_to_args, env, VERSION)
            for count, env in environments.items()
        },
        **{
            f"args_to_env: {count} tokens": partial(args_to_env, line, VERSION)
            for count, line in lines.items()
        },
    }
    return [
        {"call": title, "microseconds": passed, "per_second": 1e6 / passed}
        for title, call in calls.items()
        for passed in [microseconds(call)]
    ]
