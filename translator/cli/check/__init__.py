"""Report what is wrong with variables, a command line, a Kubernetes manifest or a compose file.

With several vLLM versions, the report is a table: "can I upgrade with this?". Exit status: 1 for
errors, 3 for warnings with --strict.
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from functools import partial
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING

from translator.cli.check import reports
from translator.cli.check.targets import fixed, rooted, targets_of
from translator.cli.options import (
    CLUSTER_OF_VARIABLES,
    ENV_FILE,
    ENV_FILE_FORMAT,
    installed_vllm,
    tables_of,
    unknown,
)
from translator.cli.process import status_of
from translator.core.findings import TranslationError, UsageError, codes
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.versions import LATEST, Version, parse
from translator.core.text.words import show
from translator.deployments.judge.results import Result, advised, check, merged, told
from translator.deployments.options import CheckOptions
from translator.formats import files
from translator.formats.classes import evolve
from translator.formats.inputs import read_file
from translator.formats.kinds import TITLES
from translator.formats.model_config import read_model_config
from translator.options import ASK, CLUSTER, DIALECT, MODEL_CONFIG, STRICT, TABLES, Option

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence
    from typing import Any

    from translator.core.tables.catalog import Tables

USAGE = "translate check [OPTIONS] [FILE ... | -- vllm serve …]"
EXAMPLE = """\
  translate check --env-file .env --vllm 0.27.1
  translate check --vllm 0.19.. -- vllm serve org/m --swap-space 4
  translate check deployment.yaml compose.yaml --format github"""
FIX = Option("--fix", "", "fix what can be fixed safely, in the files")
DIFF = Option("--diff", "", "show what --fix would change, and change nothing")
SETTINGS = Option(
    "--settings",
    "FILE",
    "file with options (default: the nearest translate.toml or pyproject.toml here or above)",
)
UNSAFE_FIXES = Option(
    "--unsafe-fixes", "", "with --fix or --diff: also guesses and changes of meaning"
)
EXCLUDE = Option("--exclude", "PATTERN", "leave out files, as in .gitignore", repeatable=True)
OUTPUT_FILE = Option("--output-file", "FILE", "write the report to FILE")
OF_THE_LINE = (FIX, DIFF, UNSAFE_FIXES, OUTPUT_FILE, SETTINGS)  # a gate changes no files
_OWN, _SHARED, _TABLE = "translate.toml", "pyproject.toml", "translate"
_MOST_DOTS = 1000  # tomllib copies a key for each of its parts
_PATHS = ("FILE", "DIR", "PATH")  # what options call their value if it is a path
# Reports that tell each finding of each version, and those that tell what --fix would do.
_OF_EACH = ("json", "junit")
_PREVIEWED = ("text", "json", "sarif")
REPORTS = {
    "text": reports.write_report,
    "json": reports.write_json,
    "github": reports.write_annotations,
    "sarif": reports.write_sarif,
    "gitlab": reports.write_gitlab,
    "junit": reports.write_junit,
}
OPTIONS = (
    Option(
        "targets",
        "FILE",
        f"{TITLES}, … or a directory of them; - is stdin",
        repeatable=True,
    ),
    ENV_FILE,
    ENV_FILE_FORMAT,
    Option(
        "--vllm",
        "V",
        "vLLM version or range (0.19.., 0.8..0.33, all); repeatable (default: the image's tag,"
        " else the installed one)",
        repeatable=True,
    ),
    Option(
        "--from",
        "V",
        "vLLM version to upgrade from: also report changed defaults (default: the first of a"
        " range)",
        dest="source",
    ),
    ASK,
    DIALECT,
    TABLES,
    CLUSTER,
    MODEL_CONFIG,
    Option(
        "--format",
        "FMT",
        "text (default), json, github (workflow annotations), sarif (code scanning), gitlab (Code"
        " Quality) or junit",
        choices=tuple(REPORTS),
        default="text",
    ),
    OUTPUT_FILE,
    Option("--statistics", "", "report only how often each finding code is found"),
    EXCLUDE,
    FIX,
    DIFF,
    UNSAFE_FIXES,
    Option("--quiet", "", "report errors only", short="-q"),
    Option("--verbose", "", "name every file, also those without findings", short="-v"),
    Option(
        "--fail-on",
        "LEVEL",
        "lowest severity for exit status 1: error (default), warning or info",
        choices=("error", "warning", "info"),
        default="error",
    ),
    Option(
        "--select",
        "CODE",
        "report only this finding code; repeatable, or separated by commas",
        repeatable=True,
    ),
    Option(
        "--ignore",
        "CODE",
        "do not report this finding code; repeatable, or separated by commas",
        repeatable=True,
    ),
    SETTINGS,
    STRICT,
)


def prepare(args: Namespace) -> None:
    """Set the options that the command line does not give to what the project's file says:
    `translate.toml`, or the table `[tool.translate]` of pyproject.toml, in the current folder or
    the nearest one above it.

    Raises:
        UsageError: the file cannot be read, or has a key or a value that no option has.
    """
    args.exclude = rooted(args.exclude, "")
    path, table = (args.settings, _table(args.settings)) if args.settings else _nearest()
    known = {option.name[2:]: option for option in OPTIONS if option.name.startswith("-")}
    for key, value in table.items():
        option = known.get(key)
        if option is None:
            message = unknown("key", key, known, f"use one of {', '.join(known)}")
            raise UsageError(f"{path}: {message}")
        if option in OF_THE_LINE:
            raise UsageError(
                f"{path}: `{key}` is an option of the command line only",
                hint=f"remove it, and run `translate check {option.name}`",
            )
        made = _value(option, value, path)
        if option is EXCLUDE:  # of a file from elsewhere, such as another commit, from here
            made = rooted(made, "" if args.settings else os.path.dirname(path))
        if getattr(args, option.dest) == option.default:
            setattr(args, option.dest, made)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    asked = asked_of(args, tables)
    _refuse_options(args, tables)
    targets = targets_of(args, asked)
    if targets and (args.fix or args.diff):
        targets = fixed(targets, asked, args)
    results = check(targets, asked, advised if args.format in _OF_EACH else told)
    fixable = (item.fix for result in results if result.target.source for item in result.findings)
    if args.format in _PREVIEWED and not args.diff and any(fixable):
        from translator.deployments.repair.fixes import proposed  # lazy: a clean check needs none

        named = (*args.targets, *args.env_file)
        results = proposed(results, asked, named, are_tried=args.format != "text")
    results = merged(results)
    if args.output_file:
        _report_to(args.output_file, results, args)
    elif not args.diff:
        _report(results, args)
    findings = [item for result in results for item in result.findings]
    return status_of(findings, args.strict, args.fail_on)


def _refuse_options(args: Namespace, tables: Tables) -> None:
    """Refuse options that do not go together, or name what does not exist."""
    if args.unsafe_fixes and not (args.fix or args.diff):
        raise UsageError("--unsafe-fixes belongs to --fix or --diff")
    if args.statistics and (args.format != "text" or args.diff):
        raise UsageError("--statistics is a report of its own, without --format and --diff")
    # The dialect is the same for every target.
    scope_of(tables.versions()[-1], args.dialect, {}, tables)
    if args.cluster and args.cluster not in tables.clusters():
        from translator.core.env.cluster import unknown_cluster

        raise TranslationError([unknown_cluster(args.cluster, tables)])
    if args.cluster and args.behind:
        raise UsageError(CLUSTER_OF_VARIABLES)


def _report_to(path: str, results: Sequence[Result], args: Namespace) -> None:
    """Write results to a file; raise a UsageError if it cannot be written."""
    content = BytesIO()
    with redirect_stdout(TextIOWrapper(content)):
        _report(results, args)
        written = content.getvalue()
    try:
        files.write({os.path.realpath(path): written})
    except OSError as error:
        raise UsageError(f"--output-file {path}: not written: {error.strerror}") from None


def _report(results: Sequence[Result], args: Namespace) -> None:
    """Write results in the format that is asked for; with --quiet, their errors."""
    if args.quiet:
        errors = ([it for it in one.findings if it.severity == "error"] for one in results)
        results = [evolve(one, findings=some) for one, some in zip(results, errors)]
    several = len({result.target.source for result in results}) > 1
    are_all_named = args.verbose or not (args.quiet or several)
    if args.statistics:
        reports.write_statistics(results)
    elif args.format == "junit":
        reports.write_junit(results, args.fail_on)
    elif args.format != "text":
        REPORTS[args.format](results)
    elif are_all_named or not args.quiet or any(result.findings for result in results):
        reports.write_report(results, are_all_named=are_all_named)


# --- what the options ask for


def asked_of(args: Namespace, tables: Tables) -> CheckOptions:
    """Return what options ask for.

    Raises:
        UsageError: a range of versions, or a code, is none.
    """
    known = tables.versions()
    versions = {text: versions_in(text, known) for text in args.vllm}
    ranges = (text for text in versions if ".." in text and not text.startswith(".."))
    begins = next((versions[text][0] for text in ranges), None)
    return CheckOptions(
        tables,
        list(dict.fromkeys(version for several in versions.values() for version in several)),
        args.source or begins,
        args.dialect,
        args.cluster,
        args.platform,
        args.env_file,
        args.env_file_format,
        _codes("--select", args),
        _codes("--ignore", args),
        read_model_config(args.model_config) if args.model_config else None,
        args.ask,
        partial(installed_vllm, ask=args.ask),
    )


def _codes(option: str, args: Namespace) -> frozenset[str]:
    """Return the codes that --select or --ignore names."""
    known = codes()
    values: Iterable[str] = getattr(args, option[2:])
    found = [name.strip() for value in values for name in value.split(",") if name.strip()]
    for name in found:
        if name not in known:
            raise UsageError(
                f"{option}: {unknown('finding code', name, known)}",
                hint="`translate explain` lists the codes",
            )
    return frozenset(found)


def versions_in(text: str, known: Sequence[str]) -> list[str]:
    """Return the known versions in a range: `0.19..`, `..0.27`, `0.8..0.33` (inclusive), `all` or
    `latest`; a plain version is returned unchanged.

    Raises:
        UsageError: an end is not a version, or the range is empty.
    """
    if text == "all":
        return list(known)
    if ".." not in text:
        return [known[-1] if text == LATEST else text]
    low, _, high = text.partition("..")
    first, last = parse(low or known[0]), parse(high or known[-1])
    if first is None or last is None:
        raise UsageError(f"`{show(text)}` is not a range such as 0.19.., ..0.27 or 0.8..0.33")
    versions = [
        item
        for item in known
        if first.base <= Version(item).base
        and (Version(item).base <= last.base or last.includes(Version(item)))
    ]
    if not versions:
        raise UsageError(
            f"no known version in {show(low)}..{show(high)}: {known[0]} to {known[-1]} are known"
        )
    return versions


# --- the options that a project keeps in a file


def _nearest() -> tuple[str, dict[str, Any]]:
    """Return the nearest file upwards that has options, and them; "" and {} if there is none."""
    folder, above = os.getcwd(), ""
    while folder != above:
        for name in (_OWN, _SHARED):
            path = os.path.join(folder, name)
            table = _table(path) if os.path.isfile(path) else {}
            if table or (name == _OWN and os.path.isfile(path)):
                return path, table
        above, folder = folder, os.path.dirname(folder)
    return "", {}


def _table(path: str) -> dict[str, Any]:
    """Return the options in a file."""
    text = read_file(path)
    if os.path.basename(path) != _SHARED:
        return _load(text, path)
    # A file that has nothing for us need not be valid.
    tools = _load(text, path).get("tool") if f"tool.{_TABLE}" in text else None
    table = tools.get(_TABLE) if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else {}


def _load(text: str, path: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_DOTS:
            raise UsageError(f"{path}, line {number}: more than {_MOST_DOTS} dots in one line")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        _, sign, place = str(error).rpartition("(at ")  # the rest may quote the file
        where = f", {place.removesuffix(')')}" if sign else ""
        raise UsageError(f"{path}{where}: not valid TOML") from None


def _value(option: Option, value: Any, path: str) -> Any:
    """Return the value of a key as argparse would set it."""
    items = value if option.repeatable and isinstance(value, list) else [value]
    if not option.metavar:
        expected, good = "true or false", isinstance(value, bool)
    elif option.choices:
        expected, good = "one of " + ", ".join(option.choices), value in option.choices
    else:
        expected = "a string, or a list of strings" if option.repeatable else "a string"
        good = all(isinstance(item, str) for item in items)
    if not good:
        raise UsageError(f"{path}: `{option.name[2:]}` must be {expected}")
    if option.metavar in _PATHS:
        items = [
            item if item == "-" else os.path.join(os.path.dirname(path), item) for item in items
        ]
    return items if option.repeatable else items[0]
