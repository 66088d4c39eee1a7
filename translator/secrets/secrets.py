"""Decide which variables, flags and JSON keys are secret (mappings/secrets.toml), and find them."""

from __future__ import annotations

from translator.secrets.masking import (
    MASK,
    Token,
    hidden,
    may_hold_a_secret,
    placed,
    user_spans,
)
from translator.secrets.names import LONG, MOST_KEPT, Names
from translator.secrets.showing import Showing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from translator.tables.catalog import Tables


_MOST_UNKNOWN = 100  # options of a line whose names are compared with all known ones


class Secrets(Names):
    """The secrets that the tables name, wherever they stand.

    Attributes:
        showing: what may be shown.
    """

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self._open: set[str] = set()  # options, with their values, that hold no secret
        # Tokens that are not secret options and are shown as they are.
        self._plain: set[str] = set()
        # The tokens that were cleaned last: `check` asks for each of many versions.
        self._cleaned: tuple[tuple[tuple[str, ...], str], list[str]] = (((), ""), [])
        self._tables = tables
        self.showing = Showing(tables, self)

    def in_json(self, value: Any) -> list[str]:
        """Return the strings in a JSON value that are secret by their key or are URL passwords."""
        found: list[str] = []
        stack: list[tuple[Any, bool]] = [(value, False)]
        while stack:
            item, hidden = stack.pop()
            if isinstance(item, dict):
                stack.extend(
                    (inner, hidden or (isinstance(key, str) and self.named(key)))
                    for key, inner in item.items()
                )
            elif isinstance(item, (list, tuple)):
                stack.extend((inner, hidden) for inner in item)
            elif isinstance(item, str):
                if hidden and item:
                    found.append(item)
                elif not hidden:
                    found += self.in_string(item)
            elif hidden and isinstance(item, (int, float)) and not isinstance(item, bool):
                found.append(str(item))
        return found

    def in_value(self, value: Any) -> list[str]:
        """Return the secret strings in the value of a flag that is not secret as a whole."""
        if not isinstance(value, str):
            return self.in_json(value)
        return self.in_urls(value) if _JINJA in value else self.in_text(value)

    def in_string(self, text: str) -> list[str]:
        """Return the secret strings in a JSON string: in its URLs, or in JSON nested in it."""
        found = self.in_urls(text)
        if text[:1] in ("{", "[") and self.has_key(text):
            from translator.text.json_text import JsonError, dumps, loads

            try:
                inner = self.in_json(loads(text))
            except (JsonError, RecursionError):
                return found
            found += inner + [dumps(item)[1:-1] for item in inner]
        return found

    def in_urls(self, text: str) -> list[str]:
        """Return the secret parts of the URLs in a string: users with their passwords, and
        parameters with a secret name.
        """
        if "://" not in text:
            return []
        found = []
        for start, end in user_spans(text):
            user, _, password = text[start:end].partition(":")
            found.append(password or user)  # GitHub's tokens are users
        return found + [text[start:end] for start, end in self._parameter_spans(text)]

    def _parameter_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of `?api_key=…` and `&token=…`."""
        found = []
        at = 0 if self.has_key(text) else len(text)
        while at < len(text):
            if text[at] in "?&":
                sign = text.find("=", at, at + _LONGEST_NAME)
                if sign > 0 and self.named(text[at + 1 : sign]):
                    end = next(
                        (index for index in range(sign + 1, len(text)) if text[index] == "&"),
                        len(text),
                    )
                    found.append((sign + 1, end))
                    at = end
                    continue
            at += 1
        return found

    def in_text(self, text: str) -> list[str]:
        """Return the secret parts of a value as written: JSON, a Python literal, or malformed input
        that still contains a secret key.
        """
        if not may_hold_a_secret(text):
            return (
                []
                # No key and no value: true of most variables, and every call with a finding checks
                # all variables.
            )
        found = self.in_urls(text)
        if not self.has_key(text):
            return found
        from translator.text.json_text import JsonError, dumps, repair

        try:
            exact = self.in_json(repair(text)[0])
        except JsonError:
            return found + self._loose(text[:_QUOTED])
        return found + exact + [dumps(item)[1:-1] for item in exact]

    def _loose(self, text: str) -> list[str]:
        """Return everything after the first secret key of a string: as a whole, and in pieces."""
        at = self.behind_key(text)
        if at < 0:
            return []
        rest = text[at:].lstrip("\\\"'{}[],:=() ")
        return [
            rest,
            *rest.replace("'", '"').split('"'),
            *"".join(" " if sign in _SIGNS else sign for sign in rest).split(),
        ]

    def _placed(self, tokens: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield every token of a command line with its kind: `_OPTION`, `_HIDDEN` (the value of a
        secret option), or `_OTHER`.
        """
        behind = 0  # distance from a secret option without a value so far
        for token in tokens:
            if not behind and token in self._open:
                yield token, _OPTION
            elif token.startswith("-") and (
                not behind or self._is_next_option(token.partition("=")[0], behind)
            ):
                name, _, value = token.partition("=")
                behind = 1 if not value and self.flag(name) else 0
                yield token, _OPTION
            elif behind:
                behind += 1
                yield token, _HIDDEN
            else:
                # A shell took JSON without quotes apart: `{"token":` and `"…"}`.
                behind = 1 if token[-1:] in (":", "=") and self.behind_key(token) >= 0 else 0
                yield token, _OTHER

    def _is_next_option(self, name: str, behind: int) -> bool:
        """Return whether a token after `--api-key` is the next option and not a key that begins
        with a dash: the full name of a flag of any version, or, after a value of the option, any
        token that looks like an option.
        """
        if self._tables.knowing(name.partition(".")[0].replace("_", "-")):
            return True
        return (
            behind > 1
            and name[2:3].isalpha()
            and name.startswith("--")
            and name == name.lower()
            and name.isascii()
            and _IN_OPTIONS.issuperset(name)
        )

    def keys_like_options(self, tokens: Iterable[str]) -> dict[int, str]:
        """Return values of secret options that begin with a dash, which argparse reads as options:
        index → the secret option.
        """
        found: dict[int, str] = {}
        flag = ""
        for at, (token, kind) in enumerate(self._placed(tokens)):
            if kind == _OPTION:
                flag = token
            elif kind == _HIDDEN and token.startswith("-") and token != "--":
                found[at] = flag
        return found

    def clean_tokens(self, tokens: Sequence[str], file: str = "") -> list[str]:
        """Return a command line's tokens, each with the form that may be shown (`shown_text`).

        Args:
            tokens: the tokens, as they were given.
            file: the file that they come from, as messages show it.
        """
        if not file and self._plain.issuperset(tokens):
            return list(tokens)
        key = (tuple(tokens), file)
        if self._cleaned[0] == key:
            return list(self._cleaned[1])
        found: list[str] = []
        unknown = 0
        for number, (token, kind) in enumerate(self._placed(tokens), 1):
            if kind == _OPTION:
                secret = self.flag(token.partition("=")[0])
                shown = self.showing.option(token, unknown < _MOST_UNKNOWN)
                if not shown:
                    unknown += 1
                    shown = f"an option {hidden(token)[2:]}" if file else placed(number, token)
            else:
                shown = MASK if kind == _HIDDEN else self.showing.value(token)
            if file:
                shown = f"{file}: {shown}"
            found.append(token if shown == token else Token(token, shown))
            if (
                shown == token
                and len(token) < LONG
                and len(self._plain) < MOST_KEPT
                and not (kind == _OPTION and secret)
            ):
                self._plain.add(token)
        self._cleaned = key, list(found)
        return found

    def in_tokens(self, tokens: Sequence[str]) -> list[str]:
        """Return the secrets on a command line, even if it cannot be parsed."""
        found: list[str] = []
        new = [token for token in tokens if token not in self._open]
        if not any(
            token.startswith("-") for token in new
        ):  # most lines, from the second call on: no option is secret. Saves 4 µs of 95
            for token in new:
                found += self.in_text(token)
            return found
        for token, kind in self._placed(tokens):
            if kind == _HIDDEN:
                found += [token, token.strip()]
            elif kind == _OTHER:
                found += self.in_text(token)
            elif token not in self._open:
                name, sign, value = token.partition("=")
                secret = self.flag(name)
                if secret and sign:
                    found += [value, value.strip()]
                    continue
                inner = self.in_text(value)
                found += inner
                if not secret and not inner and len(token) < LONG and len(self._open) < MOST_KEPT:
                    self._open.add(token)
        return found


_OPTION, _HIDDEN, _OTHER = "option", "hidden", "other"


_IN_OPTIONS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.+")


_JINJA = "{%"  # chat templates use the word "token" a lot


_LONGEST_NAME = 100  # longest name of a URL parameter


# No message quotes a longer part of a value, and no repaired value is this long.
_QUOTED = 2000


_SIGNS = frozenset("\"'{}[],:=()")


def secrets_of(tables: Tables) -> Secrets:
    found: Secrets | None = tables.kept.get("secrets")
    if found is None:
        found = tables.kept["secrets"] = Secrets(tables)
    return found


def is_secret(name: str, tables: Tables | None = None) -> bool:
    """Return whether a name is one of a secret, by the given tables or the shipped ones."""
    from translator.tables.catalog import shipped

    return secrets_of(tables or shipped()).named(name)


def showing_of(tables: Tables | None = None) -> Showing:
    """Return what may be shown, by the given tables or the shipped ones."""
    from translator.tables.catalog import shipped

    return secrets_of(tables or shipped()).showing


def hidden_values(env: Mapping[str, str], secrets: Secrets) -> list[str]:
    """Return the values of an environment's secret variables, and the secrets inside the others."""
    found = []
    for name, value in env.items():
        if secrets.named(name):
            if value.strip():
                found += [value, value.strip()]
        elif len(value) > 3:
            found += secrets.in_text(value)
    return found
