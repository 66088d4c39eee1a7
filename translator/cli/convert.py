"""Rewrite variables, or a command line, for another vLLM version or platform.

Variables stay variables, and a command line stays one, unless --to-dialect makes variables of it.
Each change is reported on stderr.
"""

from __future__ import annotations

from translator.advice.check import written_for as releases_of
from translator.cli.command_input import (
    CONFIG,
    TEXT,
    config_files,
    read_command,
    version_of,
    with_variables,
    written_out,
)
from translator.cli.options import CLUSTER_OF_VARIABLES, ENV_FILE, ENV_FILE_FORMAT, tables_of
from translator.cli.process import after, conclude
from translator.core.convert import Move, argv_to_env, convert_argv, convert_env
from translator.core.findings import Finding, TranslationError, UsageError, finding
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.images import vllm_of
from translator.core.tables.versions import LATEST, VARIABLE
from translator.core.translate import Translation
from translator.formats.forms import CommandLine, Environment
from translator.formats.inputs import environment_of
from translator.formats.registry import ARGV_FORMATS, ENV_FORMATS, write_argv, write_env
from translator.options import CLUSTER, DEFAULT_DIALECT, STRICT, TABLES, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from translator.cli.command_input import PlainLine
    from translator.core.convert import Variables
    from translator.core.tables.catalog import Tables
    from translator.deployments.read import Command

USAGE = "translate convert [OPTIONS] [--env-file FILE | FILE | TEXT | -- vllm serve …]"
EXAMPLE = """\
  translate convert --from 0.10.2 --to 0.33.0 -- vllm serve org/m --task embed
  translate convert --from 0.8.5 --to 0.27.1 --env-file old.env > new.env"""
OPTIONS = (
    Option(
        "--from",
        "V",
        f"version that it was written for (default: the image's tag, else {VARIABLE}, else flags of"
        " any version)",
        dest="source",
    ),
    Option("--to", "V", "version to write for (default: the newest known)", dest="target"),
    Option(
        "--from-dialect",
        "NAME",
        f"platform naming scheme of the variables (default: {DEFAULT_DIALECT})",
        default=DEFAULT_DIALECT,
        dest="dialect",
    ),
    Option(
        "--to-dialect",
        "NAME",
        "platform naming scheme to write (default: the same); of a command line, too",
    ),
    ENV_FILE,
    ENV_FILE_FORMAT,
    TEXT,
    CONFIG,
    Option(
        "--format",
        "FMT",
        "a format of env-to-args; for variables also "
        f"{', '.join(name for name in ENV_FORMATS if name not in ARGV_FORMATS)}",
        choices=tuple(dict.fromkeys((*ARGV_FORMATS, *ENV_FORMATS))),
    ),
    Option("--pin-defaults", "", "write the old defaults where a changed one matters"),
    CLUSTER,
    TABLES,
    STRICT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    command = _input(args, tables)
    is_environment = command.by_variables and not command.tokens
    gives_variables = is_environment or bool(args.to_dialect)
    form = _format(args.format, gives_variables)
    if args.cluster and not is_environment:
        raise UsageError(CLUSTER_OF_VARIABLES)
    dialect = args.to_dialect or args.dialect
    newest = tables.versions()[-1]
    chosen = newest if args.target == LATEST else args.target or vllm_of(dialect, tables) or newest
    about: list[Finding] = []
    source, written_for, is_known = None, args.source, bool(args.source or command.vllm)
    if not written_for:
        written_for, about = version_of(command, chosen)
    try:
        written_for = written_for or vllm_of(args.dialect, tables) or chosen
        source, about_source = scope_of(written_for, args.dialect, {}, tables)
        target, about_target = scope_of(chosen, dialect, {}, tables)
        about += dict.fromkeys((*about_source, *about_target))
        move = Move(source, target, args.pin_defaults, strict=is_known)
        converted: Translation | Variables
        if is_environment:
            converted = convert_env(command.env, move, args.cluster)
        else:
            command = written_out(command, source)
            versions = None if is_known else releases_of(command.tokens, source)
            if versions:
                about.append(finding("version-assumed", "--from", case="flags", versions=versions))
            files = config_files(source, command)
            write = argv_to_env if gives_variables else convert_argv
            converted = write(command.tokens, command.env, move, files)
            about += files.findings if files is not None else []
    except TranslationError as error:
        from translator.advice.translations import remedied

        is_line = not is_environment
        errors = remedied(error.findings, command.env, command.tokens, source, is_line=is_line)
        raise after([*command.findings, *about], errors) from None
    env, changed = _pinned(converted.env, chosen)
    findings = [*command.findings, *about, *converted.findings, *changed]
    if isinstance(converted, Translation):
        groups, values = [tokens for _, tokens in converted._groups], converted._done.values
        line = CommandLine(groups, target.catalog, env, findings, env_in_front=True, values=values)
        written = write_argv(form, line)
    else:
        written = write_env(form, Environment(env, dialect, tables, findings))
    return conclude(written, findings, args.strict)


def _format(given: str | None, gives_variables: bool) -> str:
    """Return the format to write, of variables or of a command line."""
    formats: tuple[str, ...] = ENV_FORMATS if gives_variables else ARGV_FORMATS
    form = given or formats[0]
    if form not in formats:
        kind = "variables" if gives_variables else "a command line"
        raise UsageError(f"--format {form} is not for {kind}")
    return form


def _input(args: Namespace, tables: Tables) -> Command | PlainLine:
    """Return the command, or the variables, to convert."""
    if args.env_file and not (args.behind or args.text or args.config):
        from translator.deployments.read import Command

        given = environment_of(args.env_file, args.env_file_format, args.dialect, tables)
        return with_variables(Command(env=given.env, by_variables=True), given)
    command = read_command(args, tables, "convert")
    if command is None:
        raise UsageError(
            "nothing to convert", hint="pass a command after --, or variables with --env-file"
        )
    return command


def _pinned(env: Mapping[str, str], version: str) -> tuple[dict[str, str], list[Finding]]:
    """Set TRANSLATE_VLLM_VERSION, if present, to the version of the converted variables."""
    was = env.get(VARIABLE)
    if was is None or was.strip() == version:
        return dict(env), []
    facts = {"name": VARIABLE, "was": was, "now": version}
    item = finding("repaired-variable", VARIABLE, case="version", **facts)
    return {**env, VARIABLE: version}, [item]
