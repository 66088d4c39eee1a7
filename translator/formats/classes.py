"""Classes of attrs, or where that is not installed, of the standard library: the wheel alone reads
command lines (docs/containers.md). An object is equal to itself only, and is shown without its
fields, unless its class says `eq=True` or `repr=True`: a class makes these methods at each start.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attrs import define, evolve, field, frozen
else:
    try:
        import attrs
        from attrs import evolve, field

        define, frozen = attrs.define, attrs.frozen
    except ImportError:
        import dataclasses

        define, evolve = dataclasses.dataclass, dataclasses.replace
        frozen = partial(define, frozen=True)

        def field(factory):
            return dataclasses.field(default_factory=factory)

    define, frozen = (partial(make, eq=False, repr=False) for make in (define, frozen))


__all__ = ["define", "evolve", "field", "frozen"]
