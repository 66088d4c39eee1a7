"""Names of variables, flags, keys, parameters and headers: in one spelling, patterns of them, and
the names that a misspelt one most likely stands for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class Patterns:
    """Match patterns with `*` at their ends only; fnmatch would import re."""

    __slots__ = ("_beginnings", "_ends", "_inside", "_whole")

    def __init__(self, patterns: Iterable[str]) -> None:
        self._inside = [item.strip("*") for item in patterns if item[:1] == "*" == item[-1:]]
        self._ends = tuple(item[1:] for item in patterns if item[:1] == "*" != item[-1:])
        self._beginnings = tuple(item[:-1] for item in patterns if item[:1] != "*" == item[-1:])
        self._whole = frozenset(item for item in patterns if item[:1] != "*" != item[-1:])

    def match(self, text: str) -> bool:
        """Return whether any pattern matches the whole string."""
        if text in self._whole or text.endswith(self._ends) or text.startswith(self._beginnings):
            return True
        return any(item in text for item in self._inside)


def is_variable(name: str) -> bool:
    """Return whether a text may be the name of a variable."""
    return name.isidentifier() and name.isascii()


def snake(name: str) -> str:
    """Return a name in small letters, its words separated by underscores.

    >>> snake("accessToken"), snake("X-Amz-Security-Token"), snake("--api-key"), snake("HFToken")
    ('access_token', 'x_amz_security_token', 'api_key', 'hf_token')
    """
    if not (name.islower() or name.isupper()):
        parts = []
        for at, char in enumerate(name):
            if char.isupper() and at and name[at - 1].isalnum():
                before, behind = name[at - 1], name[at + 1 : at + 2]
                if not before.isupper() or behind.islower():
                    parts.append("_")
            parts.append(char)
        name = "".join(parts)
    return "".join([char if char.isalnum() else "_" for char in name.lower()]).strip("_")


class SecretNames:
    """The patterns of names that are secret, whatever has the name and however it is spelled.

    Args:
        patterns: in any spelling, with `*` at their ends only.
        public: names that fit a pattern and are no secret.
    """

    __slots__ = ("_any", "_joined", "_patterns", "_public", "_public_joined")

    def __init__(self, patterns: Iterable[str], public: Iterable[str]) -> None:
        spelled = [item.lower().replace("-", "_") for item in patterns]
        harmless = [item.lower().replace("-", "_") for item in public]
        self._patterns, self._public = Patterns(spelled), Patterns(harmless)
        self._any = Patterns([item.replace("_", "") for item in spelled])  # few names pass it
        # `apitoken`, `hftoken`: the words written as one. Short ones would match anything.
        self._joined = Patterns(
            [joined for item in spelled if len(joined := item.replace("_", "")) > _SHORT]
        )
        self._public_joined = Patterns([item.replace("_", "") for item in harmless])

    def match(self, name: str) -> bool:
        """Return whether a name fits one of the patterns, and none of the exceptions."""
        spelled = snake(name).removeprefix("no_")
        joined = spelled.replace("_", "")
        if not self._any.match(joined):
            return False
        if self._patterns.match(spelled):
            return not self._public.match(spelled)
        return self._joined.match(joined) and not self._public_joined.match(joined)


_SHORT = len("*auth")


# --- misspelt names


MOST_HINTS = 100
"""Maximum number of mistakes per command line or value for which similar names are looked up, at 4
ms each.
"""


def nearest(name: str, names: Collection[str], limit: int = 3) -> list[str]:
    """Return the known names that `name` is most likely a misspelling of, best first."""
    from difflib import get_close_matches  # only needed for messages

    return get_close_matches(name, names, limit, 0.72)


def distance(one: str, other: str) -> int:
    """Return how many letter insertions, deletions, changes or swaps separate two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, mine in enumerate(one, 1):
        older, before, row = before, row, [at]
        for here, theirs in enumerate(other, 1):
            cost = min(before[here] + 1, row[here - 1] + 1, before[here - 1] + (mine != theirs))
            if at > 1 and here > 1 and mine == other[here - 2] and one[at - 2] == theirs:
                cost = min(cost, older[here - 2] + 1)
            row.append(cost)
    return row[-1]
