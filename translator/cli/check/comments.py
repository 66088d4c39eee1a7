"""Comments that ignore findings of `check`: `# translate: ignore[CODE, CODE]`, or
`# translate: ignore` for all, about the line that it ends, or the next line if it stands alone.
"""

from __future__ import annotations

from translator.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

_BEGINNING = "translate: ignore"


class Comment(Record):
    """A comment that ignores findings.

    Attributes:
        line: where it stands.
        about: the line whose findings it ignores.
        codes: the codes that it ignores; () for all.
    """

    line: int
    about: int
    codes: tuple[str, ...] = ()

    def covers(self, code: str, lines: Set[int]) -> bool:
        """Return whether it ignores a finding that is about one of some lines."""
        return self.about in lines and (not self.codes or code in self.codes)


def comments_in(text: str) -> list[Comment]:
    """Return the comments of a YAML file or a file of variables that ignore findings."""
    if _BEGINNING not in text:
        return []
    found: list[Comment] = []
    waiting: list[tuple[int, tuple[str, ...]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        before, sign, words = line.rpartition("#")
        codes = _codes(words) if sign and before[-1:] in ("", " ", "\t") else None
        if codes is not None and not before.strip():
            waiting.append((number, codes))
            continue
        if codes is not None:
            found.append(Comment(number, number, codes))
        if line.strip() and not line.lstrip().startswith("#"):
            found += [Comment(at, number, theirs) for at, theirs in waiting]
            waiting = []
    return found + [Comment(at, 0, codes) for at, codes in waiting]


def _codes(comment: str) -> tuple[str, ...] | None:
    """Return the codes that a comment ignores, () for all; None for another comment."""
    text = comment.strip()
    if text == _BEGINNING:
        return ()
    if not text.startswith(_BEGINNING + "[") or not text.endswith("]"):
        return None
    names = text[len(_BEGINNING) + 1 : -1].split(",")
    return tuple(name.strip() for name in names)
