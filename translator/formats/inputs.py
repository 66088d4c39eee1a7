"""Read the files that an input is in: text, variables."""

from __future__ import annotations

import os
import sys

from translator.core.findings import UsageError, finding
from translator.formats import files
from translator.formats.registry import form_of, read_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.core.tables.catalog import Tables
    from translator.formats.forms import Given


_pipes: dict[str, bytes] = {}  # can be read once only, however often they are asked for


def read_bytes(path: str, *, optional: bool = False, beginning: bool = False) -> bytes:
    """Return the content of a file, or of standard input for "-", which may be empty if it is
    `optional`: nobody has named it; of a longer one its `beginning`, if that is enough.

    Raises:
        UsageError: it cannot be read, is empty, is too long, or is not text.
    """
    if path == "-" and sys.stdin is None:
        raise UsageError("-: standard input is closed")
    content = _pipes.get(path)
    try:
        if path == "-":
            content = sys.stdin.buffer.read(files.LONGEST + (not beginning))
            if len(content) > files.LONGEST:
                raise files.too_long(files.LONGEST)
        elif content is None:
            content = files.read(path)
            if not os.path.isfile(path):
                _pipes[path] = content
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    if path in ("-", "/dev/stdin") and not (optional or content.strip()):
        raise UsageError("Standard input is empty.", hint="look at the command before the pipe")
    if b"\0" in content and not beginning:
        raise UsageError(f"{path}: not a text file: it contains NUL bytes")
    return content


def read_log(path: str = "-") -> str:
    """Return a log: of a longer one in standard input, where a start's first errors are."""
    return read_bytes(path, beginning=path == "-").decode("utf-8-sig", "replace")


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
    from translator.formats.kinds import VARIABLES  # no start of vLLM asks

    return VARIABLES.has(os.path.basename(path))


def environment_of(
    paths: Sequence[str], form: str, dialect: str, tables: Tables, content: bytes | None = None
) -> Given:
    """Return the variables of files; without a file, those of the process.

    Args:
        form: their format, or "auto".
        dialect, tables: what they are read with.
        content: of the only file, if that is known.
    """
    from translator.formats.forms import Given

    if not paths:
        return Given(dict(os.environ))
    given = Given()

    def overrides(path: str) -> bool:
        return form_of(form, path) == "properties"

    for path in sorted(paths, key=overrides):
        try:
            read = read_env(
                form,
                read_bytes(path) if content is None else content,
                path,
                dialect=dialect,
                tables=tables,
                outside=os.environ,
                before=given.env,
            )
        except UnicodeDecodeError as error:
            raise _not_utf8(path, error) from None
        given.findings += read.findings
        for name in read.env if overrides(path) else ():
            if given.env.get(name, read.env[name]) != read.env[name]:
                given.findings.append(finding("disagreement", name, name=name, file=path))
        given.env.update(read.env)
        given.places.update(read.places)
        given.key_of = read.key_of
    return given
