"""The state of an environment while it is read."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import MASK
from translator.settings.setting import NOTHING, Reading, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.findings import Fact
    from translator.naming.scope import Role, Scope
    from translator.tables.entries import Flag

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
    def flag(self) -> Flag:
        """The version's flag that it sets, of a role that has one."""
        flag = self.role.flag
        assert flag is not None
        return flag

    @property
    def shown(self) -> str:
        """The value as findings may show it."""
        flag = self.role.flag
        if flag is not None and flag.flag in self.scope.secrets.carriers:
            return MASK
        return self.scope.shown(self.name, self.text)

    @property
    def sets_nothing(self) -> bool:
        return self.text.strip() in NOTHING

    def differs(self, case: str, **facts: Fact) -> Finding:
        """Return the finding about a variable that the platform's program reads differently."""
        return differs(case, self.name, self.scope, **facts)


def differs(case: str, name: str, scope: Scope, **facts: Fact) -> Finding:
    """Return the finding about a variable that the platform's program reads differently."""
    return finding("consumer-differs", name, case=case, variable=name, reader=scope.reader, **facts)


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

    def put(self, given: Given, flag: str, value: Any, path: tuple[str, ...] = ()) -> None:
        """Add what a variable sets."""
        setting = Setting(flag, value, given.name, path)
        self.ranked.append((given.role.rank, given.name, setting))
