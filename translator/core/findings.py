"""Findings about an input, as data: a code, a subject and facts.

The message and the hint of a code (`mappings/findings.toml`) are rendered from the facts on access.

>>> finding("bad-bool", "ENFORCE_EAGER", given="maybe").severity
'error'
"""

from __future__ import annotations

from translator.core.text.json_text import compiled, lines_of, scan
from translator.core.text.words import show as show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal

    from translator.core.remedy import Remedy
    from translator.core.text.words import Origin
    from translator.documents import FindingJson

    Severity = Literal["error", "warning", "info"]
    Fact = str | int | float | tuple[str, ...]

EVERY = "@every"  # the entry of what holds for every code
ADVICE = ("add", "joint", "moved", "near", "write")  # the facts of what to write instead
REFUSED = "refused-at-start"  # the code of what only vLLM's engine refuses, not its parser
ERROR: Severity = "error"
WARNING: Severity = "warning"
INFO: Severity = "info"
SEVERITIES: tuple[Severity, ...] = (ERROR, WARNING, INFO)

# What `check --fix` does about a finding: it writes what the remedy says to write, or removes the
# flag or variable. Where that changes what is meant, or is a guess, only `--unsafe-fixes` does.
REMOVE = "remove"
REPLACE_UNSAFE, REMOVE_UNSAFE = "replace-unsafe", "remove-unsafe"
QUOTE = "quote"  # a value that YAML reads as a number or a boolean


class Finding(tuple):  # type: ignore[type-arg]  # a NamedTuple would import typing and collections
    """One finding about an input: immutable, comparable, hashable.

    Attributes:
        code: stable and never reused, such as "bad-bool"; `translate explain CODE` describes it.
        severity: "error", "warning" or "info".
        subject: the variable, flag or token that it is about.
        message: what was found, for which vLLM, and why it matters. Never contains a secret.
        hint: what to write instead, in the form of the input; may be empty.
        facts: the values, by name, that the message and the hint are rendered from.
        fix: how `check --fix` follows the hint, such as REMOVE; "" if it does not.
        origin: for this package: the variable or the token that it is about, with what is secret in
            it; None if that is not known. Two findings are equal whatever theirs are.
        remedy: for this package: what stands in its place, with what is secret in it; None if
            nothing is known to help. It does not count for equality, either.
    """

    __slots__ = ()

    def __new__(
        cls,
        code: str,
        subject: str,
        case: str = "",
        facts: tuple[tuple[str, Fact], ...] = (),
        severity: Severity | None = None,
        origin: Origin | None = None,
        remedy: Remedy | None = None,
    ) -> Finding:
        return tuple.__new__(cls, (code, subject, case, facts, severity, origin, remedy))

    def __getnewargs__(self) -> tuple[object, ...]:
        return self[:5]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self[:5] == other[:5]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:5])

    @property
    def code(self) -> str:
        return self[0]  # type: ignore[no-any-return]

    @property
    def subject(self) -> str:
        return self[1]  # type: ignore[no-any-return]

    @property
    def case(self) -> str:
        return self[2]  # type: ignore[no-any-return]

    @property
    def facts(self) -> dict[str, Fact]:
        return dict(self[3])

    @property
    def origin(self) -> Origin | None:
        return self[5]  # type: ignore[no-any-return]

    @property
    def remedy(self) -> Remedy | None:
        return self[6]  # type: ignore[no-any-return]

    @property
    def severity(self) -> Severity:
        return self[4] or texts_of(self[0]).cases[self[2]]["severity"]  # type: ignore[no-any-return]

    @property
    def message(self) -> str:
        return texts_of(self[0], self[2]).message(self[2], _cut(self[3]))

    def at(self, place: str) -> str:
        """Return the place that its message begins with; "" where `place` is another one."""
        at = _at(_cut(self[3]))
        return at if not place or place.startswith(at.removesuffix(": ")) else ""

    @property
    def hint(self) -> str:
        return texts_of(self[0], self[2]).hint(self[2], _cut(self[3]))

    @property
    def fix(self) -> str:
        return texts_of(self[0]).fix(self[2])

    @property
    def stops(self) -> bool:
        """Whether nothing behind it can be read."""
        case = texts_of(self[0]).cases[self[2]]
        return case.get("stops", case["severity"] == ERROR)  # type: ignore[no-any-return]

    def has_trait(self, trait: str) -> bool:
        """Tell whether its code, or its case, has one of the `traits` of findings.toml."""
        return trait in texts_of(self[0]).cases[self[2]].get("traits", ())

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"Finding({shown})"

    def as_dict(self) -> FindingJson:
        """Return the JSON form: code, severity, subject, message and hint."""
        return {
            "code": self.code,
            "severity": self.severity,
            "subject": self.subject,
            "message": self.message,
            "hint": self.hint,
        }

    def line(self) -> str:
        """Return one log line: `error[bad-bool]: … (…)`."""
        hint = self.hint
        shown = f"{self.severity}[{self.code}]: {one_line(self.message)}"
        return f"{shown} ({one_line(hint)})" if hint else shown

    def with_severity(self, severity: Severity) -> Finding:
        """Return the same finding with a severity of its own."""
        return tuple.__new__(Finding, (*self[:4], severity, *self[5:]))

    def with_facts(self, **facts: Fact) -> Finding:
        """Return the same finding with additional or changed facts."""
        merged = tuple({**self.facts, **facts}.items())
        return tuple.__new__(Finding, (*self[:3], merged, *self[4:]))

    def about(self, subject: str) -> Finding:
        """Return the same finding about another variable, flag or token."""
        return tuple.__new__(Finding, (self[0], subject, *self[2:]))

    def of(self, origin: Origin | None) -> Finding:
        """Return the same finding with what it is about."""
        return tuple.__new__(Finding, (*self[:5], origin, self[6]))

    def with_remedy(self, remedy: Remedy) -> Finding:
        """Return the same finding with what stands in the place of what it is about."""
        return tuple.__new__(Finding, (*self[:6], remedy))

    def map(self, change: Callable[[str], str]) -> Finding:
        """Return the same finding with `change` (such as masking) applied to subject and facts."""
        subject, facts = change(self[1]), []
        is_same = subject == self[1]
        for name, value in self[3]:
            mapped = value
            if isinstance(value, str):
                mapped = change(value)
            elif isinstance(value, tuple):
                mapped = tuple([change(item) for item in value])
            is_same = is_same and mapped == value
            facts.append((name, mapped))
        if is_same:
            return self
        return tuple.__new__(Finding, (self[0], subject, self[2], tuple(facts), *self[4:]))


def finding(code: str, subject: str, /, *, case: str = "", **facts: Fact) -> Finding:
    """Return a finding.

    Args:
        code: an entry of `mappings/findings.toml`.
        subject: the variable, flag or token that it is about.
        case: which of the code's messages; "" for the only one.
        facts: by the names used in the message and the remedy. An empty fact counts as not given.
    """
    return Finding(code, subject, case, tuple(facts.items()))


class TranslationError(ValueError):
    """The input has mistakes.

    Attributes:
        findings: all findings, including the errors.
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("\n".join(item.line() for item in self.findings if item.severity == ERROR))

    def __reduce__(self) -> tuple[type[TranslationError], tuple[tuple[Finding, ...]]]:
        return type(self), (self.findings,)


class UsageError(Exception):
    """The command line, or a file that it names, cannot be used: exit status 2.

    Attributes:
        program: the beginning of the message, such as "translate check".
        hint: the remedy, on a separate line; may be empty.
    """

    def __init__(self, message: str, program: str = "translate", hint: str = "") -> None:
        super().__init__(message)
        self.program, self.hint = program, hint


def has_errors(findings: Iterable[Finding]) -> bool:
    """Tell whether one of the findings is an error."""
    return any(item.severity == ERROR for item in findings)


def prevents(findings: Iterable[Finding]) -> bool:
    """Tell whether one of the findings leaves nothing to translate."""
    return any(item.stops for item in findings)


def one_line(text: str) -> str:
    """Return a string with control characters escaped: it cannot forge a log line."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode("ascii")
        for char in text
    )


def _cut(facts: Iterable[tuple[str, Fact]]) -> dict[str, Fact]:
    """Return facts as messages quote them: on one line, and those that quote the input cut."""
    shown: dict[str, Fact] = {}
    for name, value in facts:
        if isinstance(value, str):
            value = one_line(value)
            value = show(value) if name in _QUOTES else value
        shown[name] = value
    return shown


_QUOTES = frozenset(
    ("assignment", "assumed_in", "cluster", "dialect", "earlier", "first", "given", "image", "key")
    + ("prefix", "removed", "setting", "subcommand", "text", "token", "value", "variable")
)


# --- texts ----------------------------------------------------------------------------------------


class Code:
    """What users read about one finding code.

    A template names facts in braces: "`{given}` is not a boolean". Of several templates, the first
    whose facts are all given and not empty is used. A tuple is rendered as "a, b, c", in backticks
    as "`a`, `b`, `c`". In front of the message stand the fact `at`, a file or a container, with the
    `line`, or `inside`, the variable that holds the tokens.

    Attributes:
        before, after: an input that causes the finding, and the same input without it.
        cases: name → what it says, such as `message`, `remedy` and `fix`; "" is the only case, or
            the usual one.
    """

    __slots__ = ("after", "before", "cases", "explanation", "severity", "title")

    def __init__(self, entry: Mapping[str, Any]) -> None:
        """Read an entry of the compiled file."""
        self.severity: Severity = entry["severity"]
        self.title: str = entry["title"]
        self.explanation: str = entry["explanation"]
        self.before: str = entry["before"]
        self.after: str = entry.get("after", "")
        # What a case does not say is as in the usual one, but for the remedy.
        usual = {part: entry[part] for part in _COMMON if part in entry}
        named = {name: {**usual, **case} for name, case in entry.get("case", {}).items()}
        usual_case = {"": entry} if "message" in entry else {}
        self.cases: Mapping[str, Mapping[str, Any]] = {**usual_case, **named}

    def fix(self, case: str) -> str:
        """Return how `check --fix` follows the remedy of a case; "" if it does not."""
        fix: str = self.cases[case].get("fix", "")
        return fix

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
        message = _at(facts) + _render(self.cases[case]["message"], facts)
        if message.startswith("the "):  # as in "the sagemaker image"
            message = "The" + message[3:]
        return _render(("In `{inside}`: ", ""), facts) + message

    def hint(self, case: str, facts: Mapping[str, Fact]) -> str:
        """Render the remedy of a case; "" if there is none."""
        texts = self.cases[case].get("remedy", ())
        for name in ADVICE:
            if _render((f"{{{name}}}",), facts) and not any(f"{{{name}}}" in it for it in texts):
                texts = every()["remedy"]
        return _render(texts, facts)


def _at(facts: Mapping[str, Fact]) -> str:
    """Return the place that a message begins with, as editors read it: "a.env:2: "."""
    return _render(("{at}:{line}: ", "{at}: ", ""), facts)


_COMMON = ("message", "severity", "in", "stops", "traits")
_lines: dict[str, str] = {}
_known: dict[str, Code] = {}


def texts_of(code: str, case: str | None = None) -> Code:
    """Return the texts of a code.

    Raises:
        UsageError: the compiled texts have no such code, or no such case of it.
    """
    texts = _known.get(code)
    if texts is None and code in _entries():
        texts = _known[code] = Code(scan(_entries()[code], 0)[0])
    if texts is None or not (case is None or case in texts.cases):
        lacking = f"`{code}`" if texts is None else f"case `{case}` of `{code}`"
        raise UsageError(f"no finding {lacking} is compiled: run `translate tables compile`")
    return texts


def codes() -> list[str]:
    """Return every code, in the order of the file."""
    return [code for code in _entries() if code != EVERY]


def every() -> Mapping[str, Any]:
    """Return what holds for every code."""
    every: Mapping[str, Any] = scan(_entries()[EVERY], 0)[0]
    return every


def _entries() -> dict[str, str]:
    """Return the entries of the compiled file as text: most processes need one or two of them."""
    if not _lines:
        _lines.update(lines_of(compiled("findings.json")))
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
