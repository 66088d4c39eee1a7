"""Report what is wrong with variables, a command line, a Kubernetes manifest or a compose file.

With several vLLM versions, the report is a table: "can I upgrade with this?". Exit status: 1 for
errors, 3 for warnings with --strict.
"""

from __future__ import annotations

import os
import sys

from translator.cli.check_gate import FAIL_ON, IGNORE, SELECT, codes_of, counted
from translator.cli.check_places import named_argument
from translator.cli.check_report import Result, merged
from translator.cli.check_targets import Target, targets_of
from translator.cli.exits import UsageError, status_of
from translator.cli.files import ENV_FILE, ENV_FILE_FORMAT, read_file
from translator.cli.options import installed_vllm, tables_of
from translator.cli.terminal import counting
from translator.commands.command import is_of_one_value
from translator.commands.exec_options import ASK, CLUSTER, DIALECT, PREFIX, STRICT, TABLES
from translator.findings import TranslationError, has_errors
from translator.secrets.masking import hidden
from translator.tables.entries import MODEL
from translator.tables.versions import VARIABLE, Version, parse, shown
from translator.text.holes import visible
from translator.text.options import Option
from translator.text.placed import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from translator.argv.holes import Filled
    from translator.findings import Finding
    from translator.formats.vllm_config import ConfigFiles
    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables
    from translator.text.placed import Place

USAGE = "translate check [OPTIONS] [FILE ... | -- vllm serve …]"
EXAMPLE = """\
  translate check --env-file .env --vllm 0.27.1
  translate check --vllm 0.19.. -- vllm serve org/m --swap-space 4
  translate check deployment.yaml compose.yaml --format github"""
FIX = Option("--fix", "", "correct what can be corrected safely, in the files themselves")
DIFF = Option("--diff", "", "print what --fix would change, and change nothing")
UNSAFE_FIXES = Option(
    "--unsafe-fixes",
    "",
    "with --fix or --diff: also what changes the meaning, or is a guess",
)
# name → MODULE.FUNCTION
REPORTS = {
    "text": "check_report.write_report",
    "json": "check_report.write_json",
    "github": "check_report.write_annotations",
    "sarif": "check_sarif.write_sarif",
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
    FAIL_ON,
    SELECT,
    IGNORE,
    STRICT,
)
_NO_MODEL = ("no-model", "missing-model")


def prepare(args: Namespace) -> None:
    """Add the options that the project's file sets."""
    from translator.cli.check_settings import with_settings

    with_settings(args, OPTIONS)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from translator.naming.scope import scope as scope_of

    tables = tables_of(args)
    newest = tables.versions()[-1]
    select, ignore = codes_of(SELECT, args.select), codes_of(IGNORE, args.ignore)
    try:
        scope_of(newest, args.dialect, {}, tables)
    except TranslationError as error:  # about the dialect, which is the same for every target
        results = counted([Result(Target("the dialect"), newest, error.findings)], select, ignore)
    else:
        results = _results(args, tables, select, ignore)
    results = merged(results)
    if not args.diff:
        module, _, name = REPORTS[args.format].partition(".")
        write = getattr(__import__(f"translator.cli.{module}", fromlist=[name]), name)
        write(results)
    findings = [item for result in results for item in result.findings]
    return status_of(findings, args.strict, args.fail_on)


def _results(
    args: Namespace, tables: Tables, select: frozenset[str], ignore: frozenset[str]
) -> list[Result]:
    """Return the findings that count, of every target for every version; after the fixes, if the
    files are fixed.
    """
    newest = tables.versions()[-1]
    here: tuple[Tables, str | None, list[Finding]] | None = None

    def check(target: Target) -> list[Result]:
        nonlocal here
        found = []
        for vllm in _versions(args, target, tables):
            over: Tables = tables
            about: Sequence[Finding] = ()
            if vllm is None and target.image is not None and not args.ask:
                vllm, assumed = target.image.assume(newest)
                about = [assumed]
            elif vllm is None:
                here = here or installed_vllm(tables, ask=args.ask)
                over, vllm, about = here
            found.append(_check(target, vllm, args, over, about))
        return found

    def checked(targets: Sequence[Target]) -> list[Result]:
        told = counting(targets, "checked", sys.stderr)
        return counted([result for target in told for result in check(target)], select, ignore)

    targets = targets_of(args, tables)
    if args.fix or args.diff:
        from translator.cli.check_fix import fixed

        targets = fixed(targets, checked, args, tables)
    return checked(targets)


def _versions(args: Namespace, target: Target, tables: Tables) -> list[str | None]:
    """Return the versions from --vllm, or else the one from the target or the environment; None for
    the installed one.
    """
    if args.ask:
        return [None]
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
    """Return the known versions in a range: `0.19..`, `..0.27`, `0.8..0.33` (inclusive) or `all`; a
    plain version is returned unchanged.

    Raises:
        UsageError: an end is not a version, or the range is empty.
    """
    if text == "all":
        return list(known)
    if ".." not in text:
        return [text]
    low, _, high = text.partition("..")
    first, last = parse(low or known[0]), parse(high or known[-1])
    if first is None or last is None:
        raise UsageError(
            f"{shown(text)} is no range of versions: write 0.19.., ..0.27 or 0.8..0.33"
        )
    found = [
        item
        for item in known
        if first.base <= Version(item).base
        and (Version(item).base <= last.base or last.includes(Version(item)))
    ]
    if not found:
        raise UsageError(
            f"no known version in {shown(low)}..{shown(high)}: known are {known[0]} to {known[-1]}"
        )
    return found


def _replaced(args: Namespace, tables: Tables) -> str | None:
    """Return the version to move from: that of --from, or the one that a range begins with."""
    if args.source:
        return str(args.source)
    ranges = [text for text in args.vllm if ".." in text and not text.startswith("..")]
    return versions_in(ranges[0], tables.versions())[0] if ranges else None


def _check(
    target: Target,
    vllm: str | None,
    args: Namespace,
    tables: Tables,
    about: Sequence[Finding],
) -> Result:
    """Check one target for one version; None: the newest known."""
    from translator.api.check import check_argv, check_env
    from translator.api.pipeline import Options
    from translator.argv.holes import filled
    from translator.naming.scope import scope as scope_of

    findings = [*target.found, *about]
    dialect, cluster = args.dialect, args.cluster
    if target.entry is not None:
        dialect, cluster = target.entry.dialect or dialect, target.entry.cluster or cluster
    try:
        scope, about_version = scope_of(vllm, dialect, {}, tables)
        replaced = _replaced(args, tables)
        before = scope_of(replaced, dialect, {}, tables)[0] if replaced else None
    except TranslationError as error:
        return Result(target, shown(vllm or ""), [*findings, *error.findings])
    findings += about_version
    stops = has_errors(
        item
        for item in target.found
        if item.code != "starts-something-else" and not is_of_one_value(item)
    )
    if not target.unread and not stops:
        line = filled(target.extra if target.tokens is None else target.tokens, scope.catalog)
        if target.tokens is None:
            options = Options(line.tokens, cluster=cluster, joins=True)
            made = check_env(target.env, scope, options, before)
        else:
            files = _files(scope, target)
            made = check_argv(line.tokens, target.env, scope, files, before)
            made = [*made, *files.findings]
        findings += _without_guesses(made, line, target, scope)
    findings = list(dict.fromkeys(findings))
    return Result(target, scope.catalog.version, findings, _places(findings, target, scope))


def _places(findings: Sequence[Finding], target: Target, scope: Scope) -> dict[Finding, Place]:
    """Return the places of the findings that name an argument: only the line of the command, where
    that of the argument is not known.
    """
    tokens = [visible(token) for token in target.tokens or target.extra]
    found: dict[Finding, Place] = {}
    for item in findings:
        if item.subject in target.places or place(item.subject) is not None:
            continue
        at = named_argument(item, tokens, scope.catalog)
        if at is not None:
            found[item] = target.argument_places[at] or (*target.at[:2], 0)
    return found


def _without_guesses(
    findings: list[Finding], line: Filled, target: Target, scope: Scope
) -> list[Finding]:
    """Return the findings without those caused by a value that is not known here."""
    roles = [scope.role(name) for name in target.absent] if target.tokens is None else []
    named = line.dropped or any(
        role is not None and role.flag is not None and role.flag.flag == MODEL for role in roles
    )
    texts = [*target.unknown, *map(hidden, target.unknown)]

    def is_guess(item: Finding) -> bool:
        if named and item.code in _NO_MODEL:
            return True
        if not texts and not line.flags:
            return False
        told = _texts_of(item)
        return any(text in part for text in texts for part in told) or (
            item.severity == "error"
            and any(_flag_of(part) in line.flags for part in told if part.startswith("-"))
        )

    return [item for item in findings if not is_guess(item)]


def _texts_of(item: Finding) -> list[str]:
    """Return the texts that a finding tells; its subject may be a whole argument, whose flag is
    wrong whatever its value is.
    """
    facts = [fact if isinstance(fact, tuple) else (str(fact),) for fact in item.facts.values()]
    return [part for fact in facts for part in fact]


def _flag_of(text: str) -> str:
    """Return the flag that a text of a finding names: `--flag`, `--flag=value`, `--flag value`."""
    return text.partition("=")[0].partition(" ")[0].partition(".")[0]


def _files(scope: Scope, target: Target) -> ConfigFiles:
    from translator.formats.vllm_config import ConfigFiles

    return ConfigFiles(
        scope.catalog, read_file, keep_missing=target.contained or bool(target.at[0])
    )
