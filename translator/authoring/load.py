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
from typing import Any, TypeVar

from translator.authoring import sources
from translator.authoring.sources import Problem, TablesError
from translator.authoring.stored import whole
from translator.model.catalog import Catalog
from translator.model.clusters import ClusterFile
from translator.model.converter import MistakesError, structure
from translator.model.dialects import Dialect
from translator.model.tables import (
    CATALOGS,
    CLUSTERS,
    DIALECTS,
    SINGLE,
    Tables,
    catalog_file,
)
from translator.tables.versions import Version
from translator.text.json_text import MAX_DEPTH

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


T = TypeVar("T")

# The folders of tables: what a file there holds, and where that has the name of the file.
_IN_FOLDERS = {
    CATALOGS: (Catalog, "version"),
    DIALECTS: (Dialect, "dialect.name"),
    CLUSTERS: (ClusterFile, "cluster.name"),
}

_MOST_DOTS = 2 * MAX_DEPTH
"""In one line: tomllib copies a key for each of its parts."""


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _parsed(name: str, content: bytes) -> Any:
    """The content of a file.

    Raises:
        TablesError: it is not UTF-8, JSON or TOML, or nests too deep.
    """
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


def _is_deep(found: Any) -> bool:
    level = [found]
    for _ in range(MAX_DEPTH):
        lists = [item for item in level if isinstance(item, list)]
        lists += [list(item.values()) for item in level if isinstance(item, dict)]
        level = list(chain.from_iterable(lists))
    return bool(level)


def _whole(name: str, raw: Any, raws: Mapping[str, Any]) -> Any:
    """What a file holds; of a catalog that is the difference from another one, the whole of it.

    Raises:
        TablesError: that one does not fit, or is not there.
    """
    if not name.startswith(CATALOGS) or not isinstance(raw, dict) or "like" not in raw:
        return raw
    base = raws.get(catalog_file(raw["like"]))
    if not isinstance(base, dict) or "like" in base:
        raise TablesError([Problem(name, "$.like", f"no whole catalog of {raw['like']!r}")])
    try:
        return whole(raw, base)
    except (KeyError, TypeError, AttributeError):
        text = f"does not fit the catalog of {raw['like']}"
        raise TablesError([Problem(name, "", text)]) from None


def structured(name: str, content: Any, cls: type[T]) -> T:
    """Return what a parsed file holds, as an object of the model.

    Raises:
        TablesError: every mistake in it.
    """
    try:
        return structure(content, cls)
    except MistakesError as error:
        problems = [Problem(name, item.place, item.text) for item in error.mistakes]
        raise TablesError(problems) from None


def _structured(name: str, raw: Any) -> Any:
    """What a file holds, as an object of the model.

    Raises:
        TablesError: it holds mistakes, or the file is not named after it.
    """
    if name in SINGLE:
        return structured(name, raw, SINGLE[name][1])
    cls, path = _IN_FOLDERS[name.partition("/")[0]]
    found: Any = structured(name, raw, cls)
    called = attrgetter(path)(found)
    if called != Path(name).stem:
        raise TablesError([Problem(name, f"$.{path}", f"{called!r} is not the name of the file")])
    return found


def _each(
    read: Callable[[str, Any], Any], files: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Problem]]:
    """What is read from each file, and the mistakes of the others."""
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, content in files.items():
        try:
            found[name] = read(name, content)
        except TablesError as error:
            problems += error.problems
    return found, problems


def parse(files: Mapping[str, bytes]) -> Tables:
    """The tables in files that were read already.

    Args:
        files: content by name inside the directory, as `sources.read` gives it.

    Raises:
        TablesError: any file holds a mistake; all of them are in it.
    """
    raws, unread = _each(_parsed, files)
    wholes, unlike = _each(lambda name, raw: _whole(name, raw, raws), raws)
    found, wrong = _each(_structured, wholes)
    problems = [*unread, *unlike, *wrong]
    if problems:
        raise TablesError(problems)
    single = {SINGLE[name][0]: found.pop(name) for name in SINGLE if name in found}

    def of(folder: str) -> dict[str, Any]:
        return {name: item for name, item in found.items() if name.startswith(f"{folder}/")}

    return Tables(
        catalogs=tuple(sorted(of(CATALOGS).values(), key=lambda item: Version(item.version))),
        dialects=of(DIALECTS),
        clusters={name: item.cluster for name, item in of(CLUSTERS).items()},
        digest=sources.digest(files),
        **single,
    )


def load(directory: Path | None = None) -> Tables:
    """The tables of a directory, by default the project's own.

    Raises:
        TablesError: there are none, or any file holds a mistake; all of them are in it.
    """
    return parse(sources.read(sources.shipped() if directory is None else directory))
