"""Parts of a shell's text that end by rules of their own: brackets, `$'…'`, files of redirections,
here-documents.
"""

from __future__ import annotations

_ANSI = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "E": "\x1b",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


_HEXADECIMAL = "0123456789abcdefABCDEF"


def ansi(text: str, at: int) -> tuple[str, int]:
    """Return what `$'…'` stands for, and the index after it.

    Args:
        text: the script.
        at: the index of the first character between the quotes.
    """
    found: list[str] = []
    while at < len(text) and text[at] != "'":
        if text[at] != "\\":
            found.append(text[at])
            at += 1
            continue
        behind = text[at + 1 : at + 2]
        digits = {"x": 2, "u": 4, "U": 8}.get(behind)
        if digits is None:
            found.append(_ANSI.get(behind, "\\" + behind))
            at += 2
            continue
        end = at + 2
        while end < min(at + 2 + digits, len(text)) and text[end] in _HEXADECIMAL:
            end += 1
        number = int(text[at + 2 : end] or "0", 16)
        found.append(chr(number) if 0 < number < 0x110000 else "")
        at = end
    return "".join(found), at + 1


def closing_bracket(text: str, at: int) -> int:
    """Return the index of the round bracket that closes the one at an index; -1 if there is none.
    Brackets in quotes do not count, but those of `$(…)` in double quotes do.
    """
    inside: list[str] = []  # the brackets and the double quotes that are open
    while at < len(text):
        char = text[at]
        quoted = inside[-1:] == ['"']
        if char == "\\":
            at += 1
        elif char == '"' and quoted:
            inside.pop()
        elif char == '"' or (char == "(" and (not quoted or text[at - 1] == "$")):
            inside.append(char)
        elif char == ")" and not quoted:
            inside.pop()
            if not inside:
                return at
        elif char == "'" and not quoted:
            at = text.find("'", at + 1)
            if at < 0:
                return -1
        at += 1
    return -1


def end_of_target(text: str, at: int) -> int:
    """Return the index after the file of a redirection that begins at an index."""
    if text[at : at + 2] in (">(", "<("):
        end = closing_bracket(text, at + 1)
        at = len(text) if end < 0 else end + 1
    while at < len(text) and text[at] not in " \t\n;&|()":
        if text[at] in "'\"":
            end = text.find(text[at], at + 1)
            at = len(text) - 1 if end < 0 else end
        elif text.startswith("$(", at):
            end = closing_bracket(text, at + 1)
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
