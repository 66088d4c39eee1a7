"""What may be shown of an input: what is known to be harmless, and of anything else its length.

Known are the names in the tables, and the values of flags and variables that are not secret. A
value that is quoted in a message may be a secret in the wrong place, so it is shown only if it is
plain: short words and numbers that look like no secret, a URL without its user and its query, JSON
with the strings of known keys.
"""

from __future__ import annotations

from translator.findings import show
from translator.secrets.masking import MASK, hidden, user_spans
from translator.text.names import snake
from translator.text.plain import LONGEST, LONGEST_MIXED, LONGEST_WORD, is_number, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.secrets.names import Names
    from translator.tables.catalog import Tables


_LONGEST_PATH, _LONGEST_NAME = 250, 100
_LONGEST_PART = 64  # of a path
_LONGEST_IN_PATHS = 20  # letters of a word: `mistralcommunity/pixtral-12b`
_DIGESTS = (40, 64)  # the snapshot of a repository, the layer of an image

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdef")
_IN_PATHS = _LETTERS | _DIGITS | frozenset("-_./ @,~\\:")
_PATHS = ("/", "./", "../", "~/")
_FILES = (".env", ".yaml", ".yml", ".json", ".toml", ".properties", ".jinja", ".txt", ".sh")
_IN_SECRETS = _LETTERS | _DIGITS | frozenset("-_.+/=~")
_IN_NAMES = _LETTERS | _DIGITS | frozenset("-_.")
_QUOTES = "\"'"
_MOST_JSON = 100_000
_LONGEST_JSON = 1000  # more of it helps nobody to find a mistake
_KEEP = 20_000


class Showing:
    """What may be shown, by the names that the tables know.

    Args:
        tables: the tables.
        secret: which names are those of secrets.
    """

    def __init__(self, tables: Tables, secret: Names) -> None:
        self._tables, self._secret = tables, secret
        self._names: frozenset[str] | None = None
        self._lines: str | None = None
        self._keys: frozenset[str] | None = None
        self._words: frozenset[str] | None = None
        self._shown: dict[str, bool] = {}

    # --- names

    def name(self, text: str, near: bool = True) -> bool:
        """Return whether a name of a flag or a key is known, is made of known words only, or
        differs by two letters from one that is known.

        Args:
            text: the name.
            near: whether to compare it with all known names, at half a millisecond.
        """
        if len(text) > _LONGEST_NAME or not _IN_NAMES.issuperset(text):
            return False
        found = self._shown.get(text)
        if found is None:
            found = (
                len(text.strip("-")) <= _SHORT or self._is_known(text) or self._is_of_words(text)
            )
            if not found and not near:
                return False
            found = found or self._is_near(text)
            if len(self._shown) < _KEEP:
                self._shown[text] = found
        return found

    def _is_known(self, text: str) -> bool:
        knowing = self._tables.knowing
        return text in self.keys or bool(knowing(text) or knowing(text.replace("_", "-")))

    def _is_of_words(self, text: str) -> bool:
        if not text.replace("-", "").replace("_", "").isalnum():
            return False
        words = [word for word in snake(text).split("_") if word]
        return bool(words) and all(
            word in self._vocabulary() or (word.isdecimal() and len(word) < 3) for word in words
        )

    def _vocabulary(self) -> frozenset[str]:
        """Return the words of the tables' names and of our own messages."""
        if self._words is None:
            from translator.findings.texts import code, codes

            names = [*self._tables.index(), *self.keys]
            words = {word for name in names for word in snake(name).split("_")}
            for name in codes():
                words.update(
                    word
                    for word in code(name).explanation.split(" ")
                    if word.islower() and word.isalpha()
                )
            self._words = frozenset(word for word in words if len(word) > 1)
        return self._words

    def _is_near(self, text: str) -> bool:
        from translator.text.similar import within

        if self._names is None:
            self._names = frozenset((*self._tables.index(), *self.keys))
        return within(text.replace("_", "-"), self._names, 2) or within(text, self.keys, 2)

    @property
    def keys(self) -> frozenset[str]:
        """The keys of JSON values that any version declares or passes on."""
        if self._keys is None:
            self._keys = frozenset((*self._tables.json_keys(), *self._secret.passed_on))
        return self._keys

    def variable(self, name: str) -> str:
        """Return what stands where the name of a variable belongs, as messages show it.

        A line of a file that somebody broke may be the rest of a secret.
        """
        if len(name) <= LONGEST_MIXED:
            return show(name)
        known = (name.isupper() and "_" in name and self.plain(name)) or self.name(name)
        if not is_variable(name):
            return hidden(name)
        if known and not self.begins_a_secret(name):
            return name
        head = self._head(name)
        return head + hidden(name[len(head) :])

    def _head(self, name: str) -> str:
        """Return the words in capitals, all of them known, that a name begins with."""
        end = 0
        for word in name.split("_")[:-1]:
            if word and not (word.isupper() and word.lower() in self._vocabulary()):
                break
            end += len(word) + 1
        return name[:end]

    def word(self, text: str) -> str:
        """Return what was given as one of our own names, such as a dialect, as messages show it."""
        return text if self.plain(text, LONGEST_MIXED) or self.name(text) else hidden(text)

    def key(self, key: object) -> str:
        """Return the path of a key (`a.b[0].c`) as messages show it."""
        if not isinstance(key, str):
            return hidden(str(key))
        return ".".join([self._part(part) for part in key.split(".")])

    def _part(self, part: str) -> str:
        name, bracket, index = part.partition("[")
        if (bracket and not index.removesuffix("]").isdecimal()) or not self.name(name):
            return hidden(part)
        return part

    def option(self, token: str, near: bool = True) -> str:
        """Return an option with its value as messages show it; "" if its name is not harmless.

        Args:
            token: the option.
            near: see `name`.
        """
        if not token.strip("-") or is_number(token):
            return token
        name, sign, value = token.partition("=")
        base, dot, path = name.partition(".")
        dashed = base.replace("_", "-")
        known = bool(self._tables.knowing(dashed)) or self._abbreviates(dashed)
        if not known and base[1:2] != "-" and self._tables.knowing(base[:2]):
            return base[:2] + self.value(token[2:])  # `-qawq`
        if not known and not self.name(base, near):
            return ""
        if dot:
            keys = [
                self._part(part.rstrip("+")) + "+" * part.endswith("+") for part in path.split(".")
            ]
            base += "." + ".".join(keys)
        if not sign:
            return base
        if self._secret.flag(name):
            return f"{base}={MASK}"
        return f"{base}={self.value(value) if known else hidden(value)}"

    def _abbreviates(self, name: str) -> bool:
        if self._lines is None:
            self._lines = "\n".join(("", *self._tables.index()))
        return name in _HELP or (
            len(name) > 3 and name.startswith("--") and f"\n{name}" in self._lines
        )

    # --- values

    def value(self, text: str) -> str:
        """Return the value of a flag or variable that is not secret, as messages quote it."""
        if self.plain(text) or (text[:1] == "$" and self._is_reference(text)):
            return text
        stripped = text.strip()
        if stripped[:1] in ("{", "[", *_QUOTES) and len(text) < _MOST_JSON:
            return self._structured(text, stripped)
        if "://" in text and stripped == text:
            return self._url(text)
        return hidden(text)

    def _is_reference(self, text: str) -> bool:
        """Return whether a text is `$NAME`, `${NAME}` or `$(NAME)`, which only a shell knows."""
        name = text[2:-1] if text[1:2] + text[-1:] in ("{}", "()") else text[1:]
        return is_variable(name) and self.name(name)

    def _structured(self, text: str, stripped: str) -> str:
        from translator.text.json_text import JsonError, dumps, repair

        inner = stripped[1:-1]
        if stripped[0] in _QUOTES and stripped[-1] == stripped[0] and self.plain(inner):
            return text
        try:
            value = repair(text)[0]
        except (JsonError, RecursionError):
            return hidden(text)
        if not isinstance(value, (dict, list)):
            return hidden(text)
        shown = dumps(self.json(value))
        return shown if len(shown) <= _LONGEST_JSON else hidden(text)

    def plain(self, text: str, longest: int = LONGEST, word: int = LONGEST_WORD) -> bool:
        """Return whether a text consists of numbers, short words and known ones."""
        return is_plain(text, longest, self._is_in_vocabulary, word) and not self.begins_a_secret(
            text
        )

    def _is_in_vocabulary(self, word: str) -> bool:
        return word.lower() in self._vocabulary()

    def path(self, text: str) -> str:
        """Return a path, a file's name or a model as messages show it."""
        if "://" in text:
            return self._url(text)
        words = text.replace("\\", "/").split("/")
        known = [word for word in words if not (len(word) in _DIGESTS and _HEX.issuperset(word))]
        if known and self.plain("/".join(known), _LONGEST_PATH, _LONGEST_IN_PATHS):
            return text
        is_file = (text.startswith(_PATHS) or text.endswith(_FILES)) and max(
            map(len, words)
        ) <= _LONGEST_PART
        shown = is_file and len(text) <= _LONGEST_PATH and _IN_PATHS.issuperset(text)
        return text if shown and not self.begins_a_secret(text) else hidden(text)

    def _url(self, text: str) -> str:
        scheme, _, rest = text.partition("://")
        _, sign, rest = rest.rpartition("@")
        ends = [at for mark in "?#" if (at := rest.find(mark)) >= 0]
        query = min(ends, default=len(rest))
        place, asked = rest[:query], rest[query : query + 1]
        _, colon, port = place.partition("/")[0].partition(":")
        if colon and not is_number(port):  # a password that was cut off in front of its at-sign
            return hidden(text)
        if not self.plain(scheme) or not self.plain(place, _LONGEST_PATH, _LONGEST_IN_PATHS):
            return hidden(text)
        return f"{scheme}://{MASK + sign if sign else ''}{place}{asked + MASK if asked else ''}"

    def logged(self, text: str) -> str:
        """Return the value of a flag that vLLM gets, as a log shows the command: complete, but for
        what may be secret in it.
        """
        if not text or self.plain(text):
            return text
        if "-----BEGIN" in text or ("\n" in text and "{" not in text):
            return hidden(text)
        if _JINJA in text or "{{" in text:  # chat templates use the word "token" a lot
            return self._without_beginnings(self._without_users(text))
        if text.strip()[:1] in ("{", "["):
            from translator.text.json_text import JsonError, dumps, repair

            try:
                value = repair(text)[0]
            except (JsonError, RecursionError):
                return hidden(text)
            shown = self.json(value)
            return text if shown == value else dumps(shown)
        if not _OF_JSON.isdisjoint(text):  # somebody's JSON, which vLLM reads as a text
            return hidden(text)
        return self._without_beginnings(self._without_users(self._secret.until_key(text)))

    def json(self, value: Any, known: bool = True) -> Any:
        """Return a JSON value of which secrets, unknown keys and the strings of unknown keys are
        hidden.

        Args:
            value: the value.
            known: whether it is that of a known key.
        """
        if isinstance(value, dict):
            found = {}
            for key, item in value.items():
                shown = key if isinstance(key, str) and self.name(key) else hidden(str(key))
                if isinstance(key, str) and self._secret.named(key):
                    found[shown] = _mask_all(item)
                else:
                    found[shown] = self.json(item, key in self.keys)
            return found
        if isinstance(value, (list, tuple)):
            return [self.json(item, known) for item in value]
        if isinstance(value, str) and value:
            short = len(value) <= LONGEST_MIXED and self.plain(value)
            return self.path(value) if known or short else hidden(value)
        return value

    def _without_users(self, text: str) -> str:
        """Return a string without users, passwords and queries in its URLs."""
        if "://" not in text:
            before, sign, rest = text.rpartition("@")
            return f"{MASK}@{rest}" if sign and ":" in before and " " not in text else text
        kept, at = [], 0
        for start, end in user_spans(text):
            if start >= at:
                kept += [text[at:start], MASK]
                at = end
        text = "".join((*kept, text[at:]))
        query = text.find("?", text.find("://"))
        if query < 0:
            return text
        end = next((at for at in range(query, len(text)) if text[at].isspace()), len(text))
        return f"{text[: query + 1]}{MASK}{text[end:]}"

    def _without_beginnings(self, text: str) -> str:
        """Return a string without what begins as the secrets of well-known services do."""
        for begin in self._secret.beginnings:
            at = text.find(begin)
            while at >= 0:
                end = at + len(begin)
                while end < len(text) and text[end] in _IN_SECRETS:
                    end += 1
                if self._is_secret(text, at, end, begin):
                    text = text[:at] + MASK + text[end:]
                    end = at + len(MASK)
                at = text.find(begin, end)
        return text

    def begins_a_secret(self, text: str) -> bool:
        return len(text) > LONGEST_MIXED and self._without_beginnings(text) != text

    def _is_secret(self, text: str, at: int, end: int, begin: str) -> bool:
        inside = at > 0 and text[at - 1] in _IN_SECRETS and text[at - 1] not in "/="
        rest = text[at + len(begin) : end]
        return (
            not inside
            and len(rest) >= LONGEST_MIXED
            and not all(word in self._vocabulary() for word in snake(rest).split("_"))
        )


_JINJA = "{%"


_OF_JSON = frozenset("{}\"'")


_HELP = ("-h", "--help")


_SHORT = 4  # letters that reveal nothing


def is_variable(name: str) -> bool:
    """Return whether a string may be the name of a variable."""
    return name.isidentifier() and name.isascii() and len(name) <= _LONGEST_NAME


def _mask_all(value: Any) -> Any:
    """Return what stands for a value that is secret as a whole."""
    return value if isinstance(value, bool) or value is None or value in ("", [], {}) else MASK
