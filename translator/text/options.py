"""Options of a command, declared once: as data for argparse, and with a reader for commands that
cannot afford argparse, which takes 8 ms to import and 2 ms to set up.

The reader handles only unambiguous input; for everything else (help, mistakes, abbreviations), the
caller uses argparse.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Option:
    """One option of a command, or its arguments.

    Attributes:
        name: such as "--env-file"; without dashes, of arguments.
        metavar: the name of the value in help, such as "FILE"; "" for a switch, which has no value.
        help: one line of help.
        choices: the allowed values; () for any.
        default: the value without the option; None of an argument that has to be given.
        repeatable: whether it may be given several times; the value is then a list.
        dest: the attribute of the result, such as "env_file" or "targets".
    """

    __slots__ = ("choices", "default", "dest", "help", "metavar", "name", "repeatable")

    def __init__(
        self,
        name: str,
        metavar: str,
        help: str,
        *,
        choices: Sequence[str] = (),
        default: str | None = None,
        repeatable: bool = False,
        dest: str = "",
    ) -> None:
        self.name, self.metavar, self.help, self.choices = name, metavar, help, choices
        self.repeatable = repeatable
        self.default: str | bool | list[str] | None = default
        if not metavar:
            self.default = False
        elif repeatable:
            self.default = []
        self.dest = dest or name.lstrip("-").replace("-", "_")


class Options:
    """The options of a command line, as attributes; `behind` is the tokens after `--`, or None."""

    def __init__(self, options: Iterable[Option]) -> None:
        for option in options:
            default = option.default
            setattr(self, option.dest, [] if isinstance(default, list) else default)
        self.behind: list[str] | None = None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class OptionError(Exception):
    """Only argparse can read the options of a command line.

    Args:
        argument: the first one that cannot be read here; "" if one is missing.
    """

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        self.argument = argument


def read(arguments: Sequence[str], options: Sequence[Option]) -> Options | None:
    """Return the options of a command line, or None if only argparse can read them: see `parse`."""
    try:
        return parse(arguments, options)
    except OptionError:
        return None


def parse(arguments: Sequence[str], options: Sequence[Option]) -> Options:
    """Return the options of a command line.

    Args:
        arguments: the command line after the command's name.
        options: the options of the command.

    Raises:
        OptionError: only argparse can read them.
    """
    known = {option.name: option for option in options if option.name.startswith("-")}
    places = [option for option in options if not option.name.startswith("-")]
    found = Options(options)
    at = 0
    while at < len(arguments):
        text = arguments[at]
        at += 1
        if text == "--":
            found.behind = list(arguments[at:])
            break
        name, sign, value = text.partition("=")
        option = known.get(name)
        if option is None and places and (text == "-" or not text.startswith("-")):
            option, sign, value = places[0], "=", text
            places = places if option.repeatable else places[1:]
        if option is None:
            raise OptionError(text)
        if not option.metavar:
            if sign:
                raise OptionError(text)
            setattr(found, option.dest, True)
            continue
        if not sign:
            if at == len(arguments) or (arguments[at].startswith("-") and arguments[at] != "-"):
                raise OptionError(text)
            value = arguments[at]
            at += 1
        if option.choices and value not in option.choices:
            raise OptionError(text)
        if option.repeatable:
            getattr(found, option.dest).append(value)
        else:
            setattr(found, option.dest, value)
    if any(option.default is None for option in places):
        raise OptionError
    return found
