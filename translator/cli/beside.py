"""The files beside an input, which a compose file names."""

from __future__ import annotations

import os

from translator.cli.files import shown_file, variables_of
from translator.text import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from translator.files.command import Beside, Context
    from translator.tables.catalog import Tables

_MOST = 200  # files of one input


def with_files(path: str, text: str, args: Namespace, tables: Tables, context: Context) -> Context:
    """Return the context of a compose file: with the files beside it, and with the variables of
    the `.env` there, which those of the process override.

    Args:
        path: the input.
        text: what is in it.
        args, tables: how variables are read.
        context: what the input is read in.
    """
    if path == "-" or not ("services:" in text or "include:" in text):
        return context
    folder = os.path.dirname(path)
    place = os.path.join(folder, ".env")
    outside: Mapping[str, str] = context.outside
    if os.path.isfile(place):
        outside = {**variables_of(place, args, tables).env, **outside}
    from attrs import evolve

    return evolve(context, outside=outside, beside=_reader(folder))


def _reader(folder: str) -> Beside:
    """Return a function that reads files by their paths, relative to a folder or absolute."""
    found: dict[str, tuple[str, str] | None] = {}

    def read(name: str) -> tuple[str, str] | None:
        path = os.path.normpath(os.path.join(folder, name))
        if path not in found and len(found) < _MOST:
            found[path] = _read(path)
        return found.get(path)

    return read


def _read(path: str) -> tuple[str, str] | None:
    """Return a file's path as messages show it, and its text; None if it cannot be read."""
    try:
        text = files.read(path, only_regular=True).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    return (shown_file(path), text) if "\0" not in text else None
