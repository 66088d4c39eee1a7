"""The entry of one code: everything that people read about it, in one place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Severity = Literal["error", "warning", "info"]
    Fact = str | int | float | tuple[str, ...]
    # One text, or several: the first whose facts are all given is the one.
    Texts = str | tuple[str, ...]

ERROR: Severity = "error"
WARNING: Severity = "warning"
INFO: Severity = "info"


class Code:
    """What a code means and how it is rendered.

    A text names facts in braces: "`{given}` is not a boolean". Of several texts, the first whose
    facts are all given and not empty is used. A fact that is a tuple is rendered as
    "a, b, c", in backticks as "`a`, `b`, `c`".

    Attributes:
        severity: "error", "warning" or "info".
        title: a noun phrase of at most eight words, for lists of codes.
        explanation: what happened, why it matters, what to do; for `translate explain CODE`.
        example: an input that has the finding, and the same input without it.
    """

    __slots__ = ("_cases", "example", "explanation", "severity", "title")

    def __init__(
        self,
        severity: Severity,
        title: str,
        message: Texts = "",
        remedy: Texts = "",
        *,
        explanation: str,
        example: tuple[str, str],
        cases: Mapping[str, tuple[Texts, Texts]] | None = None,
    ) -> None:
        """Describe a code.

        Args:
            severity, title, explanation, example: see the attributes.
            message, remedy: of the case "".
            cases: name → message and remedy, where one code has several messages.
        """
        self.severity: Severity = severity
        self.title, self.explanation, self.example = title, explanation, example
        self._cases: dict[str, tuple[Texts, Texts]] = {"": (message, remedy), **(cases or {})}

    @property
    def cases(self) -> Mapping[str, tuple[Texts, Texts]]:
        """Case → its message and its remedy."""
        return self._cases

    def message(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the message of a case."""
        said = render(self._cases[case][0], facts)
        if said.startswith("the "):  # as in "the sagemaker image"
            said = "The" + said[3:]
        return f"In `{facts['inside']}`: {said}" if facts.get("inside") else said

    def hint(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the remedy of a case; "" where there is none."""
        return render(self._cases[case][1], facts)


def render(texts: Texts, facts: Mapping[str, Fact]) -> str:
    """Return the first text whose facts are all given, with the facts in their places; else ""."""
    for text in (texts,) if isinstance(texts, str) else texts:
        given = {}
        for name, value in facts.items():
            if isinstance(value, tuple):
                value = ("`, `" if f"`{{{name}}}`" in text else ", ").join(value)
            if value != "":
                given[name] = value
        try:
            return text.format_map(given)
        except KeyError:
            continue
    return ""
