"""Pages made of the tables: `tables docs` and `tables site`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from translator.api.exec_options import DEFAULT_DIALECT
from translator.cli.exits import OK, UsageError
from translator.cli.options import tables_of
from translator.cli.streams import emit, log, put
from translator.pages.reference import dialect_page, pages
from translator.tables.catalog import Tables
from translator.text.options import Option

STALE = 1
DOCS = (
    Option("--dialect", "NAME", f"print the page of this platform (default: {DEFAULT_DIALECT})"),
    Option("--write", "DIR", "write variables.md and findings.md to DIR"),
    Option("--check", "DIR", "exit 1 when a page in DIR is out of date"),
)
SITE = (
    Option("--output", "DIR", "the folder of the site; it is made if it is not there"),
    Option(
        "--pyodide",
        "DIR",
        "the npm package pyodide, unpacked: adds a page that checks what is pasted",
    ),
)


def docs(args: Namespace) -> int:
    """Write the reference pages in Markdown: the variables of a platform, the findings."""
    if args.write and args.check:
        raise UsageError("--write and --check exclude each other")
    tables = tables_of(args)
    if args.write:
        write_docs(tables, Path(args.write))
    elif args.check:
        stale = _stale(tables, Path(args.check))
        put([f"stale: {path}" for path in stale])
        return STALE if stale else OK
    else:
        name = (args.dialect or DEFAULT_DIALECT).partition(":")[0]
        if name not in tables.dialects():
            raise UsageError(f"no dialect {name}: there are {', '.join(tables.dialects())}")
        emit(dialect_page(name, tables))
    return OK


def write_docs(tables: Tables, folder: Path) -> None:
    """Bring the pages in a folder up to date, and print which were not.

    Raises:
        OSError: one cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in _stale(tables, folder).items():
        path.write_text(text, encoding="utf-8", newline="\n")
        put([f"written: {path}"])


def _stale(tables: Tables, folder: Path) -> dict[Path, str]:
    """Return the pages in a folder that are not as they should be, with their texts."""
    wanted = {folder / path: text for path, text in pages(tables).items()}
    return {
        path: text
        for path, text in wanted.items()
        if not path.is_file() or path.read_bytes() != text.encode()
    }


def site(args: Namespace) -> int:
    """Write a static site: a page for every flag, variable and finding."""
    if not args.output:
        raise UsageError("--output says where the site goes, such as --output site")
    try:
        import jinja2  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("the site needs Jinja2: pip install 'vllm-env-translator[site]'") from None
    from translator.pages.site import build
    from translator.pages.site.runtime import PYODIDE, SHELL, runtime

    lacking = args.pyodide and [name for name in PYODIDE if not Path(args.pyodide, name).is_file()]
    if lacking:
        raise UsageError(
            f"--pyodide {args.pyodide}: {', '.join(lacking)} is not there",
            hint="`npm pack pyodide@0.29.5` and unpack it: DIR is its folder package/",
        )
    made = build.site(tables_of(args), checks=bool(args.pyodide))
    files = {path: text.encode() for path, text in made}
    if args.pyodide:
        shell = {path: files[path] for path in SHELL}
        files.update(runtime(Path(args.pyodide), shell))
    for name, content in files.items():
        path = Path(args.output, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    log(f"{len(files)} files written to {args.output}")
    return OK
