"""The input of commands that read a command line: its source and its variables."""

from __future__ import annotations

import os
import sys

from translator.cli.beside import with_files
from translator.cli.exits import UsageError
from translator.cli.files import Given, environment_of, read_file, shown_file
from translator.findings import TranslationError, finding
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from translator.files.command import Command, Context
    from translator.findings import Finding
    from translator.formats.vllm_config import ConfigFiles
    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables


OPTIONS = (
    Option("text", "TEXT", "the command in quotes; unquoted it follows --", repeatable=True),
    Option("--file", "FILE", "read the command, or a manifest with it, from a file; - is stdin"),
    Option("--config", "FILE", "a file for `vllm serve --config` to read as well"),
)


def pasted(args: Namespace, tables: Tables) -> tuple[Command | None, Given]:
    """Return the command (None if there is none), and the variables of --env-file.

    Raises:
        UsageError: the command is given twice, or a file cannot be read.
    """
    ways = {"--file": args.file, "a text": args.text, "the tokens behind --": args.behind}
    given_ways = [name for name, there in ways.items() if there]
    if len(given_ways) > 1:
        raise UsageError(f"give the command once: here are {' and '.join(given_ways)}")
    given = environment_of(args, tables) if args.env_file else Given()
    found = _pasted(args, tables, _context(args, tables, given))
    if args.config is not None:
        found = _with_config(found, args.config)
    return found, given


def _context(args: Namespace, tables: Tables, given: Given) -> Context:
    from translator.files.command import Context
    from translator.files.containers import reader

    reads = reader(getattr(args, "from_dialect", None) or args.dialect, tables)
    return Context(given.env, reads=reads, tables=tables)


def _pasted(args: Namespace, tables: Tables, context: Context) -> Command | None:
    from translator.files.registry import read_behind, read_text
    from translator.files.unwrap import read_tokens

    if args.behind:
        return read_behind(args.behind, context)
    if args.text:
        if len(args.text) == 1:
            return read_text(args.text[0], context)
        return read_tokens(args.text, context)
    if args.file is not None:
        return _of_file(args, tables, context)
    is_last = args.config is None and args.behind is None
    if is_last and sys.stdin is not None and not sys.stdin.isatty():
        text = read_file("-")
        return read_text(text, context) if text.strip() else None
    return None


def _of_file(args: Namespace, tables: Tables, context: Context) -> Command:
    from translator.files.registry import read_text

    text = read_file(args.file)
    found = read_text(text, with_files(args.file, text, args, tables, context), args.file)
    if not found.starts_vllm:
        raise TranslationError([finding("not-vllm-serve", "vllm serve", case="commands")])
    return found


def _with_config(found: Command | None, path: str) -> Command:
    """Return the command with --config; the file's keys precede the command's own flags."""
    from attrs import evolve

    from translator.argv.reader import strip_command
    from translator.files.command import Command

    found = found or Command(("vllm", "serve"))
    if "--config" in strip_command(found.tokens).tokens:
        raise UsageError("the command has a --config already")
    return evolve(found, argv=(*found.argv, "--config", path))


def version_for(
    args: Namespace, command: Command, given: Given, tables: Tables
) -> tuple[str | None, dict[str, str], list[Finding]]:
    """Return the version to translate for, the variables of the command, and a finding if the
    version is only assumed; None for the installed version, or else the newest known.
    """
    from translator.tables.versions import VARIABLE

    env = dict(command.env)
    named = (
        args.vllm
        or command.vllm
        or env.pop(VARIABLE, "").strip()
        or given.env.get(VARIABLE, "").strip()
        or os.environ.get(VARIABLE, "").strip()
    )
    if not named and not args.ask and command.image is not None:
        named, about = command.image.assume(tables.versions()[-1])
        return named, env, [about]
    return None if args.ask else named or None, env, []


def variables_in(args: Namespace, tables: Tables) -> tuple[Command, Given]:
    """Return the container of a file that is configured by its variables, and these.

    Raises:
        UsageError: the file cannot be read, or its first container starts a command.
    """
    given = environment_of(args, tables) if args.env_file else Given()
    command = _of_file(args, tables, _context(args, tables, given))
    if command.entry is None:
        raise UsageError(
            f"{shown_file(args.file)}: no container in it is configured by variables",
            hint="a command line is for `translate args-to-env --file`",
        )
    return command, variables_of_command(command)


def variables_of_command(command: Command) -> Given:
    """Return the variables of a container, with what was found when it was read."""
    given = Given()
    given.env = command.env
    given.places = {name: line for name, (_, line, _) in command.places.items()}
    given.findings = command.findings
    return given


def config_files(scope: Scope, command: Command) -> ConfigFiles:
    from translator.formats.vllm_config import ConfigFiles

    return ConfigFiles(scope.catalog, read_file, keep_missing=command.contained)


def written_out(
    command: Command, vllm: str, dialect: str, tables: Tables
) -> tuple[Command, list[Finding]]:
    """Return the command line that `translate exec` would start, and the variables that would
    remain.

    Args:
        command: a command other than `translate exec` is returned unchanged.
        vllm: the version that it translates for.
        dialect: the dialect to use if its options name none.

    Raises:
        TranslationError: it would not start anything.
    """
    from attrs import evolve

    from translator.api.pipeline import Options
    from translator.api.translate import translate_env
    from translator.env.cluster import is_unplaced
    from translator.naming.scope import scope as scope_of

    entry = command.entry
    if entry is None:
        return command, []
    scope, findings = scope_of(vllm, entry.dialect or dialect, {}, tables)
    findings = list(findings)
    cluster = entry.cluster
    if (
        cluster
        and tables.records(f"cluster.{cluster}.json")
        and is_unplaced(command.env, cluster, tables)
    ):
        findings.append(finding("unresolved-value", "--cluster", case="cluster", cluster=cluster))
        cluster = None
    options = Options(command.tokens, "compact", entry.worker_defaults, cluster)
    done = translate_env(command.env, scope, options, findings)
    return evolve(command, argv=tuple(done.argv), env=done.env, entry=None), list(done.findings)
