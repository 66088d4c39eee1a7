r"""Records, one a line, as the compiled tables hold them: quick to read, quick to search for,
without any import.

    record = name *( TAB field )
    field  = key            ; True
           / key "=" text
           / key "#" integer
           / key ":" [ text *( "|" text ) ]    ; a list of texts

A name is any text. A key is any text without `=`, `:`, `#`, `|`, TAB, backslash and line ends. In a
text and a name, a backslash with `\`, `t`, `n`, `r` or `p` after it stands for backslash, tab,
newline, carriage return or `|`, and with `uXXXX` for one of the other characters that some readers
take for the end of a line. The list of one empty text is written as a backslash and `e`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Field: TypeAlias = "bool | int | str | list[str]"


_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"} | {
    end: f"\\u{ord(end):04x}" for end in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
}


_ESCAPED = str.maketrans(_ESCAPES)


_PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r", "p": "|", "e": ""}


_NOT_IN_KEYS = frozenset("=:#") | frozenset(_ESCAPES)


def escape(text: str) -> str:
    """The text with everything escaped that means something to the format."""
    return text.translate(_ESCAPED)


def unescape(text: str) -> str:
    """The inverse of `escape`.

    Raises:
        ValueError: a backslash that begins no escape.
    """
    first, *rest = text.split("\\")
    if not rest:
        return text
    found = [first]
    parts = iter(rest)
    for part in parts:
        if not part:  # two backslashes: one, and what follows is plain
            plain = next(parts, None)
            if plain is None:
                raise ValueError("no escape: a backslash at the end")
            found += ("\\", plain)
        elif part[0] == "u" and len(part) >= 5:
            found += (chr(int(part[1:5], 16)), part[5:])
        elif part[0] in _PLAIN:
            found += (_PLAIN[part[0]], part[1:])
        else:
            raise ValueError(f"no escape: \\{part[0]}")
    return "".join(found)


def encode(name: str, fields: "Mapping[str, Field | None]") -> str:
    """One record as a line without its end. Fields that are None or False are left out.

    Raises:
        ValueError: a key that the format cannot hold.
        TypeError: a value that the format cannot hold.
    """
    parts = [escape(name)]
    for key, value in fields.items():
        if not key or not _NOT_IN_KEYS.isdisjoint(key):
            raise ValueError(f"no key: {key!r}")
        if value is None or value is False:
            continue
        if value is True:
            parts.append(key)
        elif isinstance(value, str):
            parts.append(f"{key}={escape(value)}")
        elif isinstance(value, int):
            parts.append(f"{key}#{value}")
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            parts.append(
                key + ":" + ("\\e" if value == [""] else "|".join([escape(item) for item in value]))
            )
        else:
            raise TypeError(f"{key} of {name}: {value!r}")
    return "\t".join(parts)


def decode(line: str) -> "tuple[str, dict[str, Field]]":
    """The name and the fields of one line; absent fields are those that were None or False."""
    name, *parts = line.split("\t")
    escaped = "\\" in line
    found: dict[str, Field] = {}
    for part in parts:
        key, sign, text = part.partition("=")
        if ":" in key:
            key, _, text = part.partition(":")
            items = text.split("|") if text else []
            found[key] = [unescape(item) for item in items] if escaped else items
        elif "#" in key:
            key, _, text = part.partition("#")
            found[key] = int(text)
        elif sign:
            found[key] = unescape(text) if escaped else text
        else:
            found[key] = True
    return (unescape(name) if escaped else name), found
