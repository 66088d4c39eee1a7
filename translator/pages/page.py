"""A page about a name, and the words for what a value is."""

from __future__ import annotations

from translator.tables.versions import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from translator.tables.shapes import Shape

    Section = tuple[str, Sequence[str]]  # a heading, which may be empty, and its lines

_MANY = 24

# Kind of a flag → what its variable's value is.
KINDS = {
    "switch": "true, or false (default)",
    "toggle": "true or false",
    "bool-value": "true or false",
    "int": "integer, also 1k, 1K",
    "size": "integer, also 1k, 1K",
    "size-or-auto": "integer, also 1k, 1K, or auto",
    "float": "number",
    "str": "string",
    "json": "JSON",
    "json-or-str": "JSON or string",
    "optional-str": "string, or true",
    "list": "JSON array, or a,b",
    "append": "JSON array, or a,b",
}
_SHAPES = {
    "object": "JSON object",
    "map": "JSON object",
    "list": "JSON array",
    "str": "string",
    "bool": "true or false",
    "int": "integer",
    "float": "number",
    "json": "any JSON",
    "never": "nothing",
}
_SIGNS = (("gt", ">"), ("ge", "≥"), ("lt", "<"), ("le", "≤"))


class Page:
    """What is known about a name.

    Attributes:
        title: the name, and what it is.
        sections: heading and lines; the heading may be empty.
    """

    __slots__ = ("sections", "title")

    def __init__(self, title: str, sections: Iterable[Section]) -> None:
        """Make a page; sections without lines are left out."""
        self.title = title
        self.sections = [(heading, list(lines)) for heading, lines in sections if lines]

    def text(self) -> str:
        """Return the page as lines of plain text."""
        lines = [self.title]
        for heading, content in self.sections:
            lines += [f"{heading}:"] if heading else []
            lines += [f"  {line}" for line in content]
        return "\n".join(lines)


def spans(versions: Sequence[str], fact: Callable[[str], str | None]) -> list[tuple[str, str]]:
    """Return what holds in which run of versions: ("0.6.6 to 0.11.2", text).

    Args:
        versions: in their order.
        fact: of a version; None, which ends a run, where there is none.
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


def some(texts: Sequence[str]) -> str:
    """Return a list of texts, of a very long one the beginning and how many there are."""
    return ", ".join(texts[:_MANY]) + (f", … ({len(texts)})" if len(texts) > _MANY else "")


def shape_text(shape: Shape) -> str:
    """Return what a value of a shape is, such as "integer ≥ 1"."""
    kind = shape["kind"]
    if kind == "choice":
        text = f"one of {some([str(item) for item in shape['choices']])}"
    elif kind == "union":
        text = " or ".join(shape_text(item) for item in shape["of"])
    else:
        text = _SHAPES[kind]
    limits = " and ".join(f"{sign} {shape[name]}" for name, sign in _SIGNS if name in shape)
    return text + (f" {limits}" if limits else "") + (" or null" if shape.get("nullable") else "")
