"""The command line.

`translate exec`, the entrypoint of containers, goes its own short way: a bare interpreter takes 10 ms, and `import argparse` alone 7 ms more.
Everything else is in `translator.cli.app`, one module a subcommand.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; else those of the process.

    Returns:
        The exit status: 0 clean, 1 errors in the input, 2 a wrong command line, 3 warnings with --strict (and exec: 126, 127).
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["exec"] and "_ARGCOMPLETE" not in _environ():
        from translator import entrypoint

        status = entrypoint.main(arguments[1:])
        if status is not None:
            return status
    from translator.cli.app import run

    return run(arguments)


def _environ() -> object:
    import os

    return os.environ
