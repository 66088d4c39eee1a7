"""One variable of a dialect's table, and the names of its values on either side."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class DialectVariable:
    """One `[[variable]]` of a dialect's table.

    Attributes:
        name: the variable; "" if no table lists it.
        role: "flag", "choice", "worker", "environment" or "reserved".
        flag: the flag that it sets, for the role "flag".
        path: the keys inside that flag, outermost first.
        order: its position in the file; later ones win.
        fallback: whether it applies only if nothing else sets the flag.
        inverted: whether true in the variable is false in the flag.
        default: the default in the platform's documentation, as a string; None if there is none.
        note: a sentence about it.
        warn: whether the note is a finding whenever the variable is set.
        source: where it is documented, if not with the others.
        unset: values that set nothing.
        values: the platform's name of a value → vLLM's.
        scheme: the scheme that the platform requires before a name, such as "hf://".
        only: the values that the platform accepts; () if any.
        unread: values that only the platform can resolve.
        least, most: the smallest and largest integer that it accepts.
        plain: whether a shell splits its value.
        sets: for the role "choice": value → flag → what it sets.
        otherwise: the value that a "choice" uses for any other input.
        positive: the value that any integer above 0 stands for.
    """

    __slots__ = (
        "default",
        "fallback",
        "flag",
        "inverted",
        "least",
        "most",
        "name",
        "note",
        "only",
        "order",
        "otherwise",
        "path",
        "plain",
        "positive",
        "role",
        "scheme",
        "sets",
        "source",
        "unread",
        "unset",
        "values",
        "warn",
    )

    def __init__(self, name: str, record: Mapping[str, Any]) -> None:
        get = record.get
        self.name = name
        self.role: str = get("role", "")
        self.flag: str = get("flag", "")
        self.path: tuple[str, ...] = tuple(record["key"].split(".")) if "key" in record else ()
        self.order: int = get("order", 0)
        self.fallback: bool = get("fallback", False)
        self.inverted: bool = get("inverted", False)
        self.default: str | None = get("default")
        self.note: str = get("note", "")
        self.warn: bool = get("warn", False)
        self.source: str = get("source", "")
        self.unset: tuple[str, ...] = tuple(get("unset", ()))
        self.values: dict[str, Any] = get("values", {})
        self.scheme: str = get("scheme", "")
        self.only: tuple[str, ...] = tuple(get("only", ()))
        self.unread: tuple[str, ...] = tuple(get("unread", ()))
        self.least: int | None = get("least")
        self.most: int | None = get("most")
        self.plain: bool = get("plain", False)
        self.sets: dict[str, dict[str, str]] = get("sets", {})
        self.otherwise: str | None = get("otherwise")
        self.positive: str | None = get("positive")

    def accepts(self, text: str) -> bool:
        """Return whether the platform accepts a value, as far as the table specifies."""
        text = text.strip()
        if (self.only and text not in self.only) or text in self.unread:
            return False
        least, most = self.least, self.most
        if least is None and most is None:
            return True
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None
        return (
            number is not None
            and (least is None or number >= least)
            and (most is None or number <= most)
        )

    def to_vllm(self, text: str) -> str:
        """Return vLLM's name for a value, without the platform's scheme."""
        if self.values:
            text = str(self.values.get(text.strip(), text))
        scheme = self.scheme
        return text[len(scheme) :] if scheme and text.startswith(scheme) else text

    def to_platform(self, text: str) -> str | None:
        """Return the platform's name for a value of vLLM's; None if the platform has none."""
        said = text
        if self.scheme and not text.startswith(("/", ".")) and "://" not in text:
            said = self.scheme + text
        return said if self.to_vllm(said) == text and self.accepts(said) else None

    def choice(self, text: str) -> str | None:
        """Return the value of a "choice" that a string selects: itself, or the value that integers
        above 0 stand for; None if it selects none.
        """
        text = text.strip()
        if text in self.sets:
            return text
        number = text.isascii() and text.isdecimal() and text.strip("0")
        return self.positive if number else None


# Used when no table lists a flag's name in capitals.
UNLISTED = DialectVariable("", {})
