"""Lines of commands: their ends, the signs that make them go on, and the prompts in front of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from translator.text.placed import cut, joined, replaced, stripped

_BREAK = re.compile(r"\r\n?")
_PROMPT = re.compile(r"^[ \t]*\$ ", re.MULTILINE)
# Behind these signs, a line of a command for Windows goes on: in PowerShell and in cmd.
_GOES_ON = re.compile(r"[`^](?=[ \t]*\r?\n)")
# Lines of a command that end with such a sign. In a POSIX shell, "`" begins or ends a command
# inside of another, which no program's name stands in front of in this way.
_COMMAND = re.compile(
    r"(?m)^[ \t>]*(?:PS[^>\n]*>[ \t]*)?(?:docker|podman|nerdctl|vllm|py|python3?)\b"
    r"(?:[^\n`^]*[ \t](?P<sign>[`^])[ \t]*\r?\n)(?:[^\n`^]*[ \t](?P=sign)[ \t]*\r?\n)*"
)


def continued(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, of which those that end with a backslash are one with the next."""
    parts: list[str] = []
    for line in lines:
        parts.append(stripped(line, None, "") if parts else line)
        if line.endswith("\\"):
            parts[-1] = cut(parts[-1], 0, -1)
        else:
            yield joined(parts, " ")
            parts = []
    if parts:
        yield joined(parts, " ")


def with_posix_lines(text: str) -> str:
    """Return a text whose commands for Windows go on behind a backslash, as in a POSIX shell."""
    if not _GOES_ON.search(text):
        return text
    return replaced(text, _COMMAND, lambda lines: replaced(lines, _GOES_ON, lambda _: "\\"))


def unix_lines(text: str) -> str:
    """Return the text with the line breaks of Unix."""
    return replaced(text, _BREAK, lambda _: "\n")


def unprompted(text: str) -> str:
    """Return the text without the `$ ` prompts that documentation puts before commands."""
    return replaced(text, _PROMPT, lambda _: "")
