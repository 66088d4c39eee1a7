"""A page about a name, and the words for what a value is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import asdict, field, frozen

from translator.tables.versions import span

if TYPE_CHECKING:
    from translator.tables.shapes import Shape

Fact = TypeVar("Fact")
Period = tuple[str, str, Fact]  # the first and the last version of a run, and what holds there
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
# Kind of a flag → what it takes on a command line, where that is not what its variable takes.
ARGUMENTS = {
    **KINDS,
    "switch": "no value",
    "toggle": "no value",
    "int": "integer",
    "optional-str": "string, or no value",
    "list": "one value or more",
    "append": "one value, repeatable",
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


@frozen
class Accepted:
    """What a version accepts as the value of a flag, a key or a variable of vLLM's.

    Attributes:
        value: in words: "integer ≥ 1".
        choices: all values there are; () if any.
        nullable: whether None is one, too.
        also, off: other spellings of a flag, and those that switch it off.
        default: as JSON; "null" where the parser has none.
        deprecated: whether the version says so.
    """

    value: str
    choices: tuple[str, ...] = ()
    nullable: bool = False
    also: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    default: str = "null"
    deprecated: bool = False


def _filled(sections: Iterable[Section]) -> list[Section]:
    return [(heading, list(lines)) for heading, lines in sections if lines]


@frozen
class Page:
    """What is known about a name.

    Attributes:
        title: the name, and what it is.
        sections: heading and lines; the heading may be empty, those without lines are left out.
        accepted: of a flag, a key or a variable of vLLM's, what each run of versions accepts.
    """

    title: str
    sections: Sequence[Section] = field(converter=_filled)
    accepted: Sequence[Period[Accepted]] = ()

    def text(self) -> str:
        """Return the page as lines of plain text."""
        lines = [self.title]
        for heading, content in self.sections:
            lines += [f"{heading}:"] if heading else []
            lines += [f"  {line}" for line in content]
        return "\n".join(lines)

    def json(self) -> dict[str, Any]:
        """Return the page as JSON."""
        return {
            "title": self.title,
            "accepted": [
                {"since": first, "until": last, **asdict(found)}
                for first, last, found in self.accepted
            ],
            "sections": [{"heading": heading, "lines": lines} for heading, lines in self.sections],
        }


def periods(versions: Sequence[str], fact: Callable[[str], Fact | None]) -> list[Period[Fact]]:
    """Return what holds in which run of versions: ("0.6.6", "0.11.2", fact).

    Args:
        versions: in their order.
        fact: of a version; None, which ends a run, where there is none.
    """
    found: list[Period[Fact]] = []
    last: Fact | None = None
    for version in versions:
        here = fact(version)
        if here is not None:
            found.append((found.pop()[0] if here == last else version, version, here))
        last = here
    return found


def version_lines(versions: Sequence[str], fact: Callable[[str], str | None]) -> list[str]:
    """Return what `periods` does, a line for each run of versions: "0.6.6 to 0.11.2: text"."""
    return [f"{span(first, last)}: {text}" for first, last, text in periods(versions, fact)]


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
