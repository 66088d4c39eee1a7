"""What is told of a key of a JSON flag that does not fit."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.secrets.masking import MASK
from translator.secrets.secrets import secrets_of
from translator.tables.shapes import REQUIRED_KEY, UNKNOWN_KEY, expectation
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.tables.catalog import Catalog


def _by_key(origins: list[str]) -> dict[str, str]:
    """`__KEY__SUB` and `__SUB`, or `.key.sub` and `.sub` → the variable or token that ends so, the
    first of several.
    """
    found: dict[str, str] = {}
    for item in origins:
        for sign, text in (("__", item.upper()), (".", item)):
            at = text.find(sign)
            while at >= 0:
                found.setdefault(text[at:], item)
                at = text.find(sign, at + 1)
    return found


def _origin_of(path: str, origins: list[str], by_key: dict[str, str]) -> str:
    return (
        by_key.get("__" + path.replace(".", "__").upper()) or by_key.get("." + path) or origins[0]
    )


def key_problem(
    flag: str,
    path: str,
    item: Any,
    expected: str,
    shape: dict[str, Any],
    origin: str,
    catalog: Catalog,
    *,
    hints: bool = True,
) -> Finding:
    """The finding for one key that does not fit."""
    version = catalog.version
    secrets = secrets_of(catalog.tables)
    if expected == UNKNOWN_KEY:
        return finding(
            "bad-key",
            origin,
            f"{flag} of vLLM {version} has no key {show(path)!r}",
            _known_keys(shape, path, near=hints),
        )
    if expected == REQUIRED_KEY:
        return finding(
            "bad-key", origin, f"{flag} of vLLM {version} needs the key {show(path)!r}", ""
        )
    from translator.text.json_text import dumps

    secret = any(secrets.key(part.partition("[")[0]) for part in path.split("."))
    shown = MASK if secret else show(dumps(secrets.masked(item)))
    what = f"{flag}.{show(path)}={shown}" if path else f"{flag}={shown}"
    hint = "" if secret or not hints else _choice_near(item, shape, path)
    if (
        not hint
        and isinstance(item, str)
        and expected.startswith(expectation({"kind": "list"}))
        and not secret
    ):
        from translator.values.hints import near_array

        hint = near_array(item)
    return finding("bad-key-value", origin, f"{what}: vLLM {version} expects {expected}", hint)


def _known_keys(shape: dict[str, Any], path: str, *, near: bool) -> str:
    known = _siblings(shape, path)
    close = nearest(path.rpartition(".")[2], known, 1) if near else []
    return (
        f"did you mean {close[0]}?"
        if close
        else f"known keys: {', '.join(sorted(known)[:12])}{', …' if len(known) > 12 else ''}"
    )


def _choice_near(item: Any, shape: dict[str, Any], path: str) -> str:
    for part in path.split("."):
        shape = shape.get("keys", {}).get(part.partition("[")[0], {})
    choices = [choice for choice in shape.get("choices", ()) if isinstance(choice, str)]
    close = nearest(item, choices, 1) if isinstance(item, str) else []
    return f"write {close[0]}" if close else ""


def _siblings(shape: dict[str, Any], path: str) -> list[str]:
    *outer, _ = path.split(".")
    for part in outer:
        shape = shape.get("keys", {}).get(part, {})
    return list(shape.get("keys", {}))
