"""The input of commands that read a command line: its source, its variables, its version."""

from __future__ import annotations

import os
import sys

from translator.cli.options import refuse_file, scope_of, text_file
from translator.core.argv.reader import strip_command
from translator.core.findings import Finding, TranslationError, UsageError, finding, has_errors
from translator.core.settings.scope import scope
from translator.core.tables.catalog import CONFIG as CONFIG_FLAG
from translator.core.tables.versions import requested
from translator.core.translate import translate_env
from translator.formats.forms import Given
from translator.formats.inputs import environment_of, has_variables, read_bytes, read_file
from translator.options import Option

# What reads a command out of something else is loaded where there is something else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Tables
    from translator.deployments.read import Command, Context
    from translator.formats.vllm_config import ConfigFiles

TEXT = Option("text", "TEXT", "the command in quotes, or its file; bare after --", repeatable=True)
CONFIG = Option("--config", "FILE", "file for `vllm serve --config`, read as well")
OPTIONS = (
    TEXT,
    Option("--file", "FILE", "file with the command, or a manifest; - is stdin"),
    CONFIG,
)


class PlainLine:
    """The arguments of `vllm serve` and nothing else, with what `Command` says of such a line."""

    vllm = pin = entry = None
    contained = by_variables = False

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.env, self.findings = tokens, dict[str, str](), list[Finding]()


def read_command(args: Namespace, tables: Tables, name: str) -> Command | PlainLine | None:
    """Return the command that the options name, with what was found in the files of --env-file and
    the version that these name; None if there is no command.

    Raises:
        UsageError: the command is given twice, or a file cannot be read.
        TranslationError: there are errors in what was read.
    """
    file = _file_of(args, name)
    if _is_plain(args):
        return PlainLine(args.behind)
    from translator.deployments.read import Command
    from translator.deployments.read.registry import read_behind, read_text
    from translator.deployments.read.unwrap import read_tokens
    from translator.formats.classes import evolve

    given, context = _context(args, tables)
    command: Command | None = None
    is_last = args.config is None and args.behind is None
    if args.behind:
        command = read_behind(args.behind, context)
    elif args.text:
        one = len(args.text) == 1
        command = read_text(args.text[0], context) if one else read_tokens(args.text, context)
    elif file is not None:
        command = _of_file(args, tables, context)
        if command.contained:
            about = finding("not-in-file", file, case="around")
            command = evolve(command, findings=[*command.findings, about])
    elif is_last and sys.stdin is not None and not sys.stdin.isatty():
        text = read_file("-", read_bytes("-", optional=True))
        command = read_text(text, context) if text.strip() else None
    if args.config is not None:  # the file's keys precede the command's own flags
        command = command or Command(("vllm", "serve"))
        if "--config" in strip_command(command.tokens)[0]:
            raise UsageError("the command already has --config")
        command = evolve(command, argv=(*command.argv, "--config", args.config))
    return command and with_variables(command, given)


def _file_of(args: Namespace, name: str) -> str | None:
    """Return the file of the command, which may be given as its text; None for another input."""
    file: str | None = getattr(args, "file", None)
    path = text_file(args.text or ())
    if path and (name == "args-to-env" or args.to_dialect) and not has_variables(path):
        args.text, args.file, file = [], path, path
    ways = {"--file": file, "a text": args.text, "the tokens behind --": args.behind}
    given_ways = [way for way, there in ways.items() if there]
    if len(given_ways) > 1:
        raise UsageError(f"the command is given twice: by {' and '.join(given_ways)}")
    refuse_file(args.behind or args.text or (), name)
    return file


def _is_plain(args: Namespace) -> bool:
    """Return whether a `vllm serve` line is given, and no file, in which nothing is unknown: what
    marks that (formats/references.py) is not ASCII.
    """
    words = args.behind or ()
    is_alone = not args.env_file and args.config is None
    return is_alone and words[:2] == ["vllm", "serve"] and all(map(str.isascii, words))


def with_variables(command: Command, given: Given) -> Command:
    """Return a command with what was found in the files of variables beside it; refuse errors."""
    findings = [*given.findings, *command.for_translation()]
    if has_errors(findings):
        raise TranslationError(findings)
    from translator.deployments.read.pins import of_version
    from translator.formats.classes import evolve

    named = "" if command.vllm else requested({**given.env, **command.env})
    return evolve(command, findings=findings, pin=of_version(named) if named else command.pin)


def _context(args: Namespace, tables: Tables) -> tuple[Given, Context]:
    from translator.deployments.read import Context

    given = Given()
    if args.env_file:
        given = environment_of(args.env_file, args.env_file_format, args.dialect, tables)
    return given, Context(given.env, dialect=args.dialect, tables=tables)


def _of_file(args: Namespace, tables: Tables, context: Context) -> Command:
    from translator.deployments.read.registry import read_text
    from translator.deployments.read.targets import with_files

    text = read_file(args.file)
    command = read_text(text, with_files(args.file, text, context), args.file)
    if not command.starts_vllm:
        raise TranslationError([finding("not-vllm-serve", args.file, file=args.file)])
    return command


def container_of(args: Namespace, tables: Tables) -> Command:
    """Return the container of --file, which is configured by its variables."""
    given, context = _context(args, tables)
    command = _of_file(args, tables, context)
    if command.entry is None:
        raise UsageError(
            f"{args.file}: no container is configured by variables",
            hint="for a command line, use `translate args-to-env --file`",
        )
    return with_variables(command, given)


def version_of(command: Command | PlainLine, assumed: str) -> tuple[str | None, list[Finding]]:
    """Return the version that an input was written for; None if nothing says so, and with a finding
    the one to assume for an image whose tag does not say it.
    """
    if command.pin is None or command.vllm:
        return command.vllm, []
    named, about = command.pin.assume(assumed)
    return named, [about]


def scope_for(
    args: Namespace, command: Command | PlainLine, tables: Tables
) -> tuple[Scope, list[Finding]]:
    """Return the version and the dialect to translate an input for."""
    vllm: str | None = None
    about: list[Finding] = []
    if not (args.vllm or args.ask or (requested(os.environ) and not command.vllm)):
        vllm, about = version_of(command, tables.versions()[-1])
    scope, about_version = scope_of(args, {}, tables, vllm)
    return scope, [*about, *about_version]


def config_files(scope: Scope, command: Command | PlainLine) -> ConfigFiles | None:
    """Return what reads the --config files of a command; None if it names none."""
    if CONFIG_FLAG not in command.tokens:
        return None
    from translator.formats.vllm_config import ConfigFiles

    return ConfigFiles(scope.catalog, read_file, keep_missing=command.contained)


def written_out(command: Command | PlainLine, source: Scope) -> Command | PlainLine:
    """Return the command line that `translate exec` would start, with the variables that would
    remain; another command is returned unchanged.

    Raises:
        TranslationError: it would not start anything.
    """
    entry, tables = command.entry, source.tables
    if isinstance(command, PlainLine) or entry is None:
        return command
    from translator.advice.check import is_unplaced
    from translator.formats.classes import evolve

    target, findings = scope(
        source.catalog.version, entry.dialect or entry.program or source.name, {}, tables
    )
    cluster = entry.cluster
    is_known = cluster and tables.cluster(cluster)
    if cluster and is_known and is_unplaced(command.env, cluster, tables):
        unplaced = finding("unresolved-value", "--cluster", case="cluster", cluster=cluster)
        findings, cluster = [*findings, unplaced], None
    translation = translate_env(
        command.env,
        target,
        findings,
        extra=command.tokens,
        worker_defaults=entry.worker_defaults,
        cluster=cluster,
    )
    findings = [*command.findings, *translation.findings]
    return evolve(
        command, argv=tuple(translation.argv), env=translation.env, entry=None, findings=findings
    )
