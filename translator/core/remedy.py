"""What stands in the place of a part of an input: the remedy of a finding, as data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Remedy:
    """What stands in the place of a variable or of an option of an input.

    Attributes:
        at: the name of the variable, or the index of the option; None where nothing goes.
        inside: the variable that holds the option, KEY for the file of --config, or "" for the
            command line.
        old: the value of the variable, or the option with its values.
        variables: those that are set instead, with their values.
        tokens: what is written instead; of a variable, at the end of the command line or of the
            variable for further arguments.
        read: of a variable, the name and the value that it is read as.
        joint: whether it stands in the place of another setting, too.
    """

    __slots__ = ("at", "inside", "joint", "old", "read", "tokens", "variables")

    def __init__(
        self,
        at: str | int | None,
        old: Sequence[str],
        variables: Mapping[str, str],
        tokens: Sequence[str],
        inside: str = "",
        read: tuple[str, str] = ("", ""),
        joint: bool = False,
    ) -> None:
        self.at, self.old, self.inside, self.read = at, tuple(old), inside, read
        self.joint = joint
        self.variables, self.tokens = dict(variables), tuple(tokens)

    @property
    def near(self) -> str:
        """The other name, if nothing but the name changes; else ""."""
        if isinstance(self.at, str):
            name, text = next(iter(self.variables.items()), ("", ""))
            is_same = len(self.variables) == 1 and not self.tokens and (text,) == self.old
            return name if is_same and name != self.at else ""
        if self.variables or not self.tokens:
            return ""
        option, *value = self.tokens[0].partition("=")
        was, *given = self.old[0].partition("=")
        is_same = value == given and self.tokens[1:] == self.old[1:]
        return option if is_same and option != was else ""

    @property
    def moved(self) -> str:
        """The variable that an option's value moves to, if that is all; else ""."""
        (name, text), *others = [*self.variables.items(), ("", "")]
        is_all = isinstance(self.at, int) and not self.tokens and not others[1:]
        return name if is_all and text and self.old[-1].endswith(text) else ""

    @property
    def key(self) -> tuple[object, ...]:
        return tuple(self.variables.items()), self.tokens
