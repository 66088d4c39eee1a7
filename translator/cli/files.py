"""Read the files that commands name."""

from __future__ import annotations

import os
import sys

from translator.api.options import Option
from translator.findings import UsageError, finding
from translator.formats import ENV_FILE_ENDINGS, ENV_FILE_FORMATS, form_of, read_env
from translator.text import files
from translator.text.words import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from translator.files import Beside, Context
    from translator.formats.forms import Given
    from translator.tables.catalog import Tables


ENV_FILE = Option(
    "--env-file",
    "FILE",
    "read variables from FILE, not from the environment; repeatable (the last one wins); - is"
    " stdin",
    repeatable=True,
)
# For commands whose input is a command line.
SHELL_VARIABLES = Option(
    "--env-file",
    "FILE",
    "file with values for the command's shell variables; repeatable",
    repeatable=True,
)
ENV_FILE_FORMAT = Option(
    "--env-file-format",
    "FMT",
    "auto (default: by file name), dotenv, docker (as `docker run --env-file`) or properties",
    choices=("auto", *ENV_FILE_FORMATS),
    default="auto",
)


_MOST_BESIDE = 200  # files beside one input

_pipes: dict[str, bytes] = {}  # can be read once only, however often they are asked for


def read_bytes(path: str, *, optional: bool = False) -> bytes:
    """Return the content of a file, or of standard input for "-", which may be empty if it is
    `optional`: nobody has named it.

    Raises:
        UsageError: it cannot be read, is empty, is too long, or is not text.
    """
    if path == "-" and sys.stdin is None:
        raise UsageError("-: standard input is closed")
    content = _pipes.get(path)
    try:
        if path == "-":
            content = sys.stdin.buffer.read(files.LONGEST + 1)
            if len(content) > files.LONGEST:
                raise OSError(None, files.TOO_LONG)
        elif content is None:
            content = files.read(path)
            if not os.path.isfile(path):
                _pipes[path] = content
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    if path in ("-", "/dev/stdin") and not (optional or content.strip()):
        raise UsageError("Standard input is empty.", hint="look at the command before the pipe")
    if b"\0" in content:
        raise UsageError(f"{path}: not a text file: it contains NUL bytes")
    return content


def read_file(path: str, content: bytes | None = None) -> str:
    """Return the text of a file, or of standard input for "-"; its content may be known."""
    try:
        return (read_bytes(path) if content is None else content).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error) from None


def _not_utf8(path: str, error: UnicodeDecodeError) -> UsageError:
    byte = error.object[error.start]
    return UsageError(f"{path}: not UTF-8: byte {error.start + 1} is {byte:#04x}")


def has_variables(path: str) -> bool:
    """Return whether a file contains variables, by its name."""
    name = os.path.basename(path)
    return name.endswith(tuple(ENV_FILE_ENDINGS)) or name.startswith(".env")


def refuse_file(words: Sequence[str], command: str) -> None:
    """Raise a UsageError for a single word that is the path of a text, which is no model."""
    path = words[0] if len(words) == 1 else ""
    if not os.path.isfile(path) or path.endswith(".gguf"):
        return
    with open(path, "rb") as file:
        if b"\0" in file.read(1024):
            return
    reader, option = command, "--file "
    if command == "check":
        option = ""
    elif has_variables(path):
        reader, option = "env-to-args" if command == "args-to-env" else command, "--env-file "
    raise UsageError(
        f"`{path}` is a file, not a model", hint=f"use `translate {reader} {option}{quote(path)}`"
    )


def environment_of(
    args: Namespace, tables: Tables, paths: Sequence[str] = (), content: bytes | None = None
) -> Given:
    """Return the variables of files, or else the process's own environment.

    Args:
        args, tables: what they are read with.
        paths: the files; by default those of --env-file.
        content: of the only file, if that is known.
    """
    from translator.formats.forms import Given

    if not (paths or args.env_file):
        return Given(dict(os.environ))
    found = Given()

    def overrides(path: str) -> bool:
        return form_of(args.env_file_format, path) == "properties"

    for path in sorted(paths or args.env_file, key=overrides):
        try:
            read = read_env(
                args.env_file_format,
                read_bytes(path) if content is None else content,
                path,
                dialect=args.dialect,
                tables=tables,
                outside=os.environ,
                before=found.env,
            )
        except UnicodeDecodeError as error:
            raise _not_utf8(path, error) from None
        found.findings += read.findings
        for name in read.env if overrides(path) else ():
            if found.env.get(name, read.env[name]) != read.env[name]:
                found.findings.append(finding("disagreement", name, name=name, file=path))
        found.env.update(read.env)
        found.places.update(read.places)
    return found


def with_files(path: str, text: str, args: Namespace, tables: Tables, context: Context) -> Context:
    """Return the context of a compose file: with the files beside it, and with the variables of
    the `.env` there, which those of the process override.
    """
    if path == "-" or not ("services:" in text or "include:" in text):
        return context
    from translator.text.classes import evolve

    folder = os.path.dirname(path)
    place = os.path.join(folder, ".env")
    outside: Mapping[str, str] = context.outside
    if os.path.isfile(place):
        outside = {**environment_of(args, tables, [place]).env, **outside}
    return evolve(context, outside=outside, beside=_beside(folder))


def _beside(folder: str) -> Beside:
    """Return a function that reads files by their paths, relative to a folder or absolute."""
    found: dict[str, tuple[str, str] | None] = {}

    def read(name: str) -> tuple[str, str] | None:
        path = os.path.normpath(os.path.join(folder, name))
        if path not in found and len(found) < _MOST_BESIDE:
            try:
                text = files.read(path, only_regular=True).decode("utf-8-sig")
            except (OSError, UnicodeDecodeError):
                text = "\0"
            found[path] = (path, text) if "\0" not in text else None
        return found.get(path)

    return read
