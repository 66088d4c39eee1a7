"""Command lines and variables as a POSIX shell reads them back, and as lists of tokens."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.text.quoting import is_name, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def line(groups: Sequence[Sequence[str]]) -> str:
    """One line for a shell."""
    return " ".join(quote(token) for group in groups for token in group) + "\n"


def multiline(groups: Sequence[Sequence[str]]) -> str:
    """A flag a line, joined by continuations."""
    return " \\\n  ".join(" ".join(quote(token) for token in group) for group in groups) + "\n"


def lines(groups: Sequence[Sequence[str]]) -> tuple[str, list[Finding]]:
    """A token a line; a token that holds a line break is an error."""
    tokens = [token for group in groups for token in group]
    findings = [
        finding(
            "cannot-be-said",
            group[0].partition("=")[0],
            "--format lines cannot hold a token with a line break in it",
            "use --format nul",
        )
        for group in groups
        for token in group
        if "\n" in token or "\r" in token
    ]
    return "".join(f"{token}\n" for token in tokens), findings


def nul(groups: Sequence[Sequence[str]]) -> str:
    """A NUL after each token, for `xargs -0` and `mapfile -d ''`."""
    return "".join(f"{token}\0" for group in groups for token in group)


def exports(env: Mapping[str, str]) -> tuple[str, list[Finding]]:
    """`export NAME=value` lines."""
    findings = [
        finding(
            "cannot-be-said",
            name,
            f"no shell has a variable called {show(name)!r}",
            "use --format json or k8s",
        )
        for name in env
        if not is_name(name)
    ]
    return "".join(f"export {name}={quote(text)}\n" for name, text in env.items()), findings
