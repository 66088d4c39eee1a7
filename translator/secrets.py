"""What must not be seen: which variables, flags and JSON keys are secret (mappings/secrets.toml), and masking."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from translator.catalog import Tables

MASK = "***"


def _matches(text: str, pattern: str) -> bool:
    """A pattern with `*` at its ends only; fnmatch would import re."""
    core = pattern.strip("*")
    if pattern.startswith("*") and pattern.endswith("*"):
        return core in text
    if pattern.startswith("*"):
        return text.endswith(core)
    return text.startswith(core) if pattern.endswith("*") else text == core


class Secrets:
    """The secrets that the tables name.

    Attributes:
        carriers: secret flag → the variable that vLLM reads the same from.
    """

    def __init__(self, tables: Tables) -> None:
        records = tables.records("secrets.txt")
        self.carriers: dict[str, str] = {}
        self._variables: set[str] = set()
        patterns: dict[str, list[str]] = {"@patterns": [], "@key_patterns": []}
        for name, fields in records.items():
            if name in patterns:
                patterns[name] = fields.get("patterns", [])
            elif name.startswith("-"):
                self.carriers[name] = fields.get("variable", "")
            else:
                self._variables.add(name)
        self._patterns = patterns["@patterns"]
        self._key_patterns = patterns["@key_patterns"]

    def variable(self, name: str) -> bool:
        """Whether a variable of this name holds a secret."""
        return name in self._variables or any(_matches(name, pattern) for pattern in self._patterns)

    def key(self, name: str) -> bool:
        """Whether a key of this name inside a JSON value holds a secret."""
        lowered = name.lower().replace("-", "_")
        return any(_matches(lowered, pattern) for pattern in self._key_patterns)

    def in_json(self, value: Any) -> list[str]:
        """The texts inside a JSON value that are secret by their key, or are the password of a URL."""
        found: list[str] = []
        stack: list[tuple[Any, bool]] = [(value, False)]
        while stack:
            item, hidden = stack.pop()
            if isinstance(item, dict):
                stack.extend((inner, hidden or isinstance(key, str) and self.key(key)) for key, inner in item.items())
            elif isinstance(item, (list, tuple)):
                stack.extend((inner, hidden) for inner in item)
            elif isinstance(item, str):
                if hidden and item:
                    found.append(item)
                else:
                    found += url_passwords(item)
            elif hidden and isinstance(item, (int, float)) and not isinstance(item, bool):
                found.append(str(item))
        return found


def secrets_of(tables: Tables) -> Secrets:
    found = tables.kept.get("secrets")
    if found is None:
        found = tables.kept["secrets"] = Secrets(tables)
    return found  # type: ignore[no-any-return]


def url_passwords(text: str) -> list[str]:
    """The passwords in `scheme://user:password@host` inside a text."""
    found = []
    _, sign, rest = text.partition("://")
    while sign:
        authority = rest
        for end in "/?# \t\n\"'":
            authority = authority.partition(end)[0]
        login, at, _ = authority.rpartition("@")
        if at and ":" in login:
            password = login.partition(":")[2]
            if password:
                found.append(password)
        _, sign, rest = rest.partition("://")
    return found


def mask(text: str, hidden: Iterable[str]) -> str:
    """The text with every hidden value replaced; the longest first, so that no rest of one remains."""
    for item in sorted({item for item in hidden if item}, key=len, reverse=True):
        if item in text:
            text = text.replace(item, MASK)
    return text


def hidden_values(env: Mapping[str, str], secrets: Secrets) -> list[str]:
    """The values of the secret variables of an environment, and the passwords of URLs in it."""
    found = []
    for name, value in env.items():
        if secrets.variable(name):
            if value.strip():
                found += [value, value.strip()]
        elif "://" in value:
            found += url_passwords(value)
    return found
