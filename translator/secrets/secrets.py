"""What is masked in messages (mappings/secrets.toml); everything else is quoted as it is.

Secret is what has a secret name, what has the shape of a secret, and what equals one of the same
input. Findings, logs and errors pass through `Secrets.finished` or `Secrets.mask` where they leave.
"""

from __future__ import annotations

from translator.secrets.masking import LEAST, MASK, NO_SECRET, Masking, equal_spans, masked
from translator.text.names import SecretNames, distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from translator.findings import Finding
    from translator.tables.catalog import Tables

    # The first characters of secrets → the secrets that begin so, the longest first.
    Known = Mapping[str, list[str]]

_MOST_KEPT = 20_000  # names that are remembered
_LONGEST = 100  # of a name
_SHORTEST = len("--api")  # of an abbreviation that may be that of a secret flag


class Secrets:
    """What is secret, by the tables.

    Attributes:
        carriers: secret flag → the variable from which vLLM reads the same value.
    """

    def __init__(self, tables: Tables) -> None:
        self.carriers: dict[str, str] = {}
        self._listed: set[str] = set()
        lists: dict[str, list[str]] = {"@patterns": [], "@public": [], "@beginnings": []}
        for name, fields in tables.records("secrets.json").items():
            if name in lists:
                lists[name] = fields.get("patterns", [])
            elif name.startswith("-"):
                self.carriers[name] = fields.get("variable", "")
            elif not name.startswith("@"):
                self._listed.add(name)
        self._tables = tables
        self._names = SecretNames(lists["@patterns"], lists["@public"])
        self._masking = Masking(lists["@beginnings"], self._is_secret, self._is_known)
        self._remembered: dict[str, bool] = {}

    def named(self, name: str) -> bool:
        """Return whether a variable, a key, a parameter or a header of this name holds a secret."""
        if len(name) > _LONGEST:
            return False
        found = self._remembered.get(name)
        if found is None:
            found = name in self._listed or self._names.match(name)
            if len(self._remembered) < _MOST_KEPT:
                self._remembered[name] = found
        return found

    def flag(self, name: str) -> bool:
        """Return whether an option of this name holds a secret: a flag, an abbreviation or a
        misspelling of one, or a secret key behind a dot.
        """
        first, *keys = name.replace("_", "-").split(".")
        if any(self.named(key.rstrip("+")) for key in (first.lstrip("-"), *keys)):
            return True
        if len(first) < _SHORTEST or not first.startswith("--") or self._tables.knowing(first):
            return False
        return any(
            flag.startswith(first)
            or (abs(len(first) - len(flag)) <= 1 and distance(first, flag) <= 1)
            for flag in self.carriers
        )

    def _is_secret(self, name: str) -> bool:
        return self.flag(name) if name.startswith("--") else self.named(name.rpartition(".")[2])

    def _is_known(self, word: str) -> bool:
        return bool(self._tables.knowing(word) or self._tables.knowing(word.replace("_", "-")))

    # --- texts

    def inside(self, text: str) -> list[str]:
        """Return the secrets in a text, except words that only look random."""
        return [text[start:end] for start, end in self._masking.spans(text, by_shape=False)]

    def mask(self, text: str, known: Known | None = None) -> str:
        """Return a text with everything secret masked.

        Args:
            text: the text.
            known: the secrets of the same input (`known`).
        """
        if known and text in known.get(text[:LEAST], ()):
            return MASK
        spans = self._masking.spans(text)
        if known:
            spans += equal_spans(text, known, self._is_known)
        return masked(text, spans) if spans else text

    def mask_prose(self, text: str) -> str:
        """Return a text of our own with everything masked that has the shape of a secret."""
        return masked(text, self._masking.spans(text, by_name=False))

    def known(self, env: Mapping[str, str], tokens: Sequence[str] = ()) -> Known:
        """Return the secrets of an input that are long enough to be masked wherever they stand."""
        return self.of_all([(env, tokens)])

    def of_all(self, inputs: Iterable[tuple[Mapping[str, str], Sequence[str]]]) -> Known:
        """Return the secrets of several variables and command lines of one file (`known`)."""
        found: list[str] = []
        behind: set[str] = set()
        for env, tokens in inputs:
            for name, value in env.items():
                if len(value) >= LEAST:
                    found += [value, value.strip()] if self.named(name) else self.inside(value)
            for token, start in self._secret_starts(tokens):
                if start >= 0:
                    behind.add(token[start:])
                elif len(token) > LEAST:
                    found += self.inside(token)
        found += behind
        found += [text.partition(":")[2] for text in found]  # the password behind a user
        forms = {form for text in found if len(text) >= LEAST for form in _forms(text)}
        # A short one is masked where it stands alone.
        forms.update(text for text in behind if len(text) < LEAST and text not in NO_SECRET)
        made: dict[str, list[str]] = {}
        for form in sorted(forms, key=len, reverse=True):
            if not self._is_known(form):
                made.setdefault(form[:LEAST], []).append(form)
        return made

    # --- command lines

    def _secret_starts(self, tokens: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Yield the tokens of a command line, each with the index where what is secret by its name
        begins: 0 for a value behind a secret option; -1 where nothing is.
        """
        behind = 0  # distance from a secret option that takes what follows
        for token in tokens:
            is_option = token.startswith("-") and len(token) > 1
            if behind and not (is_option and (behind > 1 or self._is_option(token))):
                yield token, 0
                behind += 1
                continue
            name, sign, value = token.partition("=") if is_option else (token, "", "")
            secret = is_option and self._is_secret(name)
            behind = int(secret and not sign)
            if not is_option and token[-1:] in (":", "="):  # `{"token":` of JSON without quotes
                behind = int(self.named(token.strip("{}[]\"':=, ")))
            yield token, len(name) + 1 if secret and value else -1

    def in_tokens(self, tokens: Iterable[str]) -> bool:
        """Return whether a command line holds a secret."""
        return any(start >= 0 or self.inside(token) for token, start in self._secret_starts(tokens))

    def _is_option(self, token: str) -> bool:
        """Return whether a token behind a secret option is the next option, and not its value."""
        return self._is_known(token.partition("=")[0].partition(".")[0])

    def like_options(self, tokens: Iterable[str]) -> dict[int, str]:
        """Return the values of secret options that begin with a dash, which argparse reads as
        options: index → the secret option.
        """
        found: dict[int, str] = {}
        flag = ""
        for at, (token, start) in enumerate(self._secret_starts(tokens)):
            if not token.startswith("-"):
                continue
            if start:
                flag = token
            elif token != "--":
                found[at] = flag
        return found

    def shown_tokens(self, tokens: Iterable[str], known: Known | None = None) -> list[str]:
        """Return the tokens of a command line as a log shows them."""
        return [
            self.mask(token, known) if start < 0 else token[:start] + MASK
            for token, start in self._secret_starts(tokens)
        ]

    # --- findings

    def finished(self, findings: Iterable[Finding], known: Known | None = None) -> list[Finding]:
        """Return findings as they leave: without duplicates, with everything secret masked."""
        done: dict[str, str] = {}  # several findings may quote the same long text

        def mask(text: str) -> str:
            if text not in done:
                done[text] = self.mask(text, known)
            if done[text] == text:
                return text
            from translator.text.placed import stamped  # lazy: little of it stood in a file

            return stamped(done[text], text)

        return list(dict.fromkeys([item.map(mask) for item in findings]))


def _forms(text: str) -> list[str]:
    """Return a secret as it is, and as JSON writes it."""
    if text.isalnum() and text.isascii():
        return [text]
    from translator.text.json_text import dumps

    return [text, dumps(text)[1:-1]]


def secrets_of(tables: Tables | None = None) -> Secrets:
    """Return what is secret by the given tables, or the shipped ones."""
    from translator.tables.catalog import shipped

    tables = tables or shipped()
    found: Secrets | None = tables.kept.get("secrets")
    if found is None:
        found = tables.kept["secrets"] = Secrets(tables)
    return found
