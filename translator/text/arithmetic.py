"""`$((…))` of shells: sums and products of whole numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 100
# The signs from those that bind least to those that bind most.
_LEVELS = (("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))
_PLAIN = {
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
    "==": int.__eq__,
    "!=": int.__ne__,
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
}
_PART = r"\s*(?:(\d{1,15})|\$?\{?([A-Za-z_][A-Za-z0-9_]*)\}?|([<>=!]=|[-+*/%()<>?:]))"


def value(text: str, env: Mapping[str, str]) -> int | None:
    """Return the value of an expression; None if it is not known here.

    Args:
        text: what is between the brackets.
        env: the variables that it may refer to.
    """
    import re  # most commands have no sums

    pattern = re.compile(_PART)
    parts: list[str] = []
    at = 0
    text = text.rstrip()
    if len(text) > _LONGEST:
        return None
    while at < len(text):
        found = pattern.match(text, at)
        if found is None:
            return None
        number, name, sign = found.groups()
        part = number or sign or env.get(name, "")
        if not sign and not (part.isdecimal() and len(part) <= 15):
            return None
        parts.append(part)
        at = found.end()
    made, rest = _choice(parts)
    return made if not rest else None


def _choice(parts: list[str]) -> tuple[int | None, list[str]]:
    """Return the value of `a > b ? c : d`, or of a sum, and the other parts."""
    total, parts = _sum(parts)
    if parts[:1] != ["?"]:
        return total, parts
    yes, parts = _sum(parts[1:])
    no, parts = _sum(parts[1:]) if parts[:1] == [":"] else (None, parts)
    return (None if total is None else yes if total else no), parts


def _sum(parts: list[str], level: int = 0) -> tuple[int | None, list[str]]:
    """Return the value of what parts begin with, and the other parts.

    Args:
        parts: of the expression.
        level: the least level of the signs in it.
    """
    if level == len(_LEVELS):
        return _atom(parts)
    total, parts = _sum(parts, level + 1)
    while total is not None and parts[:1] and parts[0] in _LEVELS[level]:
        sign = parts[0]
        more, parts = _sum(parts[1:], level + 1)
        total = None if more is None else _combined(total, sign, more)
    return total, parts


def _combined(one: int, sign: str, other: int) -> int | None:
    """Return the result of a sign between two numbers; None for a division by 0."""
    if sign in _PLAIN:
        return int(_PLAIN[sign](one, other))
    if not other:
        return None
    # Towards zero, unlike Python.
    whole = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
    return whole if sign == "/" else one - whole * other


def _atom(parts: list[str]) -> tuple[int | None, list[str]]:
    if parts[:1] == ["("]:
        total, rest = _sum(parts[1:])
        return (total, rest[1:]) if rest[:1] == [")"] else (None, rest)
    if parts[:1] == ["-"]:
        total, rest = _atom(parts[1:])
        return (None if total is None else -total), rest
    if not parts or not parts[0].isdecimal():
        return None, parts
    return int(parts[0]), parts[1:]
