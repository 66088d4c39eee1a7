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
        for name, default in self._defaults.items():
            if given[name] is default and isinstance(default, (list, dict, set)):
                given[name] = default.copy()
        self.__dict__.update(given)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other values of some fields."""
        return type(self)(**{**vars(self), **changes})
