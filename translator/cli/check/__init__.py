"""Report what is wrong with variables, a command line, a Kubernetes manifest or a compose file.

With several vLLM versions, the report is a table: "can I upgrade with this?". Exit status: 1 for
errors, 3 for warnings with --strict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from translator.api.exec_options import ASK, CLUSTER, DIALECT, PREFIX, STRICT, TABLES
from translator.cli.check import reports
from translator.cli.check.checker import Checker, Result, merged
from translator.cli.check.settings import with_settings
from translator.cli.check.targets import Target, targets_of
from translator.cli.exits import status_of
from translator.cli.files import ENV_FILE, ENV_FILE_FORMAT
from translator.cli.options import tables_of
from translator.findings import TranslationError
from translator.naming.scope import scope as scope_of
from translator.text.options import Option

if TYPE_CHECKING:
    from argparse import Namespace

USAGE = "translate check [OPTIONS] [FILE ... | -- vllm serve …]"
EXAMPLE = """\
  translate check --env-file .env --vllm 0.27.1
  translate check --vllm 0.19.. -- vllm serve org/m --swap-space 4
  translate check deployment.yaml compose.yaml --format github"""
FIX = Option("--fix", "", "correct what can be corrected safely, in the files themselves")
DIFF = Option("--diff", "", "print what --fix would change, and change nothing")
SETTINGS = Option(
    "--settings",
    "FILE",
    "options from this file (default: translate.toml or pyproject.toml here, or above)",
)
UNSAFE_FIXES = Option(
    "--unsafe-fixes",
    "",
    "with --fix or --diff: also what changes the meaning, or is a guess",
)
# Reports that tell what --fix would do.
_PREVIEWED = ("text", "sarif")
REPORTS = {
    "text": reports.write_report,
    "json": reports.write_json,
    "github": reports.write_annotations,
    "sarif": reports.write_sarif,
}
OPTIONS = (
    Option(
        "targets",
        "FILE",
        "a manifest, a compose file, a Dockerfile, a script, a .env file, …, or a folder with"
        " them; - is stdin",
        repeatable=True,
    ),
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
    Option(
        "--from",
        "V",
        "vLLM version that is replaced: defaults that differ are reported, too (default: the first"
        " of a range)",
        dest="source",
    ),
    ASK,
    DIALECT,
    PREFIX,
    TABLES,
    CLUSTER,
    Option(
        "--format",
        "FMT",
        "text (default), json, github (annotations of a workflow) or sarif (code scanning)",
        choices=tuple(REPORTS),
        default="text",
    ),
    FIX,
    DIFF,
    UNSAFE_FIXES,
    Option(
        "--fail-on",
        "LEVEL",
        "exit with status 1 from this severity on: error (default), warning or info",
        choices=("error", "warning", "info"),
        default="error",
    ),
    Option(
        "--select",
        "CODE",
        "report only findings of this code; repeatable, or with commas",
        repeatable=True,
    ),
    Option(
        "--ignore",
        "CODE",
        "report no findings of this code; repeatable, or with commas",
        repeatable=True,
    ),
    SETTINGS,
    STRICT,
)


def prepare(args: Namespace) -> None:
    """Add the options that the project's file sets."""
    with_settings(args, OPTIONS, FIX)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    newest = tables.versions()[-1]
    checker = Checker(args, tables)
    try:
        scope_of(newest, args.dialect, {}, tables)
    except TranslationError as error:  # about the dialect, which is the same for every target
        results = checker.counted([Result(Target("the dialect"), newest, error.findings)])
    else:
        targets = targets_of(args, tables)
        if targets and (args.fix or args.diff):
            from translator.cli.check.fix import fixed

            targets = fixed(targets, checker, args)
        results = checker.results(targets)
        results = _with_fixes(results, checker, args)
    results = merged(results)
    if not args.diff:
        REPORTS[args.format](results)
    findings = [item for result in results for item in result.findings]
    return status_of(findings, args.strict, args.fail_on)


def _with_fixes(results: list[Result], checker: Checker, args: Namespace) -> list[Result]:
    """Return the results with what --fix would do, if the report tells it."""
    files = [result for result in results if result.target.source is not None]
    shows = args.format in _PREVIEWED and not args.diff
    if not shows or not any(item.fix for result in files for item in result.findings):
        return results
    from translator.cli.check.fix import proposed

    return proposed(results, checker, args)
