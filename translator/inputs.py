"""Validate a caller's arguments, which may be of any type, before anything else reads them.

Each function raises a TranslationError if the argument is of no use. None is raised while an error
is handled: that one's text may hold a secret.
"""

from __future__ import annotations

from translator.core.findings import Finding, TranslationError, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn


def bad_type(subject: str, what: str, value: object, expected: str, write: str = "") -> Finding:
    """Return the finding about something that is not of the expected type."""
    facts = {"what": what, "type": type(value).__name__, "expected": expected, "write": write}
    return finding("bad-text", subject, **facts)


def _listed(value: Any, method: str = "__iter__") -> list[Any] | None:
    """Return what a method of a value yields, if it has the method."""
    try:
        return list(getattr(value, method)())
    except (AttributeError, TypeError):
        return None


def environment(env: Any) -> tuple[dict[str, str], list[Finding]]:
    """Return a mapping as an environment, and findings about its entries.

    Entries with the value None set nothing.
    """
    items = _listed(env, "items")
    if items is None:
        wrong = bad_type("env", "The environment", env, "a mapping of str to str")
        raise TranslationError([wrong])
    variables: dict[str, str] = {}
    findings: list[Finding] = []
    for name, value in items:
        if not isinstance(name, str):
            findings.append(_bad_name("env", "The environment", name))
        elif isinstance(value, str):
            variables[name] = value
        elif value is not None:
            write = f'"{value}"' if type(value) in (int, float, bool) else ""
            findings.append(bad_type(name, f"`{name}`", value, "str", write))
    return variables, findings


def _bad_name(subject: str, what: str, name: object) -> Finding:
    return finding("bad-text", subject, what=what, type=type(name).__name__)


def arguments(given: Any) -> Mapping[str, Any]:
    """Return a mapping as engine arguments, all of whose names are str."""
    if not hasattr(given, "items"):
        expected = "a mapping of str to values"
        wrong = [bad_type("arguments", "The mapping of arguments", given, expected)]
    else:
        names = [name for name in given if not isinstance(name, str)]
        wrong = [_bad_name("arguments", "The mapping", name) for name in names]
    if wrong:
        raise TranslationError(wrong)
    named: Mapping[str, Any] = given
    return named


def name(given: Any) -> str:
    """Return a name to look up, a str."""
    if not isinstance(given, str):
        raise TranslationError([bad_type("name", "`name`", given, "str")])
    return given


def tokens(argv: Any) -> list[str]:
    """Return a sequence of str, but no str, as the tokens of a command line."""
    is_text = isinstance(argv, (str, bytes))
    tokens = None if is_text else _listed(argv)
    if tokens is None:
        write = "shlex.split(…)" if is_text else ""
        wrong = bad_type("argv", "The command line", argv, "a list of str", write)
        raise TranslationError([wrong])
    findings = []
    for at, item in enumerate(tokens):
        if isinstance(item, str):
            continue
        before = tokens[at - 1] if at and isinstance(tokens[at - 1], str) else ""
        after = before.partition("=")[0] if before[:1] == "-" else ""
        write = f'"{item}"' if type(item) in (int, float) else ""
        facts = {"type": type(item).__name__, "after": after, "write": write}
        findings.append(finding("bad-text", f"argv[{at}]", place=at + 1, **facts))
    if findings:
        raise TranslationError(findings)
    return tokens


def choice(value: Any, code: str, subject: str) -> str:
    """Return a version or a dialect named by a caller, a str."""
    if not isinstance(value, str):
        raise TranslationError([finding(code, subject, type=type(value).__name__)])
    return value


def json_style(value: Any) -> NoReturn:
    """Refuse the JSON style that a caller requests."""
    given = (value if isinstance(value, str) else type(value).__name__) or '""'
    facts = {"flag": "json_style", "choices": "compact, dotted"}
    raise TranslationError([finding("bad-choice", "json_style", given=given, **facts)])
