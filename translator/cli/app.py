"""What the short way of a start has no need of: help, mistakes, the subcommands of `tables`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from translator.api.options import HELP, Option, read
from translator.cli.options import COMMANDS, module_of, run_command
from translator.cli.process import BAD_USAGE, OK, UsageError, emit, put, write_log
from translator.cli.terminal import plain, table, terminal_columns, wrapped
from translator.secrets import secrets_of
from translator.text.words import nearest
from translator.version import __version__

if TYPE_CHECKING:
    from translator.cli.terminal import Line

_USAGE = "translate COMMAND [OPTIONS]"
_ABOUT = "Translate container variables to `vllm serve` and back."
_EXAMPLE = """\
  translate env-to-args --env-file .env --vllm 0.27.1
  translate COMMAND --help"""


def run(arguments: Sequence[str]) -> int:
    """Run a command that the short way does not, or show help, and return the exit status.

    Raises:
        UsageError: the arguments cannot be read.
    """
    # A shell that completes passes the line in variables and no argument. In a container, the
    # variables may be anybody's.
    if not arguments and {"_ARGCOMPLETE", "COMP_LINE", "COMP_POINT"} <= os.environ.keys():
        from translator.cli.completion import complete

        complete()
    if not arguments:
        write_log(plain(help_lines()))
        return BAD_USAGE
    name, *rest = arguments
    if name in ("-V", "--version"):
        emit(f"translate {__version__}\n")
        return OK
    command: Any = None
    program = "translate"
    if name not in HELP:
        command, program = module_of(_known(name, COMMANDS, program)), f"{program} {name}"
    if rest and hasattr(command, "SUBCOMMANDS") and rest[0] not in HELP:
        name, *rest = rest
        command = command.SUBCOMMANDS[_known(name, command.SUBCOMMANDS, program)]
        program = f"{program} {name}"
    before = list(takewhile(lambda text: text != "--", rest))
    if command is None or not {*HELP}.isdisjoint(before):
        put(help_lines(command, program))
        return OK
    options = read(rest, command.OPTIONS)
    if not isinstance(options, str):
        return run_command(command, options)
    # Most likely vLLM's flags without a preceding --.
    behind = before[before.index(options) + 1 :] if options in before else []
    message = _mistake(options, behind, command.OPTIONS)
    raise UsageError(message, program, f"run `{program} --help`")


def _known(name: str, commands: Mapping[str, Any], program: str) -> str:
    """Return the name of a command.

    Raises:
        UsageError: there is none of this name.
    """
    if name in commands:
        return name
    close = nearest(name, commands, 1) or [one for one in commands if one.startswith(name[:3])]
    meant = f"; did you mean `{close[0]}`?" if close else ""
    what = "option" if name.startswith("-") else "command"
    raise UsageError(f"unknown {what} `{name}`{meant}", program, f"run `{program} --help`")


def _mistake(text: str, behind: Sequence[str], options: Sequence[Option]) -> str:
    """Return what is wrong with the first argument that could not be read, "" for a missing one."""
    if not text:
        needed = [item.metavar for item in options if item.is_argument and item.default is None]
        return f"the following arguments are required: {', '.join(needed)}"
    name, sign, value = text.partition("=")
    option = next((option for option in options if option.name == name), None)
    if option is None:
        is_option = name.startswith("-")
        values = takewhile(lambda token: not token.startswith("-"), behind)
        shown = " ".join(secrets_of().shown_tokens([text, *values]))
        close = nearest(name, [item.name for item in options], 1) if is_option else []
        meant = f"; did you mean `{close[0]}`?" if close else ""
        return f"unknown {'option' if is_option else 'argument'} `{shown}`{meant}"
    about = f"argument {option.metavar if option.is_argument else name}:"
    if not option.metavar:
        return f"{about} it accepts no value"
    if not sign:
        return f"{about} expected one argument"
    near = nearest(value, option.choices, 1)
    meant = f"did you mean `{near[0]}`?" if near else f"use {', '.join(option.choices)}"
    return f"{about} unknown value `{value}`; {meant}"


def help_lines(command: Any = None, program: str = "translate") -> Iterator[Line]:
    """Yield the help of a command; None: that of the program."""
    usage, about, example = _USAGE, _ABOUT, _EXAMPLE
    options: Sequence[Option] = (Option("-V, --version", "", "the version"),)
    if command is not None:
        usage = getattr(command, "USAGE", f"{program} [OPTIONS]")
        about, example, options = command.__doc__, command.EXAMPLE, command.OPTIONS
    commands = COMMANDS if command is None else getattr(command, "SUBCOMMANDS", {})
    columns = max(terminal_columns(sys.__stdout__) - 2, 40)
    yield f"usage: {usage}"
    for paragraph in about.split("\n\n"):
        yield ""
        yield from wrapped(" ".join(paragraph.split()), columns)
    options = [Option("-h, --help", "", "show this help and exit"), *options]
    listed: dict[str, Sequence[tuple[str, str]]] = {
        "arguments": [(item.metavar, item.help) for item in options if item.is_argument],
        "options": [
            (f"{item.name} {item.metavar}".rstrip(), item.help)
            for item in options
            if not item.is_argument
        ],
        "commands": [(name, str(does)) for name, does in commands.items()],
    }
    for title, rows in listed.items():
        if rows:
            yield ""
            indented = [(f"  {left}", text) for left, text in rows]
            yield from table((f"{title}:", ""), indented, columns)
    yield ""
    yield [("bold", "example:")]
    yield from example.split("\n")
