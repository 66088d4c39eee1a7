"""The entry of one finding code: everything that users read about it, in one place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Severity = Literal["error", "warning", "info"]
    Fact = str | int | float | tuple[str, ...]
    # One template, or several: the first whose facts are all given is used.
    Texts = str | tuple[str, ...]

ERROR: Severity = "error"
WARNING: Severity = "warning"
INFO: Severity = "info"

# What `check --fix` does about a finding: it writes what the remedy says to write, or removes the
# flag or variable. Where that changes what is meant, or is a guess, only `--unsafe-fixes` does.
REPLACE, REMOVE = "replace", "remove"
REPLACE_UNSAFE, REMOVE_UNSAFE = "replace-unsafe", "remove-unsafe"
QUOTE = "quote"  # a value that YAML reads as a number or a boolean


class Code:
    """The meaning of a code and how it is rendered.

    A template names facts in braces: "`{given}` is not a boolean". Of several templates, the first
    whose facts are all given and not empty is used. A tuple is rendered as "a, b, c", in backticks
    as "`a`, `b`, `c`".

    Attributes:
        severity: "error", "warning" or "info".
        title: a noun phrase of at most eight words, for lists of codes.
        explanation: what happened, why it matters, what to do; for `translate explain CODE`.
        example: an input that causes the finding, and the same input without it.
        cases: name → message and remedy; "" for the only one.
    """

    __slots__ = ("_fix", "cases", "example", "explanation", "severity", "title")

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
        fix: str | Mapping[str, str] = "",
    ) -> None:
        """Define a code.

        Args:
            severity, title, explanation, example: see the attributes.
            message, remedy: for the case "".
            cases: name → message and remedy, if one code has several messages.
            fix: how `check --fix` follows the remedy, of all cases or by case; "": not at all.
        """
        self.severity: Severity = severity
        self.title, self.explanation, self.example = title, explanation, example
        self._fix = fix
        self.cases: Mapping[str, tuple[Texts, Texts]] = {"": (message, remedy), **(cases or {})}

    def fix(self, case: str) -> str:
        """Return how `check --fix` follows the remedy of a case; "" if it does not."""
        return self._fix if isinstance(self._fix, str) else self._fix.get(case, "")

    @property
    def fixed_by(self) -> str:
        """The options of `check` that correct at least one case; "" if none do."""
        ways = {self.fix(case) for case in self.cases} - {""}
        safe = not ways.issubset((REPLACE_UNSAFE, REMOVE_UNSAFE))
        return "" if not ways else "--fix" if safe else "--fix --unsafe-fixes"

    def message(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the message of a case."""
        said = render(self.cases[case][0], facts)
        if said.startswith("the "):  # as in "the sagemaker image"
            said = "The" + said[3:]
        return f"In `{facts['inside']}`: {said}" if facts.get("inside") else said

    def hint(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the remedy of a case; "" if there is none."""
        return render(self.cases[case][1], facts)


# How an argument is called that is not shown: `translator.secrets.masking.placed`.
_PLACE = "argument "


def render(texts: Texts, facts: Mapping[str, Fact]) -> str:
    """Return the first template whose facts are all given, with the facts filled in; else ""."""
    for text in (texts,) if isinstance(texts, str) else texts:
        given = {}
        for name, value in facts.items():
            if isinstance(value, str) and value.startswith(_PLACE):
                text = text.replace(f"`{{{name}}}`", f"{{{name}}}")  # it is not a quotation
            if isinstance(value, tuple):
                value = ("`, `" if f"`{{{name}}}`" in text else ", ").join(value)
            if value != "":
                given[name] = value
        try:
            return text.format_map(given)
        except KeyError:
            continue
    return ""
