"""Rewrite variables, or a command line, for another vLLM version or platform.

Variables stay variables, and a command line stays one. Each change is reported on stderr.
"""

from __future__ import annotations

from translator.cli.command_input import OPTIONS as COMMAND
from translator.cli.command_input import add_text as configure
from translator.cli.command_input import config_files, pasted, variables_of_command, written_out
from translator.cli.exits import BAD_INPUT, UsageError, status_of
from translator.cli.files import ENV_FILE, ENV_FILE_FORMAT, environment_of, write_env
from translator.cli.options import tables_of
from translator.cli.streams import emit, log_findings
from translator.commands.exec_options import CLUSTER, DEFAULT_DIALECT, STRICT, TABLES
from translator.findings import TranslationError, has_errors
from translator.formats.registry import (
    ARGV_FORMATS,
    ENV_FORMATS,
    CommandLine,
    Environment,
    write_argv,
)
from translator.tables.versions import VARIABLE
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from translator.findings import Finding

__all__ = ["EXAMPLE", "OPTIONS", "USAGE", "configure", "run"]

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
        choices=tuple({**ARGV_FORMATS, **ENV_FORMATS}),
    ),
    Option("--pin-defaults", "", "write the old defaults that differ and matter"),
    CLUSTER,
    TABLES,
    STRICT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from translator.api.convert import convert_argv, convert_env, pinned
    from translator.naming.scope import scope as scope_of

    tables = tables_of(args)
    is_command = bool(args.behind or args.text or args.file or args.config)
    command, given = (
        pasted(args, tables)
        if is_command or not args.env_file
        else (None, environment_of(args, tables))
    )
    if command is not None and command.by_variables and not command.tokens:
        given, command = variables_of_command(command), None
    elif command is None and not args.env_file:
        raise UsageError(
            "nothing to convert", hint="pass a command behind --, or variables with --env-file"
        )
    if command is not None and args.cluster:
        raise UsageError(
            "--cluster is for variables: a command line already has the flags of its machine"
        )
    findings: list[Finding] = [*given.findings, *(command.findings if command is not None else [])]
    if has_errors(findings):
        log_findings(findings)
        return BAD_INPUT
    form = args.format or ("shell" if command is not None else "dotenv")
    if form not in (ARGV_FORMATS if command is not None else ENV_FORMATS):
        raise UsageError(
            f"--format {form} is not for {'a command line' if command is not None else 'variables'}"
        )
    newest = tables.versions()[-1]
    wanted = args.target or newest
    stood_with = {**given.env, **(command.env if command is not None else {})}
    written_for = (
        args.source
        or (command.vllm if command is not None else None)
        or stood_with.get(VARIABLE, "").strip()
    )
    if not written_for and command is not None and command.image is not None:
        written_for, about_image = command.image.assume(wanted)
        findings.append(about_image)
    written_for = written_for or wanted
    try:
        source, about_source = scope_of(written_for, args.from_dialect, {}, tables)
        target, about_target = scope_of(wanted, args.to_dialect or args.from_dialect, {}, tables)
        findings += [*about_source, *(item for item in about_target if item not in about_source)]
        if command is not None:
            command, about_entry = written_out(command, written_for, args.from_dialect, tables)
            findings += about_entry
            files = config_files(source, command)
            done = convert_argv(
                command.tokens, command.env, source, target, files, pin=args.pin_defaults
            )
            findings += files.findings
        else:
            done = convert_env(given.env, source, target, args.cluster, pin=args.pin_defaults)
    except TranslationError as error:
        log_findings([*(item for item in findings if item not in error.findings), *error.findings])
        return BAD_INPUT
    env, changed = pinned(done.env, wanted)
    findings += [*done.findings, *changed]
    if command is not None:
        line = CommandLine(
            [group for _, group in done.groups], target.catalog, env, findings, env_in_front=True
        )
        text, unsaid = write_argv(form, line)
    else:
        dialect = args.to_dialect or args.from_dialect
        text, unsaid = write_env(form, Environment(env, dialect, tables, findings))
    log_findings([*findings, *unsaid])
    if not has_errors(unsaid):
        emit(text)
    return status_of([*findings, *unsaid], args.strict)
