"""Reading the tables, strictly: nothing is coerced, nothing unknown is skipped, and every mistake
of every file is reported at once.

The catalogs of many releases are kept in few bytes: the newest release of each minor whole, the
others by what they differ in from it. A file of such a difference holds `version`, `like` (the
release that it differs from) and, where there are any, `grammar` (the facts that differ; null: the
other release alone has it), `flags` and `env` (the entries that differ or that only this release
has), and `without` (the names that only the other release has).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from translator.model import CATALOGS, CLUSTERS, DIALECTS, IN_FOLDERS, SINGLE, Tables, catalog_file
from translator.model.schema import Problem as Problem
from translator.model.schema import TablesError as TablesError
from translator.model.schema import structure
from translator.tables.versions import Version
from translator.text import files as reading
from translator.text.json_text import MAX_DEPTH

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILES = (f"{CATALOGS}/*.json", f"{DIALECTS}/*.toml", f"{CLUSTERS}/*.toml", *SINGLE)

_LONGEST = 2 * 2**20
"""Bytes of a file: twenty times as many as the longest has."""

_MOST_DOTS = 2 * MAX_DEPTH
"""In one line: tomllib copies a key for each of its parts."""


# --- where the tables are -------------------------------------------------------------------------


def home() -> Path | None:
    """Return the checkout of the project: the one that is running, or the current folder."""
    for folder in (Path(__file__).parents[2], Path()):
        here = folder / "translator" / "authoring" / "load.py"
        if (folder / "mappings" / CATALOGS).is_dir() and here.is_file():
            return folder
    return None


def mappings() -> Path:
    """Return the folder of the project's own tables.

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
    """Return whether a folder is that of the project's own tables."""
    found = home()
    return found is not None and directory.resolve() == (found / "mappings").resolve()


def read(directory: Path) -> dict[str, bytes]:
    """Return the content of every table in a folder, by name, in the order of the names.

    Raises:
        TablesError: there is no such folder, it holds no table, or a table cannot be read.
    """
    found: dict[str, bytes] = {}
    problems = []
    for path in sorted({path for name in _FILES for path in directory.glob(name)}):
        name = path.relative_to(directory).as_posix()
        try:
            found[name] = reading.read(str(path), longest=_LONGEST, only_regular=True)
        except OSError as error:
            problems.append(Problem(name, "", f"cannot be read: {error.strerror or error}"))
    if not found and not problems:
        *others, last = _FILES
        wanted = f"expected {', '.join(others)} or {last}"
        problems.append(Problem("", "", f"no tables in the folder: {wanted}"))
    if problems:
        raise TablesError(problems)
    return found


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
    parsed = cache(lambda name: _parsed(name, files[name]))
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for name in files:
        try:
            raw = parsed(name)
            if name.startswith(CATALOGS) and isinstance(raw, dict) and "like" in raw:
                base = catalog_file(raw["like"])
                raw = _whole(name, raw, parsed(base) if base in files else None)
            found[name] = _structured(name, raw)
        except TablesError as error:
            problems += error.problems
    if problems:
        raise TablesError(dict.fromkeys(problems))
    return laid_over(Tables(), found)


def laid_over(base: Tables, files: Mapping[str, Any]) -> Tables:
    """Return tables with others over them: of one name, that of the others."""
    both = {**base.files, **files}
    catalogs = [name for name in both if name.startswith(CATALOGS)]
    catalogs.sort(key=lambda name: Version(both[name].version))
    return Tables({**{name: both[name] for name in catalogs}, **both})


def _parsed(name: str, content: bytes) -> Any:
    """The content of a file of JSON or TOML."""
    try:
        text = content.decode("utf-8")
        if name.endswith(".json"):
            found = json.loads(text, parse_constant=_no_constant)
        else:
            for at, line in enumerate(text.split("\n"), 1):
                if line.count(".") > _MOST_DOTS:
                    raise ValueError(f"line {at} has more than {_MOST_DOTS} dots")
            found = tomllib.loads(text)
        if _is_deep(found):
            raise RecursionError
        if "\\ud" in text.lower():  # half of a pair in JSON: the compiled files could not hold it
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise TablesError([Problem(name, "", f"it nests deeper than {MAX_DEPTH}")]) from None
    except ValueError as error:
        raise TablesError([Problem(name, "", str(error))]) from None
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _is_deep(found: Any) -> bool:
    level = [found]
    for _ in range(MAX_DEPTH):
        lists = [item for item in level if isinstance(item, list)]
        lists += [list(item.values()) for item in level if isinstance(item, dict)]
        level = list(chain.from_iterable(lists))
    return bool(level)


def _whole(name: str, raw: Mapping[str, Any], base: Any) -> Any:
    """The whole of a catalog that is kept as its difference from another one."""
    if not isinstance(base, dict) or "like" in base:
        raise TablesError([Problem(name, "$.like", f"no whole catalog of {raw['like']!r}")])
    try:
        return whole(raw, base)
    except (KeyError, TypeError, AttributeError):
        text = f"does not fit the catalog of {raw['like']}"
        raise TablesError([Problem(name, "", text)]) from None


def _structured(name: str, raw: Any) -> Any:
    """What a file holds, as an object of the model that the file is named after."""
    if name in SINGLE:
        return structure(raw, SINGLE[name], name)
    cls, path = IN_FOLDERS[name.partition("/")[0]]
    found: Any = structure(raw, cls, name)
    called = attrgetter(path)(found)
    if called != Path(name).stem:
        raise TablesError([Problem(name, f"$.{path}", f"{called!r} is not the name of the file")])
    return found


# --- how catalogs are kept ------------------------------------------------------------------------

_PARTS = (("flags", "flag"), ("env", "name"))
"""The lists of a catalog, each with the field that names its entries and puts them in order."""


def whole(catalog: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return the catalog that is kept as its difference from the whole one of another release."""
    grammar = {**base["grammar"], **catalog.get("grammar", {})}
    found: dict[str, Any] = {
        "version": catalog["version"],
        "grammar": {name: fact for name, fact in grammar.items() if fact is not None},
    }
    gone = catalog.get("without", ())
    for part, key in _PARTS:
        rows = {row[key]: row for row in (*base[part], *catalog.get(part, ()))}
        found[part] = [rows[name] for name in sorted(rows) if name not in gone]
    return found


def _difference(catalog: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `whole`."""
    found: dict[str, Any] = {"version": catalog["version"], "like": base["version"]}
    before, after = base["grammar"], catalog["grammar"]
    grammar = {
        name: after.get(name)
        for name in sorted({*before, *after})  # the same after `whole`, too
        if dumped(after.get(name)) != dumped(before.get(name))
    }
    if grammar:
        found["grammar"] = grammar
    gone: list[str] = []
    for part, key in _PARTS:
        theirs = {row[key]: dumped(row) for row in base[part]}
        rows = [row for row in catalog[part] if theirs.get(row[key]) != dumped(row)]
        if rows:
            found[part] = rows
        gone += sorted(theirs.keys() - {row[key] for row in catalog[part]})
    if gone:
        found["without"] = gone
    return found


def dumped(fact: Any) -> str:
    """Return a fact as text to be compared: 1, 1.0 and true are three values."""
    return json.dumps(fact, sort_keys=True)


def texts(catalogs: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The texts of the files of whole catalogs, by version."""
    order = sorted(catalogs, key=Version)
    newest = {Version(version).minor: catalogs[version] for version in order}
    found = {}
    for version in order:
        catalog, base = catalogs[version], newest[Version(version).minor]
        found[version] = dump(catalog if catalog is base else _difference(catalog, base))
    return found


def dump(catalog: Mapping[str, Any]) -> str:
    """Return a catalog, or a difference, as JSON with one flag or variable a line."""
    lines = []
    for part, value in catalog.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in value)
            lines.append(f' "{part}": [\n{rows}\n ]')
        else:
            lines.append(f' "{part}": {json.dumps(value, ensure_ascii=False)}')
    if len(lines) == 2:  # nothing differs
        return json.dumps(catalog) + "\n"
    return "{\n" + ",\n".join(lines) + "\n}\n"
