"""Do the same with many things, on all processors."""

from __future__ import annotations

import os
import sys

from translator.cli.terminal import counting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")
    R = TypeVar("R")

# Things for one process: with fewer, starting another one takes longer than it saves.
_LEAST = 100


def spread(call: Callable[[T], R], items: Sequence[T], done: str) -> list[R]:
    """Return what a function returns for each item, which can be pickled.

    Args:
        call: the function. What it changes is lost: it may run in a copy of this process.
        items: what to call it with.
        done: what is done with an item, for `counting`.
    """
    processes = max(1, min(_processors(), len(items) // _LEAST))
    shares = [items[at::processes] for at in range(processes)]
    others = [_start(call, share) for share in shares[1:]]
    found = [[call(item) for item in counting(shares[0], done, sys.stderr, processes)]]
    for share, other in zip(shares[1:], others):
        made = _finish(*other) if other is not None else None
        # What went wrong in the other process is done again here, where its errors are told.
        found.append([call(item) for item in share] if made is None else made)
    return [found[at % processes][at // processes] for at in range(len(items))]


def _processors() -> int:
    return (os.cpu_count() or 1) if hasattr(os, "fork") else 1


def _start(call: Callable[[T], R], share: Sequence[T]) -> tuple[int, int] | None:
    """Start a process for some of the items; return its number, and where it writes. None if there
    may be no more processes, as in many a container. It ends when this process does, whatever ends
    it: else it would keep the standard output of both open.
    """
    import pickle

    output, there = os.pipe()
    parent = os.getpid()
    try:
        process = os.fork()
    except OSError:
        os.close(output)
        os.close(there)
        return None
    if process:
        os.close(there)
        return process, output
    status = 1
    try:
        os.close(output)  # with it open, writing would wait for a parent that was killed
        made = []
        for item in share:
            if os.getppid() != parent:
                return None
            made.append(call(item))
        packed = pickle.dumps(made)
        with open(there, "wb") as pipe:
            pipe.write(packed)
        status = 0
    finally:
        os._exit(status)


def _finish(process: int, output: int) -> list[Any] | None:
    """Return what a process made; None if it failed."""
    import pickle

    with open(output, "rb") as pipe:
        made = pipe.read()
    _, status = os.waitpid(process, 0)
    return None if status else pickle.loads(made)
