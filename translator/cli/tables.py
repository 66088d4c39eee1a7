"""Show what each vLLM version accepts, and maintain the tables that say so."""

from __future__ import annotations

import os
import sys

from translator.cli import tables_add, tables_docs, tables_drift, tables_schema, tables_site
from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.options import add_options, scope_of, tables_of
from translator.cli.streams import emit, log, log_findings, put
from translator.cli.terminal import table, width, wrapped
from translator.commands.exec_options import TABLES, TARGET
from translator.findings import one_line
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from typing import Any

    from translator.authoring.schema.tables import Tables


USAGE = "translate tables WHAT [OPTIONS]"
EXAMPLE = """\
  translate tables list
  translate tables show --vllm 0.27.1 --format json
  translate tables harvest --output my-tables/catalogs/0.34.0.json     (where that vLLM is)
  translate env-to-args --tables my-tables --vllm 0.34.0"""
_FORMAT = Option(
    "--format", "FMT", "text (default) or json", choices=("text", "json"), default="text"
)
_DIRECTORY = "your own tables (default: mappings/ of a checkout)"


def configure(parser: ArgumentParser) -> None:
    """Add the subcommands."""
    from translator.cli.app import Parser, command_parser

    commands = parser.add_subparsers(
        title="commands", dest="what", metavar="WHAT", required=True, parser_class=Parser,
        prog="translate tables",
    )  # fmt: skip

    def add(name: str, summary: str, example: str, *options: Option) -> ArgumentParser:
        made = command_parser(commands, name, summary, summary, f"  {example}")
        add_options(made, options)
        made.usage = f"translate tables {name} [OPTIONS]"
        return made

    add(
        "list",
        "vLLM versions, platforms and clusters that have tables",
        "translate tables list --format json",
        TABLES,
        _FORMAT,
    )
    add(
        "show",
        "flags and variables of one vLLM version",
        "translate tables show --vllm 0.27.1 --format json",
        *TARGET,
        Option("--all", "", "with --format json: all versions, changes and platforms"),
        _FORMAT,
    )
    add(
        "schema",
        "JSON Schema of --config files or of variables, for editors",
        "translate tables schema --vllm 0.27.1 --for config > vllm.schema.json",
        *tables_schema.OPTIONS,
    )
    linting = add(
        "lint",
        "check tables for mistakes; exit 1 if there are any",
        "translate tables lint my-tables",
    )
    linting.add_argument("directory", nargs="?", metavar="DIR", help=_DIRECTORY)
    compiling = add(
        "compile",
        "compile tables into the package",
        "translate tables compile --check",
        Option("--output", "DIR", "where the compiled files go (default: into the checkout)"),
        Option("--check", "", "write nothing; exit 1 when compiled files are out of date"),
    )
    compiling.add_argument("directory", nargs="?", metavar="DIR", help=_DIRECTORY)
    add(
        "harvest",
        "record what the installed vLLM accepts",
        "translate tables harvest --output my-tables/catalogs/0.34.0.json",
        Option("--output", "FILE", "the file (default: stdout)"),
    )
    comparing = add(
        "drift",
        "compare a vLLM installation with the tables",
        "translate tables drift --python /venv/bin/python",
        *tables_drift.OPTIONS,
    )
    comparing.add_argument("directory", nargs="?", metavar="DIR", help=_DIRECTORY)
    adding = add(
        "add",
        "add a vLLM release to the tables of a checkout; exit 1 if something is left to decide",
        "translate tables add 0.34.0 --python /opt/vllm/bin/python",
        *tables_add.OPTIONS,
    )
    adding.add_argument("version", metavar="VERSION", help="the release")
    add(
        "docs",
        "the reference pages in Markdown: the variables of each platform, the findings",
        "translate tables docs --write docs",
        *tables_docs.OPTIONS,
    )
    add(
        "site",
        "a static site: a page for every flag, variable and finding",
        "translate tables site --output site",
        *tables_site.OPTIONS,
    )


def run(args: Namespace) -> int:
    if args.behind:
        raise UsageError("tables takes no tokens behind --")
    commands = {
        "list": _list,
        "show": _show,
        "schema": tables_schema.run,
        "lint": _lint,
        "compile": _compile,
        "harvest": _harvest,
        "drift": _drift,
        "add": _add,
        "docs": tables_docs.run,
        "site": tables_site.run,
    }
    return commands[args.what](args)


def _list(args: Namespace) -> int:
    from translator.formats.properties import keys_of
    from translator.naming.dialect import find_dialect

    tables = tables_of(args)
    dialects: list[dict[str, Any]] = []
    for name in tables.dialects():
        found = find_dialect(name, tables)
        assert found is not None
        keys = keys_of(name, tables)
        dialects.append(
            {
                "name": name,
                "consumer": found.about or None,
                "sources": list(found.sources),
                "file": keys.file if keys else None,
            }
        )
    clusters = [
        {
            "name": name,
            "sources": tables.records(f"cluster.{name}.json")["@cluster"].get("sources", []),
        }
        for name in tables.clusters()
    ]
    if args.format == "json":
        from translator.formats import json_result as jsontext

        emit(
            jsontext.dump(
                {"versions": tables.versions(), "dialects": dialects, "clusters": clusters}
            )
        )
        return 0
    columns = width(sys.stdout)
    put(wrapped(f"vLLM {', '.join(tables.versions())}", columns))
    readers = [
        (
            dialect["name"],
            (dialect["consumer"] or "") + (f"; also {file}" if (file := dialect["file"]) else ""),
        )
        for dialect in dialects
    ]
    put(["", *table(("dialect", "read by"), readers, columns)])
    put(["", "clusters: " + ", ".join(tables.clusters())])
    put([[("dim", "sources: --format json; variables: `translate explain --list variables`")]])
    return 0


def _show(args: Namespace) -> int:
    from translator.pages import tables_view as tableview

    if args.all:
        if args.format != "json" or args.vllm or args.ask:
            raise UsageError("--all goes with --format json, and without a version")
        from translator.formats.json_result import dump

        emit(dump(tableview.all_json(tables_of(args))))
        return 0
    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    if args.format == "json":
        from translator.formats import json_result as jsontext

        emit(jsontext.dump(tableview.catalog_json(scope.catalog)))
    else:
        emit(tableview.catalog_text(scope.catalog))
    return 0


def _lint(args: Namespace) -> int:
    from pathlib import Path

    from translator.authoring.lint.lint import lint_directory
    from translator.authoring.sources import TablesError, is_shipped

    try:
        if args.directory is None or is_shipped(Path(args.directory)):
            problems = list(lint_directory())
        else:
            problems = list(lint_directory(Path(args.directory), _base()))
    except TablesError as error:
        problems = list(error.problems)
    errors = sum(problem.severity == "error" for problem in problems)
    for problem in problems:
        put([[(problem.severity, f"{problem.severity}:"), f" {problem}"]])
    log(
        f"{len(problems)} problem{'s' if len(problems) != 1 else ''}, {errors} of them"
        f" error{'s' if errors != 1 else ''}"
    )
    return 1 if errors else 0


def _base() -> Tables:
    """Return the project's own tables, to check a user's against: from the checkout, or from the
    compiled files of an installation.
    """
    from translator.authoring import decompile, sources
    from translator.authoring.load import load

    try:
        return load(sources.shipped())
    except sources.TablesError:
        return decompile.catalogs()


def _compile(args: Namespace) -> int:
    from pathlib import Path

    from translator.authoring import compile as compiling
    from translator.authoring import sources
    from translator.authoring.sources import TablesError

    mappings = (
        Path(args.directory)
        if args.directory and not sources.is_shipped(Path(args.directory))
        else None
    )
    home = sources.home()
    target = (
        Path(args.output)
        if args.output
        else home / "translator" / "_compiled"
        if home is not None
        else compiling.COMPILED
    )
    if mappings is not None and not args.output:
        raise UsageError(
            "with tables of your own, --output says where the compiled files go (running takes the"
            " tables themselves: --tables DIR)"
        )
    try:
        stale = (
            compiling.check(mappings, target) if args.check else compiling.write(mappings, target)
        )
    except TablesError as error:
        return _not_tables(error.problems)
    except OSError as error:
        raise UsageError(f"{shown_file(str(target))}: {error.strerror}") from None
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return 1 if args.check and stale else 0


def _not_tables(problems: Sequence[object]) -> int:
    for problem in problems:
        log(("error", "error:"), f" {problem}")
    return 1


def _harvest(args: Namespace) -> int:
    from translator.tables.installed import installed

    version = installed()
    if version is None:
        raise UsageError("no vLLM is installed in this Python: run it where there is one")
    from translator.authoring.harvest.catalog import harvest
    from translator.authoring.stored import dump

    try:
        text = dump(harvest(version.partition("+")[0]))
    except Exception as error:  # a vLLM from another time may fail in any way
        if os.environ.get("TRANSLATE_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {one_line(str(error))[:300]}"
        log(("error", "error:"), f" vLLM {version} cannot be harvested: {reason}")
        return 1
    if args.output is None:
        emit(text)
        return 0
    try:
        os.makedirs(os.path.dirname(args.output) or ".", exist_ok=True)
        with open(args.output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{shown_file(args.output)}: {error.strerror}") from None
    log(f"vLLM {version}: written to {args.output}")
    return 0


def _drift(args: Namespace) -> int:
    from translator.authoring.sources import TablesError

    try:
        return tables_drift.run(args)
    except TablesError as error:
        return _not_tables(error.problems)


def _add(args: Namespace) -> int:
    from translator.authoring.sources import TablesError

    try:
        return tables_add.run(args)
    except TablesError as error:
        return _not_tables(error.problems)
