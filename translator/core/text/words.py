"""Text that knows its place in a file, as does what readers cut out of it and put together; the
variables and tokens that settings are from; words as POSIX shells quote and split them; and names
of variables, flags, keys and parameters.

A string that is made by other means has no place: none is better than a wrong one.
"""

from __future__ import annotations

# File ("" for the input), line and column, from 1.
Place = tuple[str, int, int]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    # An index in a string, and the place of what begins there; None if it has none.
    Part = tuple[int, Place | None]


class Placed(str):
    """A string with the places of its parts in a file: in their order, the first at index 0; each
    part stands in the file as in the string.
    """

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, text: str, parts: Iterable[Part]) -> Placed:
        placed = super().__new__(cls, text)
        placed.parts = tuple(parts)
        return placed

    def __reduce__(self) -> tuple[type[Placed], tuple[str, tuple[Part, ...]]]:
        return Placed, (str(self), self.parts)


def place(text: str, at: int = 0) -> Place | None:
    """Return the place of the character at an index; None if it is not known."""
    return _part(text, at)[1] if isinstance(text, Placed) else None


def _part(text: Placed, at: int) -> tuple[int, Place | None]:
    """Return the number of the part in which an index is, and the place of the index."""
    from bisect import bisect_left  # lazy: commands on plain input import nothing for it

    number = max(bisect_left(text.parts, (at + 1,)) - 1, 0)
    index, place = text.parts[number]
    return number, place and (place[0], place[1], place[2] + at - index)


def stamped(string: str, text: str, at: int = 0) -> str:
    """Return a string for what is written at an index of another one, in its place."""
    return placed_at(string, place(text, at))


def placed_at(string: str, place: Place | None) -> str:
    """Return a string with the place of its beginning, if it has none of its own."""
    if place is None or not string or isinstance(string, Placed):
        return string
    return Placed(string, ((0, place), (1, None)))


def cut(text: str, start: int, end: int | None = None) -> str:
    """Return a part of a string, as a slice does."""
    part = text[start:end]
    if not part or not isinstance(text, Placed):
        return part
    start = slice(start, end).indices(len(text))[0]
    number, place = _part(text, start)
    behind = text.parts[number + 1 : number + 2]
    if not behind or behind[0][0] >= start + len(part):
        return Placed(part, ((0, place),))
    last = _part(text, start + len(part) - 1)[0]
    inner = text.parts[number + 1 : last + 1]
    return Placed(part, ((0, place), *[(index - start, there) for index, there in inner]))


def joined(pieces: Iterable[str], between: str = "") -> str:
    """Return strings in one, as str.join does."""
    pieces = list(pieces)
    whole = between.join(pieces)
    if not any(isinstance(piece, Placed) for piece in pieces):
        return whole
    parts: list[Part] = []
    at = 0
    for piece in pieces:
        if piece:
            inner = piece.parts if isinstance(piece, Placed) else ((0, None),)
            parts += [(at + index, place) for index, place in inner]
        at += len(piece)
        if between:
            parts.append((at, None))
            at += len(between)
    return Placed(whole, parts) if whole else whole


# --- what sets a flag

TOKEN, KEY, VARIABLE, DEFAULT = "token", "key", "variable", "default"
_NO_KEYS: Mapping[str, Origin] = {}


class Origin:
    """What sets a flag; as a string, how messages call it.

    Attributes:
        kind: TOKEN, of a command line; KEY, of a file for --config; VARIABLE; or DEFAULT, which
            nobody set.
        text: the name of the variable, or the token as the user wrote it, such as `--flag=4`.
        at: the index of the token in the command line, or in the variable; -1 of others.
        inside: the file of a key, or the variable that holds the token; "" of others.
        hole: whether its value is not known.
        given: the text of a variable, as the user wrote it, where messages quote it; or "".
        keys: of a JSON value of which the keys were set one by one, `key.sub` → the origin of each.
    """

    __slots__ = ("at", "given", "hole", "inside", "keys", "kind", "text")

    def __init__(
        self, kind: str, text: str, at: int = -1, inside: str = "", hole: bool = False
    ) -> None:
        self.kind, self.text, self.at, self.inside, self.hole = kind, text, at, inside, hole
        self.given = ""
        self.keys: Mapping[str, Origin] = _NO_KEYS

    def __str__(self) -> str:
        return self.shown(self.text) if self.inside else self.text

    @property
    def name(self) -> str:
        """How messages call it without its value."""
        return self.shown(self.option) if self.inside else self.text.partition("=")[0]

    @property
    def option(self) -> str:
        """The variable, or the option alone."""
        return self.text.partition("=")[0]

    @property
    def is_option(self) -> bool:
        """Whether remedies are options, and not variables."""
        return self.kind in (TOKEN, KEY) or bool(self.inside)

    def of_key(self, path: str) -> Origin:
        """Return the origin of a key of the value."""
        while path:
            if path in self.keys:
                return self.keys[path]
            path = path.rpartition(".")[0]
        return self

    def shown(self, text: str) -> str:
        """Return how messages call it with another text."""
        if not self.inside or self.kind == TOKEN:
            return text
        if self.kind == KEY:
            return f"{self.inside}: {text}"
        return f"{self.inside} ({text})" if text.startswith("-") else self.inside


# --- words and names in the syntax of POSIX shells

SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quote(text: str) -> str:
    """Quote a token so that a POSIX shell, zsh and shlex read it back unchanged."""
    # zsh replaces `=ls` by the path of ls: at the beginning of a word or of a variable's value,
    # behind a colon of a value, and behind any `=` if MAGIC_EQUAL_SUBST is set.
    expanded = text.startswith("=") or "==" in text or ":=" in text
    if text and SAFE.issuperset(text) and not expanded:
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def quote_value(token: str) -> str:
    """Quote a token, of `--flag=value` the value alone: a file that takes quotes from around a
    whole line would leave none otherwise.
    """
    option, equals, text = token.partition("=")
    is_plain = option.startswith("--") and SAFE.issuperset(option)
    return f"{option}={quote(text)}" if equals and text and is_plain else quote(token)


def unusable(text: str) -> str:
    """Return why no argument and no variable can hold a string: a case of `bad-text`, or ""."""
    if "\0" in text:
        return "nul"
    if text.isascii():
        return ""
    # Python's strings have lone surrogates for bytes that are not UTF-8; others stand for nothing.
    try:
        sent = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "surrogate"
    return "" if sent.decode("utf-8", "surrogateescape") == text else "surrogate"


def expands(text: str) -> bool:
    """Return whether a shell that evaluates a string makes more of it than its words."""
    quote_mark, begins, at = "", True, 0
    while at < len(text):
        char = text[at]
        if quote_mark == "'":
            quote_mark = "" if char == "'" else quote_mark
        elif char == "\\":
            at += 1
        elif char in "$`":
            return True
        elif char == '"':
            quote_mark = "" if quote_mark else char
        elif not quote_mark:
            if char in ";&|<>()*?[\n" or (begins and char in "#~"):
                return True
            if char == "{" and ("," in text[at:] or ".." in text[at:]):
                return True
            quote_mark = char if char == "'" else ""
        begins = not quote_mark and char in " \t"
        at += 1
    return False


def words(text: str) -> list[str]:
    """Split a string as shlex.split does, in linear time: shlex copies a word for each of its
    characters. The words have their places.

    Raises:
        ValueError: a quote is not closed, or nothing follows a backslash.
    """
    words: list[str] = []
    word: list[str] | None = None
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        start = at
        at += 1
        if char in _BLANKS:
            if word is not None:
                words.append(joined(word))
                word = None
            continue
        word = [] if word is None else word
        if char == "\\":
            if at == end:
                raise ValueError("nothing follows a backslash")
            word.append(cut(text, at, at + 1))
            at += 1
        elif char == "'":
            close = text.find("'", at)
            if close < 0:
                raise ValueError("a quote is not closed")
            word.append(cut(text, at, close))
            at = close + 1
        elif char == '"':
            while text[at : at + 1] != '"':
                if at >= end - 1:
                    raise ValueError("a quote is not closed")
                if text[at] == "\\" and text[at + 1] in '\\"':
                    at += 1
                word.append(cut(text, at, at + 1))
                at += 1
            at += 1
        else:
            while at < end and text[at] not in _SPECIAL:
                at += 1
            word.append(cut(text, start, at))
    if word is not None:
        words.append(joined(word))
    return words


_BLANKS = frozenset(" \t\r\n")
_SPECIAL = _BLANKS | frozenset("\\'\"")


def is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


LONGEST = 60
"""Characters of the input that a message quotes."""


def show(text: str, limit: int = LONGEST) -> str:
    """Return a text as messages quote it: its beginning, if it is long."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


# --- names: in one spelling, patterns of them, and those that a misspelt one may stand for


class Patterns:
    """Match patterns with `*` at their ends only; fnmatch would import re."""

    __slots__ = ("_beginnings", "_ends", "_inside", "_whole")

    def __init__(self, patterns: Iterable[str]) -> None:
        self._inside = [item.strip("*") for item in patterns if item[:1] == "*" == item[-1:]]
        self._ends = tuple(item[1:] for item in patterns if item[:1] == "*" != item[-1:])
        self._beginnings = tuple(item[:-1] for item in patterns if item[:1] != "*" == item[-1:])
        self._whole = frozenset(item for item in patterns if item[:1] != "*" != item[-1:])

    def match(self, text: str) -> bool:
        """Return whether any pattern matches the whole string."""
        if text in self._whole or text.endswith(self._ends) or text.startswith(self._beginnings):
            return True
        return any(map(text.__contains__, self._inside))


def is_variable(name: str) -> bool:
    """Return whether a text may be the name of a variable."""
    return name.isidentifier() and name.isascii()


def snake(name: str) -> str:
    """Return a name in small letters, its words separated by underscores.

    >>> snake("accessToken"), snake("X-Amz-Security-Token"), snake("--api-key"), snake("HFToken")
    ('access_token', 'x_amz_security_token', 'api_key', 'hf_token')
    """
    if not (name.islower() or name.isupper()):
        parts = []
        for at, char in enumerate(name):
            if char.isupper() and at and name[at - 1].isalnum():
                before, behind = name[at - 1], name[at + 1 : at + 2]
                if not before.isupper() or behind.islower():
                    parts.append("_")
            parts.append(char)
        name = "".join(parts)
    name = name.lower().replace("-", "_")
    if not is_variable(name):
        name = "".join([char if char.isalnum() else "_" for char in name])
    return name.strip("_")


class SecretNames:
    """Patterns of secret names in any spelling, with `*` at their ends only, less public names: one
    in capitals only as it is written.
    """

    __slots__ = ("_any", "_as_written", "_exact", "_public", "_spelled")

    def __init__(self, patterns: Iterable[str], public: Iterable[str]) -> None:
        self._as_written = frozenset(item for item in public if item.isupper())
        self._spelled = [item.lower().replace("-", "_") for item in patterns]
        self._public = [item.lower().replace("-", "_") for item in public if not item.isupper()]
        self._any = Patterns([item.replace("_", "") for item in self._spelled])
        self._exact: list[Patterns] = []  # few names need them

    def match(self, name: str) -> bool:
        """Return whether a name fits one of the patterns, and none of the exceptions."""
        spelled = snake(name).removeprefix("no_").rstrip("_0123456789")  # `API_KEY_2`
        joined = spelled.replace("_", "")
        if not self._any.match(joined) or name in self._as_written:
            return False
        if not self._exact:
            # `apitoken`, `hftoken`: the words written as one. Short ones would match anything.
            words = [item.replace("_", "") for item in self._spelled]
            words = [item for item in words if len(item) > _SHORT]
            public = [item.replace("_", "") for item in self._public]
            self._exact = list(map(Patterns, (self._spelled, self._public, words, public)))
        spelled_secret, spelled_public, joined_secret, joined_public = self._exact
        if spelled_secret.match(spelled):
            return not spelled_public.match(spelled)
        return joined_secret.match(joined) and not joined_public.match(joined)


_SHORT = len("*auth")


# --- misspelt names


MOST_HINTS = 100
"""Maximum number of mistakes per command line or value for which similar names are looked up, at 4
ms each.
"""


_SLIP = 2  # letters


def nearest(name: str, names: Collection[str], limit: int = 3) -> list[str]:
    """Return the known names that `name` is most likely a misspelling of, best first. Few people
    err in the first letter, and some leave out what is in front of it.
    """
    from difflib import get_close_matches  # only needed for messages

    def is_likely(near: str) -> bool:
        one, other = (
            word.lstrip("-").removeprefix("no-").removeprefix("enable-").removeprefix("disable-")
            for word in (name, near)
        )
        return one[:1] == other[:1] or one in other or other in one or distance(one, other) <= _SLIP

    return list(filter(is_likely, get_close_matches(name, names, limit, 0.72)))


def distance(one: str, other: str) -> int:
    """Return how many letter insertions, deletions, changes or swaps separate two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, left in enumerate(one, 1):
        older, before, row = before, row, [at]
        for here, right in enumerate(other, 1):
            cost = min(before[here] + 1, row[here - 1] + 1, before[here - 1] + (left != right))
            if at > 1 and here > 1 and left == other[here - 2] and one[at - 2] == right:
                cost = min(cost, older[here - 2] + 1)
            row.append(cost)
    return row[-1]
