"""Variables as the `env:` list of a Kubernetes container."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.formats.yaml_text import Quoted, dump
from translator.text.quoting import is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def escape(text: str) -> str:
    """The text so that Kubernetes, which replaces `$(NAME)` and reads `$$` as `$`, makes the same
    of it.
    """
    found = []
    for at, char in enumerate(text):
        found.append("$$" if char == "$" and text[at + 1 : at + 2] in ("$", "(") else char)
    return "".join(found)


def render(env: Mapping[str, str]) -> tuple[str, list[Finding]]:
    """The YAML, and errors for what it cannot hold."""
    findings = []
    for name, text in env.items():
        if not name or not name.isascii() or not name.isprintable() or "=" in name:
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    f"Kubernetes has no variable called {show(name)!r}",
                    "use --format json",
                )
            )
        elif not is_utf8(text):
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    f"{name} holds bytes that are not UTF-8, which YAML cannot",
                    "use --format shell",
                )
            )
    if findings:
        return "", findings
    return (
        dump(
            {"env": [{"name": name, "value": Quoted(escape(text))} for name, text in env.items()]}
        ),
        findings,
    )
