"""Show the flags and variables of one vLLM version."""

from __future__ import annotations

from translator.api.exec_options import TARGET
from translator.cli.exits import UsageError
from translator.cli.options import FORMAT, scope_of, tables_of
from translator.cli.streams import emit, emit_json, log_findings
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


EXAMPLE = "  translate tables show --vllm 0.27.1 --format json"
OPTIONS = (
    *TARGET,
    Option("--all", "", "with --format json: all versions, changes and platforms"),
    FORMAT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from translator.pages.tables_view import all_json, catalog_json, catalog_text

    if args.all:
        if args.format != "json" or args.vllm or args.ask:
            raise UsageError("--all goes with --format json, and without a version")
        emit_json(all_json(tables_of(args)))
        return 0
    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    if args.format == "json":
        emit_json(catalog_json(scope.catalog))
    else:
        emit(catalog_text(scope.catalog))
    return 0
