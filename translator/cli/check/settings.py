"""The options of `check` that a project keeps in a file: `translate.toml`, or the table
`[tool.translate]` of pyproject.toml, in the current folder or the nearest one above it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from translator.cli.exits import UsageError
from translator.cli.files import read_file
from translator.text.names import nearest

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from translator.text.options import Option

_OWN, _SHARED, _TABLE = "translate.toml", "pyproject.toml", "translate"
_MOST_DOTS = 1000  # tomllib copies a key for each of its parts
_PATHS = ("FILE", "DIR")  # what options call their value if it is a path


def with_settings(args: Namespace, options: Sequence[Option], writes: Option) -> None:
    """Set the options that the command line does not give to what the project's file says.

    Args:
        args: the options of the command line.
        options: those of the command.
        writes: the one that changes files, which only the command line may ask for: a gate that
            everybody runs must not.

    Raises:
        UsageError: the file cannot be read, or has a key or a value that no option has.
    """
    path, table = _read(args.settings) if args.settings else _nearest(os.getcwd())
    known = {option.name[2:]: option for option in options if option.name.startswith("-")}
    for key, value in table.items():
        option = known.get(key)
        if option is None:
            near = nearest(key, known, 1)
            meant = f": did you mean {near[0]}?" if near else f": there are {', '.join(known)}"
            raise UsageError(f"{path}: there is no key `{key}`{meant}")
        if option is writes:
            raise UsageError(
                f"{path}: `{key}` changes files: only the command line may ask for it",
                hint=f"remove it, and write `translate check {option.name}` to fix files",
            )
        made = _value(option, value, path)
        if getattr(args, option.dest) == option.default:
            setattr(args, option.dest, made)


def _nearest(folder: str) -> tuple[str, dict[str, Any]]:
    """Return the nearest file upwards that has options, and them; "" and {} if there is none."""
    while True:
        own, shared = os.path.join(folder, _OWN), os.path.join(folder, _SHARED)
        if os.path.isfile(own):
            return _read(own)
        if os.path.isfile(shared) and (found := _read(shared))[1]:
            return found
        above = os.path.dirname(folder)
        if above == folder:
            return "", {}
        folder = above


def _read(path: str) -> tuple[str, dict[str, Any]]:
    """Return a file and the options in it."""
    text = read_file(path)
    if os.path.basename(path) != _SHARED:
        return path, _load(text, path)
    # A file that has nothing for us need not be valid.
    tools = _load(text, path).get("tool") if f"tool.{_TABLE}" in text else None
    table = tools.get(_TABLE) if isinstance(tools, dict) else None
    return path, table if isinstance(table, dict) else {}


def _load(text: str, path: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_DOTS:
            raise UsageError(f"{path}, line {number}: more than {_MOST_DOTS} dots in one line")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        _, sign, place = str(error).rpartition("(at ")  # the rest may quote the file
        where = f", {place.removesuffix(')')}" if sign else ""
        raise UsageError(f"{path}{where}: not TOML") from None


def _value(option: Option, value: Any, path: str) -> Any:
    """Return the value of a key as argparse would set it.

    Raises:
        UsageError: the option has no such value.
    """
    items = value if option.repeatable and isinstance(value, list) else [value]
    if not option.metavar:
        expected, good = "true or false", isinstance(value, bool)
    elif option.choices:
        expected, good = "one of " + ", ".join(option.choices), value in option.choices
    else:
        expected = "a string, or a list of strings" if option.repeatable else "a string"
        good = all(isinstance(item, str) for item in items)
    if not good:
        raise UsageError(f"{path}: `{option.name[2:]}` must be {expected}")
    if option.metavar in _PATHS:
        items = [
            item if item == "-" else os.path.join(os.path.dirname(path), item) for item in items
        ]
    return items if option.repeatable else items[0]
