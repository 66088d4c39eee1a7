"""Compile tables into the package."""

from __future__ import annotations

from translator.cli.exits import UsageError
from translator.cli.options import DIRECTORY
from translator.cli.streams import emit
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


EXAMPLE = "  translate tables compile --check"
OPTIONS = (
    Option("--output", "DIR", "where the compiled files go (default: into the checkout)"),
    Option("--check", "", "write nothing; exit 1 when compiled files are out of date"),
    DIRECTORY,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from pathlib import Path

    from translator.authoring import compile as compiling
    from translator.authoring import sources

    mappings: Path | None = Path(args.directory)
    if not args.directory or sources.is_shipped(Path(args.directory)):
        mappings = None
    if mappings is not None and not args.output:
        raise UsageError(
            "with tables of your own, --output says where the compiled files go (running takes the"
            " tables themselves: --tables DIR)"
        )
    home = sources.home()
    target = compiling.COMPILED if home is None else home / "translator" / "_compiled"
    if args.output:
        target = Path(args.output)
    stale = (compiling.check if args.check else compiling.write)(mappings, target)
    if home is not None and not args.output:
        bring = compiling.stale_records if args.check else compiling.write_records
        stale += bring(target)
    for name in stale:
        emit(f"{'stale' if args.check else 'written'}: {name}\n")
    return 1 if args.check and stale else 0
