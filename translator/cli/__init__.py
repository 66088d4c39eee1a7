"""The command line.

`translate exec`, the entrypoint of containers, and `env-to-args` go their own short way: a bare interpreter takes 10 ms, and `import argparse` alone 8 ms more.
Everything else is in `translator.cli.app`, one module a subcommand.
"""

from __future__ import annotations

import os
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
    if "_ARGCOMPLETE" not in os.environ:
        if arguments[:1] == ["exec"]:
            from translator.cli import quick

            options = quick.read(arguments[1:], quick.EXEC)
            if options is not None:
                from translator import entrypoint

                try:
                    return entrypoint.main(options)
                except BaseException as error:
                    from translator.cli.guard import status_of

                    return status_of(error, arguments)
        elif arguments[:1] == ["env-to-args"]:
            from translator.cli import quick

            options = quick.read(arguments[1:], quick.ENV_TO_ARGS)
            if options is not None:
                from translator.cli import env_to_args
                from translator.cli.guard import guarded

                return guarded(env_to_args.run, options, arguments)
    from translator.cli.app import run

    return run(arguments)
