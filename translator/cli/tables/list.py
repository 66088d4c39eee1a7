"""List the vLLM versions, platforms and clusters that have tables."""

from __future__ import annotations

import sys

from translator.api.exec_options import TABLES
from translator.cli.options import FORMAT, tables_of
from translator.cli.streams import emit_json, put
from translator.cli.terminal import table, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any


EXAMPLE = "  translate tables list --format json"
OPTIONS = (TABLES, FORMAT)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from translator.formats.properties import keys_of
    from translator.naming.dialect import find_dialect

    tables = tables_of(args)
    dialects: list[dict[str, Any]] = []
    for name in tables.dialects():
        found = find_dialect(name, tables)
        assert found is not None
        keys = keys_of(name, tables)
        dialects.append(
            {
                "name": name,
                "consumer": found.about or None,
                "sources": list(found.sources),
                "file": keys.file if keys else None,
            }
        )
    clusters = [
        {
            "name": name,
            "sources": tables.records(f"cluster.{name}.json")["@cluster"].get("sources", []),
        }
        for name in tables.clusters()
    ]
    if args.format == "json":
        emit_json({"versions": tables.versions(), "dialects": dialects, "clusters": clusters})
        return 0
    columns = width(sys.stdout)
    put(wrapped(f"vLLM {', '.join(tables.versions())}", columns))
    readers = [
        (
            dialect["name"],
            (dialect["consumer"] or "") + (f"; also {file}" if (file := dialect["file"]) else ""),
        )
        for dialect in dialects
    ]
    put(["", *table(("dialect", "read by"), readers, columns)])
    put(["", "clusters: " + ", ".join(tables.clusters())])
    put([[("dim", "sources: --format json; variables: `translate explain --list variables`")]])
    return 0
