"""Reading the tables, strictly: nothing is coerced, nothing unknown is skipped, and every mistake
of every file is reported at once.
"""

from __future__ import annotations

import collections.abc
import difflib
import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import attrs
import cattrs
from cattrs import errors
from cattrs.gen import make_dict_structure_fn, override

from translator.authoring import sources
from translator.authoring.schema.catalog import RENAMED, Catalog
from translator.authoring.schema.clusters import Cluster, ClusterFile
from translator.authoring.schema.dialects import Dialect
from translator.authoring.schema.tables import SINGLE, Tables
from translator.authoring.sources import Problem, TablesError
from translator.authoring.stored import whole
from translator.tables.versions import Version
from translator.text.json_text import MAX_DEPTH
from translator.text.plain import is_plain
from translator.text.similar import MOST_HINTS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


T = TypeVar("T")


_CALLED = {
    dict: "a table",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
}


class _WrongTypeError(Exception):
    """A value of another type than the schema has there."""

    def __init__(self, expected: str, value: Any) -> None:
        found = "null" if value is None else _CALLED.get(type(value), type(value).__name__)
        if isinstance(value, str) and not _is_plain(value):
            found += f" of {len(value)} characters"
        elif not isinstance(value, (dict, list, type(None))):
            found += f" ({value!r})"
        super().__init__(f"expected {expected}, found {found}")


def _is_plain(text: str) -> bool:
    """Return whether a text may be shown: the table is somebody's own, and may hold a secret."""
    return is_plain(text.replace("_", "-").replace(" ", "-"))


def _origin(type_: Any) -> Any:
    return get_origin(type_)


def _exactly(wanted: type, what: str, *also: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _type: Any) -> Any:
        if type(value) is not wanted and type(value) not in also:
            raise _WrongTypeError(what, value)
        return value

    return structure


def _literal(value: Any, type_: Any) -> Any:
    allowed = get_args(type_)
    if not any(type(value) is type(item) and value == item for item in allowed):
        raise _WrongTypeError("one of " + ", ".join(map(str, allowed)), value)
    return value


def _all(
    pairs: Iterator[tuple[Any, Any]], inner: Any, type_: Any, converter: cattrs.Converter
) -> list[Any]:
    """Every item structured, or the mistakes of all of them together."""
    found, refused = [], []
    for index, item in pairs:
        try:
            found.append(item if inner is Any else converter.structure(item, inner))
        except Exception as error:
            error.__notes__ = [
                *getattr(error, "__notes__", []),
                errors.IterableValidationNote("", index, inner),
            ]
            refused.append(error)
    if refused:
        raise errors.IterableValidationError("", refused, type_)
    return found


def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=True)

    def structure_tuple(value: Any, type_: Any) -> Any:
        if not isinstance(value, list):
            raise _WrongTypeError("a list", value)
        return tuple(_all(iter(enumerate(value)), get_args(type_)[0], type_, converter))

    def structure_mapping(value: Any, type_: Any) -> Any:
        if not isinstance(value, dict):
            raise _WrongTypeError("a table", value)
        return dict(
            zip(value, _all(iter(value.items()), get_args(type_)[1], type_, converter), strict=True)
        )

    def check(field: attrs.Attribute[Any]) -> Callable[[Any, Any], Any]:
        """The field's own validator at once, so that its mistake is reported beside those of the
        other fields.
        """

        def structure(value: Any, type_: Any) -> Any:
            found = converter.structure(value, type_)
            assert field.validator is not None
            field.validator(None, field, found)
            return found

        return structure

    def structure_class(cls: Any) -> Callable[[Any, Any], Any]:
        attrs.resolve_types(cls)
        changed: dict[str, Any] = {}
        for field in attrs.fields(cls):
            options: dict[str, Any] = {}
            if field.name in RENAMED:
                options["rename"] = RENAMED[field.name]
            if field.validator is not None:
                options["struct_hook"] = check(field)
            if options and field.init:
                changed[field.name] = override(**options)
        inner = make_dict_structure_fn(
            cls,
            converter,
            _cattrs_forbid_extra_keys=True,
            _cattrs_detailed_validation=True,
            **changed,
        )

        def structure(value: Any, type_: Any) -> Any:
            if not isinstance(value, dict):
                raise _WrongTypeError("a table", value)
            return inner(value, type_)

        return structure

    converter.register_structure_hook_factory(attrs.has, structure_class)
    converter.register_structure_hook_func(lambda type_: _origin(type_) is tuple, structure_tuple)
    converter.register_structure_hook_func(
        lambda type_: _origin(type_) is collections.abc.Mapping, structure_mapping
    )
    converter.register_structure_hook_func(lambda type_: _origin(type_) is Literal, _literal)
    for wanted, what, also in (
        (str, "a text", ()),
        (bool, "true or false", ()),
        (int, "an integer", ()),
        (float, "a number", (int,)),
    ):
        converter.register_structure_hook(wanted, _exactly(wanted, what, *also))
    return converter


_STRICT = _converter()


def _step(path: str, key: Any) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    key = RENAMED.get(key, key)
    if not _is_plain(key):
        return f"{path}.… ({len(key)} characters)"
    return (
        f"{path}.{key}"
        if key.replace("_", "").isalnum()
        else f"{path}.{json.dumps(key, ensure_ascii=False)}"
    )


def _mistakes(error: BaseException, path: str) -> Iterator[tuple[str, str]]:
    """Each mistake of a failed structuring: its path in the file, and what is wrong."""
    if isinstance(error, errors.BaseValidationError):
        assert isinstance(error, (errors.ClassValidationError, errors.IterableValidationError))
        noted, plain = error.group_exceptions()
        for inner, note in noted:
            key = note.name if isinstance(note, errors.AttributeValidationNote) else note.index
            if isinstance(inner, KeyError) and isinstance(note, errors.AttributeValidationNote):
                yield _step(path, key), "is missing"
            else:
                yield from _mistakes(inner, _step(path, key))
        for inner in plain:
            yield from _mistakes(inner, path)
    elif isinstance(error, errors.ForbiddenExtraKeysError):
        known = (
            [RENAMED.get(field.name, field.name) for field in attrs.fields(error.cl) if field.init]
            if error.cl is not None
            else []
        )
        for at, name in enumerate(sorted(error.extra_fields)):
            near = _near(name, tuple(known)) if at < MOST_HINTS else ""
            yield _step(path, name), "unknown field" + (f", did you mean {near!r}?" if near else "")
    else:
        yield path, str(error)


@functools.lru_cache(MOST_HINTS)
def _near(name: str, known: tuple[str, ...]) -> str:
    return next(iter(difflib.get_close_matches(name, known, 1)), "")


def _structure(name: str, content: Any, cls: type[T], problems: list[Problem]) -> T | None:
    try:
        return _STRICT.structure(content, cls)
    except Exception as error:
        problems += [Problem(name, path, text) for path, text in _mistakes(error, "$")]
        return None


def structure(name: str, content: Any, cls: type[T]) -> T:
    """What a parsed file holds, as an object of the schema.

    Raises:
        TablesError: every mistake in it.
    """
    problems: list[Problem] = []
    found = _structure(name, content, cls, problems)
    if found is None:
        raise TablesError(problems)
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_MOST_DOTS = 2 * MAX_DEPTH
"""In one line: tomllib copies a key for each of its parts."""


def _parse(name: str, content: bytes) -> Any:
    """The content of a file.

    Raises:
        ValueError: it is not UTF-8, JSON or TOML, or nests too deep.
    """
    text = content.decode("utf-8")
    try:
        if name.endswith(".json"):
            found = json.loads(text, parse_constant=_no_constant)
        else:
            for at, line in enumerate(text.split("\n"), 1):
                if line.count(".") > _MOST_DOTS:
                    raise ValueError(f"line {at} has more than {_MOST_DOTS} dots")
            found = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [found]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            for item in (
                value.values()
                if isinstance(value, dict)
                else value
                if isinstance(value, list)
                else ()
            )
        ]
        if not level:
            return found
    raise ValueError(_TOO_DEEP)


_TOO_DEEP = f"it nests deeper than {MAX_DEPTH}"


def _named(name: str, found: str, path: str, problems: list[Problem]) -> None:
    stem = Path(name).name.rpartition(".")[0]
    if stem != found:
        problems.append(Problem(name, path, f"{found!r} is not the name of the file"))


def _expanded(raws: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """What the files hold, each catalog whole."""
    found = dict(raws)
    for name, raw in raws.items():
        if not name.startswith(sources.CATALOGS) or not isinstance(raw, dict) or "like" not in raw:
            continue
        del found[name]
        base = raws.get(f"{sources.CATALOGS}/{raw['like']}.json")
        if not isinstance(base, dict) or "like" in base:
            problems.append(Problem(name, "$.like", f"no whole catalog of {raw['like']!r}"))
            continue
        try:
            found[name] = whole(raw, base)
        except (KeyError, TypeError, AttributeError):
            problems.append(Problem(name, "", f"does not fit the catalog of {raw['like']}"))
    return found


def parse(files: Mapping[str, bytes]) -> Tables:
    """The tables in files that were read already.

    Args:
        files: content by name inside the directory, as `sources.read` gives it.

    Raises:
        TablesError: any file holds a mistake; all of them are in it.
    """
    problems: list[Problem] = []
    catalogs: list[Catalog] = []
    dialects: dict[str, Dialect] = {}
    clusters: dict[str, Cluster] = {}
    single: dict[str, Any] = {}
    raws: dict[str, Any] = {}
    for name, content in files.items():
        try:
            raws[name] = _parse(name, content)
        except ValueError as error:  # a JSON, TOML or UTF-8 mistake
            problems.append(Problem(name, "", str(error)))
    for name, raw in _expanded(raws, problems).items():
        if name in SINGLE:
            field, cls = SINGLE[name]
            single[field] = _structure(name, raw, cls, problems)
        elif name.startswith(sources.CATALOGS):
            catalog = _structure(name, raw, Catalog, problems)
            if catalog is not None:
                catalogs.append(catalog)
                _named(name, catalog.version, "$.version", problems)
        elif name.startswith(sources.DIALECTS):
            dialect = _structure(name, raw, Dialect, problems)
            if dialect is not None:
                dialects[name] = dialect
                _named(name, dialect.dialect.name, "$.dialect.name", problems)
        elif name.startswith(sources.CLUSTERS):
            cluster = _structure(name, raw, ClusterFile, problems)
            if cluster is not None:
                clusters[name] = cluster.cluster
                _named(name, cluster.cluster.name, "$.cluster.name", problems)
    if problems:
        raise TablesError(problems)
    catalogs.sort(key=lambda item: Version(item.version))
    return Tables(
        tuple(catalogs), dialects, clusters=clusters, digest=sources.digest(files), **single
    )


def load(directory: Path | None = None) -> Tables:
    """The tables of a directory, by default the project's own.

    Raises:
        TablesError: there are none, or any file holds a mistake; all of them are in it.
    """
    return parse(sources.read(sources.shipped() if directory is None else directory))
