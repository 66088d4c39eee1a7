"""What the names of the tables mean in a catalog: flags (`--x`), keys of JSON flags (`--x.key.sub`)
and variables (`NAME`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from translator.model.catalog import Catalog, Flag, Shape, Variable

Found = Flag | Shape | Variable | Literal["free"] | None
"""What a name stands for in a catalog: "free" if no catalog can tell, for the JSON flag has no
shape there; None if it does not exist.
"""

BOOLEANS = frozenset(("true", "false", "1", "0"))
_BOOLEAN_WORDS = BOOLEANS | {"yes", "no", "on", "off"}
_HOLDS_KEYS = ("json", "json-or-str", "optional-str")


def keys_of(shape: Shape) -> Mapping[str, Shape]:
    """The keys of an object, or of any of a union's objects."""
    if shape.of is not None:
        return {key: inner for option in shape.of for key, inner in keys_of(option).items()}
    return shape.keys or {}


def _is_open(shape: Shape) -> bool:
    """Whether keys that it does not declare may be in it."""
    return any(part.kind in ("json", "map") for part in (shape, *(shape.of or ())))


def find(name: str, catalog: Catalog) -> Found:
    """What a name stands for in a version."""
    if not name.startswith("-"):
        return catalog.variables.get(name)
    base, *path = name.split(".")
    flag = catalog.spellings.get(base)
    if flag is None or not path:
        return flag
    if flag.shape is None:
        return "free" if flag.kind in _HOLDS_KEYS else None
    shape = flag.shape
    for key in path:
        if shape.kind == "map" and shape.values is not None:
            shape = shape.values
        elif key in keys_of(shape):
            shape = keys_of(shape)[key]
        else:
            return "free" if _is_open(shape) else None
    return shape


def exists(name: str, catalog: Catalog) -> bool:
    """Whether a version has a name, as far as its catalog can tell."""
    return find(name, catalog) is not None


def ever(name: str, catalogs: Sequence[Catalog]) -> bool:
    """Whether some version has a name."""
    return any(exists(name, catalog) for catalog in catalogs)


def boolean(found: Found) -> bool:
    """Whether it takes true or false (or nobody can tell)."""
    if isinstance(found, Flag):
        return found.boolean
    if isinstance(found, Shape):
        return found.kind in ("bool", "json") or any(boolean(option) for option in found.of or ())
    if isinstance(found, Variable):
        return found.kind in ("bool", "bool-int", "int")
    return found == "free"


def _allowed(found: Flag | Shape | Variable) -> set[str] | None:
    """Every value that it takes, as texts; None when there is no such list."""
    if isinstance(found, Shape) and found.of is not None:
        parts = [_allowed(option) for option in found.of]
        every = {text for part in parts for text in part or ()}
        return None if None in parts else every
    if found.kind == "bool" or (isinstance(found, Flag) and found.boolean):
        return set(BOOLEANS)
    if found.choices is None:
        return None
    also = () if isinstance(found, Flag) else found.also or ()
    return {
        str(item).lower() if isinstance(item, bool) else str(item)
        for item in (*found.choices, *also)
    }


def takes(name: str, value: str, catalogs: Sequence[Catalog]) -> bool:
    """Whether a value is not refused everywhere: some version lists it, in any case if it folds, or
    has no list.
    """
    for found in (find(name, catalog) for catalog in catalogs):
        listed = _allowed(found) if found is not None and found != "free" else None
        if found is not None and (
            listed is None or value.casefold() in {text.casefold() for text in listed}
        ):
            return True
    return False


def reads(flag: Flag, text: str) -> bool:
    """Whether a text is a boolean or a number where a flag wants one."""
    try:
        if flag.boolean:
            return text.lower() in _BOOLEAN_WORDS
        if flag.kind in ("int", "size") and flag.choices is None:
            int(text)
        elif flag.kind == "float":
            float(text)
    except ValueError:
        return False
    return True


def all_keys(shape: Shape) -> Iterator[str]:
    """Every key that a shape declares, at any depth."""
    for key, inner in keys_of(shape).items():
        yield key
        yield from all_keys(inner)
    for part in (shape.values, shape.items):
        if part is not None:
            yield from all_keys(part)


def lost_keys(before: Shape, after: Shape, path: str) -> Iterator[str]:
    """The keys, dotted, that the one shape has and the other lacks; of a key that is lost, not also
    those below it.
    """
    mine, theirs = keys_of(before), keys_of(after)
    for key, shape in mine.items():
        here = f"{path}.{key}"
        if key in theirs:
            yield from lost_keys(shape, theirs[key], here)
        elif not _is_open(after):
            yield here


def disappearances(catalogs: Sequence[Catalog]) -> dict[str, list[str]]:
    """Every name that a version has and the next does not: name → the versions that lack it so.

    A flag counts as present in any spelling. Keys are compared with the next version in which the
    flag has a shape.
    """
    found: dict[str, list[str]] = {}
    shapes: dict[str, Shape] = {}
    for before, after in zip((None, *catalogs), catalogs, strict=False):
        if before is not None:
            names = [flag.flag for flag in before.flags if flag.flag not in after.spellings]
            names += [
                variable.name for variable in before.env if variable.name not in after.variables
            ]
            for flag in after.flags:
                if flag.shape is not None and flag.flag in shapes:
                    names += lost_keys(shapes[flag.flag], flag.shape, flag.flag)
            for name in names:
                found.setdefault(name, []).append(after.version)
        shapes.update({flag.flag: flag.shape for flag in after.flags if flag.shape is not None})
    return found
