"""An environment, read."""

from __future__ import annotations

from translator.findings import Finding
from translator.settings.setting import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.tables.entries import Flag

    Ranked = tuple[
        int, str, Setting
        # the higher rank wins; the variable's name decides between equals, since an environment has
        # no
        # order
    ]


class EnvReading:
    """An environment, read.

    Attributes:
        settings: of flags that the version has, weakest first.
        missing: of flags that it lacks, with the flag as another version knows it.
        env: the environment for vLLM.
        extra: the text of the dialect's variable for further tokens, and its name.
        unread: the variables that nobody reads.
        keyed: whether a variable sets a key of a JSON flag.
        unknown: how many variables look like vLLM's own and are none.
    """

    __slots__ = ("env", "extra", "findings", "keyed", "missing", "settings", "unknown", "unread")

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = dict(env)
        self.settings: list[Setting] = []
        self.missing: list[tuple[Setting, Flag | None]] = []
        self.findings: list[Finding] = []
        self.extra: tuple[str, str] | None = None
        self.unread: list[str] = []
        self.keyed = False
        self.unknown = 0
