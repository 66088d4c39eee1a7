"""The texts of the findings: `mappings/findings.toml`, compiled, read when a finding is shown."""

from __future__ import annotations

import os

from translator.text.json_text import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal

    Severity = Literal["error", "warning", "info"]
    Fact = str | int | float | tuple[str, ...]

# What `check --fix` does about a finding: it writes what the remedy says to write, or removes the
# flag or variable. Where that changes what is meant, or is a guess, only `--unsafe-fixes` does.
REMOVE = "remove"
REPLACE_UNSAFE, REMOVE_UNSAFE = "replace-unsafe", "remove-unsafe"
QUOTE = "quote"  # a value that YAML reads as a number or a boolean

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_compiled", "findings.json")


class Code:
    """What users read about one finding code.

    A template names facts in braces: "`{given}` is not a boolean". Of several templates, the first
    whose facts are all given and not empty is used. A tuple is rendered as "a, b, c", in backticks
    as "`a`, `b`, `c`". In front of the message stand the fact `at`, a file or a container, with the
    `line`, or `inside`, the variable that holds the tokens.

    Attributes:
        severity: "error", "warning" or "info".
        title: a noun phrase of at most eight words, for lists of codes.
        explanation: what happened, why it matters, what to do; for `translate explain CODE`.
        before, after: an input that causes the finding, and the same input without it.
        cases: name → `message`, and `remedy` and `fix` where there are any; "" is the name of the
            only case, or of the usual one.
    """

    __slots__ = ("after", "before", "cases", "explanation", "severity", "title")

    def __init__(self, entry: Mapping[str, Any]) -> None:
        """Read an entry of the compiled file."""
        self.severity: Severity = entry["severity"]
        self.title: str = entry["title"]
        self.explanation: str = entry["explanation"]
        self.before: str = entry["before"]
        self.after: str = entry.get("after", "")
        # A case without a message has that of the usual one.
        usual = {"message": entry["message"]} if "message" in entry else {}
        named = {name: {**usual, **case} for name, case in entry.get("case", {}).items()}
        self.cases: Mapping[str, Mapping[str, Any]] = {"": entry, **named} if usual else named

    def fix(self, case: str) -> str:
        """Return how `check --fix` follows the remedy of a case; "" if it does not."""
        found: str = self.cases[case].get("fix", "")
        return found

    @property
    def example(self) -> str:
        """The input that causes the finding, and below it the one without."""
        return f"before: {self.before}\nafter:  {self.after or '(leave it out)'}"

    @property
    def fixed_by(self) -> str:
        """The options of `check` that correct at least one case; "" if none do."""
        ways = {self.fix(case) for case in self.cases} - {""}
        safe = not ways.issubset((REPLACE_UNSAFE, REMOVE_UNSAFE))
        return "" if not ways else "--fix" if safe else "--fix --unsafe-fixes"

    def message(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the message of a case."""
        said = _render(self.cases[case]["message"], facts)
        if facts.get("at"):
            line = f", line {facts['line']}" if "line" in facts else ""
            said = f"{facts['at']}{line}: {said}"
        if said.startswith("the "):  # as in "the sagemaker image"
            said = "The" + said[3:]
        return f"In `{facts['inside']}`: {said}" if facts.get("inside") else said

    def hint(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the remedy of a case; "" if there is none."""
        return _render(self.cases[case].get("remedy", ()), facts)


_lines: dict[str, str] = {}
_known: dict[str, Code] = {}


def code(name: str) -> Code:
    """Return the texts of a code.

    Raises:
        KeyError: there is no such code.
    """
    found = _known.get(name)
    if found is None:
        found = _known[name] = Code(scan(_entries()[name], 0)[0])
    return found


def codes() -> list[str]:
    """Return every code, in the order of the file."""
    return list(_entries())


def _entries() -> dict[str, str]:
    """Return the entries of the compiled file as text: most processes need one or two of them."""
    if not _lines:
        with open(_FILE, "rb", 0) as file:
            text = file.read().decode()
        for line in text.split('\n"')[1:]:
            name, _, _lines[name] = line.partition('":')
    return _lines


def _render(texts: Iterable[str], facts: Mapping[str, Fact]) -> str:
    """Return the first template whose facts are all given, with the facts filled in; else ""."""
    for text in texts:
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
