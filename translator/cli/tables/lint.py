"""Check tables for mistakes; exit 1 if there are any."""

from __future__ import annotations

from translator.cli.options import DIRECTORY
from translator.cli.streams import log, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from translator.model.tables import Tables


EXAMPLE = "  translate tables lint my-tables"
OPTIONS = (DIRECTORY,)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from pathlib import Path

    from translator.authoring.lint.lint import lint_directory
    from translator.authoring.sources import TablesError, is_shipped

    try:
        if not args.directory or is_shipped(Path(args.directory)):
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
