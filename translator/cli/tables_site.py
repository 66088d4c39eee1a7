"""`translate tables site`: a static site about every flag, variable and finding."""

from __future__ import annotations

from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.options import tables_of
from translator.cli.streams import log
from translator.commands.exec_options import TABLES
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


OPTIONS = (
    Option("--output", "DIR", "the folder of the site; it is made if it is not there"),
    TABLES,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    from pathlib import Path

    if not args.output:
        raise UsageError("--output says where the site goes, such as --output site")
    try:
        import jinja2  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("the site needs Jinja2: pip install 'vllm-env-translator[site]'") from None
    from translator.site.build import site

    folder, count = Path(args.output), 0
    try:
        for path, text in site(tables_of(args)):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
            count += 1
    except OSError as error:
        raise UsageError(f"{shown_file(str(folder))}: {error.strerror}") from None
    log(f"{count} files written to {shown_file(str(folder))}")
    return 0
