"""The program that a dialect was made for, and what it makes of a variable.

Reader and writer ask the same object, so that what is written is what the program reads.
"""

from __future__ import annotations

from translator.text.json_text import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Records = Mapping[str, Mapping[str, Any]]


class Consumer:
    """A program that reads a dialect by its own rules, as `[consumer]` of its table gives them.

    One that nobody but translate reads has the same class, with no rules: `exists` is false.

    Attributes:
        exists: whether there is such a program.
        vllm: the vLLM that it runs; "" when any.
        compared: whether its reading is compared with ours. It is not when its lists are those of
            one vLLM: then they say what may be written, and every variable is read.
        closed: whether it passes on what its lists name, and nothing else.
        by_value: whether it goes by a variable's value alone, and has no lists: see `tokens`.
        value_flags: flags that it gives the value as one token.
        pair_flags: flags of which true is --flag, and false --no-flag.
        switch_flags: flags of which true is --flag, and false nothing.
        zero_unset: flags of which it takes 0 for nothing.
        ignored: flags that it does not pass on, whatever sets them.
        calculates: flags that it gives values of its own when nothing sets them.
        behind: token that it puts behind all others → the assignment that keeps it away.
        plain: whether it leaves values to a shell, which splits them and takes no quotes off.
        any_text: whether any text sets a switch.
        only_true: whether only the exact text `true` sets a switch.
        own_spelling: whether it passes a flag on under its own name only.
        unknown: what it does with a name that is no flag: "dropped", "passed", "" when not known.
        true_is_bare: whether it makes a bare flag of true.
    """

    __slots__ = (
        "_array",
        "_array_whole",
        "_empty",
        "_exact",
        "_false",
        "_lines",
        "_objects",
        "any_text",
        "behind",
        "by_value",
        "calculates",
        "closed",
        "compared",
        "exists",
        "ignored",
        "only_true",
        "own_spelling",
        "pair_flags",
        "plain",
        "switch_flags",
        "true_is_bare",
        "unknown",
        "value_flags",
        "vllm",
        "zero_unset",
    )

    def __init__(self, records: Records, vllm: str = "") -> None:
        """Read the rules.

        Args:
            records: those of a dialect's table.
            vllm: the vLLM that the program runs.
        """

        def listed(part: str) -> frozenset[str]:
            return frozenset(records.get(f"@consumer.{part}", {}).get(part, ()))

        how = records.get("@consumer", {})
        self.exists = bool(how)
        self.vllm = vllm
        self.compared = self.exists and not vllm
        self.closed: bool = how.get("closed", False)
        self.value_flags = listed("value_flags")
        self.pair_flags = listed("pair_flags")
        self.switch_flags = listed("switch_flags")
        self.zero_unset = listed("zero_unset")
        self.ignored = listed("ignored")
        calculates = records.get("@consumer.calculates", {})
        self.calculates: tuple[str, ...] = tuple(calculates.get("calculates", ()))
        self.behind: dict[str, str] = how.get("behind", {})
        self.plain: bool = how.get("plain", False)
        self.any_text: bool = how.get("any_text", False)
        self.only_true: bool = how.get("only_true", False)
        self.own_spelling: bool = how.get("own_spelling", False)
        self.unknown: str = how.get("unknown", "")
        self.by_value = "true" in how
        self.true_is_bare = how.get("true") == "bare"
        self._false: str = how.get("false", "")
        self._empty: str = how.get("empty", "")
        self._array: str = how.get("array", "")
        self._array_whole = listed("array_whole")
        self._objects: bool = how.get("objects", False)
        self._lines: bool = how.get("lines", False)
        self._exact: bool = how.get("exact", False)

    def lists(self, flag: str) -> bool:
        """Tell whether one of its lists says that it passes a flag on."""
        return flag in self.value_flags or flag in self.pair_flags or flag in self.switch_flags

    def arrives(self, text: str) -> bool:
        """Tell whether it sees the whole text of a variable."""
        return "\0" not in text and not (
            self._lines and ("\n" in text or (text.endswith("=") and not text.endswith("==")))
        )

    def tokens(self, spelled: str, text: str) -> list[str] | None:
        """Return what it makes of a variable by the value alone; None when it leaves it out.

        Args:
            spelled: the flag as the variable's name spells it, such as "--no-enable-lora".
            text: the variable's value.
        """
        word = text.lower() if self._exact else text.strip().lower()
        if word == "true" and self.true_is_bare:
            return [spelled]
        if word == "false" and self._false != "value":
            return None if self._false == "omit" else ["--no-" + spelled[2:]]
        if not text:
            return [spelled] if self._empty == "bare" else None
        if self._array == "tokens" and spelled not in self._array_whole:
            items = self._items(text.strip())
            if items is not None:
                return [spelled, *items] if items else None
        return [spelled, text]

    def _items(self, text: str) -> list[str] | None:
        """The elements of a JSON array, or of several JSON objects in a row; None when it is
        neither.
        """
        if text[:1] == "[" and text[-1:] == "]":
            try:
                return [_item(part) for part in loads(text)]
            except JsonError:
                return None
        if self._objects and text[:1] == "{" and text[-1:] == "}":
            found = _in_a_row(text)
            return [dumps(part) for part in found] if len(found) > 1 else None
        return None


def _item(part: Any) -> str:
    if part is None:
        return ""
    return part if isinstance(part, str) else dumps(part)


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
