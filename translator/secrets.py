"""What must not be seen: which variables, flags and JSON keys are secret (mappings/secrets.toml), and masking."""

from __future__ import annotations

from translator.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from translator.catalog import Tables

MASK = "***"
# A caller that makes up names without end must not fill the memory.
_KEEP = 20_000


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
        patterns: dict[str, list[str]] = {"@patterns": [], "@key_patterns": [], "@public": []}
        for name, fields in records.items():
            if name in patterns:
                patterns[name] = fields.get("patterns", [])
            elif name.startswith("-"):
                self.carriers[name] = fields.get("variable", "")
            else:
                self._variables.add(name)
        self._patterns = patterns["@patterns"]
        self._key_patterns = patterns["@key_patterns"]
        self._key_words = [pattern.strip("*") for pattern in self._key_patterns]
        self._public = patterns["@public"]  # names that fit a pattern, and hold no secret
        self._known: dict[str, bool] = {}
        self._options: dict[str, bool] = {}

    def variable(self, name: str) -> bool:
        """Whether a variable of this name holds a secret."""
        found = self._known.get(name)
        if found is None:
            fits = any(_matches(name, pattern) for pattern in self._patterns) and not any(_matches(name, pattern) for pattern in self._public)
            found = name in self._variables or fits
            if len(self._known) < _KEEP:
                self._known[name] = found  # 6 µs a name, and every call that has a finding asks about all of them
        return found

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
                stack.extend((inner, hidden or (isinstance(key, str) and self.key(key))) for key, inner in item.items())
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

    def in_text(self, text: str) -> list[str]:
        """The secret texts inside a value as it was written: JSON, a Python literal, or something broken that holds a secret's key all the same."""
        if ":" not in text and "=" not in text and '"' not in text and "'" not in text:
            return []  # no key and no value: most variables, and every call that has a finding comes here with all of them
        found = url_passwords(text) if "://" in text else []
        lowered = text.lower().replace("-", "_")
        if not any(word in lowered for word in self._key_words):
            return found
        from translator.jsontext import JsonError, dumps
        from translator.values import repair

        try:
            exact = self.in_json(repair(text)[0])
        except JsonError:
            return found + self._loose(text[:_QUOTED])
        return found + exact + [dumps(item)[1:-1] for item in exact]

    def _loose(self, text: str) -> list[str]:
        """Whatever stands behind the first secret key of a text: as a whole, and in its pieces."""
        start = 0
        for at, char in enumerate(text):
            if char.isalnum() or char in "_-":
                continue
            if at > start and self.key(text[start:at]):
                rest = text[at:].lstrip("\\\"'{}[],:=() ")
                return [rest, *rest.replace("'", '"').split('"'), *"".join(" " if sign in _SIGNS else sign for sign in rest).split()]
            start = at + 1
        return []

    def flag(self, name: str) -> bool:
        """Whether an option of this name holds a secret: one of ours, abbreviated as it may be, one that looks like it, or a secret key behind dots."""
        found = self._options.get(name)
        if found is None:
            first, *keys = name.lstrip("-").replace("_", "-").split(".")
            found = any(self.key(key.rstrip("+")) for key in (first, *keys))
            found = found or (bool(first) and name.startswith("--") and any(carrier.startswith(f"--{first}") for carrier in self.carriers))
            if len(self._options) < _KEEP:
                self._options[name] = found
        return found

    def in_tokens(self, tokens: Iterable[str]) -> list[str]:
        """The secret texts on a command line, also on one that nobody can read."""
        found: list[str] = []
        follows = False
        for token in tokens:
            name, sign, value = token.partition("=")
            if token.startswith("--") or (token.startswith("-") and not follows):
                secret = self.flag(name)
                follows = secret and not sign
                if secret and sign:
                    found += [value, value.strip()]
                else:
                    found += self.in_text(value)
            elif follows:
                found += [token, token.strip()]
            else:
                found += self.in_text(token)
        return found


# No message quotes more of a value than this, and no repaired value gets there.
_QUOTED = 2000
_SIGNS = frozenset("\"'{}[],:=()")


def secrets_of(tables: Tables) -> Secrets:
    found: Secrets | None = tables.kept.get("secrets")
    if found is None:
        found = tables.kept["secrets"] = Secrets(tables)
    return found


def url_passwords(text: str) -> list[str]:
    """The passwords in `scheme://user:password@host` inside a text."""
    found = []
    for authority in text.split("://")[1:]:
        for end in "/?# \t\n\"'":
            authority = authority.partition(end)[0]
        login, at, _ = authority.rpartition("@")
        if at and ":" in login:
            password = login.partition(":")[2]
            if password:
                found.append(password)
    return found


def masked(findings: list[Finding], hidden: Iterable[str]) -> list[Finding]:
    """The findings with every hidden value replaced."""
    said = "\0".join([part for item in findings for part in item[2:]])
    hidden = [item for item in hidden if item[:_BEGINNING] in said]  # thousands of them may be hidden, and few are ever said
    if not hidden:
        return findings
    return [Finding(item[0], item[1], mask(item[2], hidden), mask(item[3], hidden), mask(item[4], hidden)) for item in findings]


def mask(text: str, hidden: Iterable[str]) -> str:
    """The text with every hidden value replaced; the longest first, so that no rest of one remains. What messages have cut short is found by its beginning."""
    for item in sorted({item for item in hidden if item}, key=len, reverse=True):
        if item in text:
            text = text.replace(item, MASK)
        start = item[:_BEGINNING]
        at = text.find(start) if len(item) > _BEGINNING else -1
        while at >= 0:
            end = at + len(start)
            while end < len(text) and end - at < len(item) and text[end] == item[end - at]:
                end += 1
            text = text[:at] + MASK + text[end:]
            at = text.find(start, at + len(MASK))
    return text


_BEGINNING = 12


def hidden_values(env: Mapping[str, str], secrets: Secrets) -> list[str]:
    """The values of the secret variables of an environment, and what is secret inside the others."""
    found = []
    for name, value in env.items():
        if secrets.variable(name):
            if value.strip():
                found += [value, value.strip()]
        elif len(value) > 3:
            found += secrets.in_text(value)
    return found
