"""What the tables know: `tables list` and `show`, and the pages of `docs` and `site`."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from translator.cli.options import scope_of, tables_of
from translator.cli.process import BAD_INPUT, OK, emit, emit_json, log, log_findings, put
from translator.cli.terminal import progress, table, width, wrapped
from translator.core.findings import UsageError
from translator.core.tables.catalog import Tables
from translator.core.tables.dialects import find_dialect
from translator.formats import files
from translator.options import DEFAULT_DIALECT, Option
from translator.reference.markdown import dialect_page, pages
from translator.reference.versions import all_json, catalog_json, catalog_text

ALL = Option("--all", "", "with --format json: all versions, changes and platforms")
DOCS = (
    Option("--dialect", "NAME", f"print the page of this platform (default: {DEFAULT_DIALECT})"),
    Option("--write", "DIR", "write variables.md and findings.md to DIR"),
    Option("--check", "DIR", "exit 1 when a page in DIR is out of date"),
)
SITE = (
    Option("--output", "DIR", "the folder of the site; it is made if it is not there"),
    Option(
        "--pyodide",
        "DIR",
        "the npm package pyodide, unpacked: adds a page that checks what is pasted",
    ),
    Option("--source", "URL", "the address of the project's repository, which the pages link"),
)


def list_tables(args: Namespace) -> int:
    """List the vLLM versions, platforms and clusters that have tables."""
    tables = tables_of(args)
    dialects: list[dict[str, Any]] = [
        {
            "name": name,
            "consumer": dialect.about or None,
            "sources": list(dialect.sources),
            "file": dialect.properties.get("file"),
        }
        for name in tables.dialects()
        if (dialect := find_dialect(name, tables)) is not None
    ]
    if args.format == "json":
        clusters = [
            {"name": name, "sources": tables.cluster(name)["sources"]} for name in tables.clusters()
        ]
        emit_json({"versions": tables.versions(), "dialects": dialects, "clusters": clusters})
        return OK
    columns = width(sys.stdout)
    readers = [
        (item["name"], "; also ".join(filter(None, (item["consumer"], item["file"]))))
        for item in dialects
    ]
    put(wrapped(f"vLLM {', '.join(tables.versions())}", columns))
    put(["", *table(("dialect", "read by"), readers, columns)])
    put(["", "clusters: " + ", ".join(tables.clusters())])
    put([[("dim", "sources: --format json; variables: `translate explain --list variables`")]])
    return OK


def show(args: Namespace) -> int:
    """Show the flags and variables of one vLLM version."""
    if args.all:
        if args.format != "json" or args.vllm or args.ask:
            raise UsageError("--all needs --format json, and no version")
        emit_json(all_json(tables_of(args)))
        return OK
    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    if args.format == "json":
        emit_json(catalog_json(scope.catalog))
    else:
        emit(catalog_text(scope.catalog))
    return OK


# --- pages ----------------------------------------------------------------------------------------


def docs(args: Namespace) -> int:
    """Write the reference pages in Markdown: the variables of a platform, the findings."""
    if args.write and args.check:
        raise UsageError("use either --write or --check")
    tables = tables_of(args)
    if args.write:
        write_docs(tables, Path(args.write))
    elif args.check:
        stale = _stale(tables, Path(args.check))
        put([f"stale: {Path(args.check, name)}" for name in stale])
        return BAD_INPUT if stale else OK
    else:
        name = (args.dialect or DEFAULT_DIALECT).partition(":")[0]
        if name not in tables.dialects():
            raise UsageError(f"unknown dialect `{name}`; use one of {', '.join(tables.dialects())}")
        emit(dialect_page(name, tables))
    return OK


def write_docs(tables: Tables, folder: Path) -> None:
    """Bring the pages in a folder up to date, and print which were not."""
    stale = _stale(tables, folder)
    files.write({name: text.encode() for name, text in stale.items()}, str(folder))
    put(f"written: {folder / name}" for name in stale)


def _stale(tables: Tables, folder: Path) -> dict[str, str]:
    """Return the pages in a folder that are not as they should be, with their texts."""
    return {
        name: text
        for name, text in pages(tables).items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != text.encode()
    }


def site(args: Namespace) -> int:
    """Write a static site: a page for every flag, variable and finding."""
    if not args.output:
        raise UsageError("--output DIR is missing, such as --output site")
    try:
        from translator.cli.app import build
        from translator.reference.site import PYODIDE, SHELL, runtime
        from translator.reference.site import site as files_of
    except ModuleNotFoundError:
        raise UsageError("the site needs Jinja2: pip install 'vllm-env-translator[site]'") from None
    lacking = args.pyodide and [name for name in PYODIDE if not Path(args.pyodide, name).is_file()]
    if lacking:
        raise UsageError(
            f"--pyodide {args.pyodide}: {', '.join(lacking)} is missing",
            hint="`npm pack pyodide@0.29.5` and unpack it: DIR is its folder package/",
        )
    made = files_of(
        tables_of(args),
        checks=bool(args.pyodide),
        commands={name: parser.format_help() for name, parser in build()[1].items()},
        source_code=(args.source or "").rstrip("/"),
    )
    every = {path: text.encode() for path, text in progress(made, "pages")}
    if args.pyodide:
        shell = {path: every[path] for path in SHELL}
        every.update(runtime(Path(args.pyodide), shell))
    files.write(every, args.output)
    log(f"{len(every)} files written to {args.output}")
    return OK
