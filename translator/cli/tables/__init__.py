"""Show what each vLLM version accepts.

Those who maintain the tables, or have some of their own, need `lint` and the commands below it.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from attrs import frozen

from translator.cli.options import DIRECTORY, FORMAT
from translator.cli.process import BAD_INPUT, log
from translator.cli.tables import maintain, show
from translator.core.findings import UsageError
from translator.maintain.harvest import HarvestError
from translator.maintain.load import TablesError
from translator.options import TABLES, TARGET, Option


@frozen
class Subcommand:
    """A command of `tables`; the docstring of its function is what help says of it."""

    run: Callable[[Namespace], int]
    example: str
    options: tuple[Option, ...]


USAGE = "translate tables WHAT [OPTIONS]"
EXAMPLE = """\
  translate tables list
  translate tables show --vllm 0.27.1 --format json
  translate tables harvest --output my-tables/catalogs/0.34.0.json     (where that vLLM is)
  translate env-to-args --tables my-tables --vllm 0.34.0"""
COMMANDS = {
    "list": Subcommand(show.list_tables, "translate tables list --format json", (TABLES, FORMAT)),
    "show": Subcommand(
        show.show, "translate tables show --vllm 0.27.1 --format json", (*TARGET, show.ALL, FORMAT)
    ),
    "site": Subcommand(show.site, "translate tables site --output site", (*show.SITE, TABLES)),
    "lint": Subcommand(maintain.lint, "translate tables lint my-tables", (DIRECTORY,)),
    "compile": Subcommand(
        maintain.compile_tables, "translate tables compile --check", (*maintain.COMPILE, DIRECTORY)
    ),
    "harvest": Subcommand(
        maintain.harvest,
        "translate tables harvest --output my-tables/catalogs/0.34.0.json",
        (maintain.OUTPUT,),
    ),
    "add": Subcommand(
        maintain.add, "translate tables add 0.34.0 --python /opt/vllm/bin/python", maintain.RELEASE
    ),
    "docs": Subcommand(show.docs, "translate tables docs --write docs", (*show.DOCS, TABLES)),
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
        raise UsageError(f"{error.place}: {error.problem}") from None
    except OSError as error:
        if not error.filename:  # of a stream, not of a file
            raise
        raise UsageError(f"{error.filename}: {error.strerror}") from None
