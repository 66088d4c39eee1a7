"""Commands as they are written for Windows: a line goes on behind "`" (PowerShell) or "^" (cmd)."""

from __future__ import annotations

from translator.text.placed import cut, joined

_SIGNS = ("`", "^")
# Lines of a command that end with such a sign. In a POSIX shell, "`" begins or ends a command
# inside of another, which no program's name stands in front of in this way.
_COMMAND = (
    r"(?m)^[ \t>]*(?:PS[^>\n]*>[ \t]*)?(?:docker|podman|nerdctl|vllm|py|python3?)\b"
    r"(?:[^\n`^]*[ \t](?P<sign>[`^])[ \t]*\r?\n)(?:[^\n`^]*[ \t](?P=sign)[ \t]*\r?\n)*"
)


def with_posix_lines(text: str) -> str:
    """Return a text whose commands for Windows go on behind a backslash, as in a POSIX shell."""
    if not any(f"{sign}{end}" in text for sign in _SIGNS for end in ("\n", "\r\n", " ")):
        return text
    import re

    ends = re.compile(r"[`^](?=[ \t]*\r?\n)")
    parts = []
    at = 0
    for command in re.finditer(_COMMAND, text):
        for sign in ends.finditer(text, *command.span()):
            parts += [cut(text, at, sign.start()), "\\"]
            at = sign.end()
    return joined([*parts, cut(text, at)]) if parts else text
