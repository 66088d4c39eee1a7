"""Report what is wrong with variables, a command line, a Kubernetes manifest or a compose file.

With several vLLM versions, the report is a table: "can I upgrade with this?". Exit status: 1 for
errors, 3 for warnings with --strict.
"""

from __future__ import annotations

import os

from translator.cli.check_report import REPORTS, Result, Target
from translator.cli.exits import UsageError, status_of
from translator.cli.files import (
    ENV_FILE,
    ENV_FILE_FORMAT,
    Given,
    environment_of,
    read_file,
    variables_of,
)
from translator.cli.options import tables_of
from translator.commands.exec_options import CLUSTER, DIALECT, PREFIX, STRICT, TABLES
from translator.findings import TranslationError
from translator.formats.registry import ENV_FILE_ENDINGS
from translator.secrets.secrets import secrets_of
from translator.tables.entries import MODEL
from translator.tables.versions import VARIABLE, Version, parse
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from translator.commands.command import Command, Context
    from translator.dialects.scope import Scope
    from translator.findings import Finding
    from translator.formats.vllm_config import ConfigFiles
    from translator.tables.catalog import Tables

USAGE = "translate check [OPTIONS] [FILE ... | -- vllm serve …]"
EXAMPLE = """\
  translate check --env-file .env --vllm 0.27.1
  translate check --vllm 0.19.. -- vllm serve org/m --swap-space 4
  translate check deployment.yaml compose.yaml --format github"""
OPTIONS = (
    Option("--manifest", "FILE", "the same as FILE, for YAML; repeatable", repeatable=True),
    ENV_FILE,
    ENV_FILE_FORMAT,
    Option(
        "--vllm",
        "V",
        "vLLM version, or a range: 0.19.., 0.8..0.33, all; repeatable (default: the image's tag,"
        " else as elsewhere)",
        repeatable=True,
    ),
    DIALECT,
    PREFIX,
    TABLES,
    CLUSTER,
    Option(
        "--format",
        "FMT",
        "text (default), json, or github (annotations of a workflow)",
        choices=("text", "json", "github"),
        default="text",
    ),
    STRICT,
)
_NO_MODEL = ("no-model", "missing-model")


def configure(parser: ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="FILE",
        help="a Kubernetes manifest, a compose file, a .env file or a command; - is stdin",
    )


def run(args: Namespace) -> int:
    from translator.dialects.scope import scope as scope_of

    tables = tables_of(args)
    newest = tables.versions()[-1]
    results: list[Result] = []
    try:
        scope_of(newest, args.dialect, {}, tables)
    except TranslationError as error:  # of the dialect, which is the same for every target
        results.append(Result(Target("the dialect", {}), newest, list(error.findings)))
    else:
        for target in _targets(args, tables):
            for asked in _versions(args, target, tables):
                results.append(_check(target, asked, args.dialect, tables, args.cluster))
    REPORTS[args.format](results)
    return status_of([item for result in results for item in result.findings], args.strict)


def _targets(args: Namespace, tables: Tables) -> list[Target]:
    """What the command line gives to check."""
    from translator.commands import translate_exec as ours
    from translator.commands.command import Context

    files = [*args.targets, *args.manifest]
    # Beside a command, or a file with one, the files of variables say what it refers to; else they
    # are what is checked.
    refers = args.behind is not None or any(not _has_variables(path) for path in files)
    given = environment_of(args, tables) if args.env_file or not (files or refers) else Given()
    reads = ours.reader(args.dialect, tables)
    context = Context(given.env, os.environ, secrets_of(tables), reads)
    found: list[Target] = []
    for path in files:
        found += _of_file(path, args, tables, context)
    if args.behind is not None:
        from translator.commands.registry import read_behind

        if not args.behind:
            raise UsageError("no command behind --")
        found.append(_of_command("the command", read_behind(args.behind, context)))
    if refers:
        for item in given.findings:
            found[0].found.append(item)
            found[0].places[item.subject], found[0].files[item.subject] = (
                0,
                ", ".join(args.env_file),
            )
    elif not files or args.env_file:
        target = Target(", ".join(args.env_file) or "the environment", given.env)
        target.places, target.files, target.found = given.places, given.files, given.findings
        found.append(target)
    return found


def _has_variables(path: str) -> bool:
    """Whether a file is one of variables, by its name."""
    name = os.path.basename(path)
    return name.endswith(tuple(ENV_FILE_ENDINGS)) or name.startswith(".env")


def _of_file(path: str, args: Namespace, tables: Tables, context: Context) -> list[Target]:
    """The containers of a YAML file, the variables of a .env file, or the command in any other."""
    from translator.commands.command import ManifestError
    from translator.commands.registry import read_commands

    if _has_variables(path):
        read = variables_of(path, args, tables)
        target = Target(path, read.env)
        target.file, target.places, target.found = path, read.lines, read.findings
        return [target]
    try:
        commands = read_commands(read_file(path), context)
    except ManifestError as error:
        raise UsageError(f"{path}: not YAML: {error}") from None
    found = [_of_command(path, item, path) for item in commands if item.starts_vllm]
    if not found:
        raise UsageError(
            f"{path}: no container in it runs vLLM, as far as its image, command and arguments tell"
        )
    return found


def _of_command(name: str, command: Command, path: str = "") -> Target:
    target = Target(command.name or name, command.env, command.tokens)
    target.file, target.line = path, command.line or (1 if path else 0)
    target.places, target.contained = command.lines, command.contained
    target.vllm, target.found = command.vllm, command.findings
    target.unknown, target.absent = command.unknown, set(command.names.difference(command.env))
    if command.entry is not None:
        target.tokens, target.extra, target.entry = None, command.tokens, command.entry
    if command.by_variables:
        target.tokens = None
    return target


def _versions(args: Namespace, target: Target, tables: Tables) -> list[str | None]:
    """The versions to check for: those asked for, or the one that the target or its surroundings
    name.
    """
    if not args.vllm:
        return [
            target.vllm
            or target.env.get(VARIABLE, "").strip()
            or os.environ.get(VARIABLE, "").strip()
            or None
        ]
    found: list[str | None] = []
    for text in args.vllm:
        found += versions_in(text, tables.versions())
    return list(dict.fromkeys(found))


def versions_in(text: str, known: Sequence[str]) -> list[str]:
    """The known versions in a range: `0.19..`, `..0.27`, `0.8..0.33` (both ends count), `all`; a
    plain version as it is.

    Raises:
        UsageError: an end is no version, or there is none in between.
    """
    if text == "all":
        return list(known)
    if ".." not in text:
        return [text]
    low, _, high = text.partition("..")
    first, last = parse(low or known[0]), parse(high or known[-1])
    if first is None or last is None:
        raise UsageError(f"{text!r} is no range of versions: write 0.19.., ..0.27 or 0.8..0.33")
    found = [item for item in known if first.minor <= Version(item).minor <= last.minor]
    if not found:
        raise UsageError(f"no known version in {text}: known are {known[0]} to {known[-1]}")
    return found


def _check(
    target: Target, asked: str | None, dialect: str, tables: Tables, cluster: str | None = None
) -> Result:
    from translator.api.check import check_argv, check_env
    from translator.api.pipeline import Options
    from translator.dialects.scope import scope as scope_of
    from translator.tables.installed import installed

    findings = list(target.found)
    if target.entry is not None:
        dialect, cluster = target.entry.dialect or dialect, target.entry.cluster or cluster
    try:
        scope, about_version = scope_of(asked, dialect, {}, tables, look=installed)
    except TranslationError as error:
        return Result(target, asked or "", [*findings, *error.findings])
    findings += about_version
    if not any(
        item.severity == "error" and item.subject not in target.unknown.values()
        for item in target.found
    ):
        if target.tokens is None:
            made = check_env(target.env, scope, Options(target.extra, cluster=cluster))
        else:
            files = _files(scope, target)
            made = [*check_argv(target.tokens, target.env, scope, files), *files.findings]
        findings += _without_guesses(made, target, scope)
    return Result(target, scope.catalog.version, list(dict.fromkeys(findings)))


def _without_guesses(findings: list[Finding], target: Target, scope: Scope) -> list[Finding]:
    """The findings, less those about what is not known here: a value that only a shell could tell,
    a model that is set to one.
    """
    roles = [scope.role(name) for name in target.absent] if target.tokens is None else []
    named = any(
        role is not None and role.flag is not None and role.flag.flag == MODEL for role in roles
    )
    return [
        item
        for item in findings
        if not (named and item.code in _NO_MODEL)
        and not any(text in item.message for text in target.unknown)
    ]


def _files(scope: Scope, target: Target) -> ConfigFiles:
    from translator.formats.vllm_config import ConfigFiles

    return ConfigFiles(scope.catalog, read_file, keep_missing=target.contained)
