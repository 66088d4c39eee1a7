"""Translate a `vllm serve` command line to variables.

TEXT may be what people paste: `docker run …`, a shell script, the YAML of Kubernetes or compose.
The tag of the image gives the vLLM version.
"""

from __future__ import annotations

from translator.cli.command_input import OPTIONS as COMMAND
from translator.cli.command_input import (
    PlainLine,
    config_files,
    read_command,
    scope_for,
    written_out,
)
from translator.cli.options import ENV_FILE_FORMAT, SHELL_VARIABLES, tables_of
from translator.cli.process import after, conclude
from translator.core.convert import Move, argv_to_env, line_to_env
from translator.core.env.vllm_variables import is_read
from translator.core.findings import Finding, TranslationError, UsageError, finding
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.versions import VARIABLE
from translator.core.translate import refuse_errors
from translator.formats.forms import Environment
from translator.formats.registry import COMMENTED, ENV_FORMATS, write_env
from translator.options import EXPLAIN, STRICT, TARGET, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from translator.core.settings.scope import Scope
    from translator.deployments.read import Command

USAGE = "translate args-to-env [OPTIONS] [FILE | TEXT | -- vllm serve …]"
EXAMPLE = """\
  translate args-to-env --vllm 0.27.1 -- vllm serve Qwen/Qwen3-8B -tp 2 --seed 7
  translate args-to-env --format k8s 'docker run vllm/vllm-openai:v0.11.2 --model org/m'
  translate args-to-env deployment.yaml --format docker"""
OPTIONS = (
    *COMMAND,
    SHELL_VARIABLES,
    ENV_FILE_FORMAT,
    *TARGET,
    Option(
        "--from", "V", "vLLM version the command was written for (default: --vllm)", dest="source"
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
    command = read_command(args, tables, "args-to-env")
    if command is None:
        raise UsageError("no command", hint="use `translate args-to-env -- vllm serve …`")
    about: list[Finding] = []
    source, is_translated = None, command.entry is not None
    try:
        scope, about = scope_for(args, command, tables)
        source = scope
        if args.source:
            source, about_source = scope_of(args.source, args.dialect, {}, scope.tables)
            about += about_source
        command = written_out(command, source)
        files = config_files(source, command)
        if args.file is not None and not isinstance(command, PlainLine):
            command = _without_placeholders(command, source)
        foreign = {} if is_translated else _read_by_platform(command.env, scope)
        without = {VARIABLE, *foreign}
        env = {name: text for name, text in command.env.items() if name not in without}
        if args.source:
            variables = argv_to_env(command.tokens, env, Move(source, scope), files)
        else:
            variables = line_to_env(command.tokens, scope, config=files, env=env)
    except TranslationError as error:
        from translator.advice.translations import remedied

        is_line = not is_translated
        errors = remedied(error.findings, command.env, command.tokens, source, is_line=is_line)
        raise after([*command.findings, *about], errors) from None
    unread = [  # secrets that neither vLLM nor its platform reads
        name
        for name in command.env
        if scope.secrets.named(name)
        and name not in scope.dialect.names
        and not is_read(name, command.tokens, scope.catalog)
    ]
    about += files.findings if files is not None else []
    secret = [finding("not-in-file", name, case="secret", name=name) for name in unread]
    findings = [*dict.fromkeys([*command.findings, *about, *variables.findings]), *secret]
    findings += [item for name, item in foreign.items() if name not in variables.env]
    written = {name: text for name, text in variables.env.items() if name not in unread}
    comments = {}
    if args.comments:
        from translator.reference.markdown import what_for

        comments = {name: what_for(name, scope) for name in written}
    environment = Environment(written, args.dialect, scope.tables, findings, comments)
    explained: list[str] = []
    if args.explain:
        from translator.cli.provenance import explained_variables

        explained = explained_variables(variables.env, variables.origins, scope)
    return conclude(write_env(args.format, environment), findings, args.strict, explained)


def _without_placeholders(command: Command, scope: Scope) -> Command:
    """Return a command of a file without variables that are places to fill in; raise
    TranslationError for such arguments.
    """
    from translator.deployments.read import filled
    from translator.formats.classes import evolve

    line = filled(command.marked, scope.catalog, in_file=True)
    findings = [
        finding("shell-variable", text, case="placeholder", variable=text) for text in line.places
    ]
    refuse_errors(findings, scope, command.env, command.tokens)
    open_ = {name: text for name, text in command.env.items() if line.is_unknown(text, None)}
    left = [
        finding("unresolved-value", name, references=(text,), variable=name, write=f"{name}=VALUE")
        for name, text in open_.items()
    ]
    env = {name: text for name, text in command.env.items() if name not in open_}
    return evolve(command, env=env, findings=[*command.findings, *left])


def _read_by_platform(env: Mapping[str, str], scope: Scope) -> dict[str, Finding]:
    """Return the variables that mean nothing to `vllm serve`, and would be settings for the
    platform's program, with the findings about them.
    """
    unread = {}
    for name in env:
        role = scope.role(name)
        if role is not None and role.kind in ("flag", "choice", "absent", "extra-args"):
            write = role.flag.flag if role.flag is not None else ""
            facts = {"name": name, "reader": scope.reader, "write": write}
            unread[name] = finding("not-in-file", name, case="unread", **facts)
    return unread
