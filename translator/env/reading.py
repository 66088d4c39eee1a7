"""The state of an environment while it is read."""

from __future__ import annotations

from translator.settings.setting import NOTHING, Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.naming.role import Role
    from translator.naming.scope import Scope
    from translator.settings.setting import Setting

    # The higher rank wins; ties are broken by variable name, since an environment has no order.
    Ranked = tuple[int, str, Setting]


class Given:
    """One variable as the caller set it.

    Attributes:
        name, text: the variable.
        role: the meaning of its name.
        scope: the version and the dialect.
    """

    __slots__ = ("name", "role", "scope", "text")

    def __init__(self, name: str, text: str, role: Role, scope: Scope) -> None:
        self.name, self.text, self.role, self.scope = name, text, role, scope

    @property
    def shown(self) -> str:
        """Return the value as findings may show it."""
        return self.scope.shown(self.name, self.text)

    @property
    def sets_nothing(self) -> bool:
        return self.text.strip() in NOTHING


class EnvReading(Reading):
    """The result so far.

    Attributes:
        ranked: the settings, not yet sorted.
        keyed: whether a variable sets a key of a JSON flag.
        unknown: number of variables that look like vLLM's own but are unknown.
    """

    __slots__ = ("keyed", "ranked", "unknown")

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(env=dict(env))
        self.ranked: list[Ranked] = []
        self.keyed = False
        self.unknown = 0
