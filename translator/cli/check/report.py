"""The results of `check`: for people, for programs and for GitHub."""

from __future__ import annotations

import sys

from translator.cli.exits import SEVERITIES
from translator.cli.streams import emit, emit_json, finding_pieces, log, put
from translator.cli.terminal import block, count_of, width, wrapped
from translator.findings import finding, has_errors, inert
from translator.tables.versions import runs, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from translator.cli.check.targets import Target
    from translator.cli.terminal import Line, Piece
    from translator.findings import Finding, Severity
    from translator.text.edits import Edit
    from translator.text.placed import Place

_MARKS = {"error": "E", "warning": "W", "info": "i"}
_WORDS = {"error": "error", "warning": "warning", "info": "notice"}  # of workflow commands
_FIXABLE = " [*]"
_MOST_NAMES = 6  # of unknown variables, in one finding
_LEGEND = "E error, W warning, i note, . nothing; findings by number:"


class Result:
    """The findings of one target for one version.

    Attributes:
        target, version, findings: as they say.
        places: the places of those that name an argument.
        fixes: finding → the edits of its file that `--fix` makes for it.
    """

    __slots__ = ("findings", "fixes", "places", "target", "version")

    def __init__(
        self,
        target: Target,
        version: str,
        findings: Sequence[Finding],
        places: Mapping[Finding, Place] | None = None,
        fixes: Mapping[Finding, Sequence[Edit]] | None = None,
    ) -> None:
        self.target, self.version, self.findings = target, version, findings
        self.places, self.fixes = places or {}, fixes or {}

    def place(self, item: Finding) -> Place:
        """Return the place of a finding."""
        return self.places.get(item) or self.target.place(item)


def merged(results: Sequence[Result]) -> list[Result]:
    """Return the results with one for each place and version, where a script may start several
    servers; and with one finding for all values of a command that are not known.
    """
    found: dict[tuple[str, Place, str], Result] = {}
    for result in results:
        target = result.target
        key = (target.name, target.at, result.version)
        first = found.setdefault(key, Result(target, result.version, ()))
        both = list(dict.fromkeys([*first.findings, *result.findings]))
        places = {**result.places, **first.places}
        fixes = {**result.fixes, **first.fixes}
        found[key] = Result(first.target, result.version, both, places, fixes)
    return [
        Result(one.target, one.version, _in_one(one), one.places, one.fixes)
        for one in found.values()
    ]


def _in_one(result: Result) -> list[Finding]:
    found: list[Finding] = []
    unknown: dict[Place, list[str]] = {}
    for item in result.findings:
        if item.code == "value-not-known":
            at = result.target.places.get(item.subject, result.target.at)
            unknown.setdefault(at, []).append(item.subject)
        else:
            found.append(item)
    for names in unknown.values():
        case = "several" if len(names) > 1 else ""
        found.append(finding("value-not-known", names[0], case=case, text=tuple(names)))
    return found


def _brief(results: Sequence[Result]) -> list[Result]:
    """Return the results with one finding for all variables of a file that resemble nothing: those
    of a whole application, of which a container of vLLM gets a share.
    """
    return [
        Result(one.target, one.version, _with_fewer(one), one.places, one.fixes) for one in results
    ]


def _with_fewer(result: Result) -> list[Finding]:
    found: list[Finding] = []
    alike: dict[str, list[Finding]] = {}
    for item in result.findings:
        facts = item.facts
        if item.code != "unknown-variable" or facts.get("write", "x") or facts["useless"]:
            found.append(item)
        else:
            alike.setdefault(result.place(item)[0], []).append(item)
    for items in alike.values():
        if len(items) == 1:
            found += items
            continue
        names = tuple(item.subject for item in items)
        some = names if len(names) <= _MOST_NAMES else names[: _MOST_NAMES - 1]
        about = {"version": result.version, "more": len(names) - len(some) or ""}
        found.append(finding("unknown-variable", names[0], case="several", names=some, **about))
    return found


def write_report(results: Sequence[Result]) -> None:
    """Write findings for people: a list, or a table for several versions. What several targets have
    in common, such as a variable of all presets, is told once.
    """
    tables = _Tables()
    told: set[tuple[Place, str, Finding]] = set()
    every: dict[Target, list[Result]] = {}
    for result in _brief(results):
        every.setdefault(result.target, []).append(result)
    for target, mine in every.items():
        if len(mine) > 1:
            put(tables.of(target, mine))
            continue
        ordered = sorted(
            mine[0].findings,
            key=lambda item: (SEVERITIES.index(item.severity), mine[0].place(item)),
        )
        keys = {item: (mine[0].place(item), mine[0].version, item) for item in ordered}
        above = {item for item, key in keys.items() if key[0][1] and key in told}
        told.update(keys.values())
        put(line for item in ordered if item not in above for line in _finding(mine[0], item))
        counts = count_of(ordered) or "nothing to report"
        counts += f", {len(above)} of them above" if above else ""
        log(("bold", f"{target.name}, vLLM {mine[0].version}:"), f" {counts}")
    fixable = {(one.target, item.code, item.subject) for one in results for item in one.fixes}
    if fixable:
        log(f"[*] {len(fixable)} fixable with --fix")


def _finding(result: Result, item: Finding, indent: int = 0) -> Iterator[Line]:
    """Yield the lines of a finding: a block on a terminal, otherwise one line."""
    place = _shown(result.place(item))
    mark = _FIXABLE if item in result.fixes else ""
    if sys.stdout.isatty():
        yield from block(item, width(sys.stdout) - indent, place + mark)
        yield ""
    else:
        head, text = finding_pieces(item)
        yield [f"{place}: " if place else "", head, mark, text]


def _shown(place: Place) -> str:
    file, line, column = place
    return ":".join([file, *(str(part) for part in (line, column) if part)]) if file else ""


class _Tables:
    """Tables of versions × findings. What several targets have in common has one number."""

    def __init__(self) -> None:
        self._numbers: dict[Finding, int] = {}
        self._told: set[tuple[Finding, Place]] = set()

    def of(self, target: Target, results: Sequence[Result]) -> Iterator[Line]:
        """Yield the table of a target, and each of its findings as in the newest version."""
        found: dict[tuple[Severity, str, str], dict[str, tuple[Result, Finding]]] = {}
        for result in results:
            for item in result.findings:
                # Of a command for another version, the first strange flag differs by version.
                subject = "" if item.code == "written-for-another" else item.subject
                key = (item.severity, item.code, subject)
                found.setdefault(key, {})[result.version] = result, item
        ordered = sorted(found.values(), key=_severity)
        newest = [list(versions.values())[-1] for versions in ordered]
        new = [item for _, item in newest if item not in self._numbers]
        for item in new:
            self._numbers[item] = len(self._numbers) + 1

        yield [("bold", target.name)]
        yield from _marks(results, ordered, [self._numbers[item] for _, item in newest])
        if ordered:
            yield [("dim", _LEGEND)]
        for result, item in newest:
            yield from self._listed(result, item, again=item not in new)
        fits = [one.version for one in results if not has_errors(one.findings)]
        shown = ", ".join(span(*run) for run in runs([one.version for one in results], fits))
        fit = f"without errors: {len(fits)} of {len(results)} versions"
        yield from wrapped(fit + (f": {shown}" if fits else ""), width(sys.stdout))

    def _listed(self, result: Result, item: Finding, *, again: bool) -> Iterator[Line]:
        """Yield a finding with its number; if it has been told, only where it is now."""
        number, place = f"{self._numbers[item]:>2} ", result.place(item)
        if not again:
            first, *rest = _finding(result, item, len("12 "))
            yield [number, *([first] if isinstance(first, str) else first)]
            for line in rest:
                yield ["   ", *([line] if isinstance(line, str) else line)]
        elif (item, place) not in self._told:
            head = (item.severity, f"{item.severity}[{item.code}]")
            yield [f"{number}{_shown(place)}: ", head, ": the same as above"]
        self._told.add((item, place))


def _severity(versions: Mapping[str, tuple[Result, Finding]]) -> int:
    _, item = next(iter(versions.values()))
    return SEVERITIES.index(item.severity)


def _marks(
    results: Sequence[Result],
    findings: Sequence[Mapping[str, tuple[Result, Finding]]],
    numbers: Sequence[int],
) -> Iterator[Line]:
    """Yield the lines of a table: versions with the same findings share one.

    Args:
        results: one for each version.
        findings: of each column, version → what was found.
        numbers: of each column.
    """
    rows: list[tuple[str, str, list[str]]] = []  # first and last version, marks
    for version in (result.version for result in results):
        marks = [_MARKS[one[version][1].severity] if version in one else "." for one in findings]
        if rows and rows[-1][2] == marks:
            rows[-1] = (rows[-1][0], version, marks)
        else:
            rows.append((version, version, marks))
    names = [span(first, last) for first, last, _ in rows]
    size = max(map(len, ["vLLM", *names]))
    yield [("bold", f"{'vLLM':<{size}}  all" + "".join(f"{number:>4}" for number in numbers))]
    for name, (_, _, marks) in zip(names, rows):
        worst = next((mark for mark in ("E", "W") if mark in marks), "ok")
        cells = [piece for mark in marks for piece in _cell(mark, 4)]
        yield [f"{name:<{size}}  ", *_cell(worst, 3), *cells]


def _cell(mark: str, size: int) -> list[Piece]:
    """Return a right-aligned mark of the table in the colour of its severity."""
    style = next((name for name, letter in _MARKS.items() if letter == mark), "dim")
    return [" " * (size - len(mark)), (style, mark)]


def with_hint(item: Finding) -> str:
    """Return the message and the remedy of a finding in one line."""
    return inert(item.message + (f" ({item.hint})" if item.hint else ""))


def write_json(results: Sequence[Result]) -> None:
    """Write findings as JSON."""
    found = [
        {
            **item.as_dict(),
            "vllm": result.version,
            "target": result.target.name,
            "file": file or None,
            "line": line or None,
            "column": column or None,
        }
        for result in results
        for item in result.findings
        for file, line, column in (result.place(item),)
    ]
    checked = [
        {
            "target": result.target.name,
            "vllm": result.version,
            "errors": sum(item.severity == "error" for item in result.findings),
        }
        for result in results
    ]
    emit_json({"checked": checked, "findings": found})


def write_annotations(results: Sequence[Result]) -> None:
    """Write workflow commands; special characters are escaped as in GitHub's own toolkit.

    GitHub shows the first ten errors, warnings and notices of a step, and fifty of a job:
    https://github.com/actions/toolkit/pull/734. So the worst come first, and what several versions
    or containers have in common at a place is one annotation, with the newest version's message.
    """
    newest: dict[tuple[Place, Severity, str, str], Finding] = {}
    versions: dict[tuple[Place, Severity, str, str], set[str]] = {}
    for result in _brief(results):
        for item in result.findings:
            key = (result.place(item), item.severity, item.code, item.subject)
            newest[key] = item
            versions.setdefault(key, set()).add(result.version)
    every = list(dict.fromkeys(result.version for result in results))
    for key in sorted(newest, key=lambda key: (SEVERITIES.index(key[1]), key[0])):
        (file, line, column), severity, code, _ = key
        about = ", ".join(span(*run) for run in runs(every, versions[key]))
        parts = [f"file={_property(file)}", *([f"line={line}"] if line else [])] if file else []
        parts += [f"col={column}"] if file and line and column else []
        parts.append(f"title={_property(f'{code} (vLLM {about})')}")
        texts = [
            inert(text).replace("%", "%25") for text in (newest[key].message, newest[key].hint)
        ]
        emit(f"::{_WORDS[severity]} {','.join(parts)}::{'%0A'.join(filter(None, texts))}\n")


def _property(text: str) -> str:
    return inert(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
