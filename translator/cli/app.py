"""The commands, by argparse: all but the short ways of exec and env-to-args."""

from __future__ import annotations

import argparse
import os
import sys

from translator import __version__
from translator.cli.common import BAD_USAGE, UsageError, secrets_for, settle_dialect
from translator.cli.guard import guarded
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from _typeshed import SupportsWrite


# name -> (module, what it does)
COMMANDS = {
    "env-to-args": ("env_to_args", "variables to the command line of vllm serve"),
    "args-to-env": ("args_to_env", "a command line to variables"),
    "exec": ("exec", "become vLLM: the entrypoint of a container"),
    "check": ("check", "findings only: what is wrong, and in which versions"),
    "explain": ("explain", "a variable, a flag or a finding's code"),
    "convert": ("convert", "rewrite what was written for one vLLM for another"),
    "tables": ("tables", "list, show, lint, compile, harvest and compare the tables"),
    "completion": ("completion", "the completion of a shell"),
}


_EPILOG = (
    "example:\n  translate env-to-args --env-file .env --vllm 0.27.1\n\n`translate COMMAND --help`"
    " has an example of each."
)


def formatter(prog: str) -> argparse.HelpFormatter:
    """argparse's own would import shutil (and bz2, lzma, …: 3 ms) to learn the width, for every
    option added.
    """
    try:
        width = int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        try:
            width = (
                os.get_terminal_size(sys.__stdout__.fileno()).columns
                if sys.__stdout__ is not None
                else 80
            )
        except (OSError, ValueError):
            width = 80
    return argparse.RawDescriptionHelpFormatter(
        prog, width=max(width - 2, 40), max_help_position=32
    )


class Parser(argparse.ArgumentParser):
    """argparse whose errors say what was meant."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """argparse's own passes over what cannot be written; help is a result as any other."""
        (file or sys.stderr).write(message or "")

    def error(self, message: str) -> NoReturn:
        word, _, rest = message.partition(": ")
        if word == "unrecognized arguments":
            first = rest.split(" ")[0].partition("=")[0]
            close = nearest(first, self._option_string_actions, 1) if first.startswith("-") else []
            message += f" (did you mean {close[0]}?)" if close else ""
        raise UsageError(message, self.prog, f"try `{self.prog} --help`")


def build(only: str | None = None) -> tuple[Parser, dict[str, Parser]]:
    """The parser of the program.

    Args:
        only: the one command whose options are needed; None: all (for completion).
    """
    parser = Parser(
        prog="translate",
        description="Container variables to vllm serve and back.",
        epilog=_EPILOG,
        formatter_class=formatter,
    )
    parser.add_argument("--version", action="version", version=f"translate {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    found: dict[str, Parser] = {}
    for name, (module_name, summary) in COMMANDS.items():
        if only is not None and name != only:
            continue
        module = __import__(f"translator.cli.{module_name}", fromlist=["configure"])
        found[name] = commands.add_parser(
            name,
            help=summary,
            description=(module.__doc__ or "").replace("\n\n", "\n").strip(),
            epilog=f"example:\n{module.EXAMPLE}",
            formatter_class=formatter,
            allow_abbrev=False,
        )
        module.configure(found[name])
        found[name].set_defaults(run=module.run)
    return parser, found


def run(arguments: Sequence[str]) -> int:
    """One command, whatever happens."""
    return guarded(_run, list(arguments), arguments)


def _run(arguments: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        from translator.cli.completion import complete

        complete(build()[0])
    if not arguments or arguments[0] in ("-h", "--help"):
        build()[0].print_help(sys.stdout if arguments else sys.stderr)
        return 0 if arguments else BAD_USAGE
    command = arguments[0]
    if not command.startswith("-") and command not in COMMANDS:
        close = nearest(command, COMMANDS, 1) or [
            name for name in COMMANDS if name.startswith(command[:3])
        ]
        raise UsageError(
            f"no command {command!r}"
            + (f": did you mean {close[0]}?" if close else f": there are {', '.join(COMMANDS)}")
        )
    parser, found = build(command if command in COMMANDS else None)
    if command.startswith("-") and command not in ("--version", "--help"):
        parser.error(f"unrecognized arguments: {command.partition('=')[0]}")
    behind: list[str] | None = None
    if "--" in arguments:  # argparse's own handling of -- differs from one Python to the next
        at = arguments.index("--")
        arguments, behind = arguments[:at], arguments[at + 1 :]
    args, rest = parser.parse_known_args(arguments)
    if rest and command == "explain":  # the name of a flag looks like an option
        args.names += rest
    elif rest:
        # Most likely vLLM's flags, without the -- in front of them.
        shown = " ".join(token.origin for token in secrets_for(arguments).clean_tokens(rest))
        found[command].error(f"unrecognized arguments: {shown}")
    args.behind = behind
    settle_dialect(args)
    status: int = args.run(args)
    return status
