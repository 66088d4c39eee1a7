"""The dialects whose consumer goes by the value alone: what its program makes of
`PREFIX_<FLAG>=value`, by the rules of the dialect's table.

Reader and writer ask the same function, so that what is written is what the consumer reads.
"""

from __future__ import annotations

from translator.text.json_text import dumps, loads
from translator.text.numbers import JsonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Consumer:
    """The rules of one consumer; the fields are those of `[consumer]` in mappings/README.md."""

    __slots__ = (
        "array",
        "empty",
        "exact",
        "false",
        "lines",
        "objects",
        "own_spelling",
        "true",
        "whole",
    )

    def __init__(self, fields: Mapping[str, Any], whole: list[str]) -> None:
        self.true: str = fields["true"]
        self.false: str = fields["false"]
        self.empty: str = fields["empty"]
        self.array: str = fields["array"]
        self.objects: bool = fields.get("objects", False)
        self.lines: bool = fields.get("lines", False)
        self.exact: bool = fields.get("exact", False)
        self.own_spelling: bool = fields.get("own_spelling", False)
        self.whole = frozenset(whole)

    def tokens(self, spelled: str, text: str) -> list[str] | None:
        """The tokens that a variable becomes; None when it becomes nothing.

        Args:
            spelled: the flag as the variable's name spells it, such as "--no-enable-lora".
            text: the variable's value.
        """
        word = text.lower() if self.exact else text.strip().lower()
        if word == "true" and self.true == "bare":
            return [spelled]
        if word == "false" and self.false != "value":
            return None if self.false == "omit" else ["--no-" + spelled[2:]]
        if not text:
            return [spelled] if self.empty == "bare" else None
        if self.array == "tokens" and spelled not in self.whole:
            items = self._items(text.strip())
            if items is not None:
                return [spelled, *items] if items else None
        return [spelled, text]

    def _items(self, text: str) -> list[str] | None:
        """The elements of a JSON array, or of several JSON objects in a row, as texts; None when it
        is neither.
        """
        if text[:1] == "[" and text[-1:] == "]":
            try:
                return [_item(part) for part in loads(text)]
            except JsonError:
                return None
        if self.objects and text[:1] == "{" and text[-1:] == "}":
            found = _in_a_row(text)
            return [dumps(part) for part in found] if len(found) > 1 else None
        return None

    def arrives(self, text: str) -> bool:
        """Whether the consumer sees the whole text."""
        return "\0" not in text and not (
            self.lines and ("\n" in text or (text.endswith("=") and not text.endswith("==")))
        )


def _item(part: Any) -> str:
    if part is None:
        return ""
    if isinstance(part, str):
        return part
    return dumps(part)


def _in_a_row(text: str) -> list[dict[str, Any]]:
    """The objects of `{…} {…}`; [] when it is something else."""
    import json

    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(text):
        try:
            part, at = decoder.raw_decode(text, at)
        except ValueError:
            return []
        if not isinstance(part, dict):
            return []
        found.append(part)
        while at < len(text) and text[at].isspace():
            at += 1
    return found
