"""The command line: one module per command, with its OPTIONS, EXAMPLE and `run`.

`translate exec`, the entrypoint of containers, and `env-to-args` avoid argparse: a bare interpreter
takes 10 ms, and `import argparse` alone another 8 ms. All other commands go through
`translator.cli.app`.
"""

from __future__ import annotations

import os
import sys

from translator.cli.streams import ready_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from translator.text.options import Options

_QUICK = {"exec": "exec", "env-to-args": "env_to_args"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; by default those of the process.

    Returns:
        The exit status: 0 clean, 1 errors in the input, 2 a wrong command line, 3 warnings with
            --strict (and exec: 126, 127).
    """
    ready_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in _QUICK:
        from translator.text.options import read

        command = __import__(f"translator.cli.{_QUICK[arguments[0]]}", fromlist=["run"])
        options = read(arguments[1:], command.OPTIONS)
        if options is not None:
            from translator.cli.guard import guarded
            from translator.cli.options import settle_dialect

            def run_quick(options: Options) -> int:
                settle_dialect(options)
                status: int = command.run(options)
                return status

            return guarded(run_quick, options, arguments)
    from translator.cli.app import run

    return run(arguments)


def run_process() -> NoReturn:
    """Run the command of this process and end it without an orderly interpreter shutdown, which
    costs 2.7 of 20 ms and is not needed once all output is written.
    """
    status = main()
    try:
        sys.stdout.flush()
    except BaseException as error:
        from translator.cli.guard import failure_status

        status = failure_status(error, sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
