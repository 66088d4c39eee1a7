"""The commands that read a command line: where it comes from, and what stood with it."""

from __future__ import annotations

import os
import sys

from translator.cli.exits import UsageError
from translator.cli.files import Given, environment_of, read_file
from translator.commands import translate_exec as ours
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from translator.commands.command import Pasted
    from translator.commands.translate_exec import Reads
    from translator.dialects.scope import Scope
    from translator.findings import Finding
    from translator.formats.vllm_config import ConfigFiles
    from translator.secrets.secrets import Secrets
    from translator.tables.catalog import Tables


OPTIONS = (
    Option("--file", "FILE", "read the command, or a manifest with it, from a file; - is stdin"),
    Option("--config", "FILE", "a file for `vllm serve --config` to read as well"),
)


def add_text(parser: ArgumentParser) -> None:
    """Add the argument that is a command line in quotes."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="the command in quotes; unquoted it follows --",
    )


def pasted(args: Namespace, tables: Tables) -> tuple[Pasted | None, Given]:
    """The command that is given (None when there is none), and the variables of --env-file.

    Raises:
        UsageError: it is given twice, or a file cannot be read.
    """
    from translator.secrets.secrets import secrets_of

    given = environment_of(args, tables) if args.env_file else Given()
    ways = [
        name
        for name, there in (
            ("--file", args.file),
            ("a text", args.text),
            ("the tokens behind --", args.behind),
        )
        if there
    ]
    if len(ways) > 1:
        raise UsageError(f"give the command once: here are {' and '.join(ways)}")
    found = _pasted(
        args,
        given,
        secrets_of(tables),
        ours.reader(getattr(args, "from_dialect", None) or args.dialect, tables),
    )
    if args.config is not None:
        found = _with_config(found, args.config)
    return found, given


def _pasted(args: Namespace, given: Given, secrets: Secrets, reads: Reads) -> Pasted | None:
    from translator.commands.pasted import from_behind, from_text, from_tokens

    if args.behind:
        return from_behind(args.behind, given.env, secrets, reads)
    if args.text:
        if len(args.text) == 1:
            return from_text(args.text[0], given.env, secrets, reads)
        return from_tokens(args.text, given.env, secrets, reads)
    if args.file is not None:
        return from_text(read_file(args.file), given.env, secrets, reads)
    if (
        args.config is None
        and args.behind is None
        and sys.stdin is not None
        and not sys.stdin.isatty()
    ):
        text = read_file("-")
        return from_text(text, given.env, secrets, reads) if text.strip() else None
    return None


def _with_config(found: Pasted | None, path: str) -> Pasted:
    """The command with --config behind its model, where the file's keys come before its own."""
    from translator.argv.program import strip_command
    from translator.commands.command import Pasted

    if found is None:
        found = Pasted()
        found.tokens = ["vllm", "serve", "--config", path]
        return found
    stripped = strip_command(found.tokens)
    if "--config" in stripped.tokens:
        raise UsageError("the command has a --config already")
    found.tokens = [*found.tokens, "--config", path]
    return found


def version_for(
    args: Namespace, command: Pasted, given: Given
) -> tuple[str | None, dict[str, str]]:
    """The version asked for (None: what the environment or the machine says), and the variables
    that stood with the command.
    """
    from translator.tables.versions import VARIABLE

    env = dict(command.env)
    asked = (
        args.vllm
        or command.vllm
        or env.pop(VARIABLE, "").strip()
        or given.env.get(VARIABLE, "").strip()
        or os.environ.get(VARIABLE, "").strip()
    )
    return asked or None, env


def config_files(
    scope: Scope, command: Pasted, read: Callable[[str], str] = read_file
) -> ConfigFiles:
    from translator.formats.vllm_config import ConfigFiles

    return ConfigFiles(scope.catalog, read, keep_missing=command.contained)


def written_out(command: Pasted, vllm: str, dialect: str, tables: Tables) -> list[Finding]:
    """Put the command line that our own entrypoint would start in its place, and the variables that
    it would leave.

    Args:
        command: which is changed; any other than our entrypoint stays as it is.
        vllm: the version that the entrypoint translates for.
        dialect: the one that it reads where it does not say.

    Returns:
        What to tell.

    Raises:
        TranslationError: it would not start anything.
    """
    from translator.api.pipeline import Options
    from translator.api.translate import translate_env
    from translator.dialects.scope import scope as scope_of
    from translator.env.cluster import is_unplaced
    from translator.findings import finding

    if command.entry is None:
        return []
    entry, command.entry = command.entry, None
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
    command.tokens, command.env = done.argv, done.env
    return list(done.findings)
