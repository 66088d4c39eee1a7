"""A page about a name."""

from __future__ import annotations

from translator.tables.versions import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_MANY = 24


class Page:
    """What is told about a name.

    Attributes:
        title: the name, and what it is.
        sections: (heading, lines).
    """

    __slots__ = ("sections", "title")

    def __init__(self, title: str) -> None:
        self.title = title
        self.sections: list[tuple[str, list[str]]] = []

    def add(self, heading: str, lines: Sequence[str]) -> None:
        if lines:
            self.sections.append((heading, list(lines)))


def spans(versions: Sequence[str], fact: Callable[[str], str | None]) -> list[tuple[str, str]]:
    """What holds in which run of versions: ("0.6.6 to 0.11.2", text); versions without the fact end
    a run.
    """
    found: list[tuple[str, str, str]] = []
    last: str | None = None
    for version in versions:
        text = fact(version)
        if text is not None and text == last:
            found[-1] = (found[-1][0], version, text)
        elif text is not None:
            found.append((version, version, text))
        last = text
    return [(span(first, to), text) for first, to, text in found]


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_MANY]) + (f", … ({len(texts)})" if len(texts) > _MANY else "")


KINDS = {
    "switch": "true or false; false is the default",
    "toggle": "true or false",
    "bool-value": "true or false",
    "int": "integer, also 1k, 1K",
    "size": "integer, also 1k, 1K",
    "size-or-auto": "integer, also 1k, 1K, or auto",
    "float": "number",
    "str": "text",
    "json": "JSON",
    "json-or-str": "JSON or text",
    "optional-str": "text, or true",
    "list": "JSON array, or a,b",
    "append": "JSON array, or a,b",
}
