"""The commands with argparse: help, mistakes, completion, and the subcommands of `tables`."""

from __future__ import annotations

import argparse
import os
import sys

from translator import __version__
from translator.cli.command import COMMANDS, module_of, run_command
from translator.cli.exits import BAD_USAGE, UsageError
from translator.cli.guard import guarded
from translator.cli.options import add_options
from translator.cli.streams import emit
from translator.cli.terminal import terminal_columns, wrapped
from translator.secrets.masking import shown_text
from translator.secrets.secrets import secrets_of
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

    from _typeshed import SupportsWrite

_EXAMPLE = """\
  translate env-to-args --env-file .env --vllm 0.27.1
  translate COMMAND --help"""


def formatter(prog: str) -> argparse.HelpFormatter:
    """Return a help formatter with the width already set.

    argparse's own formatter would import shutil (and bz2, lzma, …: 3 ms) to find the width, for
    every option added.
    """
    columns = terminal_columns(sys.__stdout__)
    return argparse.RawDescriptionHelpFormatter(
        prog, width=max(columns - 2, 40), max_help_position=26
    )


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors suggest what was meant."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Write a message; argparse ignores write errors, but help is a result like any other."""
        if file is sys.stdout:
            emit(message)
        else:
            (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        start, sign, quoted = message.partition("ignored explicit argument ")
        if sign:
            message = f"{start}it takes no value"
        start, sign, quoted = message.partition("invalid choice: ")
        if sign:
            given, behind, choices = quoted.rpartition(" (choose from")
            message = start + sign + given + behind + choices
        raise UsageError(message, self.prog, f"try `{self.prog} --help`")


def build(only: str | None = None) -> tuple[Parser, dict[str, Parser]]:
    """Return the program's parser and those of its commands.

    Args:
        only: the single command whose options are needed; None: all (for completion).
    """
    parser = Parser(
        prog="translate",
        usage="translate COMMAND [OPTIONS]",
        description="Translate container variables to `vllm serve` and back.",
        epilog=f"example:\n{_EXAMPLE}",
        formatter_class=formatter,
    )
    parser.add_argument(
        "-V", "--version", action="version", version=f"translate {__version__}", help="the version"
    )
    return parser, _add_commands(parser, "", COMMANDS if only is None else {only: COMMANDS[only]})


def _add_commands(parser: Parser, of: str, commands: Mapping[str, str]) -> dict[str, Parser]:
    """Add the parsers of commands, and of the commands that they have.

    Args:
        parser: the parser to add them to.
        of: the command whose commands they are; "" of the program's own.
        commands: name → what it does.
    """
    prog = f"translate {of}".strip()
    adding = parser.add_subparsers(
        title="commands",
        dest="what" if of else "command",
        metavar="WHAT" if of else "COMMAND",
        required=True,
        parser_class=Parser,
        prog=prog,
    )
    columns = terminal_columns(sys.__stdout__) - 2
    found: dict[str, Parser] = {}
    for name, summary in commands.items():
        module = module_of(f"{of}.{name}" if of else name)
        paragraphs = (" ".join(text.split()) for text in (module.__doc__ or "").split("\n\n"))
        made = found[name] = adding.add_parser(
            name,
            help=summary,
            usage=getattr(module, "USAGE", f"{prog} {name} [OPTIONS]"),
            description="\n\n".join("\n".join(wrapped(text, columns)) for text in paragraphs),
            epilog=f"example:\n{module.EXAMPLE}",
            formatter_class=formatter,
            allow_abbrev=False,
        )
        if hasattr(module, "COMMANDS"):
            _add_commands(made, name, module.COMMANDS)
        else:
            add_options(made, module.OPTIONS)
    return found


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status, even after an unexpected error."""
    return guarded(_run, list(arguments), arguments)


def _run(arguments: list[str]) -> int:
    # A shell that completes passes the line in variables and no argument. In a container, the
    # variables may be anybody's.
    if not arguments and {"_ARGCOMPLETE", "COMP_LINE", "COMP_POINT"} <= os.environ.keys():
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
            f"no command {command}: did you mean {close[0]}?"
            if close
            else f"no such command: there are {', '.join(COMMANDS)}"
        )
    parser, found = build(command if command in COMMANDS else None)
    if command.startswith("-") and command not in ("-V", "--version", "--help"):
        parser.error(f"unrecognized arguments: {command.partition('=')[0]}")
    behind: list[str] | None = None
    if "--" in arguments:  # argparse's own handling of -- differs between Python versions
        at = arguments.index("--")
        arguments, behind = arguments[:at], arguments[at + 1 :]
    args, rest = parser.parse_known_args(arguments)
    if rest and command == "explain":  # a flag's name looks like an option
        args.names = [name for name in arguments if name in (*args.names, *rest)]
    elif rest:
        # Most likely vLLM's flags without a preceding --. Files may stand among options, where
        # argparse does not read them.
        options = [at for at, token in enumerate(rest) if token.startswith("-")]
        rest = rest[options[0] :] if options else rest
        shown = map(shown_text, secrets_of().clean_tokens(rest))
        close = nearest(rest[0].partition("=")[0], found[command]._option_string_actions, 1)
        meant = f" (did you mean {close[0]}?)" if close and rest[0].startswith("-") else ""
        found[command].error(f"unrecognized arguments: {', '.join(shown)}{meant}")
    args.behind = behind
    return run_command(module_of(command), args)
