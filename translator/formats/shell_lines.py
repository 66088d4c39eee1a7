"""Command lines and variables in POSIX shell syntax, and as lists of tokens."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.text.quoting import is_name, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from translator.formats.registry import CommandLine, Environment, Written


def write_line(line: CommandLine) -> Written:
    """Write one shell line, beginning with the variables that were set with the command."""
    text = " ".join([*_in_front(line), *(quote(token) for token in line.argv)])
    return f"{text}\n", _not_names(line.env) if line.env_in_front else []


def write_multiline(line: CommandLine) -> Written:
    """Write one flag per line, joined by continuations."""
    groups = [_in_front(line), *([quote(token) for token in group] for group in line.groups)]
    text = " \\\n  ".join(" ".join(group) for group in groups if group)
    return f"{text}\n", _not_names(line.env) if line.env_in_front else []


def _in_front(line: CommandLine) -> list[str]:
    if not line.env_in_front:
        return []
    return [f"{name}={quote(value)}" for name, value in line.env.items()]


def write_lines(line: CommandLine) -> Written:
    """Write one token per line; a token with a line break is an error."""
    findings = [
        finding(
            "cannot-be-said",
            name,
            case="line-break",
            name=name,
            format="lines",
            use="nul",
        )
        for group in line.groups
        for name in [show(group[0].partition("=")[0])]
        for token in group
        if "\n" in token or "\r" in token
    ]
    return "".join(f"{token}\n" for token in line.argv), findings + line.left_out("lines")


def write_nul(line: CommandLine) -> Written:
    """Write a NUL after each token, for `xargs -0` and `mapfile -d ''`."""
    return "".join(f"{token}\0" for token in line.argv), line.left_out("nul")


def write_env(environment: Environment) -> Written:
    """Write `export NAME=value` lines."""
    env = environment.env
    return "".join(f"export {name}={quote(text)}\n" for name, text in env.items()), _not_names(env)


def _not_names(names: Iterable[str]) -> list[Finding]:
    return [
        finding("cannot-be-said", name, case="name", name=show(name), format="shell", use="json")
        for name in names
        if not is_name(name)
    ]
