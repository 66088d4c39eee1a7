"""What a command line needs of the container around it: GPUs for its ranks, and room in /dev/shm
(mappings/containers.toml).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from translator.core.tables.catalog import Catalog, FileOf
from translator.core.tables.versions import within

CONTAINERS: FileOf[Any] = FileOf("containers.json")  # its fields
GIB = 1 << 30


def sizes_of(values: Mapping[str, Any], flags: Iterable[str]) -> dict[str, Any]:
    """Return the flags whose value is more than 1, with it."""
    sizes = {flag: values.get(flag) or 0 for flag in flags}
    return {flag: size for flag, size in sizes.items() if size > 1}


def engines(values: Mapping[str, Any], table: Mapping[str, Any]) -> list[str]:
    """Return the flag that says how many engines stand beside each other, if it is given."""
    return [flag for flag in table["local"] if flag in values][:1]


def has(values: Mapping[str, Any], expected: Mapping[str, str]) -> bool:
    """Return whether flags have these values, or are not given."""
    return all(values.get(flag, value) == value for flag, value in expected.items())


def changed(values: Mapping[str, Any], flags: Iterable[str], catalog: Catalog) -> str:
    """Return the first of some flags that has another value than its default; "" if none has."""
    known = ((name, catalog.flag(name)) for name in flags if name in values)
    return next((name for name, flag in known if flag and values[name] != flag.default), "")


def elsewhere(values: Mapping[str, Any], table: Mapping[str, Any], catalog: Catalog) -> str:
    """Return the flag by which a part of the ranks runs on other machines; "" if none says so."""
    local = [name for name in table["local"] if name in values]
    own = local[0] if len({values[name] for name in local}) > 1 else ""
    return changed(values, table["machines"], catalog) or own


def offloaded(
    values: Mapping[str, Any], table: Mapping[str, Any], version: str, names: Iterable[str]
) -> float:
    """Return the GiB that are certainly offloaded to /dev/shm; `names` are those of variables."""
    is_there = has(values, table["native"]) and {*table["moved"]}.isdisjoint(names)
    is_there = is_there and within(version, table["needed"], None)
    return values.get(table["offload"]) or 0 if is_there else 0


def shm_needed(values: Mapping[str, Any], table: Mapping[str, Any], cache: float) -> int:
    """Return the GiB of /dev/shm to give, `cache` GiB of them for what is offloaded; 0 where the
    default is enough.

    The queues between the ranks of an engine count in every release: nobody says how much they take
    in those before the first that was measured.
    """
    has_queues = bool(sizes_of(values, table["ranks"]))
    count = math.prod(sizes_of(values, engines(values, table)).values()) if has_queues else 0
    queues: int = math.ceil(count * table["needs"] / GIB)
    return queues + (math.ceil(cache) + 1 if cache else 0)
