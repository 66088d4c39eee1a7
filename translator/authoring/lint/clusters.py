"""Rules for clusters/_flags.toml: what a place among several machines becomes exists."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.schema.clusters import MachineFlags
from translator.authoring.sources import MACHINES, Problem


def _flags(found: MachineFlags) -> Iterator[tuple[str, str]]:
    yield "$.headless", found.headless
    yield from _each("$.servers", found.servers)
    for name in ("count", "rank", "address", "port"):
        yield f"$.nodes.{name}", getattr(found.nodes, name)
    yield from _each("$.nodes.sizes", found.nodes.sizes)
    for name in ("local", "total", "start", "rank", "address", "port", "backend", "single"):
        yield f"$.data_parallel.{name}", getattr(found.data_parallel, name)
    yield from _each("$.data_parallel.everywhere", found.data_parallel.everywhere)
    yield "$.joined.flag", found.joined.flag


def _each(path: str, flags: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield from ((f"{path}[{index}]", flag) for index, flag in enumerate(flags))


def flags_exist(context: Context) -> Iterator[Problem]:
    """Each flag exists in some version, under its own name; and some version takes the word of what
    joins machines.
    """
    found = context.tables.machines
    if found is None:
        return
    known = {flag.flag: flag for catalog in context.catalogs for flag in catalog.flags}
    for path, name in _flags(found):
        if name not in known:
            yield Problem(MACHINES, path, f"no vLLM has a flag {name}")
    joining = [
        flag
        for catalog in context.catalogs
        for flag in catalog.flags
        if flag.flag == found.joined.flag
    ]
    if joining and all(
        flag.choices is not None and found.joined.value not in flag.choices for flag in joining
    ):
        yield Problem(
            MACHINES,
            "$.joined.value",
            f"no version accepts {found.joined.value!r} for {found.joined.flag}",
        )


RULES = (flags_exist,)
