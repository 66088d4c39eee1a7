"""What a container gets of its machine, as files write it: GPUs, and room in /dev/shm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from translator.formats.classes import evolve, frozen
from translator.formats.references import has_hole

SHM = "/dev/shm"
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([bkmgt]?)(i?)b?", re.IGNORECASE | re.ASCII)
_DEVICES = re.compile(r"""["']*device=([\w,:.-]+)["']*""")
_COUNT = re.compile(r"(?:count=)?(\d{1,6})")
NUMBER = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_MOUNTED = re.compile(rf"(?:.*:)?{SHM}/?(?::.*)?|.*(?:dst|destination|target)={SHM}/?(?:,.*)?")
_RAY = re.compile(r"\bray|\bmulti-node-serving")
_MOUNTS = ("-v", "--volume", "--mount", "--tmpfs")


@frozen
class Amount:
    """What a container gets, as its file writes it, and how that writes another number.

    Attributes:
        number: of GPUs, or of bytes; None for the default.
        written: as the file has it; "" for the default.
        form: with `%d` for a number of GPUs, or of GiB.
        other: what helps, too, or "".
    """

    number: int | None = None
    written: str = ""
    form: str = ""
    other: str = ""


@frozen
class Surroundings:
    """What is certain of a container.

    Attributes:
        gpus, shm: None where it is not known, or is as much as the machine has.
        is_amds: whether its GPUs are AMD's.
        uses_ray: whether its command mentions Ray.
    """

    gpus: Amount | None = None
    shm: Amount | None = None
    is_amds: bool = False
    uses_ray: bool = False

    def around(self, words: Iterable[str]) -> Surroundings:
        """Return what is certain where the command, which may mount another, has these words."""
        text = "\n".join(words)
        has_ray, mounts = _RAY.search(text) is not None, SHM in text
        if not (has_ray or mounts):
            return self
        return evolve(self, shm=None if mounts else self.shm, uses_ray=has_ray)


def shm_of(
    size: str | None, mounts: Iterable[str], default: Amount, key: str = ""
) -> Amount | None:
    """Return the room in /dev/shm, where no volume is there.

    Args:
        size: as it is written; None for the default.
        mounts: the volumes and file systems, with their targets.
        key: what stands in front of the size.
    """
    for mount in mounts:
        target = mount.partition(":")[2] or mount
        if has_hole(target) or _MOUNTED.fullmatch(mount):
            return None
    match = _SIZE.fullmatch(size.strip()) if size is not None else None
    if match is None:
        return default if size is None else None
    # Kubernetes tells M from Mi.
    base = 1000 if default.form.endswith("Gi") and not match[3] else 1024
    number = int(float(match[1]) * base ** "bkmgt".index(match[2].lower() or "b"))
    return evolve(default, number=number, written=f"{key}{size}") if number else None


def of_options(
    pairs: Sequence[tuple[str, str]], options: Sequence[str], is_quadlet: bool = False
) -> Surroundings:
    """Return what `docker run` and its like give a container.

    Args:
        pairs: their options with their values.
        options: all of their words.
        is_quadlet: whether the words are those of a Quadlet.
    """
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    known = {value for _, value in pairs}
    words = [word for word in options if word[:1] != "-" and word not in known]
    if any(has_hole(word) or word in ("...", "…") for word in words):
        return Surroundings()  # they may be more options
    gpus: Amount | None = None
    given = values.get("--gpus", [])
    if len(given) == 1 and "--privileged" not in options:
        count, devices = _COUNT.fullmatch(given[0]), _DEVICES.fullmatch(given[0])
        number = int(count[1]) if count else devices[1].count(",") + 1 if devices else 0
        gpus = Amount(number, f"--gpus {given[0]}", "--gpus %d") if number else None
    shm: Amount | None = None
    if not values.keys() & {"--ipc", "--pod"}:
        mounts = [value for name in _MOUNTS for value in values.get(name, ())]
        docker, quadlet = (
            Amount(None, "", "--shm-size %dg", "--ipc=host"),
            Amount(form="ShmSize=%dg"),
        )
        size, key = (
            values.get("--shm-size", [None])[-1],
            "ShmSize=" if is_quadlet else "--shm-size ",
        )
        shm = shm_of(size, mounts, quadlet if is_quadlet else docker, key)
    return Surroundings(gpus, shm)
