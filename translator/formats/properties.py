"""A dialect's own file in Java properties syntax: read as variables, and written.

A dialect's mapping (`[properties]`) defines whether it has such a file, and which key stands for
which variable. The syntax is that of java.util.Properties.load:
https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Properties.html#load(java.io.Reader)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from translator.core.findings import UsageError, finding
from translator.core.tables.catalog import Tables, shipped
from translator.core.tables.dialects import find_dialect
from translator.core.text.words import is_utf8
from translator.formats.classes import field, frozen
from translator.formats.forms import NOT_UTF8, Environment, Given, Written, cannot_be_said

# A key ends at the first `=`, `:` or blank; the blanks around that belong to neither.
_ENTRY = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|\Z)", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPES = {text: f"\\{char}" for char, text in _ESCAPED.items()} | {"\\": "\\\\"}
_NAME = re.compile(r"[a-z0-9_]+")


@frozen
class Keys:
    """Keys of a file: its name; prefix of a key → prefix of its variable; listed key → variable."""

    file: str
    keys: Mapping[str, str]
    names: Mapping[str, str] = field(factory=dict)

    def variable(self, key: str) -> str | None:
        """Return the variable for a key; None if there is none."""
        if key in self.names:
            return self.names[key]
        for begin, prefix in sorted(self.keys.items(), key=lambda item: -len(item[0])):
            if key.startswith(begin) and _NAME.fullmatch(key, len(begin)):
                return prefix + key[len(begin) :].upper()
        return None

    def key(self, name: str) -> str | None:
        """Return the key for a variable; None if there is none."""
        listed = [key for key, variable in self.names.items() if variable == name]
        derived = [
            begin + name[len(prefix) :].lower()
            for begin, prefix in self.keys.items()
            if name.startswith(prefix)
        ]
        return next((key for key in (*listed, *derived) if self.variable(key) == name), None)


def keys_of(dialect: str, tables: Tables | None) -> Keys:
    """Return the keys of a dialect's file, its own or inherited.

    Raises:
        UsageError: it has no such file.
    """
    table = find_dialect(dialect, tables or shipped())
    fields = table.properties if table is not None else {}
    if not fields:
        raise UsageError(f"the dialect {dialect} has no properties file")
    return Keys(fields["file"], fields["keys"], fields.get("names", {}))


def dialect_of(path: str, tables: Tables) -> str:
    """Return the dialect whose file is named so; "" for none."""
    known = ((name, find_dialect(name, tables)) for name in tables.dialects())
    file = os.path.basename(path)
    return next((name for name, own in known if own and own.properties.get("file") == file), "")


def read(content: bytes, path: str, keys: Keys) -> Given:
    """Read a file as the variables that its keys stand for."""
    given = Given()
    given.key_of = keys.key
    if not content.isascii() and is_utf8(content.decode("utf-8", "surrogateescape")):
        given.findings.append(finding("platform-differs", path, case="iso-8859-1", file=path))
    for at, line in _lines(content.decode("iso-8859-1")):
        try:
            key, value = _entry(line)
        except ValueError:
            given.report("bad-env-file", f"{path}:{at}", path, at, case="escape")
            continue
        name = keys.variable(key)
        if name is None:
            facts = {"case": "key", "key": key, "known": keys.file}
            given.report("unknown-variable", key, path, at, **facts)
        else:
            given.env[name] = value
            given.places[name] = path, at
    return given


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the logical lines, continued ones joined, and the number of the first line of each."""
    begun, joined = 0, ""
    for at, natural in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = natural.lstrip(" \t\f")
        if not begun and (not line or line[0] in "#!"):
            continue
        begun = begun or at
        if (len(line) - len(line.rstrip("\\"))) % 2:
            joined += line[:-1]
            continue
        yield begun, joined + line
        begun, joined = 0, ""
    if begun:
        yield begun, joined


def _entry(line: str) -> tuple[str, str]:
    """Return key and value, or raise a ValueError if an escape is malformed."""
    match = _ENTRY.fullmatch(line)
    assert match is not None
    return _unescaped(match[1]), _unescaped(match[2])


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1] == "u":
            raise ValueError(text)
        return chr(int(match[1][1:], 16)) if match[1][1:] else _ESCAPED.get(match[1], match[1])

    # A surrogate pair of \\u escapes becomes one character.
    return _ESCAPE.sub(character, text).encode("utf-16", "surrogatepass").decode("utf-16")


def write_env(environment: Environment) -> Written:
    """Write the dialect's file. Variables without a key stay variables of the container.

    Raises:
        UsageError: the dialect has no such file.
    """
    return write(environment.env, keys_of(environment.dialect, environment.tables))


def write(env: Mapping[str, str], keys: Keys) -> Written:
    """Write a file with the given keys."""
    lines, findings = [], []
    for name, text in env.items():
        key = keys.key(name)
        if key is None:
            findings.append(finding("not-in-file", name, name=name, file=keys.file))
        elif not is_utf8(text):
            findings.append(cannot_be_said("properties", name, NOT_UTF8))
        else:
            blank = "\\" if text.startswith(" ") else ""
            lines.append(f"{key}={blank}{''.join(map(_escaped, text))}\n")
    return "".join(lines), findings


def _escaped(char: str) -> str:
    if char in _ESCAPES or " " <= char <= "~":
        return _ESCAPES.get(char, char)
    units = char.encode("utf-16-be").hex().upper()  # two beyond the basic plane
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
