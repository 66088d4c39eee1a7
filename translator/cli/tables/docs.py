"""Write the reference pages in Markdown: the variables of a platform, the findings."""

from __future__ import annotations

from translator.api.exec_options import DEFAULT_DIALECT, TABLES
from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.options import tables_of
from translator.cli.streams import emit, put
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from translator.tables.catalog import Tables


EXAMPLE = "  translate tables docs --write docs"
OPTIONS = (
    Option("--dialect", "NAME", f"print the page of this platform (default: {DEFAULT_DIALECT})"),
    TABLES,
    Option("--write", "DIR", "write variables.md and findings.md to DIR"),
    Option("--check", "DIR", "exit 1 when a page in DIR is out of date"),
)


def run(args: Namespace) -> int:
    from pathlib import Path

    from translator.pages.reference import dialect_page

    if args.write and args.check:
        raise UsageError("--write and --check exclude each other")
    tables = tables_of(args)
    if not args.write and not args.check:
        name = (args.dialect or DEFAULT_DIALECT).partition(":")[0]
        if name not in tables.dialects():
            raise UsageError(f"no dialect {name}: there are {', '.join(tables.dialects())}")
        emit(dialect_page(name, tables))
        return 0
    if args.write:
        write(tables, Path(args.write))
        return 0
    folder = Path(args.check)
    stale = _stale(tables, folder)
    put([f"stale: {shown_file(str(folder))}/{path}"] for path in stale)
    return 1 if stale else 0


def _stale(tables: Tables, folder: Path) -> dict[str, str]:
    """Return the pages in a folder that are not as they should be, with their texts."""
    from translator.pages.reference import pages

    return {path: text for path, text in pages(tables).items() if text != _text_of(folder / path)}


def write(tables: Tables, folder: Path) -> None:
    """Bring the pages in a folder up to date, and print which were not.

    Raises:
        OSError: one cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in _stale(tables, folder).items():
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
        put([f"written: {shown_file(str(folder))}/{path}"])


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
