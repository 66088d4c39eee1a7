"""Show what a vLLM version adds to an older one, removes, renames and changes by default."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from translator.cli.options import tables_of
from translator.cli.process import OK, emit, emit_json, log_findings, put
from translator.cli.terminal import page_lines, width
from translator.core.settings.scope import scope as scope_of
from translator.options import DEFAULT_DIALECT, TABLES, Option
from translator.reference.versions import diff_page, version_diff

if TYPE_CHECKING:
    from argparse import Namespace

USAGE = "translate diff [OPTIONS] OLD NEW"
EXAMPLE = """\
  translate diff 0.8.5 0.27.1
  translate diff 0.32.0 0.33.0 --format markdown > what-changed.md"""
OPTIONS = (
    Option("old", "OLD", "vLLM version to compare from"),
    Option("new", "NEW", "vLLM version to compare to"),
    Option(
        "--format",
        "FMT",
        "text (default), markdown or json",
        choices=("text", "markdown", "json"),
        default="text",
    ),
    TABLES,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    old, about_old = scope_of(args.old, DEFAULT_DIALECT, {}, tables)
    new, about_new = scope_of(args.new, DEFAULT_DIALECT, {}, tables)
    log_findings(dict.fromkeys((*about_old, *about_new)))
    difference = version_diff(old.catalog, new.catalog)
    if args.format == "json":
        emit_json(difference)
    else:
        page = diff_page(difference)
        if args.format == "text" and sys.stdout.isatty():
            put(page_lines(page, width(sys.stdout)))
            return OK
        is_markdown = args.format == "markdown"
        emit(page.markdown() if is_markdown else str(page).replace("`", "") + "\n")
    return OK
