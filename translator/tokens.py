"""What a reading of a command line is made of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.catalog import Flag
    from translator.findings import Finding


class Token(str):
    """A token that was rewritten, with the tokens of the user's that it came from (dotted keys become one JSON token). The others are plain texts."""

    __slots__ = ("origin",)
    origin: str

    def __new__(cls, text: str, origin: str | None = None) -> Token:
        made = str.__new__(cls, text)
        made.origin = text if origin is None else origin
        return made


def origin(text: str) -> str:
    """The tokens that a token came from: itself, where nothing was rewritten."""
    return text.origin if type(text) is Token else text


class Refused(Exception):
    """The real parser refuses the command line for this reason."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found.message)
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
