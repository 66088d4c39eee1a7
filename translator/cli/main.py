"""The command line: one module per command, with its OPTIONS, EXAMPLE and `run`.

No command imports argparse for options that `translator.options` can read: a bare interpreter
takes 10 ms, and `import argparse` alone another 8 ms. Help, mistakes and the subcommands of
`tables` go through `translator.cli.app`.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; by default those of the process.

    Returns:
        The exit status: 0 clean, 1 errors in the input, 2 a wrong command line, 3 warnings with
            --strict (and exec: 126, 127).
    """
    if argv is None and sys.getfilesystemencoding() != "utf-8":
        _restart_in_utf8()
    try:
        from translator.cli.process import guarded, ready_streams

        ready_streams()
        return guarded(_run, list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:  # while modules load
        return 130


def _run(arguments: list[str]) -> int:
    from translator.cli.options import COMMANDS, module_of, run_command
    from translator.options import read

    if arguments and arguments[0] in COMMANDS:
        command = module_of(arguments[0])
        options = read(arguments[1:], command.OPTIONS) if hasattr(command, "OPTIONS") else ""
        if not isinstance(options, str):
            return run_command(command, options)
    from translator.cli.app import run

    return run(arguments)


def _restart_in_utf8() -> None:
    """Replace the process by one that reads and writes UTF-8, where the locale is another one:
    files and command lines hold characters that no ASCII path, stream or variable can.
    """
    if sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def run_process() -> NoReturn:
    """Run the command of this process and end it without an orderly interpreter shutdown, which
    costs 2.7 of 20 ms and is not needed once all output is written.
    """
    # A start makes fewer objects than this; looking for circles among them costs 2 of 32 ms.
    gc.set_threshold(100_000)
    os._exit(main())
