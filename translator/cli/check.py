"""Report what is wrong with variables, a command line, a Kubernetes manifest or a compose file.

With several vLLM versions, the report is a table: "can I upgrade with this?". Exit status: 1 for
errors, 3 for warnings with --strict.
"""

from __future__ import annotations

import os

from translator.cli.check_report import REPORTS, Result, Target
from translator.cli.exits import UsageError, status_of
from translator.cli.files import (
    ENV_FILE,
    ENV_FILE_FORMAT,
    Given,
    environment_of,
    read_file,
    variables_of,
)
from translator.cli.options import tables_of
from translator.commands.exec_options import CLUSTER, DIALECT, PREFIX, STRICT, TABLES
from translator.findings import TranslationError
from translator.formats.registry import ENV_FILE_ENDINGS
from translator.secrets.secrets import secrets_of
from translator.tables.entries import MODEL
from translator.tables.versions import VARIABLE, Version, parse
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

    from translator.commands.command import Pasted
    from translator.commands.translate_exec import Reads
    from translator.dialects.scope import Scope
    from translator.findings import Finding
    from translator.formats.vllm_config import ConfigFiles
    from translator.tables.catalog import Tables

USAGE = "translate check [OPTIONS] [FILE ... | -- vllm serve …]"
EXAMPLE = """\
  translate check --env-file .env --vllm 0.27.1
  translate check --vllm 0.19.. -- vllm serve org/m --swap-space 4
  translate check deployment.yaml compose.yaml --format github"""
OPTIONS = (
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
    DIALECT,
    PREFIX,
    TABLES,
    CLUSTER,
    Option(
        "--format",
        "FMT",
        "text (default), json, or github (annotations of a workflow)",
        choices=("text", "json", "github"),
        default="text",
    ),
    STRICT,
)
_NO_MODEL = ("no-model", "missing-model")


def configure(parser: ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="FILE",
        help="a Kubernetes manifest, a compose file, a .env file or a command; - is stdin",
    )


def run(args: Namespace) -> int:
    from translator.dialects.scope import scope as scope_of

    tables = tables_of(args)
    newest = tables.versions()[-1]
    results: list[Result] = []
    try:
        scope_of(newest, args.dialect, {}, tables)
    except TranslationError as error:  # of the dialect, which is the same for every target
        results.append(Result(Target("the dialect", {}), newest, list(error.findings)))
    else:
        for target in _targets(args, tables):
            for asked in _versions(args, target, tables):
                results.append(_check(target, asked, args.dialect, tables, args.cluster))
    REPORTS[args.format](results)
    return status_of([item for result in results for item in result.findings], args.strict)


def _targets(args: Namespace, tables: Tables) -> list[Target]:
    """What the command line gives to check."""
    from translator.commands import translate_exec as ours

    reads = ours.reader(args.dialect, tables)
    files = [*args.targets, *args.manifest]
    # Beside a command, or a file with one, the files of variables say what it refers to; else they
    # are what is checked.
    refers = args.behind is not None or any(not _has_variables(path) for path in files)
    given = environment_of(args, tables) if args.env_file or not (files or refers) else Given()
    found: list[Target] = []
    for path in files:
        found += _of_file(path, args, given.env, tables, reads)
    if args.behind is not None:
        from translator.commands.pasted import from_behind

        if not args.behind:
            raise UsageError("no command behind --")
        command = from_behind(args.behind, given.env, secrets_of(tables), reads)
        found.append(_of_command("the command", command))
    if refers:
        for item in given.findings:
            found[0].found.append(item)
            found[0].places[item.subject], found[0].files[item.subject] = (
                0,
                ", ".join(args.env_file),
            )
    elif not files or args.env_file:
        target = Target(", ".join(args.env_file) or "the environment", given.env)
        target.places, target.files, target.found = given.places, given.files, given.findings
        found.append(target)
    return found


def _has_variables(path: str) -> bool:
    """Whether a file is one of variables, by its name."""
    name = os.path.basename(path)
    return name.endswith(tuple(ENV_FILE_ENDINGS)) or name.startswith(".env")


def _of_file(
    path: str, args: Namespace, known: Mapping[str, str], tables: Tables, reads: Reads
) -> list[Target]:
    """The containers of a YAML file, the variables of a .env file, or the command in any other;
    `known` is what they may refer to.
    """
    from translator.commands import unwrap as paste
    from translator.commands.kubernetes import containers
    from translator.commands.pasted import _may_be_yaml, from_text, of_container
    from translator.text.yaml_nodes import YamlError

    secrets = secrets_of(tables)
    if _has_variables(path):
        read = variables_of(path, args, tables)
        target = Target(path, read.env)
        target.file, target.places, target.found = path, read.lines, read.findings
        return [target]
    text = read_file(path)
    if not _may_be_yaml(text):
        return [_of_command(path, from_text(text, known, secrets, reads), path)]
    try:
        everything = containers(text, {**os.environ, **known})
        made = [item for item in everything if paste.runs_vllm(item) or reads(item.telling)]
    except YamlError as error:
        raise UsageError(f"{path}: not YAML: {error}") from None
    if not made:
        raise UsageError(
            f"{path}: no container in it runs vLLM, as far as its image, command and arguments tell"
        )
    found = []
    for item in made:
        pasted = of_container(item, known, secrets, reads)
        runs = (
            bool(item.args or item.command)
            or pasted.vllm is not None
            or item.image.rpartition("/")[2].startswith("vllm")
        )
        target = _of_command(item.name, pasted, path)
        if not runs:
            target.tokens = None  # a worker's image: the variables are all there is
        target.places, target.line = item.lines, item.args_line
        found.append(target)
    return found


def _of_command(name: str, pasted: Pasted, path: str = "") -> Target:
    target = Target(name, pasted.env, pasted.tokens)
    target.file, target.line = path, 1 if path else 0
    target.vllm, target.found, target.contained = pasted.vllm, pasted.findings, pasted.contained
    target.unknown, target.absent = pasted.unknown, pasted.names.difference(pasted.env)
    if pasted.entry is not None:
        target.tokens, target.extra, target.entry = None, pasted.tokens, pasted.entry
    return target


def _versions(args: Namespace, target: Target, tables: Tables) -> list[str | None]:
    """The versions to check for: those asked for, or the one that the target or its surroundings
    name.
    """
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
    """The known versions in a range: `0.19..`, `..0.27`, `0.8..0.33` (both ends count), `all`; a
    plain version as it is.

    Raises:
        UsageError: an end is no version, or there is none in between.
    """
    if text == "all":
        return list(known)
    if ".." not in text:
        return [text]
    low, _, high = text.partition("..")
    first, last = parse(low or known[0]), parse(high or known[-1])
    if first is None or last is None:
        raise UsageError(f"{text!r} is no range of versions: write 0.19.., ..0.27 or 0.8..0.33")
    found = [item for item in known if first.minor <= Version(item).minor <= last.minor]
    if not found:
        raise UsageError(f"no known version in {text}: known are {known[0]} to {known[-1]}")
    return found


def _check(
    target: Target, asked: str | None, dialect: str, tables: Tables, cluster: str | None = None
) -> Result:
    from translator.api.check import check_argv, check_env
    from translator.api.pipeline import Options
    from translator.dialects.scope import scope as scope_of
    from translator.tables.installed import installed

    findings = list(target.found)
    if target.entry is not None:
        dialect, cluster = target.entry.dialect or dialect, target.entry.cluster or cluster
    try:
        scope, about_version = scope_of(asked, dialect, {}, tables, look=installed)
    except TranslationError as error:
        return Result(target, asked or "", [*findings, *error.findings])
    findings += about_version
    if not any(
        item.severity == "error" and item.subject not in target.unknown.values()
        for item in target.found
    ):
        if target.tokens is None:
            made = check_env(target.env, scope, Options(target.extra, cluster=cluster))
        else:
            files = _files(scope, target)
            made = [*check_argv(target.tokens, target.env, scope, files), *files.findings]
        findings += _without_guesses(made, target, scope)
    return Result(target, scope.catalog.version, list(dict.fromkeys(findings)))


def _without_guesses(findings: list[Finding], target: Target, scope: Scope) -> list[Finding]:
    """The findings, less those about what is not known here: a value that only a shell could tell,
    a model that is set to one.
    """
    roles = [scope.role(name) for name in target.absent] if target.tokens is None else []
    named = any(
        role is not None and role.flag is not None and role.flag.flag == MODEL for role in roles
    )
    return [
        item
        for item in findings
        if not (named and item.code in _NO_MODEL)
        and not any(text in item.message for text in target.unknown)
    ]


def _files(scope: Scope, target: Target) -> ConfigFiles:
    from translator.formats.vllm_config import ConfigFiles

    return ConfigFiles(scope.catalog, read_file, keep_missing=target.contained)
