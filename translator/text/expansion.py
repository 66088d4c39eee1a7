"""The limit of everything that puts values in place of references: variables and aliases."""

from __future__ import annotations

MOST = 2**20
"""Characters that the references of one input may add: with `B=$A$A`, `C=$B$B`, … each line doubles
what the one before it made, and forty lines would make a terabyte.
"""


class Budget:
    """How much the references of one input may still add.

    A reader takes every value that it inserts from one budget. When the budget is used up, further
    references are empty, and the reader reports an error.
    """

    __slots__ = ("_exceeded_at", "_left")

    def __init__(self) -> None:
        self._left = MOST
        self._exceeded_at: int | None = None

    def take(self, value: str, line: int = 0) -> str:
        """Return the value of a reference in a line; "" if it exceeds the budget, or another one
        did.
        """
        return value if not value or self.spend(len(value), line) else ""

    def spend(self, cost: int, line: int = 0) -> bool:
        """Return whether a reference in a line, which costs so much, is within the budget."""
        if cost <= self._left:
            self._left -= cost
            return True
        self._left = -1
        if self._exceeded_at is None:
            self._exceeded_at = line
        return False

    def report(self) -> int | None:
        """Return the line of the first reference that did not fit since the last report, or
        None.
        """
        line, self._exceeded_at = self._exceeded_at, None
        return line
