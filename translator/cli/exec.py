"""Translate the environment and become vLLM: the entrypoint of a container. Signals and the exit
status are vLLM's.

The version translated for and the command are logged to standard error with secrets masked, and one
line per finding. Exit status
when vLLM is not started: 1 the configuration has errors, 2 this command line is wrong, 3 there are
warnings and --strict is given, 126 vllm cannot be run, 127 there is no vllm on PATH.
"""

from __future__ import annotations

import os
import sys

from translator.api.redaction import hidden_on, shown_argv
from translator.api.translate import translate_env
from translator.cli.common import (
    BAD_INPUT,
    BAD_USAGE,
    CANNOT_RUN,
    NOT_FOUND,
    WARNED,
    add_cluster,
    add_target,
)
from translator.dialects.scope import scope as scope_of
from translator.findings import Finding, TranslationError, has_errors, one_line, show
from translator.formats.baked_args import bake, baked_path
from translator.settings.start_rules import at_start
from translator.tables import versions
from translator.tables.catalog import shipped
from translator.tables.installed import about_installed, installed
from translator.text.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence
    from typing import Any


EXAMPLE = """  MODEL_NAME=Qwen/Qwen3-0.6B MAX_MODEL_LEN=8k translate exec --dry-run -- --port 8000

  in a Dockerfile:
    ENTRYPOINT ["translate", "exec", "--"]"""


def configure(parser: ArgumentParser) -> None:
    add_target(parser)
    parser.usage = "translate exec [OPTIONS] [-- TOKEN ...]   (the tokens win over the environment)"
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the command (secrets masked) to standard output, and start nothing",
    )
    parser.add_argument(
        "--explain", action="store_true", help="log what became of every variable, too"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="start nothing, and exit with 3, when there are warnings",
    )
    add_cluster(parser)
    parser.add_argument(
        "--worker-defaults",
        action="store_true",
        help="add the defaults that the dialect's table documents",
    )
    parser.add_argument(
        "--json-style",
        choices=("compact", "dotted"),
        default="compact",
        help="how JSON values are written (default: compact)",
    )


def run(args: Namespace) -> int:
    """Reached when the short way could not read the options, and argparse can (abbreviations it
    does not take: so a value that begins with a dash).
    """

    return main(args)


def main(options: Any) -> int:
    """Translate the environment and become vLLM.

    Args:
        options: those of `translate exec` (`translator.cli.quick.EXEC`); `behind` holds the tokens
            that win over the environment.

    Returns:
        The exit status, if it did not.
    """
    tables = shipped()
    folder = options.tables or os.environ.get("TRANSLATE_TABLES")
    if folder:
        from translator.cli.common import UsageError, tables_from

        try:
            tables = tables_from(folder)
        except UsageError as error:
            _say(f"translate: error: {one_line(str(error))}")
            return BAD_USAGE
    env, findings = bake(dict(os.environ), baked_path(options.dialect, tables))
    named = versions.wanted(options.vllm or None, env, ("",))
    found = installed()
    try:
        scope, about_version = scope_of(
            options.vllm or (None if named else found), options.dialect, env, tables
        )
        findings += [*about_version, *about_installed(named, found, scope.catalog.version)]
        translation = translate_env(
            env,
            scope,
            findings,
            options.behind or (),
            options.json_style,
            options.worker_defaults,
            options.cluster,
        )
    except TranslationError as error:
        return _refused(error.findings)
    findings = at_start(translation.findings)
    if has_errors(findings):
        return _refused(findings)
    hidden = hidden_on(translation, scope, env)
    command = " ".join(quote(token) for token in shown_argv(translation, scope.secrets, hidden))
    _say(
        f"translate: for vLLM {scope.catalog.version}, which is"
        f" {'asked for' if named else 'installed' if found else 'the newest known'}"
    )
    _say(f"translate: {one_line(command)}")
    for item in translation.findings:
        _say(f"translate: {item.line()}")
    if options.explain:
        from translator.api.provenance import outcomes

        for line in outcomes(env, translation, scope).lines(hidden):
            _say(f"translate: {line}")
    if options.strict and any(item.severity == "warning" for item in translation.findings):
        _say("translate: nothing is started: there are warnings, and --strict is given")
        return WARNED
    if options.dry_run:
        sys.stdout.buffer.write(os.fsencode(f"{command}\n"))
        sys.stdout.flush()
        return 0
    return become(translation.argv, translation.env)


def _refused(findings: Sequence[Finding]) -> int:
    for item in findings:
        _say(f"translate: {item.line()}")
    _say("translate: nothing is started: the configuration has errors")
    return BAD_INPUT


def _say(line: str) -> None:
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody reads the log: no reason not to start


def find_program(name: str, env: Mapping[str, str]) -> tuple[str | None, list[str]]:
    """The program on the PATH of an environment, and the folders looked into (shutil.which would
    import a dozen modules).
    """
    folders = [folder or "." for folder in env.get("PATH", os.defpath).split(os.pathsep)]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path, folders
    return None, folders


def become(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Replace this process by the command; returns the exit status only if that fails."""
    path, folders = find_program(argv[0], env)
    there = next(
        (file for folder in folders if os.path.isfile(file := os.path.join(folder, argv[0]))), None
    )
    if path is None and there is not None:
        _say(f"translate: error: {one_line(there)} cannot be started: it is not executable")
        return CANNOT_RUN
    if path is None:
        _say(
            f"translate: error: no program {argv[0]!r} to start: looked in"
            f" {', '.join(one_line(folder) for folder in folders)}"
        )
        return NOT_FOUND
    _default_signals()
    try:
        os.execve(path, list(argv), dict(env))
    except (OSError, ValueError) as error:
        _say(f"translate: error: {path} cannot be started: {_why(error, argv, env)}")
    return CANNOT_RUN


def _why(error: OSError | ValueError, argv: Sequence[str], env: Mapping[str, str]) -> str:
    if isinstance(error, ValueError):
        return one_line(str(error))
    if error.errno != 7:  # errno.E2BIG; `import errno` is built in, but one name needs none
        return str(error.strerror)
    sizes = [(len(os.fsencode(value)), name) for name, value in env.items()] + [
        (len(os.fsencode(token)), token.partition("=")[0]) for token in argv
    ]
    total = sum(size for size, _ in sizes)
    size, name = max(sizes)
    return (
        f"the command line and the environment are too long for this system: {total} bytes in all,"
        f" {size} of them in {show(name)}"
    )


def _default_signals() -> None:
    """What Python ignores from its start on is not to be ignored in vLLM for that (`signal` itself
    would import enum).
    """
    import _signal  # type: ignore[import-not-found]

    for name in ("SIGPIPE", "SIGXFSZ"):
        number = getattr(_signal, name, None)
        if number is not None:
            _signal.signal(number, _signal.SIG_DFL)
