"""Twice the input against once: CPU time, and the most memory."""

import gc
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

RATIO = 2.6
"""Of the times of an input and of half of it."""
TRIES = 4
"""Calls before a ratio counts."""
DOUBLINGS = 3
"""Of an input that seems to grow too fast, each of which has to show it."""


class TooLong(BaseException):
    """A call took longer than any of its size may."""


class Growth(NamedTuple):
    """Of the largest input measured.

    Attributes:
        size: of half of it.
        half, whole: seconds of CPU.
    """

    size: int
    half: float
    whole: float

    @property
    def ratio(self) -> float:
        return self.whole / max(self.half, 1e-6)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End what takes more CPU than that; a test's own process has the signal to itself."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(run: Callable[[Any], object], given: Any) -> float:
    """Of CPU, for one call, without the collector of garbage, whose turns come as they come."""
    gc.collect(0)
    gc.disable()
    try:
        # Of the thread: while a timer runs, Linux counts that of a process in ticks.
        started = time.thread_time()
        run(given)
        return time.thread_time() - started
    finally:
        gc.enable()


def growth(
    make: Callable[[int], Any],
    run: Callable[[Any], object],
    *,
    start: int = 256,
    least: float = 0.004,
    most: int = 1 << 18,
    most_seconds: float = 5,
) -> Growth:
    """Double an input until half of it takes `least` seconds, or it is `most` large, and measure.

    Each call gets an input of its own, since names that were read before are read faster. What
    seems to grow too fast is called again, and then doubled further: another process may have
    had the processor, and a cache may just be full. What is quadratic stays so.

    Raises:
        TooLong: all of it took `most_seconds`.
    """
    with limited(most_seconds):
        run(make(start))  # what is imported and kept, the first call pays
        size, doublings = start, 0
        half = seconds(run, make(size))
        while True:
            whole = seconds(run, make(2 * size))
            if half >= least or 2 * size >= most or doublings:
                for _ in range(TRIES):
                    if whole < RATIO * half:
                        break
                    half = min(half, seconds(run, make(size)))
                    whole = min(whole, seconds(run, make(2 * size)))
                if whole < RATIO * half or doublings == DOUBLINGS:
                    return Growth(size, half, whole)
                doublings += 1
            size, half = 2 * size, whole


def peak(run: Callable[[Any], object], given: Any) -> int:
    """The most bytes that a call holds at once, beside what was there."""
    run(given)  # what is kept, the first call keeps
    gc.collect()
    tracemalloc.start()
    try:
        run(given)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
