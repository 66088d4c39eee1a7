"""Tell what is wrong, or worth knowing, with an environment, a command line, a Kubernetes manifest
or a compose file; translate nothing.

Several versions, or a range of them, answer "can I upgrade with this?" with a table. The exit
status is that of the worst finding: 1 for errors, 3 for warnings with --strict.
"""

from __future__ import annotations

import os

from translator.cli.common import (
    UsageError,
    add_cluster,
    add_env_file,
    add_strict,
    add_target,
    emit,
    status_of,
    tables_of,
)
from translator.cli.files import Given, environment_of, read_file, variables_of
from translator.findings import Finding, TranslationError, one_line
from translator.formats.registry import ENV_FILE_ENDINGS
from translator.secrets.secrets import secrets_of
from translator.tables.entries import MODEL
from translator.tables.versions import VARIABLE, Version, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

    from translator.commands.command import Pasted
    from translator.commands.translate_exec import Entry, Reads
    from translator.dialects.scope import Scope
    from translator.formats.vllm_config import ConfigFiles
    from translator.tables.catalog import Tables


EXAMPLE = """  translate check --env-file .env --vllm 0.27.1
  translate check --vllm 0.19.. -- vllm serve org/m --swap-space 4
  translate check deployment.yaml compose.yaml --format github"""


SEVERITIES = ("error", "warning", "info")


_NO_MODEL = ("no-model", "missing-model")


_PLURAL = {"error": "errors", "warning": "warnings", "info": "notes"}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="FILE",
        help=(
            "a Kubernetes manifest, a compose file, a .env file, or a file with a command; - is"
            " standard input"
        ),
    )
    parser.add_argument(
        "--manifest", metavar="F", action="append", default=[], help="the same as FILE, for YAML"
    )
    add_env_file(
        parser,
        "check these variables instead of the environment's (with a command: what its shell"
        " variables hold)",
    )
    add_target(parser, several=True)
    add_cluster(parser)
    parser.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="text, JSON, or annotations for GitHub's checks (default: text)",
    )
    add_strict(parser)


class Target:
    """One thing to check.

    Attributes:
        name: what it is called.
        file, line: where it stands, if anywhere.
        places: variable → its line.
        vllm: the version that its image names.
        tokens: its command line; None: its variables are what is translated.
        extra: tokens that win over the variables.
        entry: how our entrypoint is started, which reads the variables; None where nobody says.
        unknown: what of it only a shell could tell, as it was written → as a finding names it.
        absent: variables that are set to what is not known here.
    """

    def __init__(self, name: str, env: Mapping[str, str], tokens: list[str] | None = None) -> None:
        self.name, self.env, self.tokens = name, dict(env), tokens
        self.file, self.line = "", 0
        self.places: dict[str, int] = {}
        self.files: dict[str, str] = {}
        self.vllm: str | None = None
        self.contained = False
        self.extra: list[str] = []
        self.entry: Entry | None = None
        self.unknown: dict[str, str] = {}
        self.absent: set[str] = set()
        self.found: list[Finding] = []

    def place(self, item: Finding) -> tuple[str, int]:
        """The file and the line of a finding; "" and 0 when it has none."""
        name = item.subject
        if name in self.places:
            return self.files.get(name, self.file), self.places[name]
        return self.file, self.line if self.file else 0


class Result:
    """The findings of one target for one version."""

    __slots__ = ("findings", "target", "version")

    def __init__(self, target: Target, version: str, findings: list[Finding]) -> None:
        self.target, self.version, self.findings = target, version, findings


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
    {"text": _text, "json": _json, "github": _github}[args.format](results)
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
            raise UsageError("no command stands behind --")
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
        raise UsageError(f"{one_line(path)}: not YAML: {error}") from None
    if not made:
        raise UsageError(
            f"{one_line(path)}: no container in it runs vLLM, as far as its image, command and"
            " arguments tell"
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
            made = check_env(target.env, scope, target.extra, cluster)
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


def _text(results: Sequence[Result]) -> None:
    import sys

    for target in dict.fromkeys(result.target for result in results):
        mine = [result for result in results if result.target is target]
        if len(mine) > 1:
            _table(target, mine)
            continue
        for severity in SEVERITIES:
            for item in mine[0].findings:
                if item.severity == severity:
                    emit(f"{_where(target, item)}{item.line()}\n")
        counts = [
            f"{number} {_PLURAL[severity] if number != 1 else _PLURAL[severity][:-1]}"
            for severity in SEVERITIES
            if (number := sum(item.severity == severity for item in mine[0].findings))
        ]
        sys.stderr.write(
            f"{one_line(target.name)}, vLLM {mine[0].version}:"
            f" {', '.join(counts) or 'nothing to say'}\n"
        )


def _where(target: Target, item: Finding) -> str:
    file, line = target.place(item)
    return f"{one_line(file)}:{line}: " if file and line else f"{one_line(file)}: " if file else ""


def _table(target: Target, results: Sequence[Result]) -> None:
    """Findings × versions, and below it what each says, in the newest version that has it."""
    columns = [result.version for result in results]
    heads = [".".join(version.split(".")[:2]) for version in columns]
    if len(set(heads)) != len(heads):
        heads = columns
    rows: dict[tuple[str, str, str], dict[str, Finding]] = {}
    for result in results:
        for item in result.findings:
            rows.setdefault((item.severity, item.code, item.subject), {})[result.version] = item
    emit(f"{one_line(target.name)}\n")
    emit(" ".join(heads) + "\n")
    ordered = sorted(rows, key=lambda row: SEVERITIES.index(row[0]))
    for number, row in enumerate(ordered, 1):
        marks = [
            (row[0][0].upper() if version in rows[row] else ".").center(len(head))
            for head, version in zip(heads, columns, strict=True)
        ]
        emit(" ".join(marks) + f"  {number:>2} {row[1]} {one_line(row[2])}\n")
    fits = [
        result.version
        for result in results
        if not any(item.severity == "error" for item in result.findings)
    ]
    worst = [
        (
            "E"
            if any(item.severity == "error" for item in result.findings)
            else "W"
            if any(item.severity == "warning" for item in result.findings)
            else "ok"
        )
        for result in results
    ]
    emit(
        " ".join(mark.center(len(head)) for head, mark in zip(heads, worst, strict=True))
        + "     as a whole\n"
    )
    for number, row in enumerate(ordered, 1):
        versions = list(rows[row])
        newest = rows[row][versions[-1]]
        emit(f"{number:>2} {_where(target, newest)}{newest.line()}\n")
    emit(f"taken without errors by {len(fits)} of {len(results)}: {', '.join(fits) or 'none'}\n")


def _json(results: Sequence[Result]) -> None:
    from translator.formats import json_result as jsontext

    found = []
    for result in results:
        for item in result.findings:
            file, line = result.target.place(item)
            found.append(
                {
                    **item.as_dict(),
                    "vllm": result.version,
                    "target": result.target.name,
                    "file": file or None,
                    "line": line or None,
                }
            )
    checked = [
        {
            "target": result.target.name,
            "vllm": result.version,
            "errors": sum(item.severity == "error" for item in result.findings),
        }
        for result in results
    ]
    emit(jsontext.dump({"checked": checked, "findings": found}))


def _github(results: Sequence[Result]) -> None:
    """Workflow commands; what means something in them is escaped as GitHub's own toolkit does."""
    for result in results:
        for item in result.findings:
            file, line = result.target.place(item)
            word = {"error": "error", "warning": "warning", "info": "notice"}[item.severity]
            parts = [f"file={_property(file)}", *([f"line={line}"] if line else [])] if file else []
            parts.append(f"title={_property(f'{item.code} (vLLM {result.version})')}")
            message = one_line(item.message) + (f" ({one_line(item.hint)})" if item.hint else "")
            emit(f"::{word} {','.join(parts)}::{message.replace('%', '%25')}\n")


def _property(text: str) -> str:
    return one_line(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
