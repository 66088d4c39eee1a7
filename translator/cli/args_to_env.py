"""Translate a `vllm serve` command line to variables.

TEXT may be what people paste: `docker run …`, a shell script, the YAML of Kubernetes or compose.
The tag of the image gives the vLLM version.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from os import environ

from translator.api.convert import Move, Variables, args_to_env, argv_to_env
from translator.api.options import EXPLAIN, STRICT, TARGET, Option
from translator.api.provenance import explained_variables
from translator.cli.command_input import OPTIONS as COMMAND
from translator.cli.command_input import config_files, read_command, version_of, written_out
from translator.cli.files import ENV_FILE_FORMAT, SHELL_VARIABLES, write_env
from translator.cli.options import scope_of, tables_of
from translator.cli.process import UsageError, after, conclude
from translator.env.vllm_variables import is_read
from translator.files import Command
from translator.findings import Finding, TranslationError, finding
from translator.formats import COMMENTED, ENV_FORMATS
from translator.formats.forms import Environment
from translator.settings.scope import Scope
from translator.settings.scope import scope as scope_for
from translator.tables.versions import VARIABLE

USAGE = "translate args-to-env [OPTIONS] [TEXT | -- vllm serve …]"
EXAMPLE = """\
  translate args-to-env --vllm 0.27.1 -- vllm serve Qwen/Qwen3-8B -tp 2 --seed 7
  translate args-to-env --format k8s 'docker run vllm/vllm-openai:v0.11.2 --model org/m'
  translate args-to-env --file deployment.yaml --format docker"""
OPTIONS = (
    *COMMAND,
    SHELL_VARIABLES,
    ENV_FILE_FORMAT,
    *TARGET,
    Option(
        "--from",
        "V",
        "vLLM version the command was written for (default: --vllm)",
        dest="source",
    ),
    Option(
        "--format",
        "FMT",
        f"{', '.join(ENV_FORMATS)} (default: dotenv)",
        choices=tuple(ENV_FORMATS),
        default="dotenv",
    ),
    Option("--comments", "", f"say above each variable what it is for ({', '.join(COMMENTED)})"),
    EXPLAIN,
    STRICT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    if args.comments and args.format not in COMMENTED:
        given = f"--comments is not for --format {args.format}"
        raise UsageError(given, hint=f"use --format {', '.join(COMMENTED)}")
    tables = tables_of(args)
    command = read_command(args, tables)
    if command is None:
        raise UsageError("no command", hint="use `translate args-to-env -- vllm serve …`")
    about: list[Finding] = []
    try:
        vllm = ""
        if not (args.vllm or args.ask):
            vllm, about = version_of(command, tables.versions()[-1], environ)
        scope, about_version = scope_of(args, {}, tables, vllm)
        about += about_version
        command = written_out(
            command, args.source or scope.catalog.version, args.dialect, scope.tables
        )
        done, told = _translated(command, args, scope)
    except TranslationError as error:
        raise after([*command.findings, *about], error) from None
    findings = list(dict.fromkeys([*command.findings, *about, *told]))
    written, unread = _without_unread_secrets(done.env, command, scope)
    findings += unread
    comments = {}
    if args.comments:
        from translator.pages.reference import what_for

        comments = {name: what_for(name, scope) for name in written}
    environment = Environment(written, args.dialect, scope.tables, findings, comments)
    explained = explained_variables(done.env, done.origins, scope) if args.explain else ()
    return conclude(write_env(args.format, environment), findings, args.strict, explained)


def _without_unread_secrets(
    env: Mapping[str, str], command: Command, scope: Scope
) -> tuple[dict[str, str], list[Finding]]:
    """Return variables without the secrets of the command that neither vLLM nor its platform reads,
    and findings about these.
    """
    unread = [
        name
        for name in command.env
        if scope.secrets.named(name)
        and name not in scope.dialect.names
        and not is_read(name, command.tokens, scope.catalog)
    ]
    findings = [finding("not-in-file", name, case="secret", name=name) for name in unread]
    return {name: text for name, text in env.items() if name not in unread}, findings


def _translated(command: Command, args: Namespace, scope: Scope) -> tuple[Variables, list[Finding]]:
    """Return the variables that a command line becomes, and all findings about it.

    Args:
        command: the command.
        args: --from may name the version that it was written for.
        scope: the version and the dialect of the variables.

    Raises:
        TranslationError: its version refuses it, or the dialect cannot express it.
    """
    env = {name: text for name, text in command.env.items() if name != VARIABLE}
    if args.source:
        source, about = scope_for(args.source, args.dialect, {}, scope.tables)
        files = config_files(source, command)
        done = argv_to_env(command.tokens, env, Move(source, scope), files)
    else:
        version, about = scope.catalog.version, []
        files = config_files(scope, command)
        done = args_to_env(
            command.tokens, version, scope.name, config=files, env=env, tables=scope.tables
        )
    return done, [*about, *files.findings, *done.findings]
