"""Classes in the form of attrs, which types are checked against, without importing it: a third of
the time of a command that checks a line or a file went there, and the wheel alone reads both
(docs/containers.md). An object is equal to itself only, unless its class says `eq=True`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attrs import define, evolve, field, frozen
else:
    from functools import partial

    class field:
        """A field whose value is made anew for each object."""

        def __init__(self, factory):
            self.factory = factory

    def define(cls=None, eq=False):
        """Give a class what makes its objects of the values of its fields."""
        if cls is None:
            return partial(define, eq=eq)
        names = cls._names = cls.__annotations__.keys()
        defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}

        def __init__(self, *values, **named):
            given = {**defaults, **dict(zip(names, values)), **named}
            if given.keys() != names:
                raise TypeError(f"{cls.__name__} has {', '.join(names)}, not {', '.join(given)}")
            for name, value in given.items():
                setattr(self, name, value.factory() if type(value) is field else value)

        cls.__init__ = __init__
        if eq:
            cls.__eq__ = lambda one, other: type(other) is cls and _values(one) == _values(other)
            cls.__hash__ = lambda one: hash(_values(one))
        return cls

    frozen = define  # mypy sees to it that no field is assigned

    def evolve(instance, **changes):
        """Return a copy of an object with other values of some fields."""
        copy = object.__new__(type(instance))
        for name in instance._names:
            setattr(copy, name, changes[name] if name in changes else getattr(instance, name))
        return copy

    def _values(instance):
        return tuple([getattr(instance, name) for name in instance._names])


__all__ = ["define", "evolve", "field", "frozen"]
