"""Classes of attrs, or where that is not installed, of the standard library: the wheel alone reads
command lines (docs/containers.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attrs import define, evolve, field, frozen
else:
    try:
        from attrs import define, evolve, field, frozen
    except ImportError:
        import dataclasses
        from functools import partial

        define, evolve = dataclasses.dataclass, dataclasses.replace
        frozen = partial(dataclasses.dataclass, frozen=True)

        def field(factory):
            return dataclasses.field(default_factory=factory)


__all__ = ["define", "evolve", "field", "frozen"]
