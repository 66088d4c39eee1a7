"""A dialect's own file in Java properties syntax: read as variables, and written.

A dialect's mapping (`[properties]`) defines whether it has such a file, and which key stands for
which variable. The syntax is that of java.util.Properties.load:
https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Properties.html#load(java.io.Reader)
"""

from __future__ import annotations

from translator.findings import finding
from translator.formats.registry import EnvFile, FormatError
from translator.secrets.masking import hidden
from translator.secrets.secrets import showing_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.formats.registry import Environment, EnvSource, Written
    from translator.tables.catalog import Tables


_BLANK = " \t\f"


_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


_ESCAPES = {text: f"\\{char}" for char, text in _ESCAPED.items()} | {"\\": "\\\\"}


_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Keys:
    """The keys of a dialect's file.

    Attributes:
        file: its name.
        names: key → variable, for the listed keys.
        prefixes: for all other keys: prefix of the key → prefix of the variable, longest key first.
    """

    __slots__ = ("file", "names", "prefixes")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.file: str = fields["file"]
        self.names: dict[str, str] = fields.get("names", {})
        keys: dict[str, str] = fields["keys"]
        self.prefixes = sorted(keys.items(), key=lambda item: -len(item[0]))

    def variable(self, key: str) -> str | None:
        """Return the variable for a key; None if there is none."""
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
        """Return the key for a variable; None if there is none."""
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


def keys_of(dialect: str, tables: Tables | None) -> Keys | None:
    """Return the keys of a dialect's file, its own or inherited; None if it has no such file."""
    from translator.naming.dialect import find_dialect
    from translator.tables.catalog import shipped

    found = find_dialect(dialect, tables or shipped())
    return Keys(found.properties) if found is not None and found.properties else None


def _needed(dialect: str, tables: Tables | None) -> Keys:
    keys = keys_of(dialect, tables)
    if keys is None:
        raise FormatError(f"the dialect {dialect} has no file of properties")
    return keys


def read_env(source: EnvSource) -> EnvFile:
    """Read a file as the variables that its keys stand for.

    Raises:
        FormatError: the dialect has no such file.
    """
    return read_keys(source, _needed(source.dialect, source.tables))


def read_keys(source: EnvSource, keys: Keys) -> EnvFile:
    """Read a file with the given keys."""
    content, path = source.content, source.file
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    done = EnvFile(path, wins=True)
    if not content.isascii() and _is_utf8(content):
        done.findings.append(finding("consumer-differs", path, case="iso-8859-1", file=path))
    for at, line in _lines(content.decode("iso-8859-1")):
        try:
            key, value = _entry(line)
        except ValueError:
            done.findings.append(
                finding("bad-env-file", f"{path}:{at}", case="escape", file=path, line=at)
            )
            continue
        name = keys.variable(key)
        if name is None:
            # A line of a value that lost its backslash is read as a key.
            known = any(
                key.startswith(begin) for begin, _ in keys.prefixes
            ) and source.showing.name(key.replace(".", "_"))
            done.findings.append(
                finding(
                    "unknown-variable",
                    key if known else "a key",
                    case="key",
                    file=path,
                    line=at,
                    key=key if known else hidden(key),
                    known=keys.file,
                )
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
    """Yield the logical lines with the number of their first line: comments and blank lines are
    skipped, continued lines joined.
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
    """Return key and value: the key ends at the first unescaped `=`, `:` or blank; blanks around
    the separator belong to neither.

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
    # A surrogate pair of \u escapes becomes one character.
    return "".join(found).encode("utf-16", "surrogatepass").decode("utf-16")


def write_env(environment: Environment) -> Written:
    """Write the dialect's file. Variables without a key stay variables of the container.

    Raises:
        FormatError: the dialect has no such file.
    """
    return write_keys(environment.env, _needed(environment.dialect, environment.tables))


def write_keys(env: Mapping[str, str], keys: Keys) -> Written:
    """Write a file with the given keys."""
    lines, findings = [], []
    for name, text in env.items():
        key = keys.key(name)
        if key is None:
            shown = showing_of().variable(name)
            findings.append(finding("not-in-file", shown, name=shown, file=keys.file))
        elif any("\ud800" <= char <= "\udfff" for char in text):
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    case="bytes",
                    name=name,
                    format="properties",
                    use="shell",
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
    """Return a character as Java escapes: two beyond the basic plane."""
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2))
