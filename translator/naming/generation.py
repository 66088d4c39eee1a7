"""Older generations of a platform's program, each a dialect of its own: which of them runs a vLLM
version, and which of them a release belongs to.
"""

from __future__ import annotations

from translator.tables.versions import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.tables.catalog import Tables


class Generation:
    """One generation.

    Attributes:
        name: its dialect.
        release: its first release of the program.
        vllm: the oldest vLLM that it ran.
    """

    __slots__ = ("name", "release", "vllm")

    def __init__(self, name: str, release: tuple[int, ...], vllm: Version) -> None:
        self.name, self.release, self.vllm = name, release, vllm


def generations(of: str, tables: Tables) -> list[Generation]:
    """Return the generations of a dialect, oldest first, the dialect itself included; [] if its
    program has only one.
    """
    found: list[Generation] | None = tables.kept.get(("generations", of))
    if found is None:
        found = [
            Generation(name, _numbers(head["release"]), Version(head["vllm"]))
            for name, head in tables.records("generations.json").items()
            if head["of"] == of
        ]
        found.sort(key=lambda item: item.release)
        tables.kept["generations", of] = found
    return found


def of_release(name: str, tables: Tables) -> str | None:
    """Return the dialect of the generation that a release belongs to, such as "NAME@1.9"; None if
    there is none.
    """
    of, _, release = name.partition("@")
    if not release.replace(".", "").isascii() or not release.replace(".", "").isdecimal():
        return None
    wanted = _numbers(release)
    found = [
        # 2.18 names every release that begins so, and the newest of them counts
        item.name
        for item in generations(of, tables)
        if item.release[: len(wanted)] <= wanted
    ]
    return found[-1] if found else None


def of_version(of: str, vllm: str, tables: Tables) -> str | None:
    """Return the generation whose program runs a vLLM version; None if that is the dialect itself.

    A version between two generations belongs to the older one.
    """
    found = generations(of, tables)
    able = [item for item in found if item.vllm <= Version(vllm)] or found[:1]
    return able[-1].name if able and able[-1].name != of else None


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part)
