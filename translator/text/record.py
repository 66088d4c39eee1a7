"""Values with many named fields, most of which have defaults.

A class of attrs would do the same, but `import attrs` takes three times as long as a bare
interpreter, and a command that checks one line would wait for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**options):
        return lambda made: made


@dataclass_transform(frozen_default=True)
class Record:
    """A value whose class annotates its fields, in order, and assigns their defaults.

    A default that is a list, a dict or a set is copied for each value. Values are compared by
    identity.
    """

    _fields: tuple[str, ...] = ()
    _defaults: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(cls.__annotations__)
        cls._defaults = {name: vars(cls)[name] for name in cls._fields if name in vars(cls)}

    def __init__(self, *values: Any, **named: Any) -> None:
        given = {**self._defaults, **dict(zip(self._fields, values)), **named}
        if given.keys() != set(self._fields):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self._fields)}")
        for name in self._fields:
            value = given[name]
            is_shared = isinstance(value, (list, dict, set)) and value is self._defaults.get(name)
            self.__dict__[name] = value.copy() if is_shared else value

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other values of some fields."""
        return type(self)(**{**vars(self), **changes})
