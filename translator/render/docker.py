"""Variables as a file for `docker run --env-file`: NAME=value, literally. No quotes, no escapes, one line each."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.render.dotenv import is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_LINE = 65535
"""bytes: docker reads its lines into a buffer of 64 KiB."""


def render(env: Mapping[str, str]) -> tuple[str, list[Finding]]:
    """The file, and errors for what it cannot hold."""
    findings = []
    for name, text in env.items():
        why = ""
        if not name or "=" in name or any(char.isspace() for char in name) or name.startswith("#"):
            why = f"docker's file has no variable called {show(name)!r}"
        elif "\n" in text:
            why = f"{name} holds a line break, which docker's file cannot"
        elif text.endswith("\r"):
            why = f"{name} ends with a carriage return, which docker's file loses"
        elif not is_utf8(name) or not is_utf8(text):
            why = f"{show(name)} holds bytes that are not UTF-8, which docker's file cannot"
        elif len(f"{name}={text}".encode()) > LONGEST_LINE:
            why = f"{name} is longer than the {LONGEST_LINE} bytes that a line of docker's file may have"
        if why:
            findings.append(finding("cannot-be-said", name, why, f"give it as `docker run -e {name}`, or use --format k8s"))
    return "".join(f"{name}={text}\n" for name, text in env.items()), findings
