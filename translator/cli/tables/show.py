"""What the tables know: `tables list`, `tables show` and `tables schema`."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from translator.cli.exits import OK, UsageError
from translator.cli.options import scope_of, tables_of
from translator.cli.streams import emit, emit_json, log_findings, put
from translator.cli.terminal import table, width, wrapped
from translator.json_schema.config_file import config_schema
from translator.json_schema.env_file import env_schema
from translator.naming.dialect import find_dialect
from translator.pages.tables_view import all_json, catalog_json, catalog_text
from translator.text.options import Option

ALL = Option("--all", "", "with --format json: all versions, changes and platforms")
SCHEMA_OF = Option(
    "--for",
    "WHAT",
    "config: the file of `vllm serve --config` (default); env: the variables of --dialect",
    choices=("config", "env"),
    default="config",
    dest="what_for",
)


def list_tables(args: Namespace) -> int:
    """List the vLLM versions, platforms and clusters that have tables."""
    tables = tables_of(args)
    dialects: list[dict[str, Any]] = []
    for name in tables.dialects():
        found = find_dialect(name, tables)
        assert found is not None
        dialects.append(
            {
                "name": name,
                "consumer": found.about or None,
                "sources": list(found.sources),
                "file": found.properties.get("file"),
            }
        )
    if args.format == "json":
        clusters = []
        for name in tables.clusters():
            cluster = tables.records(f"cluster.{name}.json")["@cluster"]
            clusters.append({"name": name, "sources": cluster.get("sources", [])})
        emit_json({"versions": tables.versions(), "dialects": dialects, "clusters": clusters})
        return OK
    columns = width(sys.stdout)
    put(wrapped(f"vLLM {', '.join(tables.versions())}", columns))
    readers = []
    for dialect in dialects:
        also = f"; also {dialect['file']}" if dialect["file"] else ""
        readers.append((dialect["name"], (dialect["consumer"] or "") + also))
    put(["", *table(("dialect", "read by"), readers, columns)])
    put(["", "clusters: " + ", ".join(tables.clusters())])
    put([[("dim", "sources: --format json; variables: `translate explain --list variables`")]])
    return OK


def show(args: Namespace) -> int:
    """Show the flags and variables of one vLLM version."""
    if args.all:
        if args.format != "json" or args.vllm or args.ask:
            raise UsageError("--all goes with --format json, and without a version")
        emit_json(all_json(tables_of(args)))
        return OK
    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    if args.format == "json":
        emit_json(catalog_json(scope.catalog))
    else:
        emit(catalog_text(scope.catalog))
    return OK


def schema(args: Namespace) -> int:
    """Print a JSON Schema (draft 2020-12) of --config files or of variables, for editors."""
    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    emit_json(config_schema(scope.catalog) if args.what_for == "config" else env_schema(scope))
    return OK
