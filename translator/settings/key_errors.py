"""Findings about invalid keys of a JSON flag."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import MASK
from translator.secrets.secrets import secrets_of
from translator.settings.setting import is_token
from translator.tables.shapes import REQUIRED_KEY, UNKNOWN_KEY, expectation
from translator.text.json_text import dumps
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.findings import Fact
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag
    from translator.tables.shapes import Shape


_MOST_KNOWN = 12  # keys that a remedy lists


class Origins:
    """The variables or tokens that set the keys of a JSON flag."""

    __slots__ = ("_by_end", "_origins")

    def __init__(self, origins: list[str]) -> None:
        self._origins = origins
        self._by_end: dict[str, str] | None = None

    def of(self, path: str) -> str:
        """Return the variable or token that ends in the key (`__KEY__SUB`, `.key.sub`).

        If there is none, return the first one.
        """
        if self._by_end is None:
            self._by_end = {}
            for item in self._origins:
                for sign, text in (("__", item.upper()), (".", item)):
                    at = text.find(sign)
                    while at >= 0:
                        self._by_end.setdefault(text[at:], item)
                        at = text.find(sign, at + 1)
        found = self._by_end.get("__" + path.replace(".", "__").upper())
        return found or self._by_end.get("." + path) or self._origins[0]


class KeyErrors:
    """Findings about the keys of one JSON flag in one version.

    Args:
        flag: the version's flag.
        shape: the keys that it has.
        catalog: the version's catalog.
    """

    __slots__ = ("_catalog", "_flag", "_secrets", "_shape")

    def __init__(self, flag: Flag, shape: Shape, catalog: Catalog) -> None:
        self._flag, self._shape, self._catalog = flag, shape, catalog
        self._secrets = secrets_of(catalog.tables)

    def problem(self, found: tuple[str, Any, str], origin: str, *, hints: bool = True) -> Finding:
        """Return the finding about a key that the version's parser or engine refuses.

        Args:
            found: an item of `shapes.problems`: the dotted path, the value there, and what is
                expected.
            origin: the variable or token that set it.
            hints: whether to suggest the name that was most likely meant.
        """
        path, item, expected = found
        if expected == UNKNOWN_KEY:
            return self._about("bad-key", "key", origin, **self._key(path, hints))
        if expected == REQUIRED_KEY:
            return self._about("bad-key", "key-missing", origin, key=path)
        return self._about(
            "bad-key-value", "key-value", origin, **self._value(path, item, expected, hints)
        )

    def ignored(self, path: str, origin: str, *, hints: bool = True) -> Finding:
        """Return the finding about a key that the version ignores."""
        facts = self._key(path, hints)
        flag, version = self._flag.flag, self._catalog.version
        return finding("ignored-key", _name(origin), case="", flag=flag, version=version, **facts)

    def _about(self, code: str, at_start: str, origin: str, **facts: Fact) -> Finding:
        """Return the finding with the parser's code, or with the engine's code and its case."""
        case = "missing" if at_start == "key-missing" else ""
        if not self._flag.shaped:  # only the engine parses it into a class
            code, case = "refused-at-start", at_start
        flag, version = self._flag.flag, self._catalog.version
        return finding(code, _name(origin), case=case, flag=flag, version=version, **facts)

    def _key(self, path: str, hints: bool) -> dict[str, Fact]:
        """Return the facts about an unknown key: the nearest known one, and the known ones."""
        shape = self._shape
        *outer, name = path.split(".")
        for part in outer:
            shape = shape.get("keys", {}).get(part, {})
        known = sorted(shape.get("keys", {}))
        near = nearest(name, known, 1) if hints else []
        more = ("…",) if len(known) > _MOST_KNOWN else ()
        return {
            "key": path,
            "near": near[0] if near else "",
            "known": (*known[:_MOST_KNOWN], *more),
        }

    def _value(self, path: str, item: Any, expected: str, hints: bool) -> dict[str, Fact]:
        """Return the facts about a key's value: as given, as expected, and as most likely meant."""
        secret = any(self._secrets.named(part.partition("[")[0]) for part in path.split("."))
        near = ""
        if isinstance(item, str) and not secret:
            near = self._near_choice(path, item) if hints else ""
            if not near and expected.startswith(expectation({"kind": "list"})):
                from translator.values.hints import near_array

                near = near_array(item)
        name = f"{self._flag.flag}.{path}" if path else self._flag.flag
        shown = MASK if secret else dumps(item)
        return {"given": f"{name}={shown}", "expected": expected, "near": near}

    def _near_choice(self, path: str, item: str) -> str:
        shape = self._shape
        for part in path.split("."):
            shape = shape.get("keys", {}).get(part.partition("[")[0], {})
        choices = [choice for choice in shape.get("choices", ()) if isinstance(choice, str)]
        return next(iter(nearest(item, choices, 1)), "")


def _name(origin: str) -> str:
    """Return a variable, or a token without its value."""
    return origin.partition("=")[0] if is_token(origin) else origin
