"""What a reading of a command line is made of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.findings import Finding
    from translator.tables.entries import Flag

    Config = Callable[[str], "list[str] | Finding | None"]


def model_token(parsed: Parsed) -> str:
    """The token that named the model, as messages may show it."""
    return next(
        (item.token for item in parsed.occurrences if item.flag is None), parsed.model or ""
    )


def no_files(path: str) -> None:
    """The `config` of callers that read no files."""
    return


class Refused(Exception):
    """The real parser refuses the command line for this reason."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found)
        self.finding = found


class Occurrence:
    """One use of a flag on the command line.

    Attributes:
        flag: the flag; None for the model given as positional.
        token: as the user wrote it.
        value: typed; True or False of a switch.
    """

    __slots__ = ("flag", "token", "value")

    def __init__(self, flag: Flag | None, token: str, value: Any) -> None:
        self.flag, self.token, self.value = flag, token, value


class Parsed:
    """A command line, read.

    Attributes:
        occurrences: every use of a flag, in the order in which the real parser sees them.
        model: the positional, or None.
        config: the path given to --config when its content was not to be had.
        unknown: tokens that argparse does not recognise: (token, the stray values behind it).
        thorough: whether to read on behind a mistake at which the real parser stops.
        findings: errors (each is a refusal of the real parser) and remarks.
    """

    __slots__ = ("config", "findings", "hints", "model", "occurrences", "thorough", "unknown")

    def __init__(self) -> None:
        self.occurrences: list[Occurrence] = []
        self.model: str | None = None
        self.config: str | None = None
        self.unknown: list[list[str]] = []
        self.findings: list[Finding] = []
        self.hints = True
        self.thorough = False

    def refuse(self, found: Finding) -> None:
        """The real parser stops here; whoever wants all mistakes reads on.

        Raises:
            Refused: always, unless the reading is thorough.
        """
        if not self.thorough:
            raise Refused(found)
        self.findings.append(found)
