"""Rewrite variables, or a command line, for another vLLM version or platform.

Variables stay variables, and a command line stays one. Each change is reported on stderr.
"""

from __future__ import annotations

from argparse import Namespace

from translator.api.convert import Move, convert_argv, convert_env, pinned
from translator.api.exec_options import CLUSTER, DEFAULT_DIALECT, STRICT, TABLES
from translator.api.results import Translation, Variables
from translator.cli.command_input import OPTIONS as COMMAND
from translator.cli.command_input import (
    config_files,
    pasted,
    variables_of_command,
    version_of,
    written_out,
)
from translator.cli.exits import UsageError, after, status_of
from translator.cli.files import ENV_FILE, ENV_FILE_FORMAT, Given, environment_of, write_env
from translator.cli.options import tables_of
from translator.cli.streams import emit, log_findings
from translator.files.command import Command
from translator.findings import TranslationError, has_errors
from translator.formats.forms import ARGV_FORMATS, ENV_FORMATS, CommandLine, Environment
from translator.formats.registry import write_argv
from translator.naming.scope import scope as scope_of
from translator.tables.catalog import Tables
from translator.tables.versions import VARIABLE
from translator.text.options import Option

USAGE = "translate convert [OPTIONS] [--env-file FILE | TEXT | -- vllm serve …]"
EXAMPLE = """\
  translate convert --from 0.10.2 --to 0.33.0 -- vllm serve org/m --task embed
  translate convert --from 0.8.5 --to 0.27.1 --env-file old.env > new.env"""
OPTIONS = (
    Option(
        "--from",
        "V",
        f"version it was written for (default: the image's tag, else {VARIABLE}, else --to)",
        dest="source",
    ),
    Option("--to", "V", "version to write it for (default: the newest known)", dest="target"),
    Option(
        "--from-dialect",
        "NAME",
        f"platform naming scheme of the variables (default: {DEFAULT_DIALECT})",
        default=DEFAULT_DIALECT,
    ),
    Option("--to-dialect", "NAME", "platform naming scheme to write (default: the same)"),
    ENV_FILE,
    ENV_FILE_FORMAT,
    *COMMAND,
    Option(
        "--format",
        "FMT",
        "the formats of env-to-args; for env also: "
        f"{', '.join(name for name in ENV_FORMATS if name not in ARGV_FORMATS)}",
        choices=tuple(dict.fromkeys((*ARGV_FORMATS, *ENV_FORMATS))),
    ),
    Option("--pin-defaults", "", "write the old defaults that differ and matter"),
    CLUSTER,
    TABLES,
    STRICT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    command, given = _input(args, tables)
    findings = [*given.findings, *(command.findings if command is not None else ())]
    if has_errors(findings):
        raise TranslationError(findings)
    form = _form(args, is_command=command is not None)
    wanted = args.target or tables.versions()[-1]
    written_for = args.source
    if not written_for:
        env = {**given.env, **(command.env if command is not None else {})}
        written_for, assumed = version_of(command, env, wanted)
        findings += assumed
    written_for = written_for or wanted
    dialect = args.to_dialect or args.from_dialect
    try:
        source, about_source = scope_of(written_for, args.from_dialect, {}, tables)
        target, about_target = scope_of(wanted, dialect, {}, tables)
        findings += dict.fromkeys((*about_source, *about_target))
        move = Move(source, target, pin=args.pin_defaults)
        done: Translation | Variables
        if command is None:
            done = convert_env(given.env, move, args.cluster)
        else:
            command, about_entry = written_out(command, written_for, args.from_dialect, tables)
            findings += about_entry
            files = config_files(source, command)
            done = convert_argv(command.tokens, command.env, move, files)
            findings += files.findings
    except TranslationError as error:
        raise after(findings, error) from None
    env, changed = pinned(done.env, wanted)
    findings += [*done.findings, *changed]
    if isinstance(done, Translation):
        groups = [tokens for tokens, _ in done.groups]
        line = CommandLine(groups, target.catalog, env, findings, env_in_front=True)
        text, unsaid = write_argv(form, line)
    else:
        text, unsaid = write_env(form, Environment(env, dialect, tables, findings))
    findings += unsaid
    log_findings(findings)
    if not has_errors(unsaid):
        emit(text)
    return status_of(findings, args.strict)


def _input(args: Namespace, tables: Tables) -> tuple[Command | None, Given]:
    """Return the command, or None and the variables to convert.

    Raises:
        UsageError: there is neither.
    """
    if args.env_file and not (args.behind or args.text or args.file or args.config):
        return None, environment_of(args, tables)
    command, given = pasted(args, tables)
    if command is None and not args.env_file:
        raise UsageError(
            "nothing to convert", hint="pass a command behind --, or variables with --env-file"
        )
    if command is not None and command.by_variables and not command.tokens:
        return None, variables_of_command(command)
    if command is not None and args.cluster:
        raise UsageError(
            "--cluster is for variables: a command line already has the flags of its machine"
        )
    return command, given


def _form(args: Namespace, *, is_command: bool) -> str:
    """Return the format of the result.

    Raises:
        UsageError: it is not for results of this kind.
    """
    form: str = args.format or ("shell" if is_command else "dotenv")
    if form not in (ARGV_FORMATS if is_command else ENV_FORMATS):
        kind = "a command line" if is_command else "variables"
        raise UsageError(f"--format {form} is not for {kind}")
    return form
