"""Explain a flag, a variable or a finding: what it does, in which vLLM versions, what replaced it.

Also vLLM's own error messages, in quotes, and the log of a start: a file, or stdin (`-`).
Without a NAME, list the findings.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from translator.cli.options import FORMAT, scope_of, tables_of
from translator.cli.process import (
    BAD_INPUT,
    OK,
    emit_json,
    finding_pieces,
    log,
    log_error,
    log_findings,
    put,
)
from translator.cli.terminal import block, page_lines, table, width, wrapped
from translator.core.findings import UsageError, codes, texts_of
from translator.core.settings.scope import Scope
from translator.formats.inputs import read_bytes, read_log
from translator.options import TARGET, Option
from translator.reference.lookup import Page, look_up, similar
from translator.reference.markdown import SEVERITIES

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from translator.cli.terminal import Line
    from translator.core.tables.catalog import Tables

USAGE = "translate explain [OPTIONS] [NAME ...]"
EXAMPLE = """\
  translate explain --task
  translate explain TENSOR_PARALLEL_SIZE --vllm 0.8.5
  docker logs vllm 2>&1 | translate explain - --file compose.yaml"""
OPTIONS = (
    Option(
        "names",
        "NAME",
        "variable, flag (--flag or --flag.key), finding code, error message, or a log (-: stdin)",
        repeatable=True,
    ),
    Option("--file", "FILE", "of a log: the file that starts vLLM, whose lines are named"),
    *TARGET,
    FORMAT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    scope, findings = scope_of(args, {}, tables)
    names = [*args.names, *(args.behind or ())]
    is_json = args.format == "json"
    if is_json and not (names or args.file):
        raise UsageError("--format json needs at least one NAME")
    if not (names or args.file):
        put(_findings(width(sys.stdout)))
        return OK
    versions = [scope.catalog.version] if args.vllm else tables.versions()
    text = _log(names, scope, versions) if names else read_log(args.file)
    if text is not None:
        return _explain_log(text, args, tables, args.file if names else None)
    if args.file:
        raise UsageError("--file belongs to a log", hint="use `translate check FILE`")
    log_findings(findings)
    pages: dict[str, Page] = {}
    status = OK
    for name in names:
        flag, dot, path = name.partition(".")
        if dot:  # a flag that vLLM passes on has any key
            name = f"{flag}.{path.partition('=')[0]}"
        plain = name.partition("=")[0]
        page = look_up(name, scope, versions)
        if page is not None:
            pages[plain] = page
            continue
        close = similar(plain, scope)
        advice = f"; did you mean {' or '.join(f'`{other}`' for other in close)}?" if close else ""
        log_error(f"unknown name `{plain}`{advice}", "translate explain")
        status = BAD_INPUT
    if is_json:
        emit_json([{"name": name, **page.json()} for name, page in pages.items()])
        return status
    for number, page in enumerate(pages.values()):
        put([*([""] if number else []), *page_lines(page, width(sys.stdout))])
    return status


def _log(names: list[str], scope: Scope, versions: list[str]) -> str | None:
    """Return the log or the message that is asked about; None for names."""
    if names == ["-"]:
        return read_log("-")
    if any(" " in name and name[0] != "-" for name in names):
        return "\n".join(names)
    is_file = len(names) == 1 and os.path.isfile(names[0])
    if is_file and look_up(names[0], scope, versions) is None:
        return read_log(names[0])
    return None


def _explain_log(text: str, args: Namespace, tables: Tables, file: str | None) -> int:
    """Print what the known errors of a log are about, with the places in the file that starts
    vLLM, and return the exit status.
    """
    from translator.cli.check.reports import placed_json, shown_place
    from translator.deployments.options import CheckOptions
    from translator.deployments.read.targets import context_of, targets_in
    from translator.reference.logs import explain_log, place_of

    asked = CheckOptions(tables)
    content = read_bytes(file) if file else b""
    targets = targets_in(file, content, asked, context_of(asked)) if file else []
    if file and not targets:
        log(f"note: {file} does not start vLLM")
    explained = explain_log(text, args.vllm, tables, targets)
    listed = []
    for named, item in explained.findings:
        at = place_of(item.subject, targets)
        listed.append(placed_json(item, named, at))
        parts = list(filter(None, (shown_place(at), named and f"vLLM {named}")))
        if args.format == "json":
            continue
        if sys.stdout.isatty():
            put([*block(item, width(sys.stdout), ", ".join(parts)), ""])
        else:
            put([finding_pieces(item, "".join(f"{part}: " for part in parts))])
    if args.format == "json":
        emit_json(listed)
    if explained.assumed:
        names = ", ".join(explained.assumed)
        log(f"note: no vLLM version is in it: {names} is assumed (name it with --vllm)")
    if not listed:
        hint = "the cause stands in the first lines with an error: pass the whole log with -"
        hint = f"its first error is `{first}`" if (first := explained.first_error) else hint
        log_error("no known error of vLLM is in it", "translate explain", hint)
    return OK if listed else BAD_INPUT


def _findings(columns: int) -> Iterator[Line]:
    """Yield the list of all findings, and where the other names are listed."""
    rows = [(name, texts_of(name).severity, texts_of(name).title) for name in sorted(codes())]
    yield from table(("finding", "severity", "about"), rows, columns)
    for severity, meaning in SEVERITIES.items():
        for line in wrapped(f"{severity}: {meaning}", columns):
            yield [("dim", line)]
    yield ""
    yield from wrapped(
        "`translate explain NAME` explains one of them, a flag or a variable. `translate tables"
        " show` lists vLLM's flags and variables, `translate tables docs` those of a platform.",
        columns,
    )
