"""Find what is secret in a text: by name, by shape, by value.

A text without a word that may be secret costs a look at its words; `re` is imported for others.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping

    Span = tuple[int, int]

MASK = "***"
LEAST = 8
"""A shorter secret is not masked where its text stands elsewhere: it may be a common word."""

RANDOM = 12
"""Letters and digits of a word that looks random."""

NO_SECRET = frozenset((MASK, "", "None", "null", "true", "false", "True", "False"))
# Between a name and its value; a value: what a quote or brackets enclose, or a word.
_SIGN = r"\\*[\"']?\s*[:=]\s*(?:(?:Bearer|Basic|Token)\s+)?"
_VALUE = (
    r"(?P<mark>\\*[\"'])(?P<quoted>.*?)(?:(?<!\\)(?P=mark)|\Z)"
    r"|[\[{](?:[^\[\]{}]|[\[{][^\[\]{}]*[\]}])*[\]}]|[\[{].*|[^\s\"'%s]*"
)
_REFERENCE = r"\$\w+|\$\{\w+\}|\$\(\w+\)|\{\{[^{}]*\}\}|<[\w -]*>"
_JINJA = ("{%", "{{")  # chat templates have many tokens


class Masking:
    """What is secret by its shape, and what has a secret name.

    Args:
        beginnings: how the tokens of well-known services begin.
        is_secret: whether an option, a variable, a key, a parameter or a header holds a secret.
        is_known: whether a word is a name of the tables, which is shown.
    """

    def __init__(
        self,
        beginnings: Iterable[str],
        is_secret: Callable[[str], bool],
        is_known: Callable[[str], bool],
    ) -> None:
        self._beginnings = tuple(beginnings)
        self._is_secret, self._is_known = is_secret, is_known
        self._patterns: tuple[re.Pattern[str], ...] = ()

    def spans(self, text: str, *, by_shape: bool = True, by_name: bool = True) -> list[Span]:
        """Return where secrets are, in their order; none overlaps another one.

        Args:
            text: the text.
            by_shape: whether words that look random count.
            by_name: whether what stands behind a secret name counts.
        """
        if not self._may_hold_one(text, by_shape):
            return []
        users, services, pem, named, random = self._compiled()
        found = [match.span() for match in pem.finditer(text)]
        found += [match.span(1) for match in users.finditer(text)]
        found += [match.span(1) for match in services.finditer(text) if not _is_of_words(match[2])]
        if by_shape:
            found += [match.span() for match in random.finditer(text) if looks_random(match[0])]
        if by_name and not any(sign in text for sign in _JINJA):
            at = 0
            while (match := named.search(text, at)) is not None:
                at = max(match.end(1), match.start() + 1)
                if self._is_secret(match[1]):
                    values = self._behind(text, match)
                    found += values
                    at = max([at, *(end for _, end in values)])
        return _joined(found)

    def _may_hold_one(self, text: str, by_shape: bool) -> bool:
        if ("://" in text and "@" in text) or any(begin in text for begin in self._beginnings):
            return True
        # Something stands behind a name only where one of these is.
        has_names = any(sign in text for sign in "\"'\\:=, ") or not text.isprintable()
        for word in text.translate(_BREAKS).split():
            is_mixed = by_shape and len(word) >= RANDOM and not (word.islower() or word.isupper())
            if is_mixed and any(map(looks_random, word.replace("_", "-").split("-"))):
                return True
            if has_names and not text.endswith(word) and self._is_secret(word):
                return True
        return False

    def _compiled(self) -> tuple[re.Pattern[str], ...]:
        if not self._patterns:
            import re  # lazy: most starts have no text that needs it

            begin = "|".join(map(re.escape, self._beginnings))
            self._patterns = (
                # A user; a password may hold anything, but what is behind a colon may be a port.
                re.compile(r"://([^\s/?#\"'@:]*:(?!\d*(?:[/?#\s\"']|$))[^\s\"']*|[^\s/?#\"']+)@"),
                re.compile(rf"(?<![A-Za-z0-9])((?:{begin})([A-Za-z0-9_\-.+/=~]{{{LEAST},}}))"),
                re.compile(r"-----BEGIN.*?(?:-----END[A-Z ]*-----|\Z)", re.DOTALL),
                re.compile(r"(?<![\w.-])([\w.\-]{2,100})(?=[\"'\\\s:=,]|$)"),
                re.compile(rf"[A-Za-z0-9]{{{RANDOM},}}"),
            )
        return self._patterns

    def _behind(self, text: str, match: re.Match[str]) -> list[Span]:
        """Return where the words stand that belong to a secret name: its value, or the values of an
        option.
        """
        import re

        name, at = match[1], match.end(1)
        before = text[match.start(1) - 1 : match.start(1)]
        is_inside = "{" in text[:at] or "[" in text[:at]
        stops = "&#" if before in ("?", "&") else r",}\]" if is_inside else ""
        value = re.compile(_VALUE % stops, re.DOTALL)
        sign = re.compile(_SIGN, re.IGNORECASE).match(text, at)
        if sign is not None:
            if before in ('"', "'") and before not in sign[0]:  # the quote holds both
                value = re.compile(f"[^{before}]*")
            return _span(value, text, sign.end())
        found: list[Span] = []
        while (gap := re.compile(r"\\*[\"']?,?\s+").match(text, at)) is not None:
            word = text[gap.end() :].lstrip("\\\"'")
            is_next = word.startswith("-") and (found or self._is_option(word))
            one = [] if is_next else _span(value, text, gap.end())
            if not one or not (name.startswith("-") or (name.lower() == "bearer" and not found)):
                break
            found += one
            at = one[0][1]
        return found

    def _is_option(self, text: str) -> bool:
        """Return whether a text begins with a flag of the tables."""
        word = text.partition("=")[0].split(maxsplit=1)[0]
        return self._is_known(word.rstrip("\"'\\,]"))


def _span(value: re.Pattern[str], text: str, at: int) -> list[Span]:
    """Return where the value at an index stands; nothing for a reference, or a word like null."""
    import re

    match = value.match(text, at)
    assert match is not None
    start, end = match.span(match.lastindex or 0)
    found = text[start:end]
    is_secret = found.strip() not in NO_SECRET and not re.fullmatch(_REFERENCE, found)
    return [(start, end)] if is_secret else []


def looks_random(word: str) -> bool:
    """Return whether a word of letters and digits mixes capitals, small letters and digits, and is
    not put together from words, as `Qwen2ForCausalLM` is.

    >>> looks_random("aB3xK9mPq2Zr"), looks_random("Qwen2VLForConditionalGeneration")
    (True, False)
    >>> looks_random("Qwen2p5VL7BInstruct"), looks_random("Llama3ChatQA15x70B")
    (False, False)
    """
    if len(word) < RANDOM or not word.isalnum() or word.islower() or word.isupper():
        return False
    if word.isalpha() or not any(map(str.islower, word)) or not any(map(str.isupper, word)):
        return False
    parts = [""]
    for last, char in zip(f" {word}", word):
        if char.isdigit() or (char.isupper() and not last.isupper()):
            parts.append("")
        parts[-1] += char
    small = [sum(map(str.islower, part)) for part in parts if _VOWELS.intersection(part)]
    most = 0.45 if len(word) < 2 * RANDOM else 0.6  # of a name, syllables are more
    return sum(count + 1 for count in small if count > 1) <= most * len(word)


_VOWELS = frozenset("aeiouy")
_BREAKS = {ord(sign): " " for sign in "\"'\\`:=,;&?#/@.()[]{}<>|!$%*+~^\t\r\n"}


def _is_of_words(rest: str) -> bool:
    """Return whether what follows a service's beginning is made of words: `npm_config_cache`."""
    for sign in "-_./+=~":
        rest = rest.replace(sign, " ")
    return all(
        len(part) < 4
        or (part.isdigit() and len(part) < 5)
        or (part.isalpha() and len(part) < LEAST + 8 and part[1:].islower())
        for part in rest.split()
    )


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in their order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif end > start:
            found.append((start, end))
    return found


def equal_spans(
    text: str, known: Mapping[str, list[str]], is_known: Callable[[str], bool]
) -> list[Span]:
    """Return where whole words of a text equal known secrets.

    Args:
        text: the text.
        known: the first LEAST characters → the secrets that begin so, the longest first.
        is_known: whether a word is a name of the tables, which is shown.
    """
    found: list[Span] = []
    at = 0
    while at <= len(text) - LEAST:
        items = known.get(text[at : at + LEAST], ())
        item = next((item for item in items if text.startswith(item, at)), "")
        if item and _is_whole(text, at, at + len(item), is_known):
            found.append((at, at + len(item)))
            at += len(item)
        else:
            at += 1
    return found


def _is_whole(text: str, start: int, end: int, is_known: Callable[[str], bool]) -> bool:
    """Return whether a part of a text is no part of a longer word, or of a known name."""
    for at in (start, end):
        if 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum():
            return False
    before, behind = start, end
    while before and (text[before - 1].isalnum() or text[before - 1] in "-_"):
        before -= 1
    while text[behind : behind + 1].isalnum() or text[behind : behind + 1] in ("-", "_"):
        behind += 1
    return not is_known(text[before:behind])


def masked(text: str, spans: Iterable[Span]) -> str:
    """Return a text with the mask in place of spans."""
    kept: list[str] = []
    done = 0
    for start, end in _joined(spans):
        kept += (text[done:start], MASK)
        done = end
    return "".join((*kept, text[done:])) if kept else text
