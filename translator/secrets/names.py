"""Which variables, flags and keys hold a secret, by their names (mappings/secrets.toml)."""

from __future__ import annotations

from translator.secrets.masking import MASK, may_hold_a_secret
from translator.text.names import SecretNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.tables.catalog import Tables


LONG = 200  # longer texts are not cached


# Limits memory for a caller that generates names without end.
MOST_KEPT = 20_000


class Names:
    """The names of secrets.

    Attributes:
        carriers: secret flag → the variable from which vLLM reads the same value.
        beginnings: how secrets of well-known services begin.
        passed_on: keys of JSON that vLLM passes on without declaring them.
    """

    def __init__(self, tables: Tables) -> None:
        self.carriers: dict[str, str] = {}
        self._listed: set[str] = set()
        lists: dict[str, list[str]] = {
            name: [] for name in ("@patterns", "@public", "@beginnings", "@keys")
        }
        for name, fields in tables.records("secrets.json").items():
            if name in lists:
                lists[name] = fields.get("patterns", [])
            elif name.startswith("-"):
                self.carriers[name] = fields.get("variable", "")
            else:
                self._listed.add(name)
        self.beginnings, self.passed_on = lists["@beginnings"], lists["@keys"]
        self._names = SecretNames(lists["@patterns"], lists["@public"])
        self._key_words = tuple(
            dict.fromkeys(
                item.strip("*").strip("_").replace("_", "") for item in lists["@patterns"]
            )
        )
        self._known: dict[str, bool] = {}
        self._options: dict[str, bool] = {}

    def named(self, name: str) -> bool:
        """Return whether a variable, a key, a parameter or a header of this name holds a secret."""
        found = self._known.get(name)
        if found is None:
            found = name in self._listed or self._names.match(name)
            if len(self._known) < MOST_KEPT and len(name) < LONG:
                self._known[name] = found  # every call with a finding checks all of them
        return found

    def flag(self, name: str) -> bool:
        """Return whether an option of this name holds a secret: a known option, an abbreviation, a
        similar name, or a secret key after dots.
        """
        found = self._options.get(name)
        if found is None:
            first, *keys = name.lstrip("-").replace("_", "-").split(".")
            found = any(self.named(key.rstrip("+")) for key in (first, *keys))
            found = found or (
                bool(first)
                and name.startswith("--")
                and any(carrier.startswith(f"--{first}") for carrier in self.carriers)
            )
            if len(self._options) < MOST_KEPT:
                self._options[name] = found
        return found

    def has_key(self, text: str) -> bool:
        """Return whether a string may contain a secret key; False for nearly all others."""
        lowered = text.lower().replace("-", "").replace("_", "")
        return any(word in lowered for word in self._key_words)

    def behind_key(self, text: str) -> int:
        """Return the end of the first secret key in a string; -1 if there is none."""
        start = 0
        for at, char in enumerate(text):
            if char.isalnum() or char in "_-":
                continue
            if at > start and self.named(text[start:at]):
                return at
            start = at + 1
        return -1

    def until_key(self, text: str) -> str:
        """Return a string up to its first secret key; what follows is masked."""
        if not may_hold_a_secret(text) or not self.has_key(text):
            return text
        at = self.behind_key(text)
        return text if at < 0 else text[:at] + MASK
