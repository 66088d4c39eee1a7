"""Keys and values of JSON flags that the version's parser or engine refuses, or ignores."""

from __future__ import annotations

from translator.findings import REFUSED, Finding, finding
from translator.settings import is_token
from translator.tables.shapes import REQUIRED_KEY, UNKNOWN_KEY, expectation, ignored, problems
from translator.text.json_text import dumps
from translator.text.words import MOST_HINTS, nearest
from translator.values import BadValue, holds_colons, near_array, pairs, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.findings import Fact
    from translator.settings import Assembled
    from translator.tables.catalog import Catalog, Flag
    from translator.tables.shapes import Shape

_MOST_KNOWN = 12  # keys that a remedy lists
_PAIRS = ("pairs", "pairs-or-json", "colons")


def about_json(flag: Flag, done: Assembled, catalog: Catalog) -> list[Finding]:
    """Return the findings about the value of a JSON flag, by the version's class; what the real
    parser refuses is an error.
    """
    name = flag.flag
    value, origin = done.values[name], done.origins[name][0]
    if not flag.shaped and not flag.start:
        if flag.syntax not in _PAIRS or _holds_pairs(flag, value):
            return []
        colons = flag.syntax == "colons"
        pairs = "KEY:VALUE" if colons else "KEY=NUMBER"
        example = "a:1,b:2" if colons else "image=1,video=0"
        facts = {"given": origin.partition("=")[0], "flag": name, "version": catalog.version}
        return [finding("bad-json", origin, pairs=pairs, example=example, **facts)]
    shape = catalog.shape(name)
    if shape is None or value is None:
        return []
    of_key = done.keys.get
    found = [
        about_key(flag, mismatch, of_key(f"{name}.{mismatch[0]}", origin), catalog, at < MOST_HINTS)
        for at, mismatch in enumerate(problems(value, shape))
    ]
    for at, path in enumerate(ignored(value, shape)):
        about = _near_key(shape, path, at < MOST_HINTS)
        about |= {"flag": name, "version": catalog.version}
        subject = _name(of_key(f"{name}.{path}", origin))
        found.append(finding("ignored-key", subject, case="", **about))
    return found


def _holds_pairs(flag: Flag, value: Any) -> bool:
    """Tell whether a flag that reads pairs accepts a value."""
    if value is None:
        return flag.nullable or flag.empty
    if flag.syntax == "pairs-or-json" or not isinstance(value, dict):
        return isinstance(value, dict)
    if flag.syntax == "colons":
        return holds_colons(value)
    try:
        return (
            pairs(text_of(flag, value)) == value if value else flag.empty
        )  # vLLM lowercases the keys, and splits at `=` and `,`
    except BadValue:
        return False


def about_key(
    flag: Flag,
    mismatch: tuple[str, Any, str],
    origin: str,
    catalog: Catalog,
    hints: bool = True,
) -> Finding:
    """Return the finding about a key that the version's parser or engine refuses.

    Args:
        flag: the version's flag.
        mismatch: the dotted path, the value there, and what is expected (see `shapes.problems`).
        origin: the variable or token that set it.
        catalog: the version's catalog.
        hints: whether to suggest the name that was most likely meant.
    """
    path, item, expected = mismatch
    shape: Shape = catalog.shape(flag.flag) or {}
    code = "bad-key"
    facts: dict[str, Fact]
    if expected == UNKNOWN_KEY:
        facts = _near_key(shape, path, hints)
    elif expected == REQUIRED_KEY:
        facts = {"lacks": path}
    else:
        code, near = "bad-key-value", ""
        if isinstance(item, str):
            near = _near_choice(shape, path, item) if hints else ""
            if not near and expected.startswith(expectation({"kind": "list"})):
                near = near_array(item)
        name = f"{flag.flag}.{path}" if path else flag.flag
        facts = {"given": f"{name}={dumps(item)}", "expected": expected, "near": near}
    if not flag.shaped:  # only the engine parses it into a class
        code = REFUSED
    facts |= {"flag": flag.flag, "version": catalog.version}
    return finding(code, _name(origin), case="", **facts)


def _near_key(shape: Shape, path: str, hints: bool) -> dict[str, Fact]:
    """Return the facts about an unknown key: the nearest known one, and the known ones."""
    *outer, name = path.split(".")
    for part in outer:
        shape = shape.get("keys", {}).get(part, {})
    known = sorted(shape.get("keys", {}))
    near = nearest(name, known, 1) if hints else []
    more = ("…",) if len(known) > _MOST_KNOWN else ()
    return {"key": path, "near": near[0] if near else "", "known": (*known[:_MOST_KNOWN], *more)}


def _near_choice(shape: Shape, path: str, item: str) -> str:
    for part in path.split("."):
        shape = shape.get("keys", {}).get(part.partition("[")[0], {})
    choices = [choice for choice in shape.get("choices", ()) if isinstance(choice, str)]
    return next(iter(nearest(item, choices, 1)), "")


def _name(origin: str) -> str:
    """Return a variable, or a token without its value."""
    return origin.partition("=")[0] if is_token(origin) else origin
