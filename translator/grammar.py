"""The command line of `vllm serve`, read as the real parser of a version reads it.

Two layers, as in vLLM: FlexibleArgumentParser.parse_args rewrites the tokens (the model moved to the front, --config replaced by what the file holds,
underscores to dashes, -O, dotted keys collected into one JSON at the end), then argparse (Python 3.11's, whose rules these are) assigns them.
Everything that differs between versions is a fact of the catalog's grammar.
"""

from __future__ import annotations

from translator import jsontext
from translator.argv import CONFIG, MODEL
from translator.findings import Finding, finding, nearest, show
from translator.jsontext import JsonError
from translator.settings import nest
from translator.shapes import problems
from translator.values import BadValue, from_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.catalog import Catalog, Flag

    Config = Callable[[str], "list[str] | Finding | None"]

_LEVELS = ("0", "1", "2", "3")


class Token(str):
    """A token, with the tokens of the user's that it came from (dotted keys become one JSON token)."""

    __slots__ = ("origin",)
    origin: str

    def __new__(cls, text: str, origin: str | None = None) -> Token:
        made = str.__new__(cls, text)
        made.origin = text if origin is None else origin
        return made


class Refused(Exception):
    """The real parser refuses the command line for this reason."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found.message)
        self.finding = found


class Occurrence:
    """One use of a flag on the command line.

    Attributes:
        flag: the flag; None for the model given as positional.
        token: as the user wrote it.
        value: typed; True or False of a switch.
    """

    __slots__ = ("flag", "token", "value")

    def __init__(self, flag: Flag | None, token: str, value: Any) -> None:
        self.flag, self.token, self.value = flag, token, value


class Parsed:
    """A command line, read.

    Attributes:
        occurrences: every use of a flag, in the order in which the real parser sees them.
        model: the positional, or None.
        config: the path given to --config when its content was not to be had.
        unknown: tokens that argparse does not recognise: (token, the stray values behind it).
        findings: errors (each is a refusal of the real parser) and remarks.
    """

    __slots__ = ("config", "findings", "hints", "model", "occurrences", "unknown")

    def __init__(self) -> None:
        self.occurrences: list[Occurrence] = []
        self.model: str | None = None
        self.config: str | None = None
        self.unknown: list[list[str]] = []
        self.findings: list[Finding] = []
        self.hints = True


def no_files(path: str) -> None:
    """The `config` of callers that read no files."""
    return


def parse(tokens: list[str], catalog: Catalog, config: Config = no_files, *, module: bool = False, partial: bool = False, hints: bool = True) -> Parsed:
    """Read the tokens after `vllm serve`.

    Args:
        tokens: the command line.
        catalog: of the version.
        config: gives the tokens that a config file stands for (see `translator.configfile`), a finding, or None to leave --config as it is.
        module: the tokens stood behind `python -m vllm.entrypoints.openai.api_server`, which takes the model as --model in every version.
        partial: the tokens are to be added to others, so the model may be missing.
        hints: whether to look for what a misspelt flag may mean (4 ms each), or only for whether the line is refused.
    """
    done = Parsed()
    done.hints = hints
    rules = dict(catalog.grammar)
    if module:
        rules["model_option"] = "moved"
    if partial:
        rules.pop("model_required", None)
        rules.pop("served_needs_model", None)
    try:
        rewritten = _rewrite([Token(text) for text in tokens], catalog, rules, config, done)
        _argparse(rewritten, catalog, rules, done)
    except Refused as refused:
        done.findings.append(refused.finding)
    if done.findings:
        done.findings = _masked(done.findings, tokens, catalog)
    return done


def _masked(findings: list[Finding], tokens: list[str], catalog: Catalog) -> list[Finding]:
    """The findings without the secrets that stand on the command line."""
    from translator.secrets import mask, secrets_of

    hidden = [item for item in secrets_of(catalog.tables).in_tokens(tokens) if len(item) > 3]
    if not hidden:
        return findings
    return [Finding(item[0], item[1], mask(item[2], hidden), mask(item[3], hidden), mask(item[4], hidden)) for item in findings]


# --- FlexibleArgumentParser.parse_args --------------------------------------------------------------------------------


def _rewrite(tokens: list[Token], catalog: Catalog, grammar: dict[str, Any], config: Config, done: Parsed) -> list[Token]:
    tokens = _move_model(tokens, catalog, grammar)
    if grammar.get("served_needs_model") and tokens and tokens[0].startswith("-"):
        served = [text for text in tokens if text.partition("=")[0].replace("_", "-") == grammar["served_needs_model"] and not text.endswith("=")]
        if served and not any(text == CONFIG or text.startswith(CONFIG + "=") and text != CONFIG + "=" for text in tokens):
            raise Refused(finding("missing-model", served[0], f"vLLM {catalog.version} takes {served[0]} only after the model", "put the model first"))
    if CONFIG in tokens:
        tokens = _pull_config(tokens, catalog, grammar, config, done)
    tokens = [_dashes(text, grammar) for text in tokens]
    tokens = _level(tokens, grammar)
    return _collect_dotted(tokens, catalog, done) if grammar.get("dotted") else tokens


def _move_model(tokens: list[Token], catalog: Catalog, grammar: dict[str, Any]) -> list[Token]:
    """`--model X`: moved to the front (0.11 on), refused (0.8 to 0.10), or left for argparse."""
    rule = grammar.get("model_option")
    if rule == "refused" and MODEL in tokens:
        raise Refused(finding("model-option", MODEL, f"vllm serve {catalog.version} takes the model as its first argument, not as {MODEL}", "put it right after `vllm serve`"))
    if rule != "moved":
        return tokens
    empty_counts = grammar.get("model_option_empty", False)
    for at, text in enumerate(tokens):
        if text == MODEL or text.startswith(MODEL + "=") and (empty_counts or text != MODEL + "="):
            if text == MODEL:
                if at + 1 >= len(tokens):
                    raise Refused(finding("missing-value", MODEL, f"{MODEL} needs a value"))
                return [Token(tokens[at + 1], f"{MODEL} {tokens[at + 1]}"), *tokens[:at], *tokens[at + 2 :]]
            return [Token(text.partition("=")[2], text), *tokens[:at], *tokens[at + 1 :]]
    return tokens


def _pull_config(tokens: list[Token], catalog: Catalog, grammar: dict[str, Any], config: Config, done: Parsed) -> list[Token]:
    """`--config FILE` replaced by what the file says, right after the model: so the command line wins."""
    if tokens.count(Token(CONFIG)) > 1:
        raise Refused(finding("config-file", CONFIG, f"{CONFIG} may be given once"))
    at = tokens.index(Token(CONFIG))
    if at == len(tokens) - 1:
        raise Refused(finding("missing-value", CONFIG, f"{CONFIG} needs a file"))
    path = tokens[at + 1]
    if path.rpartition(".")[2] not in ("yaml", "yml"):
        raise Refused(finding("config-file", path, f"{CONFIG} {show(path)}: vLLM takes only files that end in .yaml or .yml"))
    found = config(path)
    model_first = not tokens[0].startswith("-")
    if isinstance(found, Finding):
        raise Refused(found)
    if found is None:
        if grammar.get("model_required") and at == 0:
            raise Refused(finding("missing-model", CONFIG, f"vLLM {catalog.version} needs the model before {CONFIG}"))
        done.config = str(path)
        return [*tokens[:at], *tokens[at + 2 :]]
    pulled = [Token(text, f"{path}: {text}") for text in found]
    if grammar.get("model_required"):
        if at == 0:
            raise Refused(finding("missing-model", CONFIG, f"vLLM {catalog.version} needs the model before {CONFIG}"))
        return [tokens[0], *pulled, *tokens[1:at], *tokens[at + 2 :]]
    if model_first:
        return [tokens[0], *pulled, *tokens[1:at], *tokens[at + 2 :]]
    if MODEL not in found:
        raise Refused(finding("missing-model", CONFIG, f"neither the command line nor {show(path)} names a model"))
    return [*pulled, *tokens[:at], *tokens[at + 2 :]]


def _dashes(text: Token, grammar: dict[str, Any]) -> Token:
    """Underscores of an option's name to dashes; of a dotted one only those before the first dot."""
    if not text.startswith("--") or "_" not in text:
        return text
    key, sign, value = text.partition("=")
    if grammar.get("dotted"):
        name, dot, rest = key.partition(".")
        key = name.replace("_", "-") + dot + rest
    else:
        key = key.replace("_", "-")
    return Token(key + sign + value, text.origin)


def _level(tokens: list[Token], grammar: dict[str, Any]) -> list[Token]:
    """`-O3`, `-O=3` and `-O 3`, as vLLM rewrites them itself from 0.9 on (argparse alone does it before)."""
    target = next((item.rpartition("=")[2] for item in grammar.get("O", ()) if item.startswith("-O3=")), None)
    if not grammar.get("dotted") or target is None:
        return tokens
    found: list[Token] = []
    for at, text in enumerate(tokens):
        if text.startswith("-O") and text != "-O" and not (grammar.get("O_dotted") and text[2] == "."):
            value = text[3:] if text[2] == "=" else text[2:]
            if target == "optimization-level":
                found += [Token(f"--{target}", text), Token(value, text)]
            else:
                found.append(Token(f"-O.{target}={value}", text))
        elif text == "-O" and at + 1 < len(tokens) and tokens[at + 1] in _LEVELS:
            found.append(Token(f"--{target}" if target == "optimization-level" else f"-O.{target}", text))
        elif text.startswith("-O.") and target == "optimization-level" and grammar.get("O_dotted"):
            found.append(Token(text.replace("-O", "-cc", 1), text))  # 0.12 only: its parser renames the short flag
        else:
            found.append(text)
    return found


def _collect_dotted(tokens: list[Token], catalog: Catalog, done: Parsed) -> list[Token]:
    """`--flag.key value` and `--flag.key+ a,b`: all of one flag become one JSON, after everything else (where it wins)."""
    kept: list[Token] = []
    dicts: dict[str, dict[str, Any]] = {}
    origins: dict[str, list[str]] = {}
    skip = False
    for at, text in enumerate(tokens):
        if skip:
            skip = False
            continue
        if not text.startswith("-") or "." not in text or text.startswith("--") and "." not in text.partition("=")[0] and "=" in text:
            kept.append(text)
            continue
        key, sign, value_text = text.partition("=")
        if sign and "." not in key:
            kept.append(text)
            continue
        if not sign:
            if at + 1 >= len(tokens):
                raise Refused(finding("missing-value", text.origin, f"{text.origin} needs a value"))
            value_text = tokens[at + 1]
            skip = True
        value: Any
        if key.endswith("+"):
            key = key[:-1]
            value = value_text.split(",")
        else:
            value = _dotted_value(value_text, catalog)
        name, *path = key.split(".")
        old = dicts.setdefault(name, {})
        dicts[name] = _update(old, nest(tuple(path), value))
        origins.setdefault(name, []).append(text.origin if sign else f"{text.origin} {value_text}")
    for name, value in dicts.items():
        origin = " ".join(origins[name])
        kept += [Token(name, origin), Token(jsontext.spaced(value), origin)]
    return kept


def _dotted_value(text: str, catalog: Catalog) -> Any:
    try:
        return jsontext.loads(text)
    except JsonError:
        if catalog.grammar.get("dotted_sizes"):
            try:
                return jsontext.size(text)
            except JsonError:
                pass
        return text


def _update(old: Any, new: Any) -> Any:
    """vLLM's own merge of dotted keys: lists are appended to."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = dict(old)
        for key, value in new.items():
            found[key] = _update(found[key], value) if key in found else value
        return found
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    return new


# --- argparse ----------------------------------------------------------------------------------------------------------


def _is_negative_number(text: str) -> bool:
    """argparse's `^-\\d+$|^-\\d*\\.\\d+$`."""
    whole, point, fraction = text[1:].partition(".")
    if not point:
        return whole.isdecimal()
    return (whole == "" or whole.isdecimal()) and fraction.isdecimal()


def _option(text: Token, catalog: Catalog) -> Any:
    """What argparse's _parse_optional says of a token: None for a value, else (flag, spelling, explicit value, negated)."""
    if not text.startswith("-"):
        return None
    spellings = catalog.spellings()
    found = spellings.get(text)
    if found is not None:
        return found[0], str(text), None, found[1]
    if len(text) == 1:
        return None
    key, sign, value = text.partition("=")
    if sign and key in spellings:
        flag, negated = spellings[key]
        return flag, key, value, negated
    matches = _abbreviated(str(text), spellings)
    if len(matches) > 1:
        names = ", ".join(item[1] for item in matches)
        raise Refused(finding("ambiguous-flag", text.origin, f"{show(text.origin)} could be any of {names}", f"write {matches[0][1]}"))
    if matches:
        return matches[0]
    if _is_negative_number(text) or " " in text:
        return None
    return None, str(text), None, False


_HELP = ("-h", "--help")


def stands_for_a_value(text: str, catalog: Catalog) -> bool:
    """Whether the real parser takes a token that stands alone for a value, and not for an option."""
    if not text.startswith("-"):
        return True
    if "." in text.partition("=")[0] and catalog.grammar.get("dotted"):
        return False
    try:
        return text != "--" and _option(Token(text), catalog) is None
    except Refused:
        return False


def _abbreviated(text: str, spellings: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    if text.startswith("--"):
        prefix, sign, value = text.partition("=")
        explicit = value if sign else None
        for name, (flag, negated) in spellings.items():
            if name.startswith(prefix):
                found.append((flag, name, explicit, negated))
        if "--help".startswith(prefix):
            found.append((None, "--help", explicit, False))
        return found
    short, rest = text[:2], text[2:]
    for name, (flag, negated) in spellings.items():
        if name == short:
            found.append((flag, name, rest, negated))
        elif name.startswith(text):
            found.append((flag, name, None, negated))
    if short == "-h":
        found.append((None, "-h", rest, False))
    return found


def _argparse(tokens: list[Token], catalog: Catalog, grammar: dict[str, Any], done: Parsed) -> None:
    """argparse's _parse_known_args of the `serve` subparser, with one optional positional, the model."""
    options: dict[int, Any] = {}
    kinds: list[str] = []
    for at, text in enumerate(tokens):
        if text == "--":
            kinds += ["-", *("A" for _ in tokens[at + 1 :])]
            break
        if text in _HELP or text.startswith("--help="):
            raise Refused(finding("unexpected-value", text.origin, f"{text.origin} prints vLLM's help instead of serving", "leave it out"))
        found = _option(text, catalog)
        if found is not None:
            options[at] = found
        kinds.append("A" if found is None else "O")
    _Reader(tokens, kinds, options, catalog, bool(grammar.get("model_required")), done).run()


class _Reader:
    """The loop of argparse over the classified tokens."""

    def __init__(self, tokens: list[Token], kinds: list[str], options: dict[int, Any], catalog: Catalog, model_required: bool, done: Parsed) -> None:
        self.tokens, self.kinds, self.options, self.catalog, self.done = tokens, kinds, options, catalog, done
        self.model_required = model_required
        self.model_read = False
        self.json_sizes = bool(catalog.grammar.get("json_sizes"))

    def run(self) -> None:
        at, order = 0, sorted(self.options)
        place = 0
        while True:
            while place < len(order) and order[place] < at:
                place += 1
            if place == len(order):
                break
            following = order[place]
            if at != following:
                end = self._positional(at)
                if end > at:
                    at = end
                    continue
            if at not in self.options:
                self._stray(self.tokens[at:following])
                at = following
            at = self._optional(at)
        at = self._positional(at)
        self._stray(self.tokens[at:])
        if not self.model_read and self.model_required:
            raise Refused(finding("missing-model", "model", f"vLLM {self.catalog.version} needs the model as its first argument", "put it right after `vllm serve`"))
        self.done.findings += [unrecognised(group, self.catalog, self.done.hints) for group in self.done.unknown]

    def _stray(self, tokens: list[Token]) -> None:
        for text in tokens:
            if self.done.unknown and self.done.unknown[-1][0].startswith("-") and len(self.done.unknown[-1]) == 1 and self._follows(text):
                self.done.unknown[-1].append(text.origin)
            else:
                self.done.unknown.append([text.origin])

    def _follows(self, text: Token) -> bool:
        """Whether a stray value stands right behind the unknown option (then it is most likely its value)."""
        at = next(index for index, item in enumerate(self.tokens) if item is text)
        return at > 0 and self.tokens[at - 1].origin == self.done.unknown[-1][0] and "=" not in self.done.unknown[-1][0]

    def _positional(self, at: int) -> int:
        """consume_positionals for the model: `?` takes one value if there is one, and is used up even if there is none."""
        if self.model_read:
            return at
        end = at
        while end < len(self.kinds) and self.kinds[end] == "-":
            end += 1
        if end < len(self.kinds) and self.kinds[end] == "A":
            text = self.tokens[end]
            end += 1
            while end < len(self.kinds) and self.kinds[end] == "-":
                end += 1
            self.done.model = str(text)
            self.done.occurrences.append(Occurrence(None, text.origin, str(text)))
            self.model_read = True
            return end
        if not self.model_required:
            self.model_read = True
            return end
        return at

    def _optional(self, at: int) -> int:
        flag, spelling, explicit, negated = self.options[at]
        token = self.tokens[at]
        if flag is None:
            if spelling in _HELP:
                raise Refused(finding("unexpected-value", token.origin, f"{token.origin} prints vLLM's help instead of serving", "leave it out"))
            self.done.unknown.append([token.origin])
            return at + 1
        actions: list[tuple[Flag, str, list[str], bool]] = []
        while explicit is not None:
            if flag.takes_value:
                actions.append((flag, spelling, [explicit], negated))
                stop = at + 1
                break
            if spelling.startswith("--") or explicit == "":
                raise Refused(_unexpected(flag, token, explicit, self.catalog.version))
            actions.append((flag, spelling, [], negated))
            spelling, rest = "-" + explicit[0], explicit[1:]
            following = self.catalog.spellings().get(spelling)
            if following is None:
                raise Refused(_unexpected(flag, token, explicit, self.catalog.version))
            flag, negated = following
            explicit = rest or None
        if explicit is None:
            values = self._values_behind(at, flag, token)
            actions.append((flag, spelling, values, negated))
            stop = at + 1 + len(values)
        for one, _, texts, off in actions:
            self._take(one, token, texts, off)
        return stop

    def _values_behind(self, at: int, flag: Flag, token: Token) -> list[str]:
        if not flag.takes_value:
            return []
        limit = len(self.tokens) if flag.kind == "list" else at + 2
        found: list[str] = []
        for index in range(at + 1, limit):
            if index >= len(self.kinds) or self.kinds[index] != "A":
                break
            found.append(str(self.tokens[index]))
        if not found and not flag.bare:
            behind = str(self.tokens[at + 1]) if at + 1 < len(self.tokens) else ""
            hint = f"write {token}={behind}" if behind.startswith("-") and "=" not in token else ""
            raise Refused(finding("missing-value", token.origin, f"{token.origin}: vLLM {self.catalog.version} expects a value for {flag.flag}", hint))
        return found

    def _take(self, flag: Flag, token: Token, texts: list[str], negated: bool) -> None:
        value: Any
        if not flag.takes_value:
            value = not negated
        elif not texts:
            value = True
        else:
            try:
                values = [from_token(flag, text, self.json_sizes) for text in texts]
            except BadValue as error:
                from translator.environ import bad_value

                self.done.findings.append(bad_value(token.origin.partition("=")[0], show(texts[0]), flag, error, self.catalog.version))
                return
            value = values if flag.kind == "list" else values[0]
            if flag.shaped and value is not None:
                self._check_keys(flag, value, token)
        self.done.occurrences.append(Occurrence(flag, token.origin, value))


    def _check_keys(self, flag: Flag, value: Any, token: Token) -> None:
        """vLLM checks the keys of every use, also of those that a later one replaces. Keys that another name carries are left to `assemble`."""
        from translator.assemble import key_problem, movable

        shape = self.catalog.shape(flag.flag)
        for path, item, expected in problems(value, shape) if shape is not None else ():
            if not movable(flag.flag, path, expected, self.catalog):
                self.done.findings.append(key_problem(flag.flag, path, item, expected, shape or {}, token.origin.partition("=")[0], self.catalog))


def _unexpected(flag: Flag, token: Token, explicit: str, version: str) -> Finding:
    word = explicit.strip().lower()
    hint = ""
    if word in ("true", "1", "yes", "on"):
        hint = f"write {flag.flag}"
    elif word in ("false", "0", "no", "off"):
        hint = f"write {flag.off}" if flag.off else "leave it out"
    return finding("unexpected-value", token.origin, f"{flag.flag} of vLLM {version} takes no value, and was given {show(explicit)!r}", hint)


def unrecognised(group: list[str], catalog: Catalog, hints: bool = True) -> Finding:
    """The finding for a token that no flag takes, with the stray values behind it."""
    first = group[0]
    name = first.partition("=")[0]
    if not first.startswith("-"):
        hint = "the model is already given" if catalog else ""
        if first.lower() in ("true", "false", "1", "0"):
            hint = "switches take no value: leave it out"
        return finding("stray-token", first, f"vLLM {catalog.version} has no use for {show(first)!r}: it belongs to no flag", hint)
    base = name.partition(".")[0].replace("_", "-")
    if base in catalog.spellings():
        return finding("unknown-flag", first, f"vLLM {catalog.version} has no dotted keys: {show(name)} is no flag", f"write {base}='{{\"KEY\": VALUE}}'")
    close = nearest(name.replace("_", "-"), catalog.spellings(), 1) if hints else []
    return finding("unknown-flag", first, f"vLLM {catalog.version} has no flag {show(name)}", f"did you mean {close[0]}?" if close else "")


def settings_of(occurrences: list[Occurrence]) -> dict[str, tuple[Any, list[str]]]:
    """What argparse leaves in the namespace: the last use wins, appended values add up. Flag → value and the tokens it is from."""
    found: dict[str, tuple[Any, list[str]]] = {}
    for item in occurrences:
        if item.flag is None:
            continue
        name = item.flag.flag
        if item.flag.kind == "append":
            values, tokens = found.get(name, ([], []))
            found[name] = ([*values, item.value], [*tokens, item.token])
        else:
            found[name] = (item.value, [item.token])
    return found


def repeated(occurrences: list[Occurrence]) -> list[Finding]:
    """A remark for every use of a flag that a later one makes void."""
    last: dict[str, Occurrence] = {}
    found: list[Finding] = []
    for item in occurrences:
        if item.flag is None or item.flag.kind == "append":
            continue
        before = last.get(item.flag.flag)
        if before is not None and before.value != item.value:
            first, second = (show(text.partition("=")[0]) for text in (before.token, item.token))
            found.append(finding("repeated-flag", item.flag.flag, f"an earlier {first} has no effect: the last one, {second}, counts", f"give {item.flag.flag} once"))
        last[item.flag.flag] = item
    return found
