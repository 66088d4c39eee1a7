"""What each version accepts as the value of a flag, a key of one, or a variable of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from translator.core.tables.catalog import Catalog, Flag, Tables
from translator.core.tables.shapes import SIGNS
from translator.core.tables.versions import shown_runs, span
from translator.core.text.json_text import dumps

if TYPE_CHECKING:
    from translator.core.tables.entries import Shape

Fact = TypeVar("Fact")
Period = tuple[str, str, Fact]  # the first and the last version of a run, and what holds there

ANY_KEY = "any key: vLLM checks it when it starts"
MANY = 24  # choices in a line
_NO_DEFAULT = ("null", "{}", "[]", '""')
_LONG_DEFAULT = 60

# Kind of a flag → what its variable's value is.
KINDS = {
    "switch": "true, or false (default)",
    "toggle": "true or false",
    "bool-value": "true or false",
    "int": "integer, also 1k, 1K",
    "size": "integer, also 1k, 1K",
    "size-or-auto": "integer, also 1k, 1K, or auto",
    "float": "number",
    "str": "string",
    "json": "JSON",
    "json-or-str": "JSON or string",
    "optional-str": "string, or true",
    "list": "JSON array, or a,b",
    "append": "JSON array, or a,b",
}
# Kind of a flag → what it takes on a command line, where that is not what its variable takes.
_ARGUMENTS = {
    **KINDS,
    "switch": "no value",
    "toggle": "no value",
    "int": "integer",
    "optional-str": "string, or no value",
    "list": "one value or more",
    "append": "one value, repeatable",
}
_WORDS = {"bool": "true or false", "int": "integer", "float": "number", "str": "string"}
# Kind of a variable of vLLM's own → what it accepts.
OWN_KINDS = {
    **_WORDS,
    "bool-int": "0 or 1 (true crashes vLLM)",
    "json": "JSON",
    "list": "values with commas between them",
    "unread": "nothing: vLLM does not read it",
}
_SHAPES = {
    **_WORDS,
    "object": "JSON object",
    "map": "JSON object",
    "list": "JSON array",
    "json": "any JSON",
    "never": "nothing",
}


class Accepted(NamedTuple):
    """What a version accepts as the value of a flag, a key or a variable of vLLM's.

    Attributes: those of `AcceptedJson`, which describes them.
    """

    value: str
    choices: tuple[str, ...] = ()
    nullable: bool = False
    also: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    default: str = "null"
    deprecated: bool = False

    def __str__(self) -> str:
        """In a line: "integer ≥ 1; also -tp; default 1"."""
        parts = [self.value + (", or None" if self.nullable else "")]
        parts += [f"also {' '.join(self.also)}"] if self.also else []
        parts += [f"off: {' '.join(self.off)}"] if self.off else []
        if self.default not in _NO_DEFAULT and len(self.default) < _LONG_DEFAULT:
            parts.append(f"default {self.default}")
        return "; ".join([*parts, *(["deprecated"] if self.deprecated else [])])


def accepted(name: str, catalog: Catalog, path: Sequence[str] = ()) -> Accepted | None:
    """Return what a version accepts for a flag in any spelling, for a key in it, or for a variable
    of vLLM's own; None where it has no such name.
    """
    if not name.startswith("-"):
        return _of_variable(name, catalog)
    flag = find_flag(name, catalog)
    if flag is None:
        return None
    if path:
        return _of_key(flag, path, catalog)
    bounds = catalog.bounds(flag.flag)
    choices = tuple(map(str, flag.choices or (bounds.names if bounds is not None else ())))
    value, comma, more = _ARGUMENTS[flag.kind].partition(",")
    value = (shape_text(bounds.shape) if bounds is not None else value) + comma + more
    return Accepted(
        f"one of {_some(choices)}" if choices else value,
        choices,
        flag.nullable,
        tuple(flag.aliases),
        tuple(flag.negations),
        dumps(flag.default),
        flag.deprecated,
    )


def _of_key(flag: Flag, path: Sequence[str], catalog: Catalog) -> Accepted | None:
    shape = shape_of(flag, catalog)
    if shape is None and flag.kind in ("json", "json-or-str"):
        return Accepted(ANY_KEY)
    for part in path:
        shape = (shape or {}).get("keys", {}).get(part)
    if shape is None:
        return None
    parts = shape.get("of", (shape,))
    is_closed = all("choices" in part for part in parts)
    choices = [str(item) for part in parts for item in part["choices"]] if is_closed else ()
    return Accepted(shape_text(shape), tuple(choices))


def _of_variable(name: str, catalog: Catalog) -> Accepted | None:
    variable = catalog.variable(name)
    if variable is None:
        return None
    value = OWN_KINDS.get(variable.kind, variable.kind)
    if variable.kind == "bool" and variable.true:
        value += f" (true: {', '.join(variable.true)})"
    choices = tuple(variable.choices or ())
    value += f"; one of {_some(choices)}" if choices else ""
    return Accepted(value, choices, default=dumps(variable.default))


def find_flag(spelling: str, catalog: Catalog) -> Flag | None:
    """Return the flag that a version has under any of its spellings."""
    flag = catalog.flag(spelling)
    if flag is not None:  # most versions: to list all spellings takes a millisecond
        return flag
    spelled = catalog.spelled(spelling)
    return spelled[0] if spelled is not None else None


def shape_of(flag: Flag, catalog: Catalog) -> Shape | None:
    """Return the shape of a JSON flag whose keys are known."""
    return catalog.shape(flag.flag) if flag.shaped or flag.start else None


def key_paths(flag: str, catalogs: Sequence[Catalog]) -> Iterator[tuple[str, ...]]:
    """Yield the keys that a JSON flag has in any of the versions, each before those inside it."""
    shapes = []
    for catalog in catalogs:
        known = find_flag(flag, catalog)
        shape = shape_of(known, catalog) if known is not None else None
        if shape is not None and shape not in shapes:
            shapes.append(shape)
    yield from _paths(shapes)


def _paths(shapes: Sequence[Shape]) -> Iterator[tuple[str, ...]]:
    keys = [shape["keys"] for shape in shapes if "keys" in shape]
    for key in dict.fromkeys(key for named in reversed(keys) for key in named):
        yield (key,)
        for path in _paths([named[key] for named in keys if key in named]):
            yield (key, *path)


def shape_text(shape: Shape) -> str:
    """Return what a value of a shape is, such as "integer ≥ 1"."""
    kind = shape["kind"]
    if kind == "choice":
        text = f"one of {_some([str(item) for item in shape['choices']])}"
    elif kind == "union":
        text = " or ".join(shape_text(item) for item in shape["of"])
    else:
        text = _SHAPES[kind]
    limits = " and ".join(f"{sign} {shape[name]}" for name, sign in SIGNS.items() if name in shape)
    return text + (f" {limits}" if limits else "") + (" or null" if shape.get("nullable") else "")


def _some(texts: Sequence[str]) -> str:
    """Return a list of texts, of a very long one the beginning and how many there are."""
    return ", ".join(texts[:MANY]) + (f", … ({len(texts)})" if len(texts) > MANY else "")


# --- runs of versions -----------------------------------------------------------------------------


def periods(versions: Sequence[str], fact: Callable[[str], Fact | None]) -> list[Period[Fact]]:
    """Return what holds in which run of versions, which are in their order: ("0.6.6", "0.11.2",
    fact). A version of which there is no fact, None, ends a run.
    """
    periods: list[Period[Fact]] = []
    last: Fact | None = None
    for version in versions:
        here = fact(version)
        if here is not None:
            periods.append((periods.pop()[0] if here == last else version, version, here))
        last = here
    return periods


def lines(versions: Sequence[str], fact: Callable[[str], str | None]) -> list[str]:
    """Return what `periods` does, a line for each run of versions: "0.6.6 to 0.11.2: text"."""
    return [f"{span(first, last)}: {text}" for first, last, text in periods(versions, fact)]


def where(name: str, tables: Tables, since: str = "", until: str = "") -> str:
    """Return in which versions a flag or a variable is, of those from `since` to `until`."""
    known = tables.versions()
    shown = known[known.index(since or known[0]) : known.index(until or known[-1]) + 1]
    runs = shown_runs(shown, set(tables.having(name)))
    return f"in {runs}" if runs else "in no version"
