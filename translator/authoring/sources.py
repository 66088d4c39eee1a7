"""Where the tables are, what was read, and how a mistake in them is addressed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from attrs import frozen

from translator.model.tables import CATALOGS, CLUSTERS, DIALECTS, SINGLE
from translator.text import files

FORMAT = 1
"""Of the compiled files: raised when their meaning changes, so that files of another format count
as stale.
"""


_FILES = (f"{CATALOGS}/*.json", f"{DIALECTS}/*.toml", f"{CLUSTERS}/*.toml", *SINGLE)


LONGEST = 2 * 2**20
"""Bytes of a file: twenty times as many as the longest has."""


@frozen
class Problem:
    """One mistake in the tables.

    Attributes:
        file: the name of the file inside the tables' directory, with forward slashes; "" for the
            directory as a whole.
        path: where in the file, as `$.variable[12].since`, or "line 3" of a file that cannot be
            parsed.
        text: what is wrong.
        severity: a warning does not make lint fail.
    """

    file: str
    path: str
    text: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = " ".join(part for part in (self.file, self.path) if part)
        return f"{where}: {self.text}" if where else self.text


class TablesError(Exception):
    """The tables cannot be used.

    Attributes:
        problems: every mistake in every file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def home() -> Path | None:
    """The checkout of the project: the one that is running, or the current folder, as an
    installation holds the compiled tables only.
    """
    for folder in (Path(__file__).parents[2], Path()):
        if (folder / "mappings" / CATALOGS).is_dir() and (
            folder / "translator" / "authoring" / "sources.py"
        ).is_file():
            return folder
    return None


def shipped() -> Path:
    """The project's own tables.

    Raises:
        TablesError: this is an installation, and the current folder is no checkout.
    """
    found = home()
    if found is None:
        message = (
            "no tables: an installation holds the compiled ones only, and the current folder is no"
            " checkout; change to it, or name the directory of yours"
        )
        raise TablesError([Problem("", "", message)])
    return found / "mappings"


def is_shipped(directory: Path) -> bool:
    """Whether a directory is that of the project's own tables."""
    found = home()
    return found is not None and directory.resolve() == (found / "mappings").resolve()


def read(directory: Path) -> dict[str, bytes]:
    """The content of every table in a directory, by name, in the order of the names.

    Raises:
        TablesError: there is no such directory, it holds no table, or a table cannot be read.
    """
    paths: list[Path] = []
    for name in _FILES:
        paths += directory.glob(name) if "*" in name else [directory / name]
    found: dict[str, bytes] = {}
    problems = []
    for path in sorted(set(paths)):
        name = path.relative_to(directory).as_posix()
        try:
            found[name] = files.read(str(path), longest=LONGEST, only_regular=True)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(Problem(name, "", f"cannot be read: {error.strerror or error}"))
    if problems:
        raise TablesError(problems)
    if not found:
        *others, last = _FILES
        wanted = f"expected {', '.join(others)} or {last}"
        raise TablesError([Problem("", "", f"no tables in the folder: {wanted}")])
    return found


def digest(files: Mapping[str, bytes]) -> str:
    """What the compiled files are made of, as a hex digest: the format, and each file's name and
    content.
    """
    found = hashlib.sha256(f"format {FORMAT}\n".encode())
    for name, content in sorted(files.items()):
        found.update(f"{name}\n{len(content)}\n".encode() + content)
    return found.hexdigest()
