"""Rewrite what was written for one vLLM, or in one dialect, for another: variables stay variables,
and a command line stays one.

Every change is a finding on standard error; what nothing in the new version can say is an error or
a warning there.
"""

from __future__ import annotations

from translator.cli.command_input import add_command, config_files, pasted, written_out
from translator.cli.common import (
    UsageError,
    add_cluster,
    add_env_file,
    add_strict,
    emit,
    refused,
    status_of,
    tables_of,
    tell,
)
from translator.cli.files import environment_of, write_env
from translator.findings import TranslationError, has_errors
from translator.formats.registry import (
    ARGV_FORMATS,
    ENV_FORMATS,
    CommandLine,
    Environment,
    write_argv,
)
from translator.tables.versions import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from translator.findings import Finding


EXAMPLE = """  translate convert --from 0.10.2 --to 0.33.0 -- vllm serve org/m --task embed
  translate convert --from 0.8.5 --to 0.27.1 --env-file old.env > new.env"""


def configure(parser: ArgumentParser) -> None:
    add_command(parser)
    add_env_file(parser, "the variables to convert (with a command: what its shell variables hold)")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="V1",
        help=(
            "the vLLM version that it was written for (default: that of the image in the command,"
            f" else what {VARIABLE} says in the file, else --to)"
        ),
    )
    parser.add_argument(
        "--to",
        dest="target",
        metavar="V2",
        help="the vLLM version to write it for (default: the newest known)",
    )
    parser.add_argument(
        "--from-dialect",
        metavar="D1",
        default="runpod",
        help="the dialect that the variables are in (default: runpod)",
    )
    parser.add_argument(
        "--to-dialect", metavar="D2", help="the dialect to write them in (default: the same)"
    )
    add_cluster(parser)
    parser.add_argument(
        "--format",
        choices=tuple({**ARGV_FORMATS, **ENV_FORMATS}),
        help="how it is printed (default: shell for a command line, dotenv for variables)",
    )
    parser.add_argument(
        "--tables",
        metavar="DIR",
        help="a directory of your own tables, laid over those of the project",
    )
    add_strict(parser)


def run(args: Namespace) -> int:
    from translator.api.convert import convert_argv, convert_env, pinned
    from translator.dialects.scope import scope as scope_of

    tables = tables_of(args)
    is_command = bool(args.behind or args.text or args.file or args.config)
    command, given = (
        pasted(args, tables)
        if is_command or not args.env_file
        else (None, environment_of(args, tables))
    )
    if command is None and not args.env_file:
        raise UsageError("give a command behind --, or variables with --env-file")
    if command is not None and args.cluster:
        raise UsageError(
            "--cluster is for variables: a command line says itself which machine it is for"
        )
    findings: list[Finding] = [*given.findings, *(command.findings if command is not None else [])]
    if has_errors(findings):
        tell(findings)
        return 1
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
        or wanted
    )
    try:
        source, about_source = scope_of(written_for, args.from_dialect, {}, tables)
        target, about_target = scope_of(wanted, args.to_dialect or args.from_dialect, {}, tables)
        findings += [*about_source, *(item for item in about_target if item not in about_source)]
        if command is not None:
            findings += written_out(command, written_for, args.from_dialect, tables)
            files = config_files(source, command)
            done = convert_argv(command.tokens, command.env, source, target, files)
            findings += files.findings
        else:
            done = convert_env(given.env, source, target, args.cluster)
    except TranslationError as error:
        return refused(error, [item for item in findings if item not in error.findings])
    findings += [*done.findings, *pinned(done.env, wanted)]
    if command is not None:
        groups = _groups(done.argv)
        line = CommandLine(groups, target.catalog, done.env, findings, env_in_front=True)
        text, unsaid = write_argv(form, line)
    else:
        dialect = args.to_dialect or args.from_dialect
        text, unsaid = write_env(form, Environment(done.env, dialect, tables, findings))
    tell([*findings, *unsaid])
    if not has_errors(unsaid):
        emit(text)
    return status_of([*findings, *unsaid], args.strict)


def _groups(argv: list[str]) -> list[list[str]]:
    """The tokens of a command line as the writer makes them, flag by flag."""
    groups: list[list[str]] = [[]]
    for token in argv:
        if token.startswith("--") and groups[-1]:
            groups.append([token])
        else:
            groups[-1].append(token)
    return groups
