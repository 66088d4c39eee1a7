"""The program that a dialect was made for, and how it reads a variable.

The reader and the writer share this object, so that the program reads exactly what is written.
"""

from __future__ import annotations

from translator.tables import records
from translator.text.json_text import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Consumer(records.Consumer):
    """A program that reads a dialect by its own rules, from `[consumer]` in the dialect's table.

    A dialect that only translate reads has the same class without rules: `exists` is false.

    Attributes:
        exists: whether there is such a program.
        vllm: the vLLM version that it runs; "" if any.
        compared: whether its reading is compared with ours. Not if its lists are those of one vLLM
            version: then they restrict what is written, and every variable is read.
        closed: whether it passes on only what its lists name.
        by_value: whether it looks only at a variable's value and has no lists: see `tokens`.
        how: flag of its lists → how it reads the variable: "value" (passed as one token), "pair"
            (true is --flag, and false is --no-flag), "switch" (true is --flag, and false is
            nothing), "true" (only the word true switches it on, and every other text off), "json"
            (parsed as JSON, and kept as a string if it is not JSON) or "pairs" (parsed as
            `key=number,key=number`).
        zero_unset: flags for which it reads 0 as unset.
        unset: values that set nothing, in any variable.
        breaks: flag → what it does to the program, and the values that do no harm.
        overrules: flags that it may set to other values than a variable's.
        ignored: flags that it never passes on.
        calculates: flags that it calculates itself when nothing sets them.
        behind: token that it appends to the command line → the assignment that suppresses it.
        plain: whether it leaves values to a shell, which splits them and removes no quotes.
        evaluated: whether it leaves values to a shell as source text.
        any_text: whether any value sets a switch.
        partly: flag → what it uses a flag for, and for what it does not.
        elsewhere: flag → where the platform sets it, if not in a variable.
        appends: flag that it appends with a value of its own → what prevents it.
        relay: the program that hands its command line on, and the texts that do not arrive; {} if
            there is none.
        own_spelling: whether it passes a flag on under its own name only.
        unknown: how it treats a name that is not a flag: "dropped", "passed", "" if not known.
        true_is_bare: whether it turns true into a bare flag.
    """

    def __init__(self, record: Mapping[str, Any] | None) -> None:
        """Read the rules: `@consumer` of a dialect's table, if it has any."""
        super().__init__(record or {})
        self.exists = bool(record)
        self.compared = self.exists and not self.vllm
        self.by_value = bool(self.true)
        self.true_is_bare = self.true == "bare"
        self.how = {
            flag: how
            for how, flags in (
                ("value", self.value_flags),
                ("pair", self.pair_flags),
                ("switch", self.switch_flags),
                ("true", self.true_flags),
                ("json", self.json_flags),
                ("pairs", self.pairs_flags),
            )
            for flag in flags
        }
        self.closed = self.closed or bool(self.how)

    def arrives(self, text: str) -> bool:
        """Return whether it receives the whole value of a variable."""
        return "\0" not in text and not (
            self.lines and ("\n" in text or (text.endswith("=") and not text.endswith("==")))
        )

    def tokens(self, spelled: str, text: str) -> list[str] | None:
        """Return the tokens that it makes of a variable by value alone; None if it drops the
        variable.

        Args:
            spelled: the flag as spelled by the variable's name, such as "--no-enable-lora".
            text: the variable's value.
        """
        word = text.lower() if self.exact else text.strip().lower()
        if word == "true" and self.true_is_bare:
            return [spelled]
        if word == "false" and self.false != "value":
            return None if self.false == "omit" else ["--no-" + spelled[2:]]
        if not text:
            return [spelled] if self.empty == "bare" else None
        if self.array == "tokens" and spelled not in self.array_whole:
            items = self._items(text.strip())
            if items is not None:
                return [spelled, *items] if items else None
        return [spelled, text]

    def _items(self, text: str) -> list[str] | None:
        """Return the elements of a JSON array or of consecutive JSON objects; None if it is
        neither.
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


def _item(part: Any) -> str:
    if part is None:
        return ""
    return part if isinstance(part, str) else dumps(part)


def _in_a_row(text: str) -> list[dict[str, Any]]:
    """Return the objects of `{…} {…}`; [] for anything else."""
    import json

    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(text):
        try:
            part, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        if not isinstance(part, dict):
            return []
        found.append(part)
        while at < len(text) and text[at].isspace():
            at += 1
    return found
