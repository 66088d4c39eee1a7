"""Which findings of `check` count: --select, --ignore, and comments in the files that were read.

`# translate: ignore[CODE, CODE]`, or `# translate: ignore` for all codes, is about the line that it
ends, or the next line if it stands alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from translator.cli.check.results import Comment, Result, Target
from translator.cli.exits import UsageError
from translator.findings import finding
from translator.findings.texts import codes
from translator.text.names import nearest
from translator.text.options import Option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from translator.findings import Finding

FAIL_ON = Option(
    "--fail-on",
    "LEVEL",
    "exit with status 1 from this severity on: error (default), warning or info",
    choices=("error", "warning", "info"),
    default="error",
)
SELECT = Option(
    "--select",
    "CODE",
    "report only findings of this code; repeatable, or with commas",
    repeatable=True,
)
IGNORE = Option(
    "--ignore",
    "CODE",
    "report no findings of this code; repeatable, or with commas",
    repeatable=True,
)
_BEGINNING = "translate: ignore"


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


def codes_of(option: Option, values: Iterable[str]) -> frozenset[str]:
    """Return the codes that an option names.

    Raises:
        UsageError: there is no such code.
    """
    known = codes()
    found = [name.strip() for value in values for name in value.split(",") if name.strip()]
    for name in found:
        if name not in known:
            near = nearest(name, known, 1)
            meant = f": did you mean {near[0]}?" if near else ""
            raise UsageError(
                f"{option.name}: there is no finding of this code{meant}",
                hint="`translate explain` lists the codes",
            )
    return frozenset(found)


def counted(
    results: Sequence[Result], select: frozenset[str], ignore: frozenset[str]
) -> list[Result]:
    """Return the results with the findings that count, and with a note on each comment that ignores
    nothing.

    Args:
        results: those of all targets and versions.
        select: the only codes that count; none: all.
        ignore: codes that do not count.
    """

    def counts(item: Finding) -> bool:
        return (not select or item.code in select) and item.code not in ignore

    found = []
    used: set[tuple[str, int, str]] = set()
    last: dict[str, tuple[Sequence[Comment], str]] = {}
    for result in results:
        kept = []
        last.update({file: (all_, result.version) for file, all_ in result.target.comments.items()})
        for item in result.findings:
            file, line, _ = result.place(item)
            comments = result.target.comments.get(file, ())
            # A comment may stand where the command begins that the line is of.
            lines = {line, result.target.places.get(item.subject, result.target.at)[1]}
            covering = [one for one in comments if one.covers(item.code, lines)]
            used.update((file, one.line, item.code if one.codes else "") for one in covering)
            if not covering and counts(item):
                kept.append(item)
        found.append(evolve(result, findings=kept))
    for file, (comments, version) in last.items():
        notes: list[Finding] = []
        places = {}
        for one in comments:
            for code in one.codes or ("",):
                subject = f"line {one.line}" + (f", {code}" if code else "")
                if (file, one.line, code) not in used and subject not in places:
                    notes.append(
                        finding("unused-ignore", subject, at=file, line=one.line, ignored=code)
                    )
                    places[subject] = (file, one.line, 0)
        if notes := [note for note in notes if counts(note)]:
            found.append(Result(Target(file, places=places), version, notes))
    return found
