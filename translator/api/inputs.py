"""Validate a caller's arguments, which may be of any type, before anything else reads them.

Each function raises a TranslationError if the argument is of no use.
"""

from __future__ import annotations

from translator.findings import Finding, TranslationError, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def _kind(value: object) -> str:
    return type(value).__name__


def _refusal(code: str, subject: str, **facts: str) -> TranslationError:
    return TranslationError([finding(code, subject, **facts)])


def _bad_type(subject: str, what: str, value: object, expected: str, write: str = "") -> Finding:
    """Return the finding about something that is not of the expected type."""
    facts = {"what": what, "type": _kind(value), "expected": expected, "write": write}
    return finding("bad-text", subject, **facts)


def environment(env: Any) -> tuple[dict[str, str], list[Finding]]:
    """Return a mapping as an environment, and findings about its entries.

    Entries with the value None set nothing.
    """
    try:
        items = list(env.items())
    except (AttributeError, TypeError):
        items = None
    if items is None:  # outside of `except`: no error is chained, whose text may hold a secret
        wrong = _bad_type("env", "The environment", env, "a mapping of str to str")
        raise TranslationError([wrong])
    found: dict[str, str] = {}
    findings: list[Finding] = []
    for name, value in items:
        if not isinstance(name, str):
            findings.append(finding("bad-text", "env", what="The environment", type=_kind(name)))
        elif isinstance(value, str):
            found[name] = value
        elif value is not None:
            write = f'"{value}"' if type(value) in (int, float, bool) else ""
            findings.append(_bad_type(name, f"`{name}`", value, "str", write))
    return found, findings


def arguments(given: Any) -> Mapping[str, Any]:
    """Return a mapping as engine arguments, all of whose names are str."""
    if not hasattr(given, "items"):
        wrong = _bad_type(
            "arguments", "The mapping of arguments", given, "a mapping of str to values"
        )
        raise TranslationError([wrong])
    findings = [
        finding("bad-text", "arguments", what="The mapping", type=_kind(name))
        for name in given
        if not isinstance(name, str)
    ]
    if findings:
        raise TranslationError(findings)
    found: Mapping[str, Any] = given
    return found


def name(given: Any) -> str:
    """Return a name to look up, a str."""
    if not isinstance(given, str):
        raise TranslationError([_bad_type("name", "`name`", given, "str")])
    return given


def tokens(argv: Any) -> list[str]:
    """Return a sequence of str, but no str, as the tokens of a command line."""
    if isinstance(argv, (str, bytes)):
        wrong = _bad_type("argv", "The command line", argv, "a list of str", "shlex.split(…)")
        raise TranslationError([wrong])
    try:
        found = list(argv)
    except TypeError:
        found = None
    if found is None:
        wrong = _bad_type("argv", "The command line", argv, "a list of str")
        raise TranslationError([wrong])
    findings = []
    for at, item in enumerate(found):
        if isinstance(item, str):
            continue
        before = found[at - 1] if at and isinstance(found[at - 1], str) else ""
        findings.append(
            finding(
                "bad-text",
                f"argv[{at}]",
                place=at + 1,
                type=_kind(item),
                after=before.partition("=")[0] if before[:1] == "-" else "",
                write=f'"{item}"' if type(item) in (int, float) else "",
            )
        )
    if findings:
        raise TranslationError(findings)
    return found


def choice(value: Any, code: str, subject: str) -> str:
    """Return a version or a dialect named by a caller, a str."""
    if not isinstance(value, str):
        raise _refusal(code, subject, type=_kind(value))
    return value


def json_style(value: Any) -> None:
    """Check the JSON style that a caller requests."""
    if value not in ("compact", "dotted"):
        given = (value if isinstance(value, str) else _kind(value)) or '""'
        facts = {"flag": "json_style", "choices": "compact, dotted"}
        raise _refusal("bad-choice", "json_style", given=given, **facts)
