"""A page about a name or a difference: what is known, as data, and as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import asdict, field, frozen

from translator.pages.accepted import Accepted, Period

Section = tuple[str, Sequence[str]]  # a heading, which may be empty, and its lines
NOTHING: Section = ("", ())


def _filled(sections: Iterable[Section]) -> list[Section]:
    found = [(heading, [line for line in lines if line]) for heading, lines in sections]
    return [(heading, lines) for heading, lines in found if lines]


@frozen
class Page:
    """What is known about something. Of sections, empty lines and empty ones are left out.

    Attributes:
        title: its name, and what it is.
        about: what it does.
        vllm: which versions of vLLM have it, in words.
        changes: what became of it.
        accepted: of a flag, a key or a variable of vLLM's, what each run of versions accepts.
    """

    title: str
    about: Sequence[Section] = field(default=(), converter=_filled)
    vllm: Section = NOTHING
    changes: Sequence[Section] = field(default=(), converter=_filled)
    accepted: Sequence[Period[Accepted]] = ()

    @property
    def sections(self) -> list[Section]:
        """All of it, in order."""
        return [*_filled([self.vllm]), *self.about, *self.changes]

    def text(self) -> str:
        """Return the page as lines of plain text."""
        lines = [self.title]
        for heading, content in self.sections:
            lines += [f"{heading}:"] if heading else []
            lines += [f"  {line}" for line in content]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the page as Markdown."""
        lines = [f"# {self.title}"]
        for heading, content in self.sections:
            lines += ["", f"## {capital(heading)}", "", *(f"- {line}" for line in content)]
        return "\n".join(lines) + "\n"

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


def capital(text: str) -> str:
    """Return a text with a capital at its start."""
    return text[:1].upper() + text[1:]
