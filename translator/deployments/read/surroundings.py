"""What a container gets of its machine, as files write it: GPUs, and room in /dev/shm."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from translator.formats.references import has_hole

SHM = "/dev/shm"
_DEVICES = r"""["']*device=(?!all\b)([\w,:.-]+)["']*"""
_SIZE = r"(\d{1,15}(?:\.\d{1,9})?) ?([bkmgt]?)(i?)b?"


class Amount(NamedTuple):
    """A number of GPUs, or of bytes (0 for the default), as a file has it `written`, and the `form`
    of another one, with `%d` for GPUs or for GiB.
    """

    number: int
    written: str
    form: str


class Surroundings(NamedTuple):
    """What is certain of a container: None for what is not known, or as much as the machine has;
    and whether its GPUs are AMD's.
    """

    gpus: Amount | None = None
    shm: Amount | None = None
    is_amds: bool = False


def gpus_of(request: str, form: str, written: str = "") -> Amount | None:
    """Return the GPUs of a request, a number or `device=0,1`; None if it does not say how many."""
    devices = re.fullmatch(_DEVICES, request) if "device=" in request else None
    count = str(devices[1].count(",") + 1) if devices else request.removeprefix("count=")
    number = int(count) if count.isdecimal() and len(count) < 7 else 0
    return Amount(number, written or form.replace("%d", request), form) if number else None


def shm_of(size: str | None, mounts: Iterable[str], form: str) -> Amount | None:
    """Return the room in /dev/shm, of a size or by default, where no volume is mounted there."""
    if any(SHM in mount or has_hole(mount.partition(":")[2] or mount) for mount in mounts):
        return None
    if size is None:
        return Amount(0, "", form)
    match = re.fullmatch(_SIZE, size.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        return None
    # Kubernetes tells M from Mi.
    base = 1000 if "Gi" in form and not match[3] else 1024
    number = int(float(match[1]) * base ** "bkmgt".index(match[2].lower() or "b"))
    return Amount(number, f"{form[1:].partition('%')[0]}{size}", form) if number else None
