"""Translate the environment, or a file of variables, to the command line of vllm serve.

The result goes to standard output, findings to standard error. With --env-file only the files are
read. `${NAME}` in a dotenv file stands for a variable that the files set earlier, never for one of
this process.
"""

from __future__ import annotations

from translator.cli.common import (
    add_cluster,
    add_env_file,
    add_strict,
    add_target,
    emit,
    refused,
    scope_of,
    status_of,
    tables_of,
    tell,
)
from translator.cli.files import environment_of
from translator.findings import TranslationError, has_errors
from translator.formats.registry import ARGV_FORMATS, CommandLine, write_argv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from translator.api.results import Translation
    from translator.dialects.scope import Scope


EXAMPLE = """  translate env-to-args --env-file .env --vllm 0.27.1
  MODEL_NAME=org/model MAX_MODEL_LEN=8k translate env-to-args --format multiline"""


def configure(parser: ArgumentParser) -> None:
    add_env_file(parser, "read these variables instead of the environment's")
    add_target(parser)
    parser.add_argument(
        "--format",
        choices=tuple(ARGV_FORMATS),
        default="shell",
        help=(
            "how the command line is printed; yaml is a file for vllm serve --config (default:"
            " shell)"
        ),
    )
    parser.add_argument(
        "--json-style",
        choices=("compact", "dotted"),
        default="compact",
        help="how JSON values are written: one JSON, or --flag.key=value (default: compact)",
    )
    add_cluster(parser)
    parser.add_argument(
        "--worker-defaults",
        action="store_true",
        help="add the defaults that the dialect's table documents",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help=(
            "tell, on standard error, where each token comes from and what became of each variable"
        ),
    )
    add_strict(parser)


def run(args: Namespace) -> int:
    from translator.api.translate import translate_env

    tables = tables_of(args)
    given = environment_of(args, tables)
    if args.behind:
        from translator.cli.common import UsageError

        raise UsageError(
            "env-to-args takes no tokens behind --: `translate exec --dry-run -- …` does"
        )
    try:
        scope, about_version = scope_of(args, given.env, tables)
        done = translate_env(
            given.env,
            scope,
            [*given.findings, *about_version],
            (),
            args.json_style,
            args.worker_defaults,
            args.cluster,
        )
    except TranslationError as error:
        return refused(
            error, () if any(item in error.findings for item in given.findings) else given.findings
        )
    text, findings = write_argv(args.format, _command_line(done, scope))
    told = [*done.findings, *findings]
    if args.explain:
        _explain(given.env, done, scope, given.places)
    tell(told)
    if not has_errors(findings):
        emit(text)
    return status_of(told, args.strict)


def _command_line(done: Translation, scope: Scope) -> CommandLine:
    """Return the command line of a translation, with vLLM's own variables and the secrets."""
    env = {
        name: text
        for name, text in done.env.items()
        if scope.catalog.variable(name) is not None or scope.secrets.variable(name)
    }
    return CommandLine([group for group, _ in done.groups], scope.catalog, env, done.findings)


def _explain(env: dict[str, str], done: Translation, scope: Scope, places: dict[str, int]) -> None:
    import sys

    from translator.api.provenance import outcomes
    from translator.api.redaction import hidden_on

    hidden = hidden_on(done, scope, env)
    for line in outcomes(env, done, scope).lines(hidden, places):
        sys.stderr.write(line + "\n")
