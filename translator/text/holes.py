"""Values that only the machine knows where a command runs: `$PORT`, `$(nproc)`, a Secret's key."""

from __future__ import annotations

from translator.text.placed import joined, partition, split

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
    return joined((UNKNOWN, joined(split(written), _BLANK), END))


def has_hole(text: str) -> bool:
    """Return whether a part of a string is not known."""
    return UNKNOWN in text


def visible(text: str) -> str:
    """Return a string as it was written, for messages."""
    for mark, meant in ((UNKNOWN, ""), (END, ""), (_BLANK, " ")):
        if mark in text:
            text = joined(split(text, mark), meant)
    return text


def holes(words: Iterable[str]) -> list[str]:
    """Return what was written in place of the unknown parts of words: `$NAME`, `$(command)`."""
    found: list[str] = []
    for word in words:
        found += [visible(partition(part, END)[0]) for part in split(word, UNKNOWN)[1:]]
    return list(dict.fromkeys(found))
