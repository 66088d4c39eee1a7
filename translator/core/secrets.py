"""What is masked in messages (mappings/secrets.toml); everything else is quoted as it is.

Secret is what has a secret name, what has the shape of a secret, and what equals one of the same
input. Findings, logs and errors pass through `Secrets.finished` or `Secrets.mask` where they leave.
"""

from __future__ import annotations

from translator.core.tables.catalog import SECRETS, FileOf, shipped
from translator.core.text.words import SecretNames, distance, stamped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Tables

    _Span = tuple[int, int]
    # The first characters of secrets → the lengths of these, the longest first → the secrets.
    Known = Mapping[str, Mapping[int, set[str]]]

_LISTS: FileOf[dict[str, list[str]]] = FileOf(SECRETS)  # "@patterns", "@public", "@beginnings"

MASK = "***"
_LEAST = 8
"""A shorter secret is not masked where its text stands elsewhere: it may be a common word."""

_RANDOM = 20
"""Letters and digits of a word that may look random."""
# Three in four pairs of letters of English and of vLLM's classes, one in six of random ones.
_PAIRS = (
    "ac ad ag ai al am an ap ar as at ba be bl ca ce ch co ct cu da dd de di ea ec ed ee eg el em"
    " en ep er es et ev ex fi fo ge gr he hi ic id ig il im in io ip is it ke la le li ll lo lt ma"
    " me mi mo mp na nc nd ne nf ng ni no ns nt nv oc od om on op or ou pa pe po pr pu ra rc re ri"
    " rm ro rs rt se si so sp ss st ta tc te th ti to tp tr ts tt ud ul un us ut ve vi"
)

_NO_SECRET = frozenset((MASK, "", "None", "null", "true", "false", "True", "False"))
_IN_LIST = "[]\"' "  # around a secret in a list
# Between a name and its value; a value: what a quote or brackets enclose, or a word.
_SIGN = r"\\*[\"']?\s*[:=]\s*(?:(?:Bearer|Basic|Token)\s+)?"
_VALUE = (
    r"(?P<mark>\\*[\"'])(?P<quoted>.*?)(?:(?<!\\)(?P=mark)|\Z)"
    r"|[\[{](?:[^\[\]{}]|[\[{][^\[\]{}]*[\]}])*[\]}]|[\[{].*|[^\s\"'%s]*"
)
# Between an option and what follows, which may be the next option.
_GAP = r"\\*[\"']?,?\s+(?=[\\\"']*(-[^\s=\\\"',\]]*)?)"
_REFERENCE = r"\$\w+|\$\{\w+\}|\$\(\w+\)|\{\{[^{}]*\}\}|<[\w -]*>"
_JINJA = ("{%", "{{")  # chat templates have many tokens

_MOST_KEPT = 20_000  # names and texts that are remembered
_LONGEST = 100  # of a name, or of such a text
_SHORTEST = len("--api")  # of an abbreviation that may be that of a secret flag


class Secrets:
    """What is secret, by the tables; `variables`: secret flag → the variable from which vLLM reads
    the same value.
    """

    def __init__(self, tables: Tables) -> None:
        records = tables.records(SECRETS)
        self.variables = {
            name: fields.get("variable", "")
            for name, fields in records.items()
            if name.startswith("-")
        }
        lists = tables.records(_LISTS)
        patterns, public, beginnings = (
            lists.get(f"@{name}", {}).get("patterns", ())
            for name in ("patterns", "public", "beginnings")
        )
        self._tables = tables
        self._names = SecretNames(patterns, public)
        self._beginnings = tuple(beginnings)  # of the tokens of well-known services
        self._patterns: tuple[re.Pattern[str], ...] = ()
        listed = (name for name in records if name[0] not in "-@")
        # Of a name, whether it is secret; of a text that findings quote, whether one may be in it.
        self._remembered: dict[str | tuple[str, bool, bool], bool] = dict.fromkeys(listed, True)
        self._options: dict[str, bool] = {}  # of an option, whether it is secret

    def named(self, name: str) -> bool:
        """Return whether a variable, a key, a parameter or a header of this name holds a secret."""
        if len(name) > _LONGEST:
            return False
        is_secret = self._remembered.get(name)
        if is_secret is None:
            is_secret = self._names.match(name)
            if len(self._remembered) < _MOST_KEPT:
                self._remembered[name] = is_secret
        return is_secret

    def flag(self, name: str) -> bool:
        """Return whether an option is secret: also abbreviated, misspelt, or with a dotted key."""
        first, *keys = name.replace("_", "-").split(".")
        if any(self.named(key.rstrip("+")) for key in (first.lstrip("-"), *keys)):
            return True
        if len(first) < _SHORTEST or not first.startswith("--") or self._tables.knows(first):
            return False
        return any(
            flag.startswith(first)
            or (abs(len(first) - len(flag)) <= 1 and distance(first, flag) <= 1)
            for flag in self.variables
        )

    def _is_secret(self, name: str) -> bool:
        if not name.startswith("--"):
            return self.named(name.rpartition(".")[2])
        found = self._options.get(name)
        if found is None:
            found = self.flag(name)
            if len(self._options) < _MOST_KEPT and len(name) <= _LONGEST:
                self._options[name] = found
        return found

    def _is_known(self, word: str) -> bool:
        return any(map(self._tables.knows, {word, word.replace("_", "-")}))

    # --- texts

    def inside(self, text: str) -> list[str]:
        """Return the secrets in a text, except words that only look random."""
        return [text[start:end] for start, end in self._spans(text, by_shape=False)]

    def mask(self, text: str, known: Known | None = None) -> str:
        """Return a text with everything secret masked, also known secrets of the same input."""
        if known and text in known.get(text[:_LEAST], {}).get(len(text), ()):
            return MASK
        spans = self._spans(text)
        if known:
            spans += self._equal_spans(text, known)
        return _masked(text, spans) if spans else text

    def mask_prose(self, text: str) -> str:
        """Return a text of our own with everything masked that has the shape of a secret."""
        return _masked(text, self._spans(text, by_name=False))

    def known(self, env: Mapping[str, str], tokens: Sequence[str] = ()) -> Known:
        """Return the secrets of an input that are long enough to be masked wherever they stand."""
        return self.of_all([(env, tokens)])

    def of_all(self, inputs: Sequence[tuple[Mapping[str, str], Sequence[str]]]) -> Known:
        """Return the secrets of several variables and command lines of one file (`known`)."""
        texts: list[str] = []
        behind: set[str] = set()
        for name, value in {pair for env, _ in inputs for pair in env.items()}:
            if len(value) >= _LEAST:
                texts += [value, value.strip()] if self.named(name) else self.inside(value)
        for _, tokens in inputs:
            for token, start in self._secret_starts(tokens):
                if start >= 0:
                    behind.add(token[start:])
                elif len(token) > _LEAST and self._remembered.get((token, False, True), True):
                    texts += self.inside(token)
        texts += [
            part.strip(_IN_LIST) for one in texts if one[:1] == "[" for part in one.split(",")
        ]
        texts += behind
        texts += [text.partition(":")[2] for text in texts]  # the password behind a user
        forms = {form for text in texts if len(text) >= _LEAST for form in _forms(text)}
        # A short one is masked where it stands alone.
        forms.update(text for text in behind if len(text) < _LEAST and text not in _NO_SECRET)
        known: dict[str, dict[int, set[str]]] = {}
        for form in sorted(forms, key=len, reverse=True):
            if not self._is_known(form):
                known.setdefault(form[:_LEAST], {}).setdefault(len(form), set()).add(form)
        return known

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
        """Return the values of secret options that look like options: index → the secret option."""
        options: dict[int, str] = {}
        flag = ""
        for at, (token, start) in enumerate(self._secret_starts(tokens)):
            if not token.startswith("-"):
                continue
            if start:
                flag = token
            elif token != "--":
                options[at] = flag
        return options

    def shown_tokens(self, tokens: Iterable[str], known: Known | None = None) -> list[str]:
        """Return the tokens of a command line as a log shows them."""
        return [
            self.mask(token, known) if start < 0 else token[:start] + MASK
            for token, start in self._secret_starts(tokens)
        ]

    # --- where secrets are in a text

    def _spans(self, text: str, *, by_shape: bool = True, by_name: bool = True) -> list[_Span]:
        """Return where secrets are, in their order; none overlaps another one. Words that look
        random count with `by_shape`, what stands behind a secret name with `by_name`.
        """
        may_hold_one = self._remembered.get((text, by_shape, by_name))
        if may_hold_one is None:
            may_hold_one = self._may_hold_one(text, by_shape, by_name)
            if len(self._remembered) < _MOST_KEPT and len(text) <= _LONGEST:
                self._remembered[text, by_shape, by_name] = may_hold_one
        if not may_hold_one:
            return []
        users, logins, services, pem, named, random = self._compiled()
        spans = [match.span() for match in pem.finditer(text)]
        spans += [match.span(1) for match in (*users.finditer(text), *logins.finditer(text))]
        spans += [match.span(1) for match in services.finditer(text) if not _is_of_words(match[2])]
        if by_shape:
            words = (match for match in random.finditer(text) if looks_random(match[1] or ""))
            spans += [match.span(1) for match in words]
        if by_name and not any(sign in text for sign in _JINJA):
            at = 0
            while (match := named.search(text, at)) is not None:
                at = max(match.end(1), match.start() + 1)
                if self._is_secret(match[1]):
                    values = self._behind(text, match)
                    spans += values
                    at = max([at, *(end for _, end in values)])
        return _joined(spans)

    def _may_hold_one(self, text: str, by_shape: bool, by_name: bool) -> bool:
        if (":" in text and "@" in text) or any(map(text.__contains__, self._beginnings)):
            return True
        # Something stands behind a name only where one of these is.
        has_names = any(sign in text for sign in "\"'\\:=, ") or not text.isprintable()
        for word in text.translate(_BREAKS).split():
            is_long = by_shape and len(word) >= _RANDOM
            if is_long and any(map(looks_random, word.replace("_", "-").split("-"))):
                return True
            if has_names and by_name and not text.endswith(word) and self._is_secret(word):
                return True
        return False

    def _compiled(self) -> tuple[re.Pattern[str], ...]:
        if not self._patterns:
            import re  # lazy: most starts have no text that needs it

            begin = "|".join(map(re.escape, self._beginnings))
            self._patterns = (
                # A user; a password may hold anything, but what is behind a colon may be a port.
                re.compile(r"://([^\s/?#\"'@:]*:(?!\d*(?:[/?#\s\"']|$))[^\s\"']*|[^\s/?#\"']+)@"),
                # The user of a registry, in front of an image.
                re.compile(r"(?<![\w./:@-])([\w.-]{1,60}:[^\s/@\"']{1,200})@[\w.-]+(?::\d+)?/"),
                re.compile(rf"(?<![A-Za-z0-9])((?:{begin})([A-Za-z0-9_\-.+/=~]{{{_LEAST},}}))"),
                re.compile(r"-----BEGIN.*?(?:-----END[A-Z ]*-----|\Z)", re.DOTALL),
                re.compile(r"(?<![\w.-])([\w.\-]{2,100})(?=[\"'\\\s:=,]|$)"),
                re.compile(rf"/[\w.~@+/-]*|([A-Za-z0-9]{{{_RANDOM},}})"),  # no part of a path
            )
        return self._patterns

    def _behind(self, text: str, match: re.Match[str]) -> list[_Span]:
        """Return where the value of a secret name stands, or the values of an option."""
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
        spans: list[_Span] = []
        while (gap := re.compile(_GAP).match(text, at)) is not None:
            is_next = gap[1] and (spans or self._is_option(gap[1]))
            one = [] if is_next else _span(value, text, gap.end())
            if not one or not (name.startswith("-") or (name.lower() == "bearer" and not spans)):
                break
            spans += one
            at = one[0][1]
        return spans

    def _equal_spans(self, text: str, known: Known) -> list[_Span]:
        """Return where whole words of a text equal known secrets."""
        spans: list[_Span] = []
        at = 0 if any(begin in text for begin in known) else len(text)
        while at <= len(text) - _LEAST:
            sizes = known.get(text[at : at + _LEAST], {}).items()
            size = next((size for size, those in sizes if text[at : at + size] in those), 0)
            if size and self._is_whole(text, at, at + size):
                spans.append((at, at + size))
                at += size
            else:
                at += 1
        return spans

    def _is_whole(self, text: str, start: int, end: int) -> bool:
        """Return whether a part of a text is no part of a longer word, or of a known name."""
        for at in (start, end):
            if 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum():
                return False
        first, last = max(start - _LONGEST, 0), end + _LONGEST  # no known name is longer
        while start > first and (text[start - 1].isalnum() or text[start - 1] in "-_"):
            start -= 1
        while end < last and (text[end : end + 1].isalnum() or text[end : end + 1] in ("-", "_")):
            end += 1
        return not self._is_known(text[start:end])

    # --- findings

    def finished(self, findings: Iterable[Finding], known: Known | None = None) -> list[Finding]:
        """Return findings as they leave: without duplicates, with everything secret masked."""
        mask = self.masking(known)
        return list(dict.fromkeys([item.map(mask) for item in findings]))

    def masking(self, known: Known | None) -> Callable[[str], str]:
        """Return what masks the texts of findings; several may quote the same long one."""
        masked: dict[str, str] = {}

        def mask(text: str) -> str:
            shown = masked.get(text)
            if shown is None:
                shown = masked[text] = self.mask(text, known)
            return text if shown == text else stamped(shown, text)

        return mask


def _forms(text: str) -> list[str]:
    """Return a secret as it is, and as JSON writes it."""
    if text.isalnum() and text.isascii():
        return [text]
    from translator.core.text.json_text import dumps

    return [text, dumps(text)[1:-1]]


def secrets_of(tables: Tables | None = None) -> Secrets:
    """Return what is secret by the given tables, or the shipped ones."""
    tables = tables or shipped()
    secrets: Secrets | None = tables.secrets
    if secrets is None:
        secrets = tables.secrets = Secrets(tables)
    return secrets


def _span(value: re.Pattern[str], text: str, at: int) -> list[_Span]:
    """Return where the value at an index stands; nothing for a reference, or a word like null."""
    import re

    match = value.match(text, at)
    assert match is not None
    start, end = match.span(match.lastindex or 0)
    written = text[start:end]
    is_secret = written.strip() not in _NO_SECRET and not re.fullmatch(_REFERENCE, written)
    return [(start, end)] if is_secret else []


def looks_random(word: str) -> bool:
    """Return whether a long word of letters and digits is neither digits and hexadecimal ones (a
    revision, a digest, a date) nor put together from words, as the names of models are.

    >>> looks_random("aB3xK9mPq2Zr7TnWd4Lc"), looks_random("k3m9xq7tz2b8fw4hs6dj")
    (True, True)
    >>> looks_random("Qwen3ForConditionalGeneration"), looks_random("llama4scout17b16einstruct")
    (False, False)
    """
    if len(word) < _RANDOM or not (word.isalnum() and word.isascii()) or word.isalpha():
        return False
    letters = word.lower()
    if len(set(letters).difference("0123456789abcdef")) < 4:
        return False
    pairs = map(str.__add__, letters, letters[1:])
    return sum(pair in _PAIRS for pair in pairs) < 0.3 * len(word)


_BREAKS = {ord(sign): " " for sign in "\"'\\`:=,;&?#/@.()[]{}<>|!$%*+~^\t\r\n"}


def _is_of_words(rest: str) -> bool:
    """Return whether what follows a service's beginning is made of words: `npm_config_cache`, or
    is a path below a folder with such a name: `hf_models/org/m`.
    """
    folder, slash, _ = rest.partition("/")
    if slash and len(folder) > 3 and folder.isalpha() and folder.islower():
        return True
    for sign in "-_./+=~":
        rest = rest.replace(sign, " ")
    return all(
        len(part) < 4
        or (part.isdigit() and len(part) < 5)
        or (part.isalpha() and len(part) < _LEAST + 8 and part[1:].islower())
        for part in rest.split()
    )


def _joined(spans: Iterable[_Span]) -> list[_Span]:
    """Return spans in their order, those that overlap as one."""
    joined: list[_Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif end > start:
            joined.append((start, end))
    return joined


def _masked(text: str, spans: Iterable[_Span]) -> str:
    """Return a text with the mask in place of spans."""
    kept: list[str] = []
    at = 0
    for start, end in _joined(spans):
        kept += (text[at:start], MASK)
        at = end
    return "".join((*kept, text[at:])) if kept else text
