"""Translate variables to a `vllm serve` command line.

The variables come from the environment, or only from the files of --env-file, or from a container
of --file. `${NAME}` in a dotenv file refers to a variable set above it in the files, never to the
environment.
"""

from __future__ import annotations

from translator.cli.options import ENV_FILE, ENV_FILE_FORMAT, scope_of, tables_of
from translator.cli.process import after, conclude
from translator.core.env.vllm_variables import is_read
from translator.core.findings import TranslationError, UsageError, finding
from translator.core.translate import translate_env
from translator.formats.forms import CommandLine
from translator.formats.inputs import environment_of
from translator.formats.registry import ARGV_FORMATS, STARTS, WITHOUT_VARIABLES, write_argv
from translator.options import (
    CLUSTER,
    EXPLAIN,
    JSON_STYLE,
    MODEL_CONFIG,
    STRICT,
    TARGET,
    WORKER_DEFAULTS,
    Option,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from translator.core.findings import Finding
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Tables
    from translator.deployments.read import Command
    from translator.formats.forms import Given

USAGE = "translate env-to-args [OPTIONS]"
EXAMPLE = """\
  translate env-to-args --env-file .env --vllm 0.27.1
  translate env-to-args --file .runpod/hub.json
  translate env-to-args --env-file .env --vllm 0.33.0 --format k8s > deployment.yaml
  MODEL_NAME=org/model MAX_MODEL_LEN=8k translate env-to-args --format multiline"""
OPTIONS = (
    ENV_FILE,
    ENV_FILE_FORMAT,
    Option("--file", "FILE", "manifest or hub.json with a container configured by variables"),
    *TARGET,
    CLUSTER,
    MODEL_CONFIG,
    WORKER_DEFAULTS,
    Option(
        "--format",
        "FMT",
        f"{', '.join(ARGV_FORMATS)} (default: shell)",
        choices=tuple(ARGV_FORMATS),
        default="shell",
    ),
    Option("--container", "", "with --format k8s: only the container"),
    JSON_STYLE,
    EXPLAIN,
    STRICT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    if args.container and args.format != "k8s":
        raise UsageError("--container is for --format k8s")
    if args.behind:
        raise UsageError(
            "env-to-args accepts nothing after --", hint="use `translate exec --dry-run -- …`"
        )
    given, tokens, scope, findings = _read(args, tables_of(args))
    try:
        translation = translate_env(
            given.env,
            scope,
            findings,
            extra=tokens,
            json_style=args.json_style,
            worker_defaults=args.worker_defaults,
            cluster=args.cluster,
        )
    except TranslationError as error:
        from translator.advice.translations import remedied

        findings = remedied(error.findings, given.env, tokens, scope, cluster=args.cluster)
        raise TranslationError(findings) from None
    about = list(translation.findings)
    if scope.consumer.program:
        from translator.advice.hints import differences
        from translator.advice.translations import remedied

        if notes := differences(given.env, scope):
            about += remedied(notes, given.env, tokens, scope, cluster=args.cluster)
    catalog, groups = scope.catalog, [tokens for _, tokens in translation._groups]
    env = {
        name: text
        for name, text in translation.env.items()
        if is_read(name, translation.argv, catalog)
    }
    about += _beside(translation.env, env, scope, args)
    values, alone = translation._done.values, args.container
    line = CommandLine(groups, catalog, env, about, values=values, only_container=alone)
    written = write_argv(args.format, line)
    lines: list[str] = []
    if args.explain:
        from translator.cli.provenance import explained_tokens

        lines = explained_tokens(given.env, translation, scope)
    return conclude(written, about, args.strict, lines)


def _read(
    args: Namespace, tables: Tables
) -> tuple[Given | Command, list[str], Scope, list[Finding]]:
    """Return the variables, the tokens that override them, what they are read for, and the findings
    about that; what a file says of the options counts where these are not given.
    """
    given: Given | Command
    tokens: list[str] = []
    if args.file:
        from translator.cli.command_input import container_of, scope_for

        given = command = container_of(args, tables)
        tokens, entry = command.tokens, command.entry
        assert entry is not None
        args.dialect, args.cluster = entry.dialect or args.dialect, entry.cluster or args.cluster
        args.worker_defaults = entry.worker_defaults or args.worker_defaults
    else:
        given = environment_of(args.env_file, args.env_file_format, args.dialect, tables)
    try:
        if args.file:
            scope, about = scope_for(args, command, tables)
        else:
            scope, about = scope_of(args, given.env, tables)
    except TranslationError as error:
        raise after(given.findings, error.findings) from None
    if args.model_config:
        from translator.formats.model_config import read_model_config

        scope = scope.of_model(read_model_config(args.model_config))
    findings = [*given.findings, *about]
    if args.env_file:
        from translator.advice.unread import unread

        other, variable = "", ""
        roles = filter(None, map(scope.role, given.env))
        if not (args.platform or any(role.flag for role in roles)):
            from translator.deployments.read import platform_of

            other, variable = platform_of(given.env, args.dialect, tables)
        facts = {"dialect": other, "variable": variable}
        note = finding("unread-variable", variable, case="dialect", **facts)
        findings += [note] if other else unread(given.env, scope, args.cluster)
    return given, tokens, scope, findings


def _beside(
    env: Mapping[str, str], read: Mapping[str, str], scope: Scope, args: Namespace
) -> list[Finding]:
    """Return notes on the variables of a start that the written form leaves out, or does not set;
    `read`: those of them that vLLM reads.
    """
    notes = []
    if args.format in STARTS and (args.env_file or args.file):
        roles = ((name, scope.role(name)) for name in env if name not in read)
        names = tuple(name for name, role in roles if role and role.kind == "environment")
        notes += [finding("not-in-file", name, case="environment", names=names) for name in names]
    if read and args.format in WITHOUT_VARIABLES:
        first, names = next(iter(read)), tuple(read)
        notes.append(finding("not-in-file", first, case="beside", names=names))
    return notes[:1]
