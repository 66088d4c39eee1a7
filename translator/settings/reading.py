"""What a reader found in an input; both readers, of variables and of command lines, return it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.findings import Finding
    from translator.settings.setting import Setting


class Reading:
    """An input, read for one version.

    Attributes:
        settings: of flags that the version has, weakest first.
        missing: of flags and variables that only other versions have (`Setting.was`).
        env: the environment to start vLLM with: what was given, less what became settings.
        extra: name and text of the variable for further tokens, or None.
        unread: the variables that nobody reads.
        tokens: those that were read: what is secret in them is masked in whatever is shown.
        findings: what is worth knowing so far.
    """

    __slots__ = ("env", "extra", "findings", "missing", "settings", "tokens", "unread")

    def __init__(
        self,
        settings: Sequence[Setting] = (),
        missing: Sequence[Setting] = (),
        env: dict[str, str] | None = None,
        findings: Sequence[Finding] = (),
    ) -> None:
        self.settings: list[Setting] = list(settings)
        self.missing: list[Setting] = list(missing)
        self.env: dict[str, str] = {} if env is None else env
        self.extra: tuple[str, str] | None = None
        self.unread: list[str] = []
        self.tokens: list[str] = []
        self.findings: list[Finding] = list(findings)

    def extended(
        self,
        settings: Sequence[Setting] | None = None,
        missing: Sequence[Setting] = (),
        env: dict[str, str] | None = None,
        findings: Sequence[Finding] = (),
    ) -> Reading:
        """Return the same reading with other settings or another environment, and with more that is
        missing or worth knowing.
        """
        made = Reading(
            self.settings if settings is None else settings,
            [*self.missing, *missing],
            self.env if env is None else env,
            [*self.findings, *findings],
        )
        made.extra, made.unread, made.tokens = self.extra, self.unread, self.tokens
        return made
