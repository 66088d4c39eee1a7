"""Lines of commands: their ends, the signs that make them go on, and the prompts in front of
them.
"""

from __future__ import annotations

from translator.text.placed import cut, joined, split, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Behind these, a line of a command for Windows goes on: in PowerShell and in cmd.
_SIGNS = ("`", "^")
# Lines of a command that end with such a sign. In a POSIX shell, "`" begins or ends a command
# inside of another, which no program's name stands in front of in this way.
_COMMAND = (
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


def unix_lines(text: str) -> str:
    """Return the text with the line breaks of Unix."""
    for mark in ("\r\n", "\r"):
        if mark in text:
            text = joined(split(text, mark), "\n")
    return text


def unprompted(text: str) -> str:
    """Return the text without the `$ ` prompts that documentation puts before commands."""
    lines = text.split("\n")
    if not any(line.lstrip().startswith("$ ") for line in lines):
        return text
    return joined(
        [
            cut(line, len(line) - len(line.lstrip()) + 2)
            if line.lstrip().startswith("$ ")
            else line
            for line in split(text, "\n")
        ],
        "\n",
    )
