"""The results of `check`: for people, as JSON, and for what runs it: as annotations of GitHub, as a
Code Quality report of GitLab, as a JUnit report, and as SARIF 2.1.0, which GitHub's code scanning
and editors read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from translator.cli.process import emit, emit_json, finding_pieces, inert, log, put, status_of
from translator.cli.terminal import count_of
from translator.core.findings import SEVERITIES, finding, has_errors, texts_of
from translator.core.secrets import secrets_of
from translator.core.tables.versions import shown_runs, span
from translator.formats.classes import evolve
from translator.version import REPOSITORY, __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from translator.cli.terminal import Line, Piece
    from translator.core.findings import Finding, Severity
    from translator.core.text.words import Place
    from translator.deployments.judge.results import Result
    from translator.deployments.read.targets import Source, Target
    from translator.documents import CheckedFindingJson, CheckedJson, PlacedJson

_Key = TypeVar("_Key")
_MARKS = {"error": "E", "warning": "W", "info": "i"}
_STYLES = {mark: severity for severity, mark in _MARKS.items()}
_WORDS = {"error": "error", "warning": "warning", "info": "notice"}  # of workflow commands
_FIXABLE = " [*]"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}  # of SARIF
_RANKS = {"error": "major", "warning": "minor", "info": "info"}  # of GitLab
_MOST_NAMES = 6  # of unknown variables, in one finding
MANY = 3  # of which a note is told once
_LEGEND = "E error, W warning, i note, . nothing; findings by number:"


def write_report(results: Sequence[Result], *, are_all_named: bool = True) -> None:
    """Write findings for people: a list, or a table for several versions. What several targets have
    in common, such as a variable of all presets, is told once. With `are_all_named`, a target
    without findings is named, too.
    """
    tables = _Tables()
    shown: set[tuple[Place, str, Finding]] = set()
    every: dict[Target, list[Result]] = {}
    common = _common_notes(results)
    for result in map(_brief, results):
        others = [item for item in result.findings if item not in common]
        is_all = len(others) == len(result.findings)
        every.setdefault(result.target, []).append(
            result if is_all else evolve(result, findings=others)
        )
    for mine in every.values():
        if not (are_all_named or any(one.findings for one in mine)):
            continue
        if len(mine) > 1:
            put(tables.of(mine))
            continue
        places = {item: mine[0].place(item) for item in mine[0].findings}
        ordered = sorted(places, key=lambda item: (SEVERITIES.index(item.severity), places[item]))
        keys = {item: (places[item], mine[0].version, item) for item in ordered}
        above = {item for item, key in keys.items() if key[0][1] and key in shown}
        shown.update(keys.values())
        put(line for item in ordered if item not in above for line in _finding(mine[0], item))
        counts = count_of(ordered) or f"nothing {'else ' * bool(common)}to report"
        counts += f", {len(above)} of them above" if above else ""
        other = mine[0].written_for if has_errors(ordered) else ""
        counts += f"; the command is written for vLLM {other}" if other else ""
        log(("bold", f"{mine[0].title}, vLLM {mine[0].version}:"), f" {counts}")
    newest = {(item.code, item.subject, *having): item for item, having in common.items()}
    for item in newest.values():
        files = list(dict.fromkeys(target.at[0] for target in common[item]))
        some = ", ".join(files[:MANY]) + ", …" * (len(files) > MANY)
        note = item.with_facts(at=f"{len(files)} file{'s' * (len(files) != 1)} ({some})")
        put(_finding(next(iter(common[item].values())), note))
    _sum_up(results)


def _common_notes(results: Sequence[Result]) -> dict[Finding, dict[Target, Result]]:
    """Return the notes on whole files that many targets have, and the results of these."""
    alike: dict[Finding, dict[Target, Result]] = {}
    for result in results if len(results) >= MANY else ():
        for item in result.findings:
            if item.has_trait("release"):
                alike.setdefault(item, {})[result.target] = result
    return {item: having for item, having in alike.items() if len(having) >= MANY}


def _sum_up(results: Sequence[Result]) -> None:
    """Log the errors of several files, and what --fix would fix."""
    fixable = {(one.target, item.code, item.subject) for one in results for item in one.fixes}
    fixes = f"[*] {len(fixable)} fixable with --fix" if fixable else ""
    sources = {one.target.source for one in results}
    if len(sources) > 1:
        counts: Counter[Source | None] = Counter()
        for target, theirs in groupby(results, key=lambda one: one.target):
            findings = (item for one in theirs for item in one.findings if item.severity == "error")
            counts[target.source] += len({(it.message, it.facts.get("version")) for it in findings})
        count, having = counts.total(), sum(map(bool, counts.values()))
        about = f"{count} error{'s' * (count != 1)} in {having}"
        log(("bold", f"{about} of {len(sources)} files"), fixes and f"; {fixes}")
    elif fixes:
        log(fixes)


def _brief(result: Result) -> Result:
    """Return the result with one finding for all variables of a file that resemble nothing: those
    of a whole application, of which a container of vLLM gets a share.
    """
    findings: list[Finding] = []
    alike: dict[tuple[str, str], list[Finding]] = {}
    for item in result.findings:
        is_alike = (item.code, item.case) == ("unknown-variable", "") and item.remedy is None
        here = (
            alike.setdefault((result.place(item)[0], item.severity), []) if is_alike else findings
        )
        here.append(item)
    for items in alike.values():
        if len(items) == 1:
            findings += items
            continue
        names = tuple(item.subject for item in items)
        some = names if len(names) <= _MOST_NAMES else names[: _MOST_NAMES - 1]
        about = {"version": result.version, "more": len(names) - len(some) or ""}
        note = finding("unknown-variable", names[0], case="several", names=some, **about)
        findings.append(note.with_severity(items[0].severity))
    return evolve(result, findings=findings) if alike else result


def _finding(result: Result, item: Finding, indent: int = 0) -> Iterator[Line]:
    """Yield the lines of a finding: a block on a terminal, otherwise one line."""
    place = shown_place(result.place(item))
    mark = _FIXABLE if item in result.fixes else ""
    if sys.stdout.isatty():
        from translator.cli.terminal import block, width

        columns = width(sys.stdout) - indent
        yield from block(item, columns, place + mark, _excerpt(result, item, columns))
        yield ""
    else:
        at, head, text = finding_pieces(item, place and f"{place}: ")
        yield [at, head, mark, text]


def _excerpt(result: Result, item: Finding, columns: int) -> Iterator[list[Piece]]:
    """Yield the line of the file that a finding is about, and below it where; none if there may be
    a secret in it.
    """
    text, size = _marked(result, item)
    _, line, column = result.place(item)
    if not size:
        return
    first = min(max(column + size - columns + len(f"{line}") + 5, 0), column - 1)
    bar = f"  {' ' * len(str(line))} | "
    yield [("dim", f"  {line} | "), text[first : first + columns - len(bar)]]
    yield [("dim", bar), " " * (column - 1 - first), (item.severity, "^" * size)]


def _marked(result: Result, item: Finding) -> tuple[str, int]:
    """Return the line of the file that a finding is about, and how many characters of it from the
    finding's column on; "" and 0 if there is no such place, or may be a secret in the line.
    """
    (file, line, column), source = result.place(item), result.target.source
    starts = source.lines if source is not None and source.path == file else []
    if source is None or not 0 < line <= len(starts) or not column:
        return "", 0
    end = starts[line] if line < len(starts) else None
    text = source.text[starts[line - 1] : end].rstrip("\r\n").replace("\t", " ")
    if secrets_of().mask(text, result.known) != text:
        return "", 0
    named = [part for part in (str(item.facts.get("given", "")), item.subject) if part]
    here = text[column - 1 :]
    size = len(next((part for part in named if here.startswith(part)), here.partition(" ")[0]))
    return text, max(size, 1)


def shown_place(place: Place) -> str:
    """Return a place as `file:line:column`."""
    file, line, column = place
    return ":".join([file, *(str(part) for part in (line, column) if part)]) if file else ""


def placed_json(item: Finding, vllm: str, place: Place) -> PlacedJson:
    """Return a finding as JSON, with the release that it is about and its place in a file."""
    file, line, column = (part or None for part in place)
    return {**item.as_dict(), "vllm": vllm or None, "file": file, "line": line, "column": column}  # type: ignore[typeddict-item]


class _Tables:
    """Tables of versions × findings. What several targets have in common has one number."""

    def __init__(self) -> None:
        self._numbers: dict[Finding, int] = {}
        self._shown: set[tuple[Finding, Place]] = set()

    def of(self, results: Sequence[Result]) -> Iterator[Line]:
        """Yield the table of a target, and each of its findings as in the newest version."""
        alike = _alike(results, lambda result, item: (item.severity, item.code, item.subject))
        ordered = sorted(alike.items(), key=lambda pair: SEVERITIES.index(pair[0][0]))
        found = [versions for _, versions in ordered]
        newest = [_newest(versions) for versions in found]
        new = [item for _, item in newest if item not in self._numbers]
        for item in new:
            self._numbers[item] = len(self._numbers) + 1

        yield [("bold", results[0].title)]
        yield from _marks(results, found, [self._numbers[item] for _, item in newest])
        if found:
            yield [("dim", _LEGEND)]
        for result, item in newest:
            yield from self._listed(result, item, again=item not in new)
        from translator.cli.terminal import width, wrapped

        fits = [one.version for one in results if not has_errors(one.findings)]
        shown = shown_runs([one.version for one in results], fits)
        fit = f"without errors: {len(fits)} of {len(results)} versions"
        yield from wrapped(fit + (f": {shown}" if fits else ""), width(sys.stdout))

    def _listed(self, result: Result, item: Finding, *, again: bool) -> Iterator[Line]:
        """Yield a finding with its number; if it has been told, only where it is now."""
        number, place = f"{self._numbers[item]:>2} ", result.place(item)
        if not again:
            for line in _finding(result, item, len("12 ")):
                yield [number, *([line] if isinstance(line, str) else line)]
                number = "   "
        elif (item, place) not in self._shown:
            head = (item.severity, f"{item.severity}[{item.code}]")
            yield [f"{number}{shown_place(place)}: ", head, ": the same as above"]
        self._shown.add((item, place))


def _alike(
    results: Iterable[Result], key: Callable[[Result, Finding], _Key]
) -> dict[_Key, dict[str, tuple[Result, Finding]]]:
    """Return the findings that have a key in common: those of each version, the newest last."""
    found: dict[_Key, dict[str, tuple[Result, Finding]]] = {}
    for result in results:
        for item in result.findings:
            found.setdefault(key(result, item), {})[result.version] = result, item
    return found


def _newest(versions: Mapping[str, tuple[Result, Finding]]) -> tuple[Result, Finding]:
    return list(versions.values())[-1]


def _marks(
    results: Sequence[Result],
    findings: Sequence[Mapping[str, tuple[Result, Finding]]],
    numbers: Sequence[int],
) -> Iterator[Line]:
    """Yield the lines of a table, of which versions with the same findings share one; a column is
    what was found in each version.
    """
    marks = {
        result.version: [
            _MARKS[one[result.version][1].severity] if result.version in one else "."
            for one in findings
        ]
        for result in results
    }
    rows = []
    for theirs, group in groupby(marks, marks.__getitem__):
        versions = list(group)
        rows.append((span(versions[0], versions[-1]), theirs))
    size = max(map(len, ["vLLM", *(name for name, _ in rows)]))
    yield [("bold", f"{'vLLM':<{size}}  all" + "".join(f"{number:>4}" for number in numbers))]
    for name, theirs in rows:
        worst = next((mark for mark in ("E", "W") if mark in theirs), "ok")
        cells = [(_STYLES.get(mark, "dim"), f"{mark:>4}") for mark in theirs]
        yield [f"{name:<{size}}  ", (_STYLES.get(worst, "dim"), f"{worst:>3}"), *cells]


def write_json(results: Sequence[Result]) -> None:
    """Write findings as JSON."""
    found: list[CheckedFindingJson] = [
        {
            **placed_json(item, result.version, place),
            "target": result.name,
            "edits": [
                {**({"file": path} if path != place[0] else {}), **region, "text": new}  # type: ignore[typeddict-item]
                for path, region, new in _edits(result, item)
            ],
        }
        for result in results
        for item in result.findings
        for place in (result.place(item),)
    ]
    checked: list[CheckedJson] = [
        {
            "target": result.name,
            "vllm": result.version,
            "reader": result.reader or None,
            "errors": sum(item.severity == "error" for item in result.findings),
        }
        for result in results
    ]
    emit_json({"checked": checked, "findings": found})


def _edits(result: Result, item: Finding) -> list[tuple[str, dict[str, int], str]]:
    """Return what `--fix` does about a finding: the parts of files, and what replaces them."""
    source = result.target.source
    if source is None or item not in result.fixes:
        return []
    file_edits = sorted(result.fixes[item])
    contents = source.context.files.contents
    sources = {path: evolve(source, path=path, content=contents[path]) for path, *_ in file_edits}
    lines = {path: one.lines for path, one in sources.items()}
    return [
        (path, {**_at(lines[path], start, "start"), **_at(lines[path], end, "end")}, new)
        for path, start, end, new in file_edits
    ]


def _at(starts: Sequence[int], index: int, name: str) -> dict[str, int]:
    """Return where a region begins or ends."""
    line = bisect_right(starts, index)
    return {f"{name}Line": line, f"{name}Column": index - starts[line - 1] + 1}


def write_annotations(results: Sequence[Result]) -> None:
    """Write workflow commands; special characters are escaped as in GitHub's own toolkit.

    GitHub shows the first ten errors, warnings and notices of a step, and fifty of a job:
    https://github.com/actions/toolkit/pull/734. So the worst come first, and what several versions
    or containers have in common at a place is one annotation, with the newest version's message.
    """
    for result, item, versions in _by_place(results):
        file, line, column = result.place(item)
        parts = [f"file={_property(file)}", *([f"line={line}"] if line else [])] if file else []
        parts += [f"col={column}"] if file and line and column else []
        parts.append(f"title={_property(f'{item.code} (vLLM {versions})')}")
        texts = [inert(text).replace("%", "%25") for text in (item.message, item.hint) if text]
        emit(f"::{_WORDS[item.severity]} {','.join(parts)}::{'%0A'.join(texts)}\n")


def _by_place(results: Sequence[Result]) -> Iterator[tuple[Result, Finding, str]]:
    """Yield findings, the worst first: each as its newest version has it, with all versions."""
    alike = _alike(
        map(_brief, results),
        lambda result, item: (result.place(item), item.severity, item.code, item.subject),
    )
    every = list(dict.fromkeys(result.version for result in results))
    for key in sorted(alike, key=lambda key: (SEVERITIES.index(key[1]), key[0])):
        yield *_newest(alike[key]), shown_runs(every, alike[key])


def _property(text: str) -> str:
    return inert(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def write_gitlab(results: Sequence[Result]) -> None:
    """Write findings as a Code Quality report of GitLab, which compares those of two commits by
    their fingerprints: these hold no line, which moves with what stands above it.
    """
    from hashlib import sha256

    issues = []
    counts: Counter[tuple[str, ...]] = Counter()
    for result, item, _ in _by_place(results):
        file, line, _ = result.place(item)
        path = inert(file or result.name).removeprefix("./")
        same = (path, item.code, item.subject)
        counts[same] += 1
        issues.append(
            {
                "description": inert(item.line().partition(": ")[2]),
                "check_name": item.code,
                "fingerprint": sha256(repr((*same, counts[same])).encode()).hexdigest(),
                "severity": _RANKS[item.severity],
                "location": {"path": path, "lines": {"begin": line or 1}},
            }
        )
    emit_json(issues)


def write_junit(results: Sequence[Result], fail_on: Severity = "error") -> None:
    """Write each target in each version as a test of JUnit; findings from `fail_on` on fail it."""
    from xml.etree import ElementTree as xml

    suite = xml.Element("testsuite", name="translate check", tests=f"{len(results)}")
    for result in results:
        places = (shown_place(result.place(item)) or result.name for item in result.findings)
        lines = [inert(f"{at}: {item.line()}") for at, item in zip(places, result.findings)]
        title = inert(f"{result.title}, vLLM {result.version}")
        case = xml.SubElement(suite, "testcase", name=title, classname="translate check")
        if result.target.source is not None:
            case.set("file", inert(result.target.source.path.removeprefix("./")))
        if status_of(result.findings, False, fail_on):
            failure = xml.SubElement(case, "failure", message=count_of(result.findings))
            failure.text = "\n".join(lines)
        elif lines:
            xml.SubElement(case, "system-out").text = "\n".join(lines)
    suite.set("failures", f"{len(suite.findall('*/failure'))}")
    text = xml.tostring(suite, "unicode").encode(errors="replace").decode()
    text = text.replace("\ufffe", "?").replace("\uffff", "?")  # which XML cannot hold
    emit(f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n")


def write_statistics(results: Sequence[Result]) -> None:
    """Write how often each code is found; what several versions have in common counts once."""
    alike = _alike(
        results, lambda one, item: (one.target, one.place(item), item.code, item.subject)
    )
    found = [_newest(versions) for versions in alike.values()]
    counts = Counter((item.severity, item.code) for _, item in found)
    for (severity, code), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        put([[f"{count:>5}  ", (severity, f"{severity}[{code}]"), f" {texts_of(code).title}"]])
    _sum_up(results)


def write_sarif(results: Sequence[Result]) -> None:
    """Write findings as one SARIF run. What several versions have in common is one result."""
    alike = _alike(
        results,
        lambda result, item: (
            (result.target.name, *result.place(item)[:2], item.severity, item.code, item.subject)
        ),
    )
    driver = {
        "name": "translate check",
        "rules": list(map(_rule, sorted({code for *_, code, _ in alike}))),
    }
    found = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": list(map(_sarif, alike.values())),
    }
    emit_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [found]})


def _sarif(versions: Mapping[str, tuple[Result, Finding]]) -> dict[str, Any]:
    """Return the result for what versions have in common, with the newest one's text."""
    result, item = _newest(versions)
    file, line, column = result.place(item)
    made: dict[str, Any] = {
        "ruleId": item.code,
        "level": _LEVELS[item.severity],
        "message": {"text": inert(item.line().partition(": ")[2])},
        "properties": {"target": inert(result.name), "vllm": list(versions)},
    }
    if file:  # code scanning shows no place without a line
        region = {"startLine": line or 1, **({"startColumn": column} if column else {})}
        if size := _marked(result, item)[1]:
            region |= {"endLine": line, "endColumn": column + size}
        place = {"artifactLocation": {"uri": _uri(file)}, "region": region}
        made["locations"] = [{"physicalLocation": place}]
    changes: dict[str, list[dict[str, Any]]] = {}
    for path, region, new in _edits(result, item):
        inserted = {"insertedContent": {"text": new}} if new else {}
        changes.setdefault(path, []).append({"deletedRegion": region, **inserted})
    if changes:
        every = [
            {"artifactLocation": {"uri": _uri(path)}, "replacements": replacements}
            for path, replacements in changes.items()
        ]
        made["fixes"] = [{"description": {"text": inert(item.hint)}, "artifactChanges": every}]
    return made


def _rule(name: str) -> dict[str, Any]:
    entry = texts_of(name)
    page = f"{REPOSITORY}/blob/v{__version__}/docs/findings.md#{name}"
    return {
        "id": name,
        **({"helpUri": page} if REPOSITORY else {}),
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.explanation},
        "help": {
            "text": f"{entry.explanation}\n\n{entry.example}",
            "markdown": f"{entry.explanation}\n\n```text\n{entry.example}\n```",
        },
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _uri(path: str) -> str:
    """Return a path as a URI. A relative one stays so: it is one of the checkout."""
    from urllib.parse import quote  # lazy: few reports need it

    head = "file://" if path.startswith("/") else ""
    return head + quote(path.removeprefix("./"), errors="surrogateescape")
