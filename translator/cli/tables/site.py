"""Write a static site: a page for every flag, variable and finding."""

from __future__ import annotations

from translator.api.exec_options import TABLES
from translator.cli.exits import UsageError
from translator.cli.files import shown_file
from translator.cli.options import tables_of
from translator.cli.streams import log
from translator.text.options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path


EXAMPLE = "  translate tables site --output site"
OPTIONS = (
    Option("--output", "DIR", "the folder of the site; it is made if it is not there"),
    Option(
        "--pyodide",
        "DIR",
        "the npm package pyodide, unpacked: adds a page that checks what is pasted",
    ),
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
    from translator.pages.site.build import site
    from translator.pages.site.runtime import PYODIDE, SHELL, runtime

    lacking = args.pyodide and [name for name in PYODIDE if not Path(args.pyodide, name).is_file()]
    if lacking:
        raise UsageError(
            f"--pyodide {shown_file(args.pyodide)}: {', '.join(lacking)} is not there",
            hint="`npm pack pyodide@0.29.5` and unpack it: DIR is its folder package/",
        )
    folder, count = Path(args.output), 0
    shell: dict[str, bytes] = {}
    for path, text in site(tables_of(args), checks=bool(args.pyodide)):
        content = text.encode()
        _write(folder / path, content)
        count += 1
        if path in SHELL:
            shell[path] = content
    for path, content in runtime(Path(args.pyodide), shell) if args.pyodide else ():
        _write(folder / path, content)
        count += 1
    log(f"{count} files written to {shown_file(str(folder))}")
    return 0


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
