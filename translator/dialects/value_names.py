"""What a dialect's table says of a variable's values: aliases, schemes, and what its consumer
takes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def inward(fields: Mapping[str, Any], text: str) -> str:
    """A variable's value as vLLM calls it: aliases of the table replaced, its scheme taken off."""
    if "values" in fields:
        text = str(fields["values"].get(text.strip(), text))
    scheme: str = fields.get("scheme", "")
    return text[len(scheme) :] if scheme and text.startswith(scheme) else text


def outward(fields: Mapping[str, Any], text: str) -> str:
    """The inverse of `inward`, where one is needed: of a scheme, for what is neither a path nor has
    a scheme of its own.
    """
    scheme: str = fields.get("scheme", "")
    if scheme and not text.startswith(("/", ".")) and "://" not in text:
        return scheme + text
    return text


def chosen(fields: Mapping[str, Any], sets: Mapping[str, Any], text: str) -> str | None:
    """Which value of a `choice` a text is to the consumer: itself, or what its whole numbers above
    0 count as; None when it is none of them.
    """
    text = text.strip()
    if text in sets:
        return text
    positive: str | None = fields.get("positive")
    return (
        positive
        if positive is not None and text.isascii() and text.isdecimal() and text.strip("0")
        else None
    )


def taken(fields: Mapping[str, Any], text: str) -> bool:
    """Whether the consumer takes this value, as far as the table says."""
    text = text.strip()
    only = fields.get("only")
    if (only is not None and text not in only) or text in fields.get("unread", ()):
        return False
    least, most = fields.get("least"), fields.get("most")
    if least is None and most is None:
        return True
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None
    return (
        number is not None
        and (least is None or number >= least)
        and (most is None or number <= most)
    )
