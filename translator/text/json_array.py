"""JSON arrays of strings, with the places of their strings."""

from __future__ import annotations

from translator.text.json_text import JsonError, loads
from translator.text.placed import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def parse_json_array(text: str) -> list[str] | None:
    """Return the strings of a JSON array, with the places of those without escapes; None for
    anything else.
    """
    if not text.lstrip().startswith("["):
        return None
    try:
        value = loads(text.strip())
    except JsonError:
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return list(_found_in(text, value))
    return None


def _found_in(text: str, items: list[str]) -> Iterator[str]:
    """Yield the strings of a JSON array with their places in its text."""
    at = 0
    for item in items:
        found = text.find(f'"{item}"', at)
        if found >= 0:
            at = found + len(item) + 2
        yield cut(text, found + 1, at - 1) if found >= 0 and item else item
