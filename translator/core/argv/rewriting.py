"""What vLLM's FlexibleArgumentParser makes of the tokens before argparse reads them, and what a
token then names.

In this order, each step only in the versions that have it:

    --model M …            M …                          the model first
    M --config f.yaml …    M (tokens of the file) …     so that the command line wins
    --some_flag            --some-flag
    -O3, -O=3, -O 3        the version's own flag for the level
    --f.a.b 1 --f.c+ x,y   --f '{"a": {"b": 1}, "c": ["x", "y"]}'      after everything else
"""

from __future__ import annotations

from _collections_abc import Callable

from translator.core.findings import Finding, finding
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import CONFIG, MODEL, SERVERS, Grammar
from translator.core.text import json_text as jsontext
from translator.core.text.json_text import JsonError, size
from translator.core.text.words import KEY, TOKEN, VARIABLE, Origin
from translator.core.values import FALSE_WORDS, LEVELS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.tables.catalog import Catalog, Flag

    # The flag (None: unknown, or help), its spelling, the value in the token, and whether the
    # spelling switches the flag off.
    Option = tuple[Flag | None, str, str | None, bool]

# What returns the tokens of a `--config` file, or what is wrong with it; None for no file.
Config = Callable[[str], "list[str] | Finding | None"]


class Rewritten(str):
    """A token that vLLM or this program puts in place of others.

    Attributes:
        written: what the user wrote, which messages quote.
        value: the object that the text is the JSON of, if it was made of dotted keys.
        at: in place of one token: its index on the user's line.
        hole: whether its value, or all of it, is not known.
        keys: in place of dotted keys: `key.sub` → its origin.
    """

    __slots__ = ("at", "hole", "keys", "value", "written")
    written: str
    value: dict[str, Any] | None
    keys: Mapping[str, Origin]
    at: int
    hole: bool

    # Unpickled, it gets what is in its slots afterwards.
    def __new__(cls, text: str, token: str = "", at: int = -1, hole: bool = False) -> Rewritten:
        made = str.__new__(cls, text)
        made.written = token.written if type(token) is Rewritten else token
        made.value, made.at, made.hole = None, at, hole
        return made


def written(token: str) -> str:
    """Return a token as the user wrote it."""
    return token.written if type(token) is Rewritten else token


def index_of(token: str, at: int = -1) -> int:
    """Return the index of a token on the user's line; `at` if it does not know it."""
    return token.at if type(token) is Rewritten else at


def no_files(path: str) -> None:
    """Read no file: the `config` of callers without file access."""
    return


class LineRules:
    """How to parse a line, in addition to the rules of the version.

    Attributes:
        config: reads the file of --config. Returns its tokens, a finding, or None to keep --config.
        module: the tokens follow `python -m vllm.entrypoints.openai.api_server`, which accepts the
            model as --model in every version, and needs none.
        partial: the tokens are added to others, so the model may be missing.
        inside: the variable that holds the tokens, or "".
        start: the index of the first token on the user's line.
    """

    __slots__ = ("config", "inside", "module", "partial", "start")

    def __init__(
        self,
        config: Config = no_files,
        *,
        module: bool = False,
        partial: bool = False,
        inside: str = "",
        start: int = 0,
    ) -> None:
        self.config, self.module, self.partial = config, module, partial
        self.inside, self.start = inside, start

    def grammar(self, catalog: Catalog) -> Grammar:
        """Return the version's command-line grammar, adjusted for these rules."""
        rules = dict(vars(catalog.grammar))
        if self.module:
            rules["model_option"] = "moved"
        if self.module or self.partial:
            rules |= {"model_required": False, "served_needs_model": None}
        if self.partial and rules.get("model_option") == "absent":
            rules["model_option"] = "refused"  # the line is written with the model in front
        return Grammar(rules)


WHOLE_LINE = LineRules()
# Tokens that a program adds to a command line of the older module.
MODULE_PART = LineRules(module=True, partial=True)


class RewrittenLine:
    """A command line as vLLM rewrites it.

    Attributes:
        catalog: the version's catalog.
        rules: how to parse the line.
        grammar: the version's command-line grammar, adjusted for `rules`.
        tokens: what argparse receives.
        at: of each token, the index of the user's that it stands for; -1 of the file's.
        holes: the indexes of the user's tokens whose values are not known.
        file: the name of the file for --config whose tokens are among them, or "".
        config: the path of --config if its content was not available.
        findings: the mistakes; the real parser refuses the line for each of them.
    """

    def __init__(self, tokens: list[str], catalog: Catalog, rules: LineRules) -> None:
        self.catalog, self.rules = catalog, rules
        is_plain = not (rules.module or rules.partial)
        self.grammar = catalog.grammar if is_plain else rules.grammar(catalog)
        self.config: str | None = None
        self.findings: list[Finding] = []
        self.file = ""
        self.at = list(range(rules.start, rules.start + len(tokens)))
        self.holes: set[int] = set()
        if tokens and type(tokens[0]) is Rewritten:  # those of a file are all
            known = [text for text in tokens if type(text) is Rewritten]
            self.at = [text.at for text in known]
            self.holes = {text.at for text in known if text.hole}
        self.tokens = self._rewritten(tokens)

    def origin(self, token: str, at: int, hole: bool = False) -> Origin:
        """Return the origin that a token is, by its index among the user's; of a flag that stands
        for a variable, that variable.
        """
        text = token.written if type(token) is Rewritten else token
        if at >= 0:
            kind = VARIABLE if token[:1] == "-" != text[:1] else TOKEN
            return Origin(kind, text, at, self.rules.inside, hole)
        return Origin(KEY, text.removeprefix(f"{self.file}: "), -1, self.file)

    def refuse(
        self, code: str, subject: str, case: str = "", at: int | None = None, **facts: Fact
    ) -> None:
        """Refuse the line with a finding about the version, and about the user's token at an
        index.
        """
        origin = None if at is None else self.origin(subject, at, at in self.holes)
        item = finding(code, subject, case=case, version=self.catalog.version, **facts)
        self.findings.append(item.of(origin))

    def _rewritten(self, tokens: list[str]) -> list[str]:
        """Return the tokens that argparse receives."""
        grammar = self.grammar
        # Each step runs only if a quick test of the whole line shows that it may apply:
        # this saves 15 µs for most lines.
        if MODEL in "\n".join(tokens):
            tokens = self._with_model_first(tokens)
        if grammar.served_needs_model and tokens and tokens[0].startswith("-"):
            self._refuse_served_name(tokens, grammar.served_needs_model)
        if CONFIG in tokens and CONFIG in self.catalog.lines:  # 0.5 has none
            tokens = self._with_config(tokens)
        together = "\n" + "\n".join(tokens)
        if "_" in together:
            tokens = [with_dashes(text, grammar) if "_" in text else text for text in tokens]
        if "\n-O" in together:  # `-O3`, `-O=3` and `-O 3`
            groups = [with_level(*pair, grammar) for pair in zip(tokens, [*tokens[1:], ""])]
            self.at = [at for at, group in zip(self.at, groups) for _ in group]
            tokens = [text for group in groups for text in group]
        if (grammar.dotted or grammar.dotted_texts) and any(
            "." in text and text.startswith("-") for text in tokens
        ):
            tokens = self._with_dotted(tokens)
        if grammar.model_option == "absent" and any(
            text.partition("=")[0] == MODEL for text in tokens
        ):
            self.refuse("model-option", MODEL, at=self._index(MODEL, tokens))
        return tokens

    def _index(self, option: str, tokens: list[str]) -> int:
        """Return the index, among the user's tokens, of an option."""
        names = [text.partition("=")[0].replace("_", "-") for text in tokens]
        return self.at[names.index(option)]

    def _with_model_first(self, tokens: list[str]) -> list[str]:
        """Handle `--model X`: move it to the front (0.11 on), refuse it (0.8 to 0.10), or leave
        it.
        """
        rule = self.grammar.model_option
        if rule == "refused" and MODEL in tokens:
            self.refuse("model-option", MODEL, at=self._index(MODEL, tokens))
            rule = "moved"
        if rule != "moved":
            return tokens
        for at, text in enumerate(tokens):
            name, sign, value = text.partition("=")
            if name != MODEL or (sign and not value and not self.grammar.model_option_empty):
                continue
            before, behind = tokens[:at], tokens[at + 1 :]
            if not sign and not behind:
                self.refuse("missing-value", MODEL, at=self.at[at], given=MODEL)
                del self.at[at:]
                return before
            model, end = Rewritten(value, text), at + 1
            if not sign:
                model, end = Rewritten(behind[0], f"{MODEL} {written(behind[0])}"), at + 2
            self.at = [self.at[at], *self.at[:at], *self.at[end:]]
            return [model, *before, *tokens[end:]]
        return tokens

    def _refuse_served_name(self, tokens: list[str], needs: str) -> None:
        """Refuse a served name without a model in front, unless a config file may name it."""
        served = [
            text
            for text in tokens
            if text.partition("=")[0].replace("_", "-") == needs and not text.endswith("=")
        ]
        has_file = any(text.partition("=")[0] == CONFIG and text != f"{CONFIG}=" for text in tokens)
        if served and not has_file:
            at = self._index(needs, tokens)
            self.refuse("missing-model", written(served[0]), case="first", at=at, flag=needs)

    def _with_config(self, tokens: list[str]) -> list[str]:
        """Replace `--config FILE` by the tokens of the file.

        They follow the model directly, so that the command line wins. Up to 0.6.2 they even come
        before it, so that a list at their end takes the model.
        """
        if tokens.count(CONFIG) > 1:
            self.findings.append(finding("config-file", CONFIG, case="twice"))
        at = tokens.index(CONFIG)
        before, behind = tokens[:at], tokens[at + 2 :]
        index = self.at[at : at + 2][-1]
        del self.at[at : at + 2]
        if at == len(tokens) - 1:
            self.refuse("missing-value", CONFIG, at=index, given=CONFIG)
            return before
        path = tokens[at + 1]
        shown = written(path)
        if path.rpartition(".")[2] not in ("yaml", "yml"):
            self.refuse("config-file", shown, "suffix", at=index, given=f"{CONFIG} {shown}")
            return before + behind
        found = self.rules.config(Rewritten(path, shown, index))
        if isinstance(found, Finding):
            self.findings.append(found.of(self.origin(path, index, index in self.holes)))
            return before + behind
        required, comes_first = self.grammar.model_required, self.grammar.config_first
        if required and not before and not comes_first:
            self.refuse("missing-model", CONFIG, case="first", at=index, flag=CONFIG)
        if found is None:
            self.config = str(path)
            return before + behind
        self.file = path.rpartition("/")[2]
        pulled: list[str] = [Rewritten(text, f"{self.file}: {text}") for text in found]
        model_first = bool(before) if required else not tokens[0].startswith("-")
        start = 1 if model_first and not comes_first else 0
        if not (start or required or comes_first or MODEL in found):
            self.refuse("missing-model", CONFIG, at=index, file=shown)
        self.at[start:start] = [-1] * len(pulled)
        left = before + behind
        return [*left[:start], *pulled, *left[start:]]

    def _with_dotted(self, tokens: list[str]) -> list[str]:
        """Join `--flag.key value` and `--flag.key+ a,b` into one JSON value per flag.

        The values are appended after all other tokens, where they win.
        """
        taken: set[int] = set()
        objects: dict[str, dict[str, Any]] = {}
        origins: dict[str, dict[str, Origin]] = {}
        are_texts = self.grammar.dotted_texts
        option = "--" if are_texts else "-"
        for at, text in enumerate(tokens):
            key, sign, given = text.partition("=")
            # Up to 0.9.1, a value that looks like a dotted key is read as one, too.
            is_value = at in taken and not are_texts
            if is_value or not text.startswith(option) or "." not in key:
                continue
            taken.add(at)
            origin = self.origin(text, self.at[at], self.at[at] in self.holes)
            shown = str(origin)
            if not sign:
                if at + 1 == len(tokens):
                    if " " in key:  # the dot is one of its value
                        self.findings.append(unrecognised(text, self.catalog).of(origin))
                    else:
                        self.refuse("missing-value", shown, at=origin.at, given=shown)
                    continue
                taken.add(at + 1)
                given = str(tokens[at + 1])
                origin.text += f" {written(tokens[at + 1])}"
                origin.hole = origin.hole or self.at[at + 1] in self.holes
            if key.count(".") > jsontext.MAX_DEPTH:
                limit = jsontext.MAX_DEPTH
                item = finding("bad-json", shown, given=shown, limit=limit)
                self.findings.append(item.of(origin))
                continue
            value: Any = str(given)
            if not are_texts:
                is_list = key.endswith("+")
                value = given.split(",") if is_list else dotted_value(given, self.catalog)
                key = key[:-1] if is_list else key
            name, *path = key.split(".")
            for part in reversed(path):
                value = {part: value}
            objects[name] = _update(objects[name], value) if name in objects else value
            origins.setdefault(name, {})[".".join(path)] = origin
        found = [text for at, text in enumerate(tokens) if at not in taken]
        self.at = [it for at, it in enumerate(self.at) if at not in taken]
        for name, made in objects.items():
            texts = " ".join(map(str, origins[name].values()))
            value = Rewritten(jsontext.spaced(made), texts)
            value.value, value.keys = made, origins[name]
            found += [Rewritten(name, texts), value]
            self.at += [next(iter(origins[name].values())).at] * 2
        return found


def with_dashes(text: str, grammar: Grammar) -> str:
    """Replace underscores in an option's name by dashes.

    In a dotted name, only those before the first dot are replaced (in 0.9.0, all).
    """
    if not text.startswith("--") or "_" not in text:
        return text
    key, sign, value = text.partition("=")
    whole = not (grammar.dotted or grammar.dotted_underscores)
    name, dot, rest = (key, "", "") if whole else key.partition(".")
    made = name.replace("_", "-") + dot + rest + sign + value
    return Rewritten(made, text) if made != text else text


def with_level(text: str, behind: str, grammar: Grammar) -> list[str]:
    """Rewrite `-O3`, `-O=3` and `-O 3` as vLLM does from 0.9 on (before, argparse alone does);
    `behind` is the token after it, or "".
    """
    target = grammar.level
    if not grammar.dotted or target is None or not text.startswith("-O"):
        return [text]
    is_own_flag = target == "optimization-level"
    option = f"--{target}" if is_own_flag else f"-O.{target}"
    if text == "-O":
        return [Rewritten(option, text) if behind in LEVELS else text]
    if not (grammar.O_dotted and text[2] == "."):
        value = text[3:] if text[2] == "=" else text[2:]
        if is_own_flag:
            return [Rewritten(option, "-O"), Rewritten(value, text)]
        return [Rewritten(f"{option}={value}", text)]
    # 0.12 only: its parser renames the short flag
    return [Rewritten(text.replace("-O", "-cc", 1), text) if is_own_flag else text]


def dotted_value(text: str, catalog: Catalog) -> Any:
    """Return the value of a dotted key: JSON, a size in the versions that read them, or text."""
    try:
        return jsontext.loads(text)
    except JsonError:
        if catalog.grammar.dotted_sizes:
            try:
                return size(text)
            except JsonError:
                pass
        return text


def _update(old: Any, new: Any) -> Any:
    """Merge dotted keys into the old value as vLLM does: lists are appended to."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in new.items():
            old[key] = _update(old[key], value) if key in old else value
        return old
    if isinstance(old, list) and isinstance(new, list):
        old += new
        return old
    return new


# --- what a token names, as argparse's `_parse_optional` reads it, and what is wrong with it

_MOST_NAMES = 12  # `--` and one letter can match hundreds
_OFF = ("--no-", "--disable-")
HELP = ("-h", "--help")


def options_of(text: str, catalog: Catalog) -> list[Option]:
    """Parse a token as argparse's `_parse_optional` does.

    Returns:
        Nothing for a value; several options for an ambiguous abbreviation.
    """
    if text[:1] != "-" or len(text) == 1:
        return []
    key, sign, value = text.partition("=")
    explicit = value if sign else None
    if spelled := catalog.spelled(key):
        return [(spelled[0], key, explicit, spelled[1])]
    if key in HELP:
        return [(None, key, explicit, False)]
    options: list[Option] = []
    short, rest = text[:2], text[2:]
    is_long = short == "--"
    if catalog.begins_a_spelling(key if is_long else short):
        for name, (own, negated) in catalog.spellings().items():
            if name.startswith(key) if is_long else name == short or name.startswith(text):
                flag = catalog.flag(own)
                behind = explicit if is_long else rest if name == short else None
                options.append((flag, name, behind, negated))
    if is_long and "--help".startswith(key):
        options.append((None, "--help", explicit, False))
    elif short == "-h":
        options.append((None, "-h", rest, False))
    if options:
        return options
    return [] if _is_negative_number(text) or " " in text else [(None, text, None, False)]


def _is_negative_number(text: str) -> bool:
    """Match argparse's `^-\\d+$|^-\\d*\\.\\d+$`."""
    whole, point, fraction = text[1:].partition(".")
    return f"{whole}{fraction}".isdecimal() and (not point or fraction != "")


def ambiguous(token: str, options: Sequence[Option], version: str) -> Finding:
    """Return the finding about an abbreviation of several flags."""
    given, names = written(token), [option[1] for option in options]
    shown = (*names[:_MOST_NAMES], *["…"] * (len(names) > _MOST_NAMES))
    facts = {"given": given, "version": version, "write": names[0]}
    return finding("ambiguous-flag", given, names=shown, **facts)


def without_value(token: str, behind: str, flag: Flag, catalog: Catalog) -> Finding:
    """Return the finding about a flag that needs a value; `behind` is the token after it, or ""."""
    given, behind = written(token), written(behind)
    is_secret = flag.flag in secrets_of(catalog.tables).variables
    is_flag = behind.startswith("--") or catalog.begins_a_spelling(behind)
    joined = behind.startswith("-") and not is_flag and "=" not in token and not is_secret
    instead = f"{given}={behind}" if joined else ""
    return finding("missing-value", given, given=given, version=catalog.version, instead=instead)


def unexpected_value(flag: Flag, token: str, text: str, version: str) -> Finding:
    """Return the finding about a switch with a value."""
    word = text.strip().lower()
    given, is_off = written(token), word in FALSE_WORDS
    write = flag.flag if word in TRUE_WORDS else flag.off if is_off else ""
    facts = {"flag": flag.flag, "version": version, "remove": flag.flag if is_off else ""}
    return finding("unexpected-value", given, given=given, write=write or "", **facts)


def unrecognised(token: str, catalog: Catalog, hints: bool = True) -> Finding:
    """Return the finding about a token that belongs to no flag; with `hints`, it suggests one."""
    version, spellings, shown = catalog.version, catalog.spellings(), written(token)
    option, *value = token.replace("_", "-").split() or [""]
    if token[:1] == " " and (option in spellings or not option):
        return finding("stray-token", shown, case="blank", flag=option, version=version)
    if not token.startswith("-"):
        word = token.lower()
        case = "switch" if word in ("true", "1") else "off" if word in ("false", "0") else ""
        return finding("stray-token", shown, case=case, given=shown, version=version)
    # Of `--api-key S` in one piece, the option is compared.
    if value and (option in spellings or catalog.tables.having(option)):
        return finding("unknown-flag", shown, case="one-string", flag=option, version=version)
    name, flag = shown.partition("=")[0], name_of(token)
    if flag in spellings and "." in name:
        return finding("unknown-flag", name, case="dotted", flag=flag, given=name, version=version)
    if flag in spellings:
        return finding("stray-token", shown, case="end", given=shown, version=version)
    from translator.core.tables.images import program_of

    near = program = ""
    theirs = catalog.tables.records(SERVERS).get(name_of(option), {})
    if theirs and theirs["ours"] in ("", *spellings):
        near, program = theirs["ours"], " and ".join(theirs["servers"])
    elif hints:
        near = _near(name_of(option), catalog)
    facts = {"near": near, "program": program, "installs": program_of(flag, catalog.tables)}
    return finding("unknown-flag", shown, given=name, version=version, **facts)


def name_of(option: str) -> str:
    """Return the name of the flag that an option is of, without keys and value."""
    return option.partition("=")[0].partition(".")[0].replace("_", "-")


def _near(name: str, catalog: Catalog) -> str:
    """Return the spelling that a name is most likely a misspelling of; "" if there is none. One
    that switches off is no misspelling of one that switches on.
    """
    from translator.core.tables.images import telling

    spellings = catalog.spellings()
    first, _, last = name[2:].partition("-")
    for often in sorted(telling(spellings, catalog.tables)):  # `--max-len` is `--max-model-len`
        if last and often.startswith(f"--{first}-") and often.endswith(f"-{last}"):
            return often
    for near in filter(spellings.__contains__, catalog.tables.similar(name, "-")):
        if near.startswith(_OFF) == name.startswith(_OFF):
            return near
        flag = catalog.flag(spellings[near][0])
        return (flag and flag.off) or ""
    return ""
