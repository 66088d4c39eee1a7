"""List, show, check, compile, harvest and compare the tables."""

from __future__ import annotations

import os
import sys

from translator.cli import tables_drift
from translator.cli.common import (
    DIALECT,
    UsageError,
    add_target,
    emit,
    refused,
    scope_of,
    tables_of,
    tell,
)
from translator.findings import TranslationError, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from translator.authoring.model import Tables


EXAMPLE = """  translate tables list
  translate tables show --vllm 0.27.1 --format json
  translate tables harvest --output my-tables/catalogs/0.34.0.json     (beside that vLLM)
  translate env-to-args --tables my-tables --vllm 0.34.0"""


def configure(parser: ArgumentParser) -> None:
    from translator.cli.app import Parser, formatter

    commands = parser.add_subparsers(
        dest="what", metavar="WHAT", required=True, parser_class=Parser
    )

    def add(name: str, summary: str, example: str) -> ArgumentParser:
        return commands.add_parser(
            name,
            help=summary,
            description=summary,
            epilog=f"example:\n  {example}",
            formatter_class=formatter,
            allow_abbrev=False,
        )

    listing = add(
        "list",
        "the versions and the dialects that there are tables for",
        "translate tables list --format json",
    )
    listing.add_argument(
        "--tables",
        metavar="DIR",
        help="a directory of your own tables, laid over those of the project",
    )
    _formats(listing)
    showing = add(
        "show",
        "what one version accepts: every flag and every variable of vLLM's own",
        "translate tables show --vllm 0.27.1 --format json",
    )
    add_target(showing)
    _formats(showing)
    linting = add(
        "lint",
        "check tables against each other: exit 1 when something is wrong",
        "translate tables lint my-tables",
    )
    linting.add_argument(
        "directory",
        nargs="?",
        metavar="DIR",
        help="your own tables, checked together with the project's (default: the project's)",
    )
    compiling = add(
        "compile", "turn tables into what running reads", "translate tables compile --check"
    )
    compiling.add_argument(
        "directory",
        nargs="?",
        metavar="DIR",
        help="where the tables are (default: mappings/ of a checkout)",
    )
    compiling.add_argument(
        "--output",
        metavar="DIR",
        help="where the compiled files go (default: into the package of the checkout)",
    )
    compiling.add_argument(
        "--check",
        action="store_true",
        help="write nothing: exit 1 when the compiled files are not fresh",
    )
    harvesting = add(
        "harvest",
        "record what the vLLM installed here accepts",
        "translate tables harvest --output my-tables/catalogs/0.34.0.json",
    )
    harvesting.add_argument("--output", metavar="F", help="the file (default: standard output)")
    comparing = add(
        "drift",
        "what a freshly harvested vLLM changes",
        "translate tables drift --python /venv/bin/python",
    )
    tables_drift.configure(comparing)
    documenting = add(
        "docs",
        "the reference pages in Markdown: the variables of each dialect, the findings",
        "translate tables docs --write docs",
    )
    documenting.add_argument(
        "--dialect",
        metavar="NAME",
        help=f"print the page of this dialect (default: {DIALECT})",
    )
    documenting.add_argument(
        "--tables",
        metavar="DIR",
        help="a directory of your own tables, laid over those of the project",
    )
    which = documenting.add_mutually_exclusive_group()
    which.add_argument(
        "--write", metavar="DIR", help="write all pages into DIR/variables and DIR/findings"
    )
    which.add_argument("--check", metavar="DIR", help="exit 1 when a page in DIR is stale")


def _formats(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="for people or for programs (default: text)",
    )


def run(args: Namespace) -> int:
    if args.behind:
        raise UsageError("tables takes no tokens behind --")
    commands = {
        "list": _list,
        "show": _show,
        "lint": _lint,
        "compile": _compile,
        "harvest": _harvest,
        "drift": _drift,
        "docs": _docs,
    }
    return commands[args.what](args)


def _list(args: Namespace) -> int:
    from translator.dialects.scope import facts_of
    from translator.formats.properties import keys_of

    tables = tables_of(args)
    dialects = []
    for name in tables.dialects():
        facts = facts_of(name, tables)
        keys = keys_of(name, tables)
        dialects.append(
            {
                "name": name,
                "consumer": facts.get("consumer"),
                "sources": facts.get("sources", []),
                "file": keys.file if keys else None,
            }
        )
    clusters = [
        {
            "name": name,
            "sources": tables.records(f"cluster.{name}.txt")["@cluster"].get("sources", []),
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
    lines = [f"vLLM {version}" for version in tables.versions()]
    for dialect in dialects:
        lines.append(
            f"dialect {dialect['name']}"
            + (f": {dialect['consumer']}" if dialect["consumer"] else "")
        )
        lines += [f"  also in a file: {dialect['file']}"] if dialect["file"] else []
        lines += [f"  {source}" for source in dialect["sources"]]
    for cluster in clusters:
        lines += [f"cluster {cluster['name']}", *(f"  {source}" for source in cluster["sources"])]
    emit("\n".join(lines) + "\n")
    return 0


def _show(args: Namespace) -> int:
    from translator.explain import tables_view as tableview

    try:
        scope, findings = scope_of(args, {}, tables_of(args))
    except TranslationError as error:
        return refused(error)
    tell(findings)
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
        emit(f"{problem.severity}: {one_line(str(problem))}\n")
    sys.stderr.write(
        f"{len(problems)} problem{'s' if len(problems) != 1 else ''}, {errors} of them"
        f" error{'s' if errors != 1 else ''}\n"
    )
    return 1 if errors else 0


def _base() -> Tables:
    """The project's own tables, to check a user's against: from the checkout, or from the compiled
    files of an installation.
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
        raise UsageError(f"{one_line(str(target))}: {error.strerror}") from None
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return 1 if args.check and stale else 0


def _not_tables(problems: Sequence[object]) -> int:
    for problem in problems:
        sys.stderr.write(f"error: {one_line(str(problem))}\n")
    return 1


def _harvest(args: Namespace) -> int:
    from translator.tables.installed import installed

    version = installed()
    if version is None:
        raise UsageError("no vLLM is installed in this Python: run it where there is one")
    from translator.authoring.harvest import catalog as harvest

    try:
        text = harvest.dump(harvest.harvest(version.partition("+")[0]))
    except Exception as error:  # a vLLM of another time may fail in any way
        if os.environ.get("TRANSLATE_DEBUG"):
            raise
        sys.stderr.write(
            f"translate: error: vLLM {version} cannot be asked: {type(error).__name__}:"
            f" {one_line(str(error))[:300]}\n"
        )
        return 1
    if args.output is None:
        emit(text)
        return 0
    try:
        os.makedirs(os.path.dirname(args.output) or ".", exist_ok=True)
        with open(args.output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{one_line(args.output)}: {error.strerror}") from None
    sys.stderr.write(f"vLLM {version}: written to {one_line(args.output)}\n")
    return 0


def _drift(args: Namespace) -> int:
    from translator.authoring.sources import TablesError

    try:
        return tables_drift.run(args)
    except TablesError as error:
        return _not_tables(error.problems)


def _docs(args: Namespace) -> int:
    from pathlib import Path

    from translator.explain.reference import dialect_page, pages

    tables = tables_of(args)
    if not args.write and not args.check:
        name = (args.dialect or DIALECT).partition(":")[0]
        if name not in tables.dialects():
            raise UsageError(
                f"no dialect {one_line(name)!r}: there are {', '.join(tables.dialects())}"
            )
        emit(dialect_page(name, tables))
        return 0
    made, folder = pages(tables), Path(args.write or args.check)
    stale = [path for path, text in made.items() if _text_of(folder / path) != text]
    # A page whose dialect or finding is gone.
    extra = [
        path
        for part in ("variables", "findings")
        for file in sorted((folder / part).glob("*.md"))
        if (path := file.relative_to(folder).as_posix()) not in made
    ]
    if args.check:
        for path in (*stale, *extra):
            emit(f"stale: {one_line(str(folder / path))}\n")
        return 1 if stale or extra else 0
    try:
        for path in extra:
            (folder / path).unlink()
        for path in stale:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(made[path], encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{one_line(str(folder))}: {error.strerror}") from None
    for path in (*stale, *extra):
        emit(f"{'removed' if path in extra else 'written'}: {one_line(str(folder / path))}\n")
    return 0


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
