"""How much of what it may try a test tries: TRANSLATE_EXAMPLES, of which tests/conftest.py tells."""

import math
import os
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

TIMES = float(os.environ.get("TRANSLATE_EXAMPLES") or 0.25)


def some(items: Sequence[Item], turn: int) -> Sequence[Item]:
    """That share of the items, at least one; at the next turn those that follow."""
    count = math.ceil(len(items) * TIMES)
    if count >= len(items):
        return items
    return [items[(turn * count + at) % len(items)] for at in range(count)]
