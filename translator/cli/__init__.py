"""The command line.

`translate exec`, the entrypoint of containers, and `env-to-args` go their own short way: a bare
interpreter takes 10 ms, and `import argparse` alone 8 ms more. Everything else is in
`translator.cli.app`, one module a subcommand.
"""

from __future__ import annotations

import os
import sys

from translator.cli.guard import _ready_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; else those of the process.

    Returns:
        The exit status: 0 clean, 1 errors in the input, 2 a wrong command line, 3 warnings with
            --strict (and exec: 126, 127).
    """
    _ready_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if "_ARGCOMPLETE" not in os.environ:
        if arguments[:1] == ["exec"]:
            from translator.commands.translate_exec import ENV_TO_ARGS, EXEC
            from translator.text import options as quick

            options = quick.read(arguments[1:], EXEC)
            if options is not None:
                from translator.cli import exec as entrypoint

                try:
                    return entrypoint.main(options)
                except BaseException as error:
                    from translator.cli.guard import status_of

                    return status_of(error, arguments)
        elif arguments[:1] == ["env-to-args"]:
            from translator.commands.translate_exec import ENV_TO_ARGS, EXEC
            from translator.text import options as quick

            options = quick.read(arguments[1:], ENV_TO_ARGS)
            if options is not None:
                from translator.cli import env_to_args
                from translator.cli.guard import guarded

                return guarded(env_to_args.run, options, arguments)
    from translator.cli.app import run

    return run(arguments)


def run_process() -> NoReturn:
    """Run the command of this process, and end it: with everything written, taking the interpreter
    down in order costs 2.7 of 20 ms, and nobody gains by it.
    """
    status = main()
    try:
        sys.stdout.flush()
    except BaseException as error:
        from translator.cli.guard import status_of

        status = status_of(error, sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
