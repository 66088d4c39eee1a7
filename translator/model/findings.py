"""What users read about each finding."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Annotated, Literal

from attrs import field, frozen

from translator.model.field_types import Line, matching, nonempty


def _template(text: str) -> None:
    """It is one, with the names of facts in its braces."""
    for _, name, spec, conversion in Formatter().parse(text):
        if name is not None and (not name.isidentifier() or spec or conversion):
            raise ValueError(f"{{{name}}} is not the name of a fact")
    if len(text) > 300:
        raise ValueError(f"is longer than 300 characters ({len(text)})")


def _title(text: str) -> None:
    if len(text.split()) > 8:
        raise ValueError("has more than eight words")


def _sentences(text: str) -> None:
    if not text.endswith((".", ")")):
        raise ValueError("does not end with a full stop")


CodeName = Annotated[str, matching(r"[a-z]+(-[a-z]+)*", "a code (small letters and dashes)")]
CaseName = Annotated[str, matching(r"[a-z0-9]+(-[a-z0-9]+)*", "a case (small letters and dashes)")]
Template = Annotated[str, _template]
Fix = Literal["", "replace", "replace-unsafe", "remove", "remove-unsafe", "quote"]


@frozen
class Case:
    """One of several messages of a code.

    Of several templates, the first whose facts are all given is used.

    Attributes:
        message: what was found; left out, it is that of the code.
        remedy: what to do about it.
        fix: how `check --fix` does it.
    """

    message: tuple[Template, ...] = ()
    remedy: tuple[Template, ...] = ()
    fix: Fix = ""


@frozen
class Code(Case):
    """A code: its usual case, and what is common to all of them.

    Attributes:
        severity: that of all its findings.
        title: a noun phrase, for lists of codes.
        explanation: what happened, why it matters, what to do.
        before, after: an input that causes the finding, and the same without it.
        case: further cases, by name.
    """

    severity: Literal["error", "warning", "info"] = field(kw_only=True)
    title: Annotated[str, _title] = field(kw_only=True)
    explanation: Annotated[Line, _sentences] = field(kw_only=True)
    before: str = field(kw_only=True)
    after: str = field(kw_only=True, default="")
    case: Mapping[CaseName, Case] = field(kw_only=True, factory=dict)

    def __attrs_post_init__(self) -> None:
        if not self.message and not all(case.message for case in self.case.values()):
            raise ValueError("a case has no message")
        if not self.message and (not self.case or self.remedy or self.fix):
            raise ValueError("no message")


@frozen
class Findings:
    """findings.toml."""

    finding: Annotated[Mapping[CodeName, Code], nonempty]
