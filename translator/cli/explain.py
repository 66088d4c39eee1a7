"""Tell what a variable, a flag or a finding's code means: what it becomes, in which versions, and
what replaced it.
"""

from __future__ import annotations

import os
import sys

from translator.cli.common import UsageError, add_target, emit, refused, scope_of, tables_of, tell
from translator.findings import TranslationError, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from translator.explain.page import Page


EXAMPLE = """  translate explain --task
  translate explain TENSOR_PARALLEL_SIZE --vllm 0.8.5
  translate explain repaired-variable"""


def configure(parser: ArgumentParser) -> None:
    parser.usage = "translate explain [OPTIONS] NAME [NAME ...]"
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a variable, a flag (also --flag.key), or a finding's code",
    ).completer = _complete  # type: ignore[attr-defined]
    add_target(parser)


def _complete(prefix: str, **_: object) -> list[str]:
    from translator.findings.registry import CODES
    from translator.tables.catalog import shipped

    return [name for name in [*shipped().index(), *CODES] if name.startswith(prefix)]


def run(args: Namespace) -> int:
    from translator.explain.lookup import look_up, similar

    names = [*args.names, *(args.behind or ())]
    if not names:
        raise UsageError("explain what? `translate explain NAME`")
    tables = tables_of(args)
    try:
        scope, findings = scope_of(args, {}, tables)
    except TranslationError as error:
        return refused(error)
    tell(findings)
    versions = [scope.catalog.version] if args.vllm else tables.versions()
    status = 0
    for name in names:
        page = look_up(name, scope, versions)
        if page is None:
            close = similar(name.partition("=")[0], scope)
            sys.stderr.write(
                f"nothing is called {one_line(name.partition('=')[0])}"
                + (f": did you mean {', '.join(close)}?\n" if close else "\n")
            )
            status = 1
        else:
            _print(page)
    return status


def _print(page: Page) -> None:
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        _pretty(page)
        return
    lines = [page.title]
    for heading, texts in page.sections:
        lines += [f"{heading}:"] if heading else []
        lines += [f"  {one_line(text)}" for text in texts]
    emit("\n".join(lines) + "\n")


def _pretty(page: Page) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    name, _, what = page.title.partition(": ")
    console.print(Text.assemble((name, "bold"), f": {what}"), highlight=False)
    for heading, texts in page.sections:
        if heading:
            console.print(Text(heading, style="cyan"))
        for text in texts:
            console.print(Padding(Text(one_line(text)), (0, 0, 0, 2)), highlight=False)
