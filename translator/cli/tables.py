"""Show what each vLLM version accepts.

Those who maintain the tables, or have some of their own, need `lint` and the commands below it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import frozen

from translator.cli.options import DIRECTORY, FORMAT, scope_of, tables_of
from translator.cli.process import BAD_INPUT, OK, emit, emit_json, log, log_findings, put
from translator.cli.terminal import progress, table, width, wrapped
from translator.core.findings import UsageError, one_line
from translator.core.tables.catalog import Tables, shipped
from translator.core.tables.dialects import find_dialect
from translator.core.tables.versions import Version, parse
from translator.core.text.words import show
from translator.formats import files
from translator.installed import find
from translator.maintain import compile as compiling
from translator.maintain import lint as linting
from translator.maintain.adding import addition
from translator.maintain.conformance import kit
from translator.maintain.harvest import HarvestError, from_python
from translator.maintain.lint.changes import nothing_left_to_do
from translator.maintain.load import TablesError, harvested, is_shipped, load, mappings
from translator.maintain.model import Tables as Mappings
from translator.maintain.model.catalog import Catalog
from translator.options import DEFAULT_DIALECT, TABLES, TARGET, Option
from translator.reference.markdown import dialect_page, pages
from translator.reference.versions import all_json, catalog_json, catalog_text

USAGE = "translate tables WHAT [OPTIONS]"
EXAMPLE = """\
  translate tables list
  translate tables show --vllm 0.27.1 --format json
  translate tables harvest --output my-tables/catalogs/0.34.0.json     (where that vLLM is)
  translate env-to-args --tables my-tables --vllm 0.34.0"""

ALL = Option("--all", "", "with --format json: all versions, changes and platforms")
DOCS = (
    Option("--dialect", "NAME", f"print the page of this platform (default: {DEFAULT_DIALECT})"),
    Option("--write", "DIR", "write variables.md, findings.md and schemas/ to DIR"),
    Option("--check", "DIR", "exit 1 when a page in DIR is out of date"),
)
SITE = (
    Option("--output", "DIR", "the folder of the site; it is made if it is not there"),
    Option(
        "--pyodide",
        "DIR",
        "the npm package pyodide, unpacked: adds a page that checks what is pasted",
    ),
    Option("--source", "URL", "address of the repository that the pages link", dest="repository"),
)


def list_tables(args: Namespace) -> int:
    """List the vLLM versions, platforms and clusters that have tables."""
    tables = tables_of(args)
    dialects: list[dict[str, Any]] = [
        {
            "name": name,
            "consumer": dialect.about or None,
            "sources": list(dialect.sources),
            "file": dialect.properties.get("file"),
        }
        for name in tables.dialects()
        if (dialect := find_dialect(name, tables)) is not None
    ]
    if args.format == "json":
        clusters = [
            {"name": name, "sources": tables.cluster(name)["sources"]} for name in tables.clusters()
        ]
        emit_json({"versions": tables.versions(), "dialects": dialects, "clusters": clusters})
        return OK
    columns = width(sys.stdout)
    readers = [
        (item["name"], "; also ".join(filter(None, (item["consumer"], item["file"]))))
        for item in dialects
    ]
    put(wrapped(f"vLLM {', '.join(tables.versions())}", columns))
    put(["", *table(("dialect", "read by"), readers, columns)])
    put(["", "clusters: " + ", ".join(tables.clusters())])
    put([[("dim", "sources: --format json; variables: `translate tables docs --dialect NAME`")]])
    return OK


def show_tables(args: Namespace) -> int:
    """Show the flags and variables of one vLLM version."""
    if args.all:
        if args.format != "json" or args.vllm or args.ask:
            raise UsageError("--all needs --format json, and no version")
        emit_json(all_json(tables_of(args)))
        return OK
    scope, findings = scope_of(args, {}, tables_of(args))
    log_findings(findings)
    if args.format == "json":
        emit_json(catalog_json(scope.catalog))
    else:
        emit(catalog_text(scope.catalog))
    return OK


# --- pages ----------------------------------------------------------------------------------------


def docs(args: Namespace) -> int:
    """Write the reference pages and schemas: the variables of a platform, the findings, JSON."""
    if args.write and args.check:
        raise UsageError("use either --write or --check")
    tables = tables_of(args)
    if args.write:
        write_docs(tables, Path(args.write))
    elif args.check:
        stale = _stale(tables, Path(args.check))
        put([f"stale: {Path(args.check, name)}" for name in stale])
        return BAD_INPUT if stale else OK
    else:
        name = (args.dialect or DEFAULT_DIALECT).partition(":")[0]
        if name not in tables.dialects():
            raise UsageError(f"unknown dialect `{name}`; use one of {', '.join(tables.dialects())}")
        emit(dialect_page(name, tables))
    return OK


def write_docs(tables: Tables, folder: Path) -> None:
    """Bring the pages in a folder up to date, and print which were not."""
    stale = _stale(tables, folder)
    files.write({name: text.encode() for name, text in stale.items()}, str(folder))
    put(f"written: {folder / name}" for name in stale)


def _stale(tables: Tables, folder: Path) -> dict[str, str]:
    """Return the pages in a folder that are not as they should be, with their texts."""
    from translator.cli.check import OF_THE_LINE, OPTIONS  # lazy, with all that judges deployments
    from translator.maintain.schemas import schemas

    of_check = [item for item in OPTIONS if item.name[0] == "-" and item not in OF_THE_LINE]
    return {
        name: text
        for name, text in (pages(tables) | schemas(of_check)).items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != text.encode()
    }


def site(args: Namespace) -> int:
    """Write a static site: a page for every flag, variable and finding."""
    if not args.output:
        raise UsageError("--output DIR is missing, such as --output site")
    try:
        from translator.cli.app import build
        from translator.reference.site import PYODIDE, SHELL, runtime
        from translator.reference.site import site as files_of
    except ModuleNotFoundError:
        raise UsageError("the site needs Jinja2: pip install 'vllm-env-translator[site]'") from None
    lacking = args.pyodide and [name for name in PYODIDE if not Path(args.pyodide, name).is_file()]
    if lacking:
        raise UsageError(
            f"--pyodide {args.pyodide}: {', '.join(lacking)} is missing",
            hint="`npm pack pyodide@0.29.5` and unpack it: DIR is its folder package/",
        )
    contents = files_of(
        tables_of(args),
        checks=bool(args.pyodide),
        commands={name: parser.format_help() for name, parser in build()[1].items()},
        source_code=(args.repository or "").rstrip("/"),
    )
    every = {path: text.encode() for path, text in progress(contents, "pages")}
    if args.pyodide:
        shell = {path: every[path] for path in SHELL}
        every.update(runtime(Path(args.pyodide), shell))
    files.write(every, args.output)
    log(f"{len(every)} files written to {args.output}")
    return OK


# --- maintenance ----------------------------------------------------------------------------------

COMPILE = Option("--check", "", "write nothing; exit 1 when compiled files are out of date")
OUTPUT = Option("--output", "FILE", "the file (default: stdout)")
KIT = Option("--output", "DIR", "the folder of the kit (default: conformance)")
RELEASE = (
    Option("version", "VERSION", "the release"),
    Option("--python", "PYTHON", "a Python that has this vLLM (default: this one)"),
    Option("--harvested", "FILE", "what `translate tables harvest` wrote where this vLLM is"),
    Option("--published", "DAY", "when it was published, as 2026-11-02 (default: today)"),
)

_COMPILED = Path("translator", "core", "_compiled")  # in a checkout


def lint(args: Namespace) -> int:
    """Check tables for mistakes; exit 1 if there are any."""
    folder = Path(args.directory) if args.directory else None
    own = None if folder is None or is_shipped(folder) else folder
    try:
        problems = linting.lint(load(own), compiling.tables_in(shipped()) if own else None)
    except TablesError as error:
        problems = list(error.problems)
    errors = sum(problem.severity == "error" for problem in problems)
    for problem in problems:
        put([[(problem.severity, f"{problem.severity}:"), f" {problem}"]])
    log(
        f"{len(problems)} problem{'s' if len(problems) != 1 else ''}, {errors} of them"
        f" error{'s' if errors != 1 else ''}"
    )
    return BAD_INPUT if errors else OK


def compile_tables(args: Namespace) -> int:
    """Compile tables into the package."""
    target = mappings().parent / _COMPILED
    compiled = compiling.files_of(load(), target)
    stale = (compiling.compare if args.check else compiling.write)(compiled, target)
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return BAD_INPUT if args.check and stale else OK


def harvest(args: Namespace) -> int:
    """Record what the installed vLLM accepts."""
    build = find()
    if build is None:
        raise UsageError("no vLLM is installed in this Python")
    version = build.version
    from translator.maintain.harvest import catalog

    try:
        text = json.dumps(catalog.harvest(version.partition("+")[0]), indent=1) + "\n"
    except Exception as error:  # a vLLM from another time may fail in any way
        if os.environ.get("TRANSLATE_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {one_line(str(error))[:300]}"
        log(("error", "error:"), f" vLLM {version} cannot be harvested: {reason}")
        return BAD_INPUT
    if args.output is None:
        emit(text)
        return OK
    files.write({os.path.realpath(args.output): text.encode()})
    log(f"vLLM {version}: written to {args.output}")
    return OK


def conformance(args: Namespace) -> int:
    """Write what the real parsers answered, for translators of other people."""
    written, folder = kit(mappings().parent), args.output or "conformance"
    files.write(written, folder)
    log(f"{len(written['cases.jsonl'].splitlines())} cases written to {folder}")
    return OK


def add(args: Namespace) -> int:
    """Add a vLLM release to the tables of a checkout; exit 1 if something is left to decide."""
    folder = mappings()
    tables = load(folder)
    day = _day(args, tables)
    changed, needed = addition(folder, _release(args), day)
    files.write({name: text.encode() for name, text in changed.items()}, str(folder))
    put(f"written: {folder / name}" for name in changed)
    compiled = folder.parent / _COMPILED
    tables = load(folder)
    written = compiling.write(compiling.files_of(tables, compiled), compiled)
    put([f"written: {len(written)} compiled file{'s' if len(written) != 1 else ''}"])
    write_docs(Tables(compiling.compile_loaded(tables)), folder.parent / "docs")
    # Of the entries to finish, this command has more to say.
    rules = [rule for rule in linting.RULES if rule is not nothing_left_to_do]
    left = []
    if needed:
        left += [f"to decide: what became of {', '.join(needed)}"]
        left += ["  each has an entry with a TODO at the end of mappings/changes.toml"]
    for problem in linting.lint(tables, rules=rules):
        left.append(f"to decide: {problem.severity}: {one_line(str(problem))}")
    if left:
        left.append("then run `translate tables lint` and `translate tables compile`")
    put(["", *(left or ["nothing is left to decide"])])
    return BAD_INPUT if left else OK


def _day(args: Namespace, tables: Mappings) -> str:
    """Return the day on which the release was published."""
    version, known = parse(args.version), [item.version for item in tables.catalogs]
    if version is None or not version.released or version.local:
        raise UsageError(f"{show(args.version)} is no release, such as 0.34.0")
    if args.version in known:
        raise UsageError(f"vLLM {args.version} is in the tables")
    if args.published is not None:
        return str(args.published)
    if version < Version(known[-1]):
        raise UsageError(f"vLLM {args.version} is not the newest: --published DAY says its day")
    return time.strftime("%Y-%m-%d", time.gmtime())


def _release(args: Namespace) -> Catalog:
    """Return the catalog of the release."""
    if args.harvested is None:
        return from_python(args.python or sys.executable, args.version, release=True)
    catalog = harvested(args.harvested, Path(args.harvested).read_bytes())
    if catalog.version != args.version:
        raise UsageError(f"{args.harvested}: is the catalog of vLLM {show(catalog.version)}")
    return catalog


# --- the commands ---------------------------------------------------------------------------------


@frozen
class Subcommand:
    """A command of `tables`; the docstring of its function is what help says of it."""

    run: Callable[[Namespace], int]
    example: str
    options: tuple[Option, ...]


COMMANDS = {
    "list": Subcommand(list_tables, "translate tables list --format json", (TABLES, FORMAT)),
    "show": Subcommand(
        show_tables, "translate tables show --vllm 0.27.1 --format json", (*TARGET, ALL, FORMAT)
    ),
    "site": Subcommand(site, "translate tables site --output site", (*SITE, TABLES)),
    "lint": Subcommand(lint, "translate tables lint my-tables", (DIRECTORY,)),
    "compile": Subcommand(compile_tables, "translate tables compile --check", (COMPILE,)),
    "harvest": Subcommand(
        harvest,
        "translate tables harvest --output my-tables/catalogs/0.34.0.json",
        (OUTPUT,),
    ),
    "add": Subcommand(add, "translate tables add 0.34.0 --python /opt/vllm/bin/python", RELEASE),
    "conformance": Subcommand(conformance, "translate tables conformance --output kit", (KIT,)),
    "docs": Subcommand(docs, "translate tables docs --write docs", (*DOCS, TABLES)),
}


def run(args: Namespace) -> int:
    """Run one of the commands and return its exit status."""
    if args.behind:
        raise UsageError("tables accepts nothing after --")
    try:
        return COMMANDS[args.what].run(args)
    except TablesError as error:
        for problem in error.problems:
            log(("error", "error:"), f" {problem}")
        return BAD_INPUT
    except HarvestError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        if not error.filename:  # of a stream, not of a file
            raise
        raise UsageError(f"{error.filename}: {error.strerror}") from None
