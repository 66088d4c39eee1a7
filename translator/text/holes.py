"""Values that only the machine knows where a command runs: `$PORT`, `$(nproc)`, a Secret's key."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Delimiters around what was written in place of the value: private use characters, which no command
# contains, so that only the holes that matter in the end become findings.
UNKNOWN, END = "\ue0d0", "\ue0d1"
# Stands for a blank in them, where a shell would split a word.
_BLANK = "\ue0d2"


def hole(written: str) -> str:
    """Return a hole, by what was written in its place."""
    return f"{UNKNOWN}{_BLANK.join(written.split()) if _has_blank(written) else written}{END}"


def _has_blank(text: str) -> bool:
    return any(blank in text for blank in " \t\n")


def has_hole(text: str) -> bool:
    """Return whether a part of a string is not known."""
    return UNKNOWN in text


def visible(text: str) -> str:
    """Return a string as it was written, for messages."""
    return text.replace(UNKNOWN, "").replace(END, "").replace(_BLANK, " ")


def holes(words: Iterable[str]) -> list[str]:
    """Return what was written in place of the unknown parts of words: `$NAME`, `$(command)`."""
    found: list[str] = []
    for word in words:
        found += [visible(part.partition(END)[0]) for part in word.split(UNKNOWN)[1:]]
    return list(dict.fromkeys(found))
