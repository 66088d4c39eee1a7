"""Print a JSON Schema (draft 2020-12) of --config files or of variables, for editors."""

from __future__ import annotations

from translator.api.exec_options import TARGET
from translator.cli.options import scope_of, tables_of
from translator.cli.streams import emit_json, log_findings
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


EXAMPLE = "  translate tables schema --vllm 0.27.1 --for config > vllm.schema.json"
OPTIONS = (
    *TARGET,
    Option(
        "--for",
        "WHAT",
        "config: the file of `vllm serve --config` (default); env: the variables of --dialect",
        choices=("config", "env"),
        default="config",
        dest="what_for",
    ),
)


def run(args: Namespace) -> int:
    """Print the schema of one vLLM version."""
    from translator.json_schema.config_file import config_schema
    from translator.json_schema.env_file import env_schema

    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    schema = config_schema(scope.catalog) if args.what_for == "config" else env_schema(scope)
    emit_json(schema)
    return 0
