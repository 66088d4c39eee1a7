"""The results of `check` as SARIF 2.1.0, which GitHub's code scanning and editors read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
"""

from __future__ import annotations

from bisect import bisect_right

from translator.cli.check.report import with_hint
from translator.cli.files import decoded, shown_file
from translator.cli.streams import emit_json
from translator.findings import inert
from translator.findings.texts import code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from translator.cli.check.report import Result
    from translator.cli.check.targets import Source
    from translator.findings import Finding
    from translator.text.edits import Edit

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def write_sarif(results: Sequence[Result]) -> None:
    """Write findings as one SARIF run. What several versions have in common is one result."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    starts: dict[Source, list[int]] = {}
    for result in results:
        for item in result.findings:
            file, line, column = result.place(item)
            key = (result.target.name, file, str(line), item.severity, item.code, item.subject)
            made = found.setdefault(key, {"ruleId": item.code, "level": _LEVELS[item.severity]})
            # The newest version's text; it names the version.
            made["message"] = {"text": with_hint(item)}
            if file:
                made["locations"] = [{"physicalLocation": _place(file, line, column)}]
            if item in result.fixes and result.target.source is not None:
                source = result.target.source
                if source not in starts:
                    starts[source] = _line_starts(decoded(source.path, source.content))
                made["fixes"] = [_fix(item, source, result.fixes[item], starts[source])]
            about = made.setdefault("properties", {"target": inert(result.target.name), "vllm": []})
            if result.version not in about["vllm"]:
                about["vllm"].append(result.version)
    rules = sorted({made["ruleId"] for made in found.values()})
    driver = {
        "name": "translate check",
        "rules": list(map(_rule, rules)),
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"}
    runs = [{**run, "results": list(found.values())}]
    emit_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": runs})


def _rule(name: str) -> dict[str, Any]:
    entry = code(name)
    return {
        "id": name,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.explanation},
        "help": {
            "text": f"{entry.explanation}\n\n{entry.example}",
            "markdown": f"{entry.explanation}\n\n```text\n{entry.example}\n```",
        },
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _line_starts(text: str) -> list[int]:
    return [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]


def _fix(
    item: Finding, source: Source, edits: Sequence[Edit], starts: Sequence[int]
) -> dict[str, Any]:
    """Return what `--fix` does about a finding, which is the same for all versions."""
    replacements = [
        {
            "deletedRegion": {**_at(starts, start, "start"), **_at(starts, end, "end")},
            **({"insertedContent": {"text": new}} if new else {}),
        }
        for start, end, new in sorted(edits)
    ]
    uri = {"uri": _uri(shown_file(source.path))}
    change = {"artifactLocation": uri, "replacements": replacements}
    return {"description": {"text": inert(item.hint)}, "artifactChanges": [change]}


def _at(starts: Sequence[int], index: int, name: str) -> dict[str, int]:
    """Return where a region begins or ends."""
    line = bisect_right(starts, index)
    return {f"{name}Line": line, f"{name}Column": index - starts[line - 1] + 1}


def _place(file: str, line: int, column: int) -> dict[str, Any]:
    """Return a place; code scanning shows none without a line."""
    region = {"startLine": line or 1, **({"startColumn": column} if column else {})}
    return {"artifactLocation": {"uri": _uri(file)}, "region": region}


def _uri(path: str) -> str:
    """Return a path as a URI. A relative one stays so: it is one of the checkout."""
    from urllib.parse import quote

    head = "file://" if path.startswith("/") else ""
    return head + quote(path.removeprefix("./"), errors="surrogateescape")
