"""What a command line needs of the container around it: GPUs for its ranks, and room in /dev/shm
(mappings/containers.toml).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from translator.core.tables.versions import within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from translator.core.tables.catalog import Catalog, FileOf

CONTAINERS: FileOf[Any] = "containers.json"  # type: ignore[assignment]  # its name
GIB = 1 << 30


def sizes_of(values: Mapping[str, Any], flags: Iterable[str]) -> list[tuple[str, int]]:
    """Return the flags whose value is more than 1, with it."""
    given = {flag: values.get(flag) for flag in flags}
    return [(flag, value) for flag, value in given.items() if isinstance(value, int) and value > 1]


def engines(values: Mapping[str, Any], gpus: Mapping[str, Any]) -> list[str]:
    """Return the flag that says how many engines stand beside each other, if it is given."""
    return [flag for flag in gpus["local"] if flag in values][:1]


def product(sizes: Iterable[tuple[str, int]]) -> int:
    """Return how many ranks, or engines, flags with these values make."""
    return math.prod(value for _, value in sizes)


def changed(values: Mapping[str, Any], flags: Iterable[str], catalog: Catalog) -> str:
    """Return the first of some flags that has another value than its default; "" if none has."""
    known = ((name, catalog.flag(name)) for name in flags if name in values)
    return next((name for name, flag in known if flag and values[name] != flag.default), "")


def elsewhere(values: Mapping[str, Any], gpus: Mapping[str, Any], catalog: Catalog) -> str:
    """Return the flag by which a part of the ranks runs on other machines; "" if none says so."""
    local = [name for name in gpus["local"] if name in values]
    own = local[0] if len({values[name] for name in local}) > 1 else ""
    return changed(values, gpus["machines"], catalog) or own


def offloaded(
    values: Mapping[str, Any], offload: Mapping[str, Any], version: str, names: Collection[str]
) -> float:
    """Return the GiB that are certainly offloaded to /dev/shm; `names` are those of variables."""
    size = values.get(offload["flag"])
    is_there = all(values.get(flag, value) == value for flag, value in offload["here"].items())
    is_there = is_there and {*names}.isdisjoint(offload["variables"])
    is_there = is_there and within(version, offload["since"], None)
    return size if is_there and isinstance(size, (int, float)) else 0


def shm_of(
    values: Mapping[str, Any], tables: Mapping[str, Any], version: str, names: Collection[str]
) -> int:
    """Return the GiB of /dev/shm to give; 0 where the default is enough.

    The queues between the ranks of an engine count in every release: nobody says how much they take
    in those before the first that was measured.
    """
    gpus, cache = tables["gpus"], offloaded(values, tables["offload"], version, names)
    has_queues = bool(sizes_of(values, gpus["ranks"]))
    count = product(sizes_of(values, engines(values, gpus))) if has_queues else 0
    queues: int = math.ceil(count * tables["shm"]["needs"] / GIB)
    return queues + (math.ceil(cache) + 1 if cache else 0)
