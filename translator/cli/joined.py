"""Start the program that joins several machines, and vLLM on the first of them.

Where vLLM does not join machines itself, each of them runs that program (mappings/clusters names
its commands), and only the first runs vLLM. This module does on each machine what is to be done
there, and ends by becoming the last program: its signals and its exit status are the container's.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time

from translator.cli.exits import CANNOT_RUN, NOT_FOUND
from translator.cli.streams import log
from translator.tables.installed import program as path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from translator.env.cluster import Joined, Joining

PAUSE = 1.0  # seconds between two questions


def start(
    joined: Joining,
    argv: Sequence[str],
    env: Mapping[str, str],
    become: Callable[[Sequence[str], Mapping[str, str]], int],
) -> int:
    """Join this machine to the others; on the first, wait for them and become vLLM.

    Args:
        joined: how.
        argv: the command line of vLLM.
        env: the environment of both programs.
        become: replaces this process by a command, and returns only if that fails.

    Returns:
        The exit status, if the last program was not started.
    """
    # The kernel keeps signals from process 1 of a container that it does not handle itself.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os._exit(128 + number))
    place, program = joined.place, joined.program
    command = joined.command(place.address)
    path = path_of(command[0], env)
    if path is None:
        log("translate: ", ("error", "error:"), f" no program {command[0]!r} to start")
        return NOT_FOUND
    if place.rank:
        if not _within(program.patience, lambda: _answers(place.address, program.port)):
            return _given_up(program, "the first machine did not answer")
        return become(command, env)
    # What it prints is no output of vLLM.
    status = subprocess.call([path, *command[1:]], env=dict(env), stdout=2)
    if status:
        log("translate: ", ("error", "error:"), f" {command[0]!r} ended with status {status}")
        return CANNOT_RUN
    log(f"translate: waiting until {place.nodes} machines have joined {program.name}")
    if not _within(program.patience, lambda: _machines(program, path, env) >= place.nodes):
        return _given_up(program, f"fewer than {place.nodes} machines have joined")
    return become(argv, env)


def _given_up(program: Joined, why: str) -> int:
    log(
        "translate: ",
        ("error", "error:"),
        f" {program.name}: {why} in {program.patience} seconds",
    )
    return CANNOT_RUN


def _within(seconds: int, holds: Callable[[], bool]) -> bool:
    """Return whether a condition holds within some time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE)
    return True


def _answers(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=PAUSE).close()
    except (OSError, UnicodeError):  # UnicodeError: no name of a host
        return False
    return True


def _machines(program: Joined, path: str, env: Mapping[str, str]) -> int:
    """Return how many machines have joined."""
    listing = subprocess.run(
        [path, *program.listing.split()[1:]],
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        check=False,
    ).stdout
    return len(re.findall(program.listed, listing.decode(errors="replace"), re.MULTILINE))
