"""The commands with argparse: help, mistakes, completion, and the subcommands of `tables`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from translator.cli.options import COMMANDS, module_of, refuse_file, run_command, unknown
from translator.cli.process import BAD_USAGE, emit, write_log
from translator.core.findings import UsageError
from translator.core.secrets import secrets_of
from translator.core.settings.changes import flag_elsewhere
from translator.core.tables.catalog import shipped
from translator.core.text.words import nearest
from translator.version import __version__

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from translator.options import Option

# command → the one that reads a command line of vLLM behind `--`.
_READ_COMMANDS = {name: name for name in ("args-to-env", "check", "convert", "exec")}
_READ_COMMANDS["env-to-args"] = "exec --dry-run"
# Options that others have → what to write instead.
_INSTEAD = {
    ("check", "--file"): "files need no option: `translate check FILE`",
    ("check", "--to"): "use `--vllm`, or move the files with `translate upgrade FILE --to VERSION`",
    ("convert", "--file"): "use `translate upgrade FILE --to VERSION`",
    ("convert", "--vllm"): "use `--from` and `--to`",
    ("upgrade", "--file"): "files need no option: `translate upgrade FILE --to VERSION`",
    ("upgrade", "--vllm"): "use `--to`",
}
_ABOUT = "Translate container variables to `vllm serve` and back."
_BELOW = "example:"
_EXAMPLE = """\
  translate env-to-args --env-file .env --vllm 0.27.1
  translate COMMAND --help"""


class Parser(argparse.ArgumentParser):
    """An argparse parser with our layout of help, whose errors end the command as others do."""

    def __init__(self, about: str = "", example: str = "", **how: Any) -> None:
        super().__init__(
            description=about or None,
            epilog=f"{_BELOW}\n  {example.lstrip()}",
            formatter_class=_Formatter,
            allow_abbrev=False,
            **how,
        )

    def add_commands(self, dest: str, metavar: str) -> argparse._SubParsersAction[Parser]:
        """Return what adds the parsers of commands."""
        return self.add_subparsers(
            title="commands", dest=dest, metavar=metavar, required=True, prog=self.prog
        )

    def add_options(self, options: Iterable[Option]) -> None:
        """Add declared options."""
        for option in options:
            how: dict[str, Any] = {"help": option.help}
            if not option.metavar:
                how.update(dest=option.dest, action="store_true")
            elif option.name.startswith("-"):
                how.update(dest=option.dest, action="append" if option.repeatable else "store")
                how.update(default=option.default)
            elif option.repeatable:
                how.update(nargs="*")
            elif option.default is not None:
                how.update(nargs="?", default=option.default)
            if option.metavar:
                how.update(metavar=option.metavar, choices=option.choices or None)
            self.add_argument(*filter(None, (option.short, option.name)), **how)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Write a message; argparse ignores write errors, but help is a result like any other."""
        if file is sys.stdout:
            emit(message)
        else:
            write_log(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            message = unknown("value", value, [*action.choices], f"use {', '.join(action.choices)}")
            raise argparse.ArgumentError(action, message)

    def error(self, message: str) -> NoReturn:
        start, sign, _ = message.partition("ignored explicit argument ")
        if sign:
            message = f"{start}it accepts no value"
        raise UsageError(message, self.prog, f"run `{self.prog} --help`")


class _Formatter(argparse.HelpFormatter):
    """Keeps paragraphs, and the example as it is written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(_BELOW):
            return text
        parts = [
            super(_Formatter, self)._fill_text(part, width, indent) for part in text.split("\n\n")
        ]
        return "\n\n".join(parts)


def build(only: str | None = None) -> tuple[Parser, dict[str, Parser]]:
    """Return the program's parser and those of its commands.

    Args:
        only: the command whose options are needed; None: those of all.
    """
    program = Parser(_ABOUT, _EXAMPLE, prog="translate", usage="translate COMMAND [OPTIONS]")
    version = f"translate {__version__}"
    program.add_argument("-V", "--version", action="version", version=version, help="the version")
    adding = program.add_commands("command", "COMMAND")
    parsers: dict[str, Parser] = {}
    for name, summary in COMMANDS.items():
        if only not in (None, name):
            adding.add_parser(name, help=summary)
            continue
        module = module_of(name)
        parser = parsers[name] = adding.add_parser(
            name, help=summary, about=module.__doc__, example=module.EXAMPLE, usage=module.USAGE
        )
        parser.add_options(getattr(module, "OPTIONS", ()))
        if hasattr(module, "COMMANDS"):
            from inspect import cleandoc  # lazy: it takes half as long as argparse

            inner = parser.add_commands("what", "WHAT")
            for each, command in module.COMMANDS.items():
                about, _, _ = cleandoc(command.run.__doc__).partition("\n\n")
                summary = about[0].lower() + about[1:].rstrip(".")
                below = inner.add_parser(each, help=summary, about=about, example=command.example)
                below.usage = f"{below.prog} [OPTIONS]"
                below.add_options(command.options)
    return program, parsers


def run(arguments: list[str]) -> int:
    """Run one command, or show help, and return the exit status."""
    # A shell that completes passes the line in variables and no argument. In a container, the
    # variables may be anybody's.
    if not arguments and {"_ARGCOMPLETE", "COMP_LINE", "COMP_POINT"} <= os.environ.keys():
        from translator.cli.completion import complete

        complete(build(next(iter(os.environ["COMP_LINE"].split()[1:]), ""))[0])
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    if not arguments or arguments[0] in ("-h", "--help"):
        build("")[0].print_help(sys.stdout if arguments else sys.stderr)
        return 0 if arguments else BAD_USAGE
    command = arguments[0]
    if not command.startswith("-") and command not in COMMANDS:
        begins = next((name for name in COMMANDS if name.startswith(command[:3])), "")
        message = unknown("command", command, COMMANDS, begins and f"did you mean `{begins}`?")
        raise UsageError(message, hint="run `translate --help`")
    parser, parsers = build(command)
    if command.startswith("-") and command not in ("-V", "--version"):
        parser.error(f"unknown option `{command.partition('=')[0]}`")
    given, behind = arguments, None
    if "--" in arguments:  # argparse's own handling of -- differs between Python versions
        at = arguments.index("--")
        arguments, behind = arguments[:at], arguments[at + 1 :]
    args, rest = parser.parse_known_args(arguments)
    if rest and command == "explain":  # a flag's name looks like an option
        args.names = [name for name in arguments if name in (*args.names, *rest)]
    elif rest:
        _refuse(rest, given, command, parsers[command])
    args.behind = behind
    return run_command(module_of(command), args)


def _refuse(rest: list[str], given: list[str], command: str, parser: Parser) -> None:
    """Refuse what a command does not know of the arguments given, with what was meant."""
    # Files may stand among options, where argparse does not read them.
    options = [at for at, token in enumerate(rest) if token.startswith("-")]
    rest = rest[options[0] :] if options else rest
    if command == "env-to-args":
        refuse_file(rest, command)
    option = rest[0].partition("=")[0]
    what = f"unknown {'option' if option.startswith('-') else 'argument'} "
    if hint := _instead(command, given, option):
        raise UsageError(f"{what}`{option}`", f"translate {command}", hint)
    close = nearest(option, parser._option_string_actions, 1)
    advice = f"; did you mean `{close[0]}`?" if close and option.startswith("-") else ""
    parser.error(f"{what}`{' '.join(secrets_of().shown_tokens(rest))}`{advice}")


def _instead(command: str, arguments: list[str], option: str) -> str:
    """Return what was meant by arguments of which one is not known; "" where that is not clear."""
    reader = _READ_COMMANDS.get(command)
    if (command, option) in _INSTEAD or not reader or "--" in arguments:
        return _INSTEAD.get((command, option), "")
    begin = "vllm serve" if "vllm" in arguments and reader == command != "exec" else option
    if begin == option and not flag_elsewhere(option, shipped()):
        return ""
    return f"vLLM's arguments follow `--`: `translate {reader} -- {begin} …`"
