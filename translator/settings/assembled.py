"""What is set, one value a flag: what every writer starts from."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.settings.setting import Setting, merge, nest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.settings.reading import Reading


class Assembled:
    """What is set, one entry a flag.

    Attributes:
        values: flag → its value.
        origins: flag → the variables or tokens that it came from.
        env: the environment to start vLLM with.
        variables: those of vLLM's own variables in `env` that replace what was a flag.
        tokens: those that were read: what is secret in them is masked in whatever is shown.
        findings: what is worth knowing, that of the reading first.
    """

    __slots__ = ("env", "findings", "origins", "tokens", "values", "variables", "weak")

    def __init__(self, reading: Reading | None = None) -> None:
        self.values: dict[str, Any] = {}
        self.weak: list[Setting] = []
        self.origins: dict[str, list[str]] = {}
        self.variables: dict[str, str] = {}
        self.env: dict[str, str] = reading.env if reading is not None else {}
        self.tokens: list[str] = reading.tokens if reading is not None else []
        self.findings: list[Finding] = list(reading.findings) if reading is not None else []

    def put(self, setting: Setting, quiet: bool = False) -> None:
        """Merge one setting over what is there, and tell of a disagreement."""
        flag = setting.flag
        if flag not in self.values and not setting.path:
            self.values[flag] = setting.value
            self.origins[flag] = [setting.origin]
            return
        value = nest(setting.path, setting.value)
        origins = self.origins.setdefault(flag, [])
        if flag in self.values:
            if setting.path:
                old = self.values[flag]
                if not isinstance(old, dict) and old is not None:
                    self._replaced(setting, origins)
                self.values[flag], clashes = merge(old if isinstance(old, dict) else {}, value)
                self._tell(setting, origins, clashes, quiet)
            else:
                if self.values[flag] != value and not quiet:
                    self._disagree(setting.origin, flag, origins)
                self.values[flag] = value
        else:
            self.values[flag] = value
        if setting.origin not in origins:
            origins.append(setting.origin)

    def _tell(self, setting: Setting, origins: list[str], clashes: list[str], quiet: bool) -> None:
        for key in () if quiet else clashes:
            self._disagree(setting.origin, f"{setting.flag}.{key}", origins)

    def _replaced(self, setting: Setting, others: list[str]) -> None:
        self.findings.append(
            finding(
                "disagreement",
                setting.origin,
                case="not-keyed",
                origin=setting.origin,
                flag=setting.flag,
                others=tuple(others),
            )
        )

    def _disagree(self, origin: str, what: str, others: list[str]) -> None:
        others = [item for item in others if item != origin]
        if others:
            self.findings.append(
                finding("disagreement", origin, origin=origin, others=tuple(others), what=what)
            )
