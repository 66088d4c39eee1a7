"""Show what each vLLM version accepts, and maintain the tables that say so."""

from __future__ import annotations

from translator.cli.command import module_of
from translator.cli.exits import BAD_INPUT, UsageError
from translator.cli.files import shown_file
from translator.cli.streams import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


USAGE = "translate tables WHAT [OPTIONS]"
EXAMPLE = """\
  translate tables list
  translate tables show --vllm 0.27.1 --format json
  translate tables harvest --output my-tables/catalogs/0.34.0.json     (where that vLLM is)
  translate env-to-args --tables my-tables --vllm 0.34.0"""
# name → what it does; its module in this package has the same name
COMMANDS = {
    "list": "vLLM versions, platforms and clusters that have tables",
    "show": "flags and variables of one vLLM version",
    "schema": "JSON Schema of --config files or of variables, for editors",
    "lint": "check tables for mistakes; exit 1 if there are any",
    "compile": "compile tables into the package",
    "harvest": "record what the installed vLLM accepts",
    "drift": "compare a vLLM installation with the tables",
    "add": "add a vLLM release to the tables of a checkout; exit 1 if something is left to decide",
    "docs": "the reference pages in Markdown: the variables of each platform, the findings",
    "site": "a static site: a page for every flag, variable and finding",
}


def run(args: Namespace) -> int:
    """Run one of the commands and return its exit status."""
    from translator.authoring.sources import TablesError

    if args.behind:
        raise UsageError("tables takes no tokens behind --")
    try:
        status: int = module_of(f"tables.{args.what}").run(args)
    except TablesError as error:
        for problem in error.problems:
            log(("error", "error:"), f" {problem}")
        return BAD_INPUT
    except OSError as error:
        if not error.filename:  # of a stream, not of a file
            raise
        raise UsageError(f"{shown_file(str(error.filename))}: {error.strerror}") from None
    return status
