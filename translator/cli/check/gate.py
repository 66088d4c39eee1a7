"""Which findings of `check` count: --select, --ignore, and comments in the files that were read."""

from __future__ import annotations

from translator.cli.check.report import Result
from translator.cli.check.targets import Target
from translator.cli.exits import UsageError
from translator.findings import finding
from translator.findings.texts import codes
from translator.text.options import Option
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from translator.cli.check.comments import Comment
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

    def wanted(items: Iterable[Finding]) -> list[Finding]:
        return [
            item
            for item in items
            if (not select or item.code in select) and item.code not in ignore
        ]

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
            if not covering:
                kept.append(item)
        found.append(Result(result.target, result.version, wanted(kept), result.places))
    for file, (comments, version) in last.items():
        about: dict[str, tuple[Finding, int]] = {}
        for one in comments:
            idle = [code for code in one.codes or ("",) if (file, one.line, code) not in used]
            for code in idle:
                subject = f"line {one.line}" + (f", {code}" if code else "")
                note = finding("unused-ignore", subject, file=file, line=one.line, ignored=code)
                about[subject] = note, one.line
        notes = wanted(note for note, _ in about.values())
        if notes:
            places = {subject: (file, line, 0) for subject, (_, line) in about.items()}
            found.append(Result(Target(file, places=places), version, notes))
    return found
