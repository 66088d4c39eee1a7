"""The meaning of a variable's name in a version and a dialect."""

from __future__ import annotations

from translator.naming.dialect import UNLISTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.dialect import DialectVariable
    from translator.tables.entries import Flag, Variable


# An environment has a few hundred names; a caller that generates names without end must not fill
# the memory.
KEEP = 20_000


class Role:
    """The meaning of a variable's name.

    Attributes:
        kind: "flag", "absent" (a flag or key that the version lacks), "choice", "worker",
            "environment", "reserved", "extra-args", "config-file", "native", "native-absent",
            "plugin" (a plugin of vLLM reads it), "unknown-vllm", "no-flag" (the dialect's table
            names a flag that no version has).
        flag: the flag in the version, for "flag".
        path: the keys inside a JSON flag.
        name: the name of the flag (and key) for "absent" and "no-flag", of the variable for the
            native kinds.
        rank: precedence between two variables of the same flag: the higher wins.
        listed: the variable's entry in the dialect's table; `UNLISTED` if there is none.
        inverted: whether true in the variable is false in the flag.
        variable: vLLM's own variable, for "native".
        known: value → what it sets, as the reader ranks it, or None if it stays in the environment;
            only for values without findings. The reader keeps it from call to call.
    """

    __slots__ = (
        "flag",
        "inverted",
        "kind",
        "known",
        "listed",
        "name",
        "path",
        "rank",
        "variable",
    )

    def __init__(
        self,
        kind: str,
        *,
        flag: Flag | None = None,
        path: tuple[str, ...] = (),
        name: str = "",
        rank: int = 0,
        listed: DialectVariable = UNLISTED,
        variable: Variable | None = None,
    ) -> None:
        self.kind, self.flag, self.path, self.name = kind, flag, path, name
        self.rank, self.listed, self.variable = rank, listed, variable
        self.inverted = listed.inverted
        self.known: dict[str, Any] = {}
