"""Reading the tables, strictly: nothing is coerced, nothing unknown is skipped, and every mistake
of every file is reported at once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from attrs import evolve

from translator.core.text.json_text import MAX_DEPTH
from translator.formats import files as reading
from translator.maintain import history
from translator.maintain.model import (
    CATALOGS,
    CLUSTERS,
    DIALECTS,
    FACTS,
    IN_FOLDERS,
    RELEASES,
    SINGLE,
    Releases,
    Tables,
)
from translator.maintain.model.catalog import Catalog, Facts
from translator.maintain.model.schema import Problem as Problem
from translator.maintain.model.schema import TablesError as TablesError
from translator.maintain.model.schema import structure
from translator.maintain.relations import former

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILES = (
    f"{FACTS}/*.jsonl",
    f"{CATALOGS}/*.json",
    f"{DIALECTS}/*.toml",
    f"{CLUSTERS}/*.toml",
    *SINGLE,
)

FORMER: Mapping[str, Callable[[Path], str]] = {
    "requires.toml": former,
    "model_rules.toml": lambda _: "see mappings/README.md",
}

_LONGEST = 2 * 2**20
"""Bytes of a file: twenty times as many as the longest has."""

_MOST_DOTS = 2 * MAX_DEPTH
"""In one line: tomllib copies a key for each of its parts."""


# --- where the tables are -------------------------------------------------------------------------


def home() -> Path | None:
    """Return the checkout of the project: the one that is running, or the current folder."""
    for folder in (Path(__file__).parents[2], Path()):
        here = folder / "translator" / "maintain" / "load.py"
        if (folder / "mappings" / FACTS).is_dir() and here.is_file():
            return folder
    return None


def mappings() -> Path:
    """Return the folder of the project's own tables.

    Raises:
        TablesError: this is an installation, and the current folder is no checkout.
    """
    checkout = home()
    if checkout is None:
        message = (
            "no tables: an installation holds the compiled ones only, and the current folder is no"
            " checkout; change to it, or name the directory of yours"
        )
        raise TablesError([Problem("", "", message)])
    return checkout / "mappings"


def is_shipped(directory: Path) -> bool:
    """Return whether a folder is that of the project's own tables."""
    checkout = home()
    return checkout is not None and directory.resolve() == (checkout / "mappings").resolve()


def read(directory: Path) -> dict[str, bytes]:
    """Return the content of every table in a folder, by name, in the order of the names.

    Raises:
        TablesError: there is no such folder, it holds no table, or a table cannot be read.
    """
    contents: dict[str, bytes] = {}
    problems = [
        Problem(name, "", f"is of older versions. Write relations.toml: {convert(path)}")
        for name, convert in FORMER.items()
        if (path := directory / name).is_file()
    ]
    for path in sorted({path for name in _FILES for path in directory.glob(name)}):
        name = path.relative_to(directory).as_posix()
        try:
            contents[name] = reading.read(str(path), longest=_LONGEST, only_regular=True)
        except OSError as error:
            problems.append(Problem(name, "", f"cannot be read: {error.strerror or error}"))
    if not contents and not problems:
        *others, last = _FILES
        expected = f"expected {', '.join(others)} or {last}"
        problems.append(Problem("", "", f"no tables in the folder: {expected}"))
    if problems:
        raise TablesError(problems)
    return contents


# --- what the files hold --------------------------------------------------------------------------


def load(directory: Path | None = None) -> Tables:
    """Return the tables of a folder, by default the project's own.

    Raises:
        TablesError: there are none, or any file holds a mistake; all of them are in it.
    """
    return parse(read(mappings() if directory is None else directory))


def parse(files: Mapping[str, bytes]) -> Tables:
    """Return the tables in the files that `read` has read.

    Raises:
        TablesError: any file holds a mistake; all of them are in it.
    """
    tables: dict[str, Any] = {}
    problems: list[Problem] = []
    for name in files:
        if name in history.FILES:
            continue
        try:
            content = _parsed(name, files[name], is_toml=name.endswith(".toml"))
            tables[name] = _structured(name, content)
        except TablesError as error:
            problems += error.problems
    lines = {name: files[name] for name in history.FILES if name in files}
    if lines:
        releases = tables.get(RELEASES, Releases({}))
        try:
            tables[FACTS] = _facts(lines, list(releases.published))
        except TablesError as error:
            problems += error.problems
    if problems:
        raise TablesError(problems)
    return Tables(tables)


def harvested(name: str, content: bytes) -> Catalog:
    """Return the catalog in a text that the harvest has written; `name` says where it is from.

    Raises:
        TablesError: it holds a mistake.
    """
    return structure(_parsed(name, content), Catalog, name)


def _facts(files: Mapping[str, bytes], versions: list[str]) -> Facts:
    """Return the table of all releases; every mistake is told with the number of its line."""
    if not versions:
        text = f"has no release, which the lines of {', '.join(files)} are about"
        raise TablesError([Problem(RELEASES, "", text)])
    problems: list[Problem] = []
    releases: dict[str, dict[str, Any]] = {version: {} for version in versions}
    for file, content in files.items():
        for at, line in enumerate(content.splitlines(), 1):
            where = f"{file}:{at}"
            try:
                name, about, fact = _line(where, _parsed(where, line), versions)
            except TablesError as error:
                problems += (evolve(problem, file=where) for problem in error.problems)
                continue
            twice = [version for version in about if name in releases[version]]
            if twice:
                text = f"another line is about {name} of {twice[0]}, too"
                problems.append(Problem(where, "", text))
            for version in about:
                releases[version][name] = fact
    catalogs = []
    for version in versions if not problems else ():
        try:
            catalogs.append(history.catalog(version, releases[version]))
        except ValueError as error:
            problems.append(Problem(f"vLLM {version}", "", str(error)))
    if problems:
        raise TablesError(problems)
    return Facts({name: files[name].decode() for name in files}, tuple(catalogs))


def _line(where: str, raw: Any, versions: list[str]) -> tuple[str, list[str], Any]:
    """Return the name of a line, the releases that it is about, and what it says."""
    file = where.partition(":")[0]
    field = history.FILES[file]
    if not isinstance(raw, dict) or not isinstance(raw.get(field), str) or not raw[field]:
        raise TablesError([Problem(where, "$", f"expected a table with the text {field!r}")])
    span = {"since": versions[0], "until": versions[-1], **raw}
    problems = [
        Problem(where, f"$.{end}", f"{span[end]!r} is no release of {RELEASES}")
        for end in ("since", "until")
        if span[end] not in versions
    ]
    if problems:
        raise TablesError(problems)
    first, last = (versions.index(span[end]) for end in ("since", "until"))
    if first > last:
        raise TablesError([Problem(where, "$.since", "is later than `until`")])
    name = raw[field] if field != "fact" else f"@{raw[field]}"
    fields = {key: value for key, value in raw.items() if key not in (field, "since", "until")}
    return name, versions[first : last + 1], history.fact(name, fields)


def _parsed(name: str, content: bytes, *, is_toml: bool = False) -> Any:
    """The content of a file of JSON or TOML."""
    try:
        text = content.decode("utf-8")
        for at, line in enumerate(text.split("\n") if is_toml else (), 1):
            if line.count(".") > _MOST_DOTS:
                raise ValueError(f"line {at} has more than {_MOST_DOTS} dots")
        value = tomllib.loads(text) if is_toml else json.loads(text, parse_constant=_no_constant)
        if _is_deep(value):
            raise RecursionError
        if "\\ud" in text.lower():  # half of a pair in JSON: the compiled files could not hold it
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise TablesError([Problem(name, "", f"it nests deeper than {MAX_DEPTH}")]) from None
    except ValueError as error:
        raise TablesError([Problem(name, "", str(error))]) from None
    return value


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        lists = [item for item in level if isinstance(item, list)]
        lists += [list(item.values()) for item in level if isinstance(item, dict)]
        level = list(chain.from_iterable(lists))
    return bool(level)


def _structured(name: str, raw: Any) -> Any:
    """What a file holds, as an object of the model that the file is named after."""
    if name in SINGLE:
        return structure(raw, SINGLE[name], name)
    cls, path = IN_FOLDERS[name.partition("/")[0]]
    table: Any = structure(raw, cls, name)
    called = attrgetter(path)(table)
    if called != Path(name).stem:
        raise TablesError([Problem(name, f"$.{path}", f"{called!r} is not the name of the file")])
    return table
