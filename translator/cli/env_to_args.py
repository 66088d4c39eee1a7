"""Translate variables to a `vllm serve` command line.

The variables come from the environment, or only from the files of --env-file, or from a container
of --file. `${NAME}` in a dotenv file refers to a variable set above it in the files, never to the
environment.
"""

from __future__ import annotations

from translator.api.exec_options import (
    CLUSTER,
    EXPLAIN,
    JSON_STYLE,
    STRICT,
    TARGET,
    WORKER_DEFAULTS,
)
from translator.cli.exits import UsageError, after, status_of
from translator.cli.files import ENV_FILE, ENV_FILE_FORMAT, environment_of
from translator.cli.options import scope_of, tables_of
from translator.cli.streams import emit, log, log_findings
from translator.env.vllm_variables import is_read
from translator.findings import TranslationError, has_errors
from translator.formats.forms import ARGV_FORMATS, CommandLine
from translator.formats.shell_lines import START_FORMATS
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from translator.api.results import Translation
    from translator.cli.files import Given
    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables

USAGE = "translate env-to-args [OPTIONS]"
EXAMPLE = """\
  translate env-to-args --env-file .env --vllm 0.27.1
  translate env-to-args --file .runpod/hub.json
  MODEL_NAME=org/model MAX_MODEL_LEN=8k translate env-to-args --format multiline"""
OPTIONS = (
    ENV_FILE,
    ENV_FILE_FORMAT,
    Option("--file", "FILE", "read the variables of a container in a manifest or a hub.json"),
    *TARGET,
    CLUSTER,
    WORKER_DEFAULTS,
    Option(
        "--format",
        "FMT",
        f"{', '.join(ARGV_FORMATS)} (default: shell; yaml: a --config file)",
        choices=tuple(ARGV_FORMATS),
        default="shell",
    ),
    JSON_STYLE,
    EXPLAIN,
    STRICT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from translator.api.translate import Options, translate_env

    tables = tables_of(args)
    if args.behind:
        raise UsageError(
            "env-to-args takes no tokens behind --", hint="use `translate exec --dry-run -- …`"
        )
    tokens: list[str] = []
    vllm = None
    if args.file:
        given, tokens, vllm = _of_file(args, tables)
    else:
        given = environment_of(args, tables)
    if has_errors(given.findings) and args.file:
        raise TranslationError(given.findings)
    try:
        scope, about_version = scope_of(args, given.env, tables, vllm)
    except TranslationError as error:
        raise after(given.findings, error) from None
    options = Options(tokens, args.json_style, args.worker_defaults, args.cluster)
    done = translate_env(given.env, scope, options, [*given.findings, *about_version])
    write = START_FORMATS.get(args.format)
    if write is None:
        from translator.formats.registry import ARGV_WRITERS

        write = ARGV_WRITERS[args.format]
    text, findings = write(_command_line(done, scope))
    findings = [*done.findings, *findings]
    if args.explain:
        _explain(given.env, done, scope, given.places)
    log_findings(findings)
    if not has_errors(findings):
        emit(text)
    return status_of(findings, args.strict)


def _of_file(args: Namespace, tables: Tables) -> tuple[Given, list[str], str | None]:
    """Return the variables of a container in a file, the tokens that override them, and the vLLM of
    its image; its `translate exec` may name the dialect and the scheduler.
    """
    from translator.cli.command_input import variables_in

    command, given = variables_in(args, tables)
    if command.entry is not None:
        args.dialect = command.entry.dialect or args.dialect
        args.cluster = command.entry.cluster or args.cluster
        args.worker_defaults = command.entry.worker_defaults or args.worker_defaults
    return given, command.tokens, command.vllm


def _command_line(done: Translation, scope: Scope) -> CommandLine:
    """Return the command line of a translation, with the variables that vLLM reads."""
    catalog = scope.catalog
    env = {name: text for name, text in done.env.items() if is_read(name, done.argv, catalog)}
    return CommandLine([group for group, _ in done.groups], catalog, env, done.findings)


def _explain(env: dict[str, str], done: Translation, scope: Scope, places: dict[str, int]) -> None:
    from translator.api.provenance import explained

    for line in explained(env, done, scope, places):
        log(line)
