"""Files in the syntax of Java's properties, as variables of the dialect whose consumer reads such a
file.

Which dialect has one, and which key says what which variable says, is in its table
(`[properties]`). The syntax is that of java.util.Properties.load:
https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Properties.html#load(java.io.Reader)
"""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.formats.docker_env import EnvFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.tables.catalog import Tables


_BLANK = " \t\f"


_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


_ESCAPES = {text: f"\\{char}" for char, text in _ESCAPED.items()} | {"\\": "\\\\"}


_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Own:
    """A dialect's file.

    Attributes:
        file: its name.
        names: key → variable, of the keys that say it by name.
        prefixes: of all others: how a key begins → how the variable begins, the longest key first.
    """

    __slots__ = ("dialect", "file", "names", "prefixes")

    def __init__(self, fields: Mapping[str, Any], dialect: str) -> None:
        from translator.text.json_text import loads

        self.file: str = fields["file"]
        self.dialect = dialect
        self.names: dict[str, str] = loads(fields["names"])
        keys: dict[str, str] = loads(fields["keys"])
        self.prefixes = sorted(keys.items(), key=lambda item: -len(item[0]))

    def variable(self, key: str) -> str | None:
        """The variable that says what a key says; None when there is none."""
        if key in self.names:
            return self.names[key]
        for begin, prefix in self.prefixes:
            rest = key[len(begin) :]
            if (
                key.startswith(begin)
                and rest
                and rest == rest.lower()
                and _CAPITALS.issuperset(rest.upper())
            ):
                return prefix + rest.upper()
        return None

    def key(self, name: str) -> str | None:
        """The inverse of `variable`."""
        for key, variable in self.names.items():
            if variable == name:
                return key
        for begin, prefix in self.prefixes:
            if (
                name.startswith(prefix)
                and self.variable(begin + name[len(prefix) :].lower()) == name
            ):
                return begin + name[len(prefix) :].lower()
        return None


def own_of(dialect: str, tables: Tables) -> Own | None:
    """The file of a dialect, or of the one that it extends."""
    from translator.dialects.scope import records_of

    fields = records_of(dialect.partition(":")[0], tables).get("@properties")
    return Own(fields, dialect) if fields else None


def read(content: bytes, path: str, own: Own) -> EnvFile:
    """A file as the variables that say the same.

    Args:
        content: its bytes, which Java takes for ISO-8859-1.
        path: for messages.
        own: the dialect's keys.
    """
    done = EnvFile()
    if not content.isascii() and _is_utf8(content):
        message = (
            f"{show(path)}: Java reads it as ISO-8859-1, so what is not ASCII in it, and was"
            " written as UTF-8, becomes something else"
        )
        done.findings.append(
            finding("consumer-differs", path, message, "write such characters as \\uXXXX")
        )
    for at, line in _lines(content.decode("iso-8859-1")):
        try:
            key, value = _entry(line)
        except ValueError:
            message = (
                f"{show(path)}, line {at}: a \\u without four hexadecimal digits, or half of a pair"
            )
            done.findings.append(finding("bad-env-file", f"{path}:{at}", message, "write \\uXXXX"))
            continue
        name = own.variable(key)
        if name is None:
            message = (
                f"{show(path)}, line {at}: {show(key)} is no key of {own.file}: the program that"
                f" reads the dialect {own.dialect} does nothing with it"
            )
            done.findings.append(
                finding("unknown-variable", show(key), message, "keys are written in small letters")
            )
            continue
        done.env[name] = value
        done.lines[name] = at
    return done


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The logical lines, with the number of their first: comments and blank lines left out,
    continued ones joined.
    """
    begun = 0
    parts: list[str] = []
    for at, natural in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        line = natural.lstrip(_BLANK)
        if not parts:
            if not line or line[0] in "#!":
                continue
            begun = at
        slashes = len(line) - len(line.rstrip("\\"))
        if slashes % 2:
            parts.append(line[:-1])
        else:
            yield begun, "".join((*parts, line))
            parts = []
    if parts:
        yield begun, "".join(parts)


def _entry(line: str) -> tuple[str, str]:
    """Key and value: the key ends at the first `=`, `:` or blank that is not escaped; blanks around
    the sign belong to neither.

    Raises:
        ValueError: an escape is malformed.
    """
    at = 0
    while at < len(line) and line[at] not in _BLANK + "=:":
        at += 2 if line[at] == "\\" else 1
    rest = line[at:].lstrip(_BLANK)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANK)
    return _unescaped(line[:at]), _unescaped(rest)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    found: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\":
            found.append(char)
        elif text[at : at + 1] == "u":
            digits = text[at + 1 : at + 5]
            if len(digits) != 4 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
                raise ValueError(text)
            found.append(chr(int(digits, 16)))
            at += 5
        else:
            found.append(_ESCAPED.get(text[at : at + 1], text[at : at + 1]))
            at += 1
    return (
        "".join(found).encode("utf-16", "surrogatepass").decode("utf-16")
    )  # pairs of \u become one character


def render(env: Mapping[str, str], own: Own) -> tuple[str, list[Finding]]:
    """The file that says what variables say, and what it cannot hold: what has no key stays a
    variable of the container.
    """
    lines, findings = [], []
    for name, text in env.items():
        key = own.key(name)
        if key is None:
            message = (
                f"{name} is not in {own.file}, which has no key for it: it stays a variable of the"
                " container"
            )
            findings.append(finding("not-in-file", name, message, f"set {name} beside the file"))
        elif any("\ud800" <= char <= "\udfff" for char in text):
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    f"{name} holds bytes that are not UTF-8, which {own.file} cannot",
                )
            )
        else:
            lines.append(f"{key}={_escaped(text)}\n")
    return "".join(lines), findings


def _escaped(text: str) -> str:
    shown = "".join(
        _ESCAPES.get(char) or (char if " " <= char <= "~" else _units(char)) for char in text
    )
    return "\\" + shown if shown.startswith(" ") else shown


def _units(char: str) -> str:
    """A character as Java's escapes: two of them beyond the basic plane."""
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2))
