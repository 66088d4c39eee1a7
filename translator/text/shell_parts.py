"""Parts of a shell's text that end by rules of their own: brackets, `$'…'`, files of redirections,
here-documents.
"""

from __future__ import annotations

_ANSI = dict(zip("ntrabfveE", "\n\t\r\a\b\f\v\x1b\x1b")) | {mark: mark for mark in "\\'\"?"}
_ESCAPE = r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(.))"


def ansi(text: str, at: int) -> tuple[str, int]:
    """Return what `$'…'` stands for, and the index after it.

    Args:
        text: the script.
        at: the index of the first character between the quotes.
    """
    import re  # most commands have no such text

    def meant(match: re.Match[str]) -> str:
        if match[4]:
            return _ANSI.get(match[4], match[0])
        number = int(match[1] or match[2] or match[3], 16)
        return chr(number) if 0 < number < 0x110000 else ""

    end = at
    while end < len(text) and text[end] != "'":
        end += 2 if text[end] == "\\" else 1
    return re.sub(_ESCAPE, meant, text[at:end], flags=re.DOTALL), end + 1


def closing(text: str, at: int, quotes: str = "\\'\"", brackets: str = "()") -> int:
    """Return the index of the bracket that closes the one at an index; -1 if there is none.
    Brackets in quotes do not count, but those of `$(…)` in double quotes do.

    Args:
        text: the text.
        at: the index of the bracket.
        quotes: which of the backslash and the two quotes keep a bracket from closing.
        brackets: the two brackets; curly ones count only behind a dollar sign.
    """
    opening, end = brackets[0], brackets[1]
    inside: list[str] = []  # the brackets and the double quotes that are open
    while at < len(text):
        char = text[at]
        quoted = inside[-1:] == ['"']
        bare = opening == "(" and not quoted
        if char in quotes and char == "\\":
            at += 1
        elif char == '"' and quoted:
            inside.pop()
        elif (char == '"' and char in quotes) or (
            char == opening and (bare or text[at - 1 : at] == "$")
        ):
            inside.append(char)
        elif char == end and not quoted:
            inside.pop()
            if not inside:
                return at
        elif char == "'" and char in quotes and not quoted:
            at = text.find("'", at + 1)
            if at < 0:
                return -1
        at += 1
    return -1


def end_of_target(text: str, at: int) -> int:
    """Return the index after the file of a redirection that begins at an index."""
    if text[at : at + 2] in (">(", "<("):
        end = closing(text, at + 1)
        at = len(text) if end < 0 else end + 1
    while at < len(text) and text[at] not in " \t\n;&|()":
        if text[at] in "'\"":
            end = text.find(text[at], at + 1)
            at = len(text) - 1 if end < 0 else end
        elif text.startswith("$(", at):
            end = closing(text, at + 1)
            at = len(text) - 1 if end < 0 else end
        at += 1
    return at


def end_of_here(text: str, at: int, mark: str) -> int:
    """Return the index of the line that ends a here-document."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].strip("\t ") == mark:
            return at
        at = end + 1
    return len(text)
