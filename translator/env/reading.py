"""An environment while it is being read."""

from __future__ import annotations

from translator.settings.reading import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.settings.setting import Setting

    # The higher rank wins; the variable's name decides between equals: an environment has no order.
    Ranked = tuple[int, str, Setting]


class EnvReading(Reading):
    """What is known so far.

    Attributes:
        keyed: whether a variable sets a key of a JSON flag.
        unknown: how many variables look like vLLM's own and are none.
    """

    __slots__ = ("keyed", "unknown")

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(env=dict(env))
        self.keyed = False
        self.unknown = 0
