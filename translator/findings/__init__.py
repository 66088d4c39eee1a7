"""Every finding: its code, its severity, and the form in which it leaves the library.

Codes are stable and never reused. The paragraph of each, for `translate explain CODE`, stands in
`translator/explanations.py`, which running does not import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


ERROR, WARNING, INFO = "error", "warning", "info"


# code -> severity. Not an enum and not a class: importing enum costs as much as the rest of the
# entrypoint.
SEVERITIES = {
    # values
    "bad-bool": ERROR,
    "bad-integer": ERROR,
    "bad-float": ERROR,
    "bad-choice": ERROR,
    "bad-json": ERROR,
    "bad-list": ERROR,
    "empty-element": WARNING,
    "bad-key": ERROR,
    "bad-key-value": ERROR,
    "ignored-key": WARNING,
    "bad-text": ERROR,
    "repaired-json": WARNING,
    "not-on-argv": ERROR,
    # names
    "unknown-flag": ERROR,
    "flag-not-in-version": ERROR,
    "unknown-variable": WARNING,
    "misspelt-variable": WARNING,
    "reserved-name": WARNING,
    "worker-only": INFO,
    "no-key": ERROR,
    # the command line
    "missing-model": ERROR,
    "no-model": WARNING,
    "model-like-option": WARNING,
    "ambiguous-flag": ERROR,
    "missing-value": ERROR,
    "unexpected-value": ERROR,
    "stray-token": ERROR,
    "model-option": ERROR,
    "repeated-flag": INFO,
    "shell-variable": ERROR,
    "shell-syntax": ERROR,
    "not-vllm-serve": ERROR,
    "image-version": INFO,
    "deprecated-flag": WARNING,
    "bad-extra-args": ERROR,
    "config-file": ERROR,
    "config-file-kept": INFO,
    "config-false": WARNING,
    "config-not-read": WARNING,
    "model-beside-config": WARNING,
    "cut-off": INFO,
    "bad-env-file": ERROR,
    "repeated-variable": WARNING,
    "bad-manifest": ERROR,
    "unresolved-value": WARNING,
    # what the parser takes, and vLLM does not start with: an error for `exec` and `check`
    "refused-at-start": WARNING,
    # from one version to another
    "carried": WARNING,
    "carried-value": WARNING,
    "now-default": INFO,
    "dropped": WARNING,
    "written-for-another": WARNING,
    # merging
    "disagreement": WARNING,
    "worker-default": INFO,
    "baked-args": INFO,
    "bad-baked-args": WARNING,
    "consumer-default": INFO,
    "consumer-differs": WARNING,
    "consumer-needs": WARNING,
    "newer-than-consumer": INFO,
    # several machines
    "bad-cluster": ERROR,
    "cluster-not-in-version": ERROR,
    "place-made-up": INFO,
    # vLLM's own variables
    "bad-variable": ERROR,
    "repaired-variable": INFO,
    "variable-not-in-version": WARNING,
    "service-link": WARNING,
    "not-the-server-address": WARNING,
    "empty-variable": INFO,
    # secrets
    "secret-moved": WARNING,
    "secret-on-argv": WARNING,
    # versions
    "version-too-old": ERROR,
    "version-too-new": WARNING,
    "bad-version": ERROR,
    "other-version": WARNING,
    "version-assumed": INFO,
    "unknown-dialect": ERROR,
    # what a form cannot hold
    "cannot-be-said": ERROR,
    "kept-in-extra-args": INFO,
    "not-in-file": WARNING,
    "over-limit": ERROR,
}


class Finding(tuple):  # type: ignore[type-arg]  # a tuple of five strings; a NamedTuple would import typing and collections
    """One thing worth knowing about an input.

    Attributes:
        code: a key of SEVERITIES.
        severity: "error", "warning" or "info".
        subject: the variable, flag or token that it is about.
        message: one line: what was found, what was expected, for which vLLM. Never holds a secret.
        hint: what to write instead, ready to paste; may be empty.
    """

    __slots__ = ()

    def __new__(
        cls, code: str, severity: str, subject: str, message: str, hint: str = ""
    ) -> Finding:
        return tuple.__new__(cls, (code, severity, subject, message, hint))

    def __getnewargs__(self) -> tuple[str, ...]:
        return tuple(self)

    @property
    def code(self) -> str:
        return self[0]  # type: ignore[no-any-return]

    @property
    def severity(self) -> str:
        return self[1]  # type: ignore[no-any-return]

    @property
    def subject(self) -> str:
        return self[2]  # type: ignore[no-any-return]

    @property
    def message(self) -> str:
        return self[3]  # type: ignore[no-any-return]

    @property
    def hint(self) -> str:
        return self[4]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return (
            f"Finding({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"
        )

    def as_dict(self) -> dict[str, str]:
        """The JSON form of the contract."""
        return {
            "code": self[0],
            "severity": self[1],
            "subject": self[2],
            "message": self[3],
            "hint": self[4],
        }

    def line(self) -> str:
        """One line of a log: `error[bad-bool]: ENFORCE_EAGER=maybe: …`."""
        return f"{self[1]}[{self[0]}]: {one_line(self[3])}" + (
            f" ({one_line(self[4])})" if self[4] else ""
        )


def one_line(text: str) -> str:
    """A text with its line breaks and control characters shown as escapes, so that a value cannot
    forge a log line.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode("ascii")
        for char in text
    )


def finding(code: str, subject: str, message: str, hint: str = "") -> Finding:
    """A finding with the severity that its code has."""
    return Finding(code, SEVERITIES[code], subject, message, hint)


class TranslationError(ValueError):
    """The input has mistakes; `findings` holds every finding, the errors among them."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("\n".join(item.line() for item in self.findings if item.severity == ERROR))

    def __reduce__(self) -> tuple[type[TranslationError], tuple[tuple[Finding, ...]]]:
        return type(self), (self.findings,)


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(item[1] == ERROR for item in findings)


def show(text: str, limit: int = 80) -> str:
    """A value as it is quoted in a message: shortened, line breaks escaped."""
    shown = one_line(text)
    return shown if len(shown) <= limit else f"{shown[: limit - 12]}… ({len(text)} characters)"
