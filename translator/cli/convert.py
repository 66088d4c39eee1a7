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
from translator.cli.files import environment_of, own_file
from translator.findings import TranslationError, finding, has_errors, show
from translator.tables.versions import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from translator.api.convert import Converted
    from translator.dialects.scope import Scope
    from translator.findings import Finding


EXAMPLE = """  translate convert --from 0.10.2 --to 0.33.0 -- vllm serve org/m --task embed
  translate convert --from 0.8.5 --to 0.27.1 --env-file old.env > new.env"""


ARGV_FORMATS = ("shell", "multiline", "lines", "nul", "yaml", "json")


_WITH_VARIABLES = ("shell", "multiline")


ENV_FORMATS = ("dotenv", "shell", "docker", "k8s", "json", "properties")


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
        choices=tuple(dict.fromkeys(ARGV_FORMATS + ENV_FORMATS)),
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
    own = own_file(args.to_dialect or args.from_dialect, tables) if form == "properties" else None
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
        text, unsaid = _command(done, target, form, findings)
    else:
        from translator.cli.args_to_env import rendered as of_env

        text, unsaid = of_env(done.env, form, findings, own)
    tell([*findings, *unsaid])
    if not has_errors(unsaid):
        emit(text)
    return status_of([*findings, *unsaid], args.strict)


def _command(
    done: Converted, target: Scope, form: str, findings: list[Finding]
) -> tuple[str, list[Finding]]:
    """A command line, with the variables that stood with it, in one of ARGV_FORMATS; and what that
    form cannot hold.
    """
    if form == "json":
        from translator.formats import json_result as jsontext

        return jsontext.of(findings, argv=done.argv, env=done.env), []
    from translator.api.results import Translation
    from translator.cli.env_to_args import rendered
    from translator.text.quoting import is_name, quote

    text, unsaid = rendered(
        Translation(_groups(done.argv), done.env, tuple(findings), done.done, target.catalog),
        target,
        form,
    )
    if form not in _WITH_VARIABLES:
        for name in done.env:
            message = (
                f"--format {form} has no place for {show(name)}, which stood with the command: it"
                " is left out"
            )
            unsaid.append(
                finding(
                    "not-in-file",
                    name,
                    message,
                    f"set {show(name)} where vLLM is started, or use --format shell",
                )
            )
        return text, unsaid
    for name in done.env:
        if not is_name(name):
            unsaid.append(
                finding(
                    "cannot-be-said",
                    name,
                    f"no shell has a variable called {show(name)!r}",
                    "use --format json",
                )
            )
    variables = "".join(f"{name}={quote(value)} " for name, value in done.env.items())
    return variables + ("\\\n  " if variables and form == "multiline" else "") + text, unsaid


def _groups(argv: list[str]) -> list[list[str]]:
    """The tokens of a command line as the writer makes them, flag by flag."""
    groups: list[list[str]] = [[]]
    for token in argv:
        if token.startswith("--") and groups[-1]:
            groups.append([token])
        else:
            groups[-1].append(token)
    return groups
