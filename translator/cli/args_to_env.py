"""Translate a command line of vllm serve to the variables of a container.

It takes what people paste: docker run with an image whose tag gives the version, a Kubernetes
container or a compose file in YAML, variables in front, continued lines, comments. --env-file gives
what shell variables in it hold. The result goes to standard output, findings to standard error.
"""

from __future__ import annotations

from translator.cli.command_input import add_command, config_files, pasted, version_for, written_out
from translator.cli.common import (
    UsageError,
    add_env_file,
    add_strict,
    add_target,
    emit,
    refused,
    status_of,
    tables_of,
    tell,
)
from translator.cli.files import write_env
from translator.findings import TranslationError, has_errors
from translator.formats.registry import ENV_FORMATS, Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


EXAMPLE = """  translate args-to-env --vllm 0.27.1 -- vllm serve Qwen/Qwen3-8B -tp 2 --seed 7
  translate args-to-env --format k8s 'docker run vllm/vllm-openai:v0.11.2 --model org/m'
  translate args-to-env --file deployment.yaml --format docker"""


def configure(parser: ArgumentParser) -> None:
    add_command(parser)
    add_env_file(parser, "what the shell variables in the command hold")
    add_target(parser)
    parser.add_argument(
        "--from",
        dest="source",
        metavar="V",
        help="the vLLM version that the command was written for, when it is another one",
    )
    parser.add_argument(
        "--format",
        choices=tuple(ENV_FORMATS),
        default="dotenv",
        help=(
            "how the variables are printed; properties is the dialect's own file (default: dotenv)"
        ),
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="tell, on standard error, which tokens each variable comes from",
    )
    add_strict(parser)


def run(args: Namespace) -> int:
    from translator.dialects.scope import scope as scope_of
    from translator.tables.installed import installed

    tables = tables_of(args)
    command, given = pasted(args, tables)
    if command is None:
        raise UsageError("no command is given: `translate args-to-env -- vllm serve …`")
    findings = [*given.findings, *command.findings]
    if has_errors(findings):
        tell(findings)
        return 1
    try:
        vllm, env = version_for(args, command, given)
        scope, about_version = scope_of(vllm, args.dialect, {}, tables, look=installed)
        findings += about_version
        if command.entry is not None:
            findings += written_out(
                command, args.source or scope.catalog.version, args.dialect, tables
            )
            env = command.env
        files = config_files(scope, command)
        if args.source:
            from translator.api.convert import argv_to_env

            source, about_source = scope_of(args.source, args.dialect, {}, tables)
            findings += about_source
            files = config_files(source, command)
            made = argv_to_env(command.tokens, env, source, scope, files)
            written, told, origins = made.env, made.findings, made.done.origins
        else:
            from translator.api.translate import args_to_env

            done = args_to_env(
                command.tokens,
                scope.catalog.version,
                args.dialect,
                config=files,
                env=env,
                tables=tables,
            )
            written, told, origins = done.env, list(done.findings), done.origins
    except TranslationError as error:
        return refused(error, [item for item in findings if item not in error.findings])
    findings += [*files.findings, *(item for item in told if item not in findings)]
    text, unsaid = write_env(args.format, Environment(written, args.dialect, tables, findings))
    tell([*findings, *unsaid])
    if args.explain:
        import sys

        from translator.api.provenance import outcomes_of_variables

        for line in outcomes_of_variables(written, origins, scope).lines():
            sys.stderr.write(line + "\n")
    if not has_errors(unsaid):
        emit(text)
    return status_of([*findings, *unsaid], args.strict)
