"""Record what the installed vLLM accepts."""

from __future__ import annotations

import os

from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.streams import emit, log
from translator.findings import one_line
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


EXAMPLE = "  translate tables harvest --output my-tables/catalogs/0.34.0.json"
OPTIONS = (Option("--output", "FILE", "the file (default: stdout)"),)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
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
    os.makedirs(os.path.dirname(args.output) or ".", exist_ok=True)
    with open(args.output, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    log(f"vLLM {version}: written to {shown_file(args.output)}")
    return 0
