"""`$((…))` of shells: sums and products of whole numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 100


def _quotient(one: int, other: int) -> int:
    """Return a quotient as shells do: towards zero, unlike Python."""
    whole = abs(one) // abs(other)
    return whole if (one < 0) == (other < 0) else -whole


# The signs, from those that bind least to those that bind most.
_LEVELS = (
    {"==": int.__eq__, "!=": int.__ne__},
    {"<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__},
    {"+": int.__add__, "-": int.__sub__},
    {
        "*": int.__mul__,
        "/": _quotient,
        "%": lambda one, other: one - _quotient(one, other) * other,
    },
)
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
    parts.reverse()
    try:
        made = _choice(parts)
    except (ValueError, IndexError, ZeroDivisionError):
        return None
    return made if not parts else None


def _choice(parts: list[str]) -> int:
    """Take `a > b ? c : d`, or a sum, from the end of parts, and return its value.

    Raises:
        ValueError, IndexError: they end with no such thing.
        ZeroDivisionError: it divides by 0.
    """
    total = _sum(parts)
    if parts[-1:] != ["?"]:
        return total
    parts.pop()
    yes = _sum(parts)
    if parts.pop() != ":":
        raise ValueError
    no = _sum(parts)
    return yes if total else no


def _sum(parts: list[str], level: int = 0) -> int:
    """Take a sum whose signs have a level or a higher one."""
    if level == len(_LEVELS):
        return _operand(parts)
    signs = _LEVELS[level]
    total = _sum(parts, level + 1)
    while parts and parts[-1] in signs:
        combined = signs[parts.pop()]
        total = int(combined(total, _sum(parts, level + 1)))
    return total


def _operand(parts: list[str]) -> int:
    part = parts.pop()
    if part == "-":
        return -_operand(parts)
    if part != "(":
        return int(part)
    total = _sum(parts)
    if parts.pop() != ")":
        raise ValueError
    return total
