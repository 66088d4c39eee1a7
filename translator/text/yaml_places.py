"""Where the characters of a YAML scalar stand in the file: without its quotes, escapes, line
breaks and indentation.
"""

from __future__ import annotations

import re

from translator.text.placed import Placed, cut, place, stamped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import yaml

    from translator.text.placed import Part

# A tag or an anchor in front of a scalar.
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_WORD = re.compile(r"\S+")
# What stands between quotes: an escape, or a part of a word.
_QUOTED = {'"': re.compile(r"\\(.)|[^\\\s]+", re.DOTALL), "'": re.compile(r"''|[^'\s]+")}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "n": "", "t": "", "r": "", " ": "", "\n": ""}


def with_places(text: str, node: yaml.ScalarNode) -> str:
    """Return the text of a scalar with its places; with that of its beginning, if it is written in
    an unusual way; without any, if it was not written in a file.
    """
    source, end = node.start_mark.buffer, node.end_mark
    if not isinstance(source, Placed) or isinstance(text, Placed) or end is None:
        return text
    start = node.start_mark.pointer
    start = _PROPERTIES.match(source, start, end.pointer).end()  # type: ignore[union-attr]
    mark = source[start] if node.style in ("'", '"') else ""
    inner, stop = start + len(mark), end.pointer - len(mark)
    if source[inner:stop] == text:
        return cut(source, inner, stop)
    if node.style in ("|", ">"):
        inner = max(source.find("\n", start, stop), start)  # its header may have a comment
    parts: list[Part] = []
    at = 0  # in the text
    for word in _QUOTED.get(mark, _WORD).finditer(source, inner, stop):
        written = word[0]
        if mark == '"' and written[0] == "\\":
            written = _ESCAPES.get(word[1], "\0")
        elif mark and written == "''":
            written = "'"
        while text[at : at + 1].isspace():
            at += 1
        if at == len(text):
            break
        if not text.startswith(written, at):
            return stamped(text, source, start + len(mark))
        if written:
            parts.append((at, place(source, word.start())))
            at += len(written)
    if text[at:].strip():
        return stamped(text, source, start + len(mark))
    return Placed(text, [(0, None), *parts] if not parts or parts[0][0] else parts)
