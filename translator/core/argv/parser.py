"""Parse the command line of `vllm serve` as the real parser of a version does.

argparse's part of the grammar, behind the rewriting of tokens: which values belong to which option.

    tokens     ::= token*            A: a value   O: an option   -: `--`
    option     ::= --flag | --flag=value | --fl (a unique prefix) | -f | -fvalue | -xyf…
    values     ::= nothing (a switch) | A (most flags) | A* (a list) | A? (where bare is allowed)
    positional ::= -* A -*           the model, once, before or between the options

These are the rules of Python 3.11's argparse (`_parse_known_args`), which parses the tokens of
`vllm serve` in every version. They are reimplemented here because argparse takes 7 ms to import,
stops at the first mistake and does not record where a value came from.
"""

from __future__ import annotations

from translator.core.argv.rewriting import (
    HELP,
    MODULE_PART,
    WHOLE_LINE,
    Rewritten,
    RewrittenLine,
    ambiguous,
    dotted_value,
    options_of,
    unexpected_value,
    unrecognised,
    with_dashes,
    with_level,
    without_value,
    written,
)
from translator.core.findings import finding
from translator.core.secrets import MASK, secrets_of
from translator.core.settings import same
from translator.core.tables.catalog import JSON_KINDS, MODEL
from translator.core.tables.shapes import problems
from translator.core.text.json_text import dumps
from translator.core.text.words import MOST_HINTS, TOKEN, Origin
from translator.core.values import BadValue, from_token, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from translator.core.argv.rewriting import LineRules, Option
    from translator.core.findings import Finding
    from translator.core.settings import Setting
    from translator.core.tables.catalog import Catalog, Flag


def parse(tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE) -> Line:
    """Parse the tokens after `vllm serve`: all of them, although the real parser stops at the first
    mistake.
    """
    line = Line(tokens, catalog, rules)
    if not line.findings:
        return line
    keys = {
        at: flag
        for at, flag in secrets_of(catalog.tables).like_options(tokens).items()
        if not stands(tokens[at], catalog)
    }
    if keys:
        # A secret may begin with a dash. However argparse reads it, no message quotes a part of it.
        tokens = [MASK if at in keys else text for at, text in enumerate(tokens)]
        line = Line(tokens, catalog, rules)
        line.findings[:0] = [
            finding("missing-value", flag, case="dash", flag=flag, version=catalog.version)
            for flag in dict.fromkeys(map(written, keys.values()))
        ]
    return line


def stands(text: str, catalog: Catalog) -> bool:
    """Tell whether the real parser reads a separate token as a value, not as an option."""
    if not text.startswith("-"):
        return True
    grammar = catalog.grammar
    if with_level(with_dashes(text, grammar), "", grammar) != [text]:
        return False
    if "." in text.partition("=")[0] and grammar.reads_dots:
        return False
    return text != "--" and not options_of(text, catalog)


class Misread(Exception):
    """vLLM refuses the tokens that the consumer passes on, or reads them as something else."""


def value_of(tokens: list[str], flag: Flag, catalog: Catalog) -> Any:
    """Return the value that vLLM reads from the tokens of one flag.

    Raises:
        Misread: vLLM refuses the tokens, or they set something else.
    """
    line = Line(tokens, catalog, MODULE_PART)
    if line.findings:
        raise Misread
    if flag.flag == MODEL and line.model is not None and len(tokens) == 2:
        return line.model
    found = line.settings()
    if list(found) != [flag.flag] or line.model is not None:
        raise Misread
    return found[flag.flag][0]


def dotted_tokens(flag: Flag, value: dict[str, Any], catalog: Catalog) -> list[str]:
    """Return the tokens that set a JSON flag key by key; in one piece, if they would not be read as
    the same value.
    """
    found = list(_leaves(flag.flag, value, catalog))
    try:
        is_same = same(value_of(found, flag, catalog), value)
    except Misread:
        is_same = False
    return found if is_same else tokens(flag, value)


def _leaves(name: str, value: dict[str, Any], catalog: Catalog) -> Iterator[str]:
    """Yield a token for each key. Keys inside a secret may be secret, too, and stay JSON."""
    secrets = secrets_of(catalog.tables)
    for key, item in value.items():
        here = f"{name}.{key}"
        if isinstance(item, dict) and item and not secrets.named(key):
            yield from _leaves(here, item, catalog)
        elif isinstance(item, str) and dotted_value(item, catalog) == item:
            yield f"{here}={item}"
        elif (
            item
            and isinstance(item, list)
            and catalog.grammar.plus
            and all(isinstance(element, str) and "," not in element for element in item)
        ):
            yield f"{here}+={','.join(item)}"
        else:
            yield f"{here}={dumps(item)}"


_PLAIN_JSON = (None, "one-line")  # the syntaxes that read an object as JSON has it


class Use:
    """One use of a flag on the command line.

    Attributes:
        flag: the flag.
        origin: the token.
        value: the typed value; True or False for a switch.
    """

    __slots__ = ("flag", "origin", "value")

    def __init__(self, flag: Flag, origin: Origin, value: Any) -> None:
        self.flag, self.origin, self.value = flag, origin, value


class Line(RewrittenLine):
    """A parsed command line.

    Args:
        tokens: the tokens after `vllm serve`.
        catalog: the version's catalog.
        rules: how to parse them.

    Attributes:
        uses: every use of a flag, in the order in which the real parser sees them.
        model: the positional, or None; `model_at` is its index.
        unknown: the indexes of tokens that argparse does not recognise, each with those of the
            stray values after it.
        missing: settings that only other versions have, each with the other version's flag.
    """

    def __init__(self, tokens: list[str], catalog: Catalog, rules: LineRules) -> None:
        super().__init__(tokens, catalog, rules)
        self.uses: list[Use] = []
        self.model: str | None = None
        self.model_at = 0
        self.unknown: list[list[int]] = []
        self.missing: list[Setting] = []
        self._model_read = self._skipped = False
        self._kinds: list[str] = []  # of each token: A, O or -
        self._options: dict[int, list[Option]] = {}  # by index; several are ambiguous
        self._classify()
        self._assign()

    def settings(self) -> dict[str, tuple[Any, Origin]]:
        """Return what argparse leaves in the namespace: flag → its value and the token that set it.
        The last use wins; values of append flags accumulate.
        """
        settings: dict[str, tuple[Any, Origin]] = {}
        for item in self.uses:
            name, value = item.flag.flag, item.value
            if item.flag.kind == "append":
                value = settings[name][0] if name in settings else []
                value.append(item.value)
            settings[name] = (value, item.origin)
        return settings

    def repeated(self) -> list[Finding]:
        """Return a remark for every use of a flag that a later use overrides."""
        last: dict[str, Use] = {}
        findings: dict[tuple[str, ...], Finding] = {}  # one for all with the same facts
        version = self.catalog.version
        for item in self.uses:
            name = item.flag.flag
            before = last.get(name, item)
            if before.value != item.value and item.flag.kind != "append":
                given, earlier = item.origin.name, before.origin.name
                key = name, given, earlier if earlier != given else ""
                if key not in findings:
                    facts = {"version": version, "given": given, "earlier": key[2]}
                    findings[key] = finding("repeated-flag", name, **facts).of(item.origin)
            last[name] = item
        if self.model is not None and MODEL in last and self.model != last[MODEL].value:  # to 0.7
            findings[MODEL,] = finding("repeated-flag", MODEL, case="model", version=version)
        return list(findings.values())

    def _classify(self) -> None:
        """Find the kind of each token and the options, as argparse's first pass does."""
        for at, text in enumerate(self.tokens):
            if text[:1] != "-":
                self._kinds.append("A")
                continue
            if text == "--":
                self._kinds += ["-", *("A" for _ in self.tokens[at + 1 :])]
                return
            if options := options_of(text, self.catalog):
                self._options[at] = options
            self._kinds.append("O" if options else "A")

    def _assign(self) -> None:
        """Assign values to options like argparse's `_parse_known_args`.

        The `serve` subparser has one optional positional: the model.
        """
        at, end = 0, len(self.tokens)
        for option in self._options:
            if option < at:
                continue  # behind a refused one
            if at < option and (at := self._positional(at)) < option:
                self._stray(at, option)
            at = self._option(option)
        if (not self._model_read or at < end) and (at := self._positional(at)) < end:
            self._stray(at, end)
        # After a mistake, the model may be among the skipped tokens.
        is_told = self._skipped or any(item.code == "missing-model" for item in self.findings)
        if self.grammar.model_required and not self._model_read and not is_told:
            self.refuse("missing-model", "model", case="first")
        for count, group in enumerate(self.unknown):
            about = unrecognised(self.tokens[group[0]], self.catalog, count < MOST_HINTS)
            self.findings.append(about.of(self.origin_of(*group[:2])))

    def _stray(self, start: int, end: int) -> None:
        """Record tokens that belong to nothing; one directly behind an unknown option is most
        likely its value.
        """
        unknown = self.unknown
        for at in range(start, end):
            before = self.tokens[at - 1] if at else ""
            is_option = before[:1] == "-" and not {"=", " "} & {*before}
            if is_option and unknown and unknown[-1] == [at - 1]:
                unknown[-1].append(at)
            else:
                unknown.append([at])

    def _positional(self, at: int) -> int:
        """Consume the model, as argparse's `consume_positionals` does; return the position behind.

        The `?` positional takes one value if there is one, and is used up even if there is none.
        """
        if self._model_read:
            return at
        end = self._past(at - 1, "-") if self._kinds[at : at + 1] == ["-"] else at
        if self._kinds[end : end + 1] == ["A"]:
            self.model, self.model_at = str(self.tokens[end]), end
            self._model_read = True
            return self._past(end, "-")
        self._model_read = not self.grammar.model_required
        return end if self._model_read else at

    def _past(self, at: int, kind: str = "A") -> int:
        """Return the position behind a token and what follows it of a kind."""
        end = at + 1
        while end < len(self._kinds) and self._kinds[end] == kind:
            end += 1
        return end

    def _option(self, at: int) -> int:
        """Read an option and its values; return the position behind them."""
        token, options, version = self.tokens[at], self._options[at], self.catalog.version
        flag, spelling, explicit, negated = options[0]
        if len(options) > 1:
            return self._skip(at, ambiguous(token, options, version))
        if flag is None:
            if spelling in HELP:
                given = written(token)
                return self._skip(at, finding("unexpected-value", given, case="help", given=given))
            self.unknown.append([at])
            return at + 1
        switches: list[tuple[Flag, bool]] = []  # `-qtp2`: those of one letter before the last flag
        while explicit is not None and not flag.takes_value:
            short = "-" + explicit[:1]
            following = None if spelling.startswith("--") else self.catalog.spelled(short)
            if following is None:
                return self._skip(at, unexpected_value(flag, token, explicit, version))
            switches.append((flag, negated))
            flag, negated = following
            spelling, explicit = short, explicit[1:] or None
        if explicit == "--":  # Python 3.11 drops it, and passes an empty list to vLLM
            facts = {"given": written(token), "flag": flag.flag}
            return self._skip(at, finding("missing-value", written(token), case="dashes", **facts))
        end, values = at + 1, [] if explicit is None else [explicit]
        if explicit is None and flag.takes_value:
            end = self._past(at) if flag.kind == "list" else min(self._past(at), at + 2)
            values = self.tokens[at + 1 : end]
            if not values and not flag.bare:
                behind = self._options.get(end, ())
                # An unknown option is probably the value of the flag.
                is_value = len(behind) == 1 and behind[0][0] is None and behind[0][1] not in HELP
                text = self.tokens[end] if end < len(self.tokens) else ""
                refused = without_value(token, text, flag, self.catalog)
                return self._skip(end if is_value else at, refused)
        for switch, is_off in switches:
            self._take(switch, at, at + 1, [], is_off)
        self._take(flag, at, end, values, negated)
        return end

    def _skip(self, at: int, found: Finding) -> int:
        """Refuse an option; return the position behind the values after it."""
        self.findings.append(found.of(self.origin_of(at)))
        self._skipped = True
        return self._past(at)

    def origin_of(self, at: int, last: int | None = None) -> Origin:
        """Return the origin that a token is, with the values behind it up to the last one."""
        token, index = self.tokens[at], self.at[at]
        if not self.holes and index >= 0 and type(token) is str:  # nearly always
            return Origin(TOKEN, token, index, self.rules.inside)
        holes = self.holes.intersection(self.at[at : (last or at) + 1])
        return self.origin(token, index, bool(holes))

    def _take(self, flag: Flag, at: int, end: int, texts: list[str], negated: bool) -> None:
        """Record one use of a flag, up to the token before `end`, if it takes the value."""
        value: Any
        origin = self.origin_of(at, end - 1)
        if not flag.takes_value:
            value = not negated
        elif not texts:
            value = True
        elif (
            type(texts[0]) is Rewritten
            and texts[0].value is not None
            and flag.kind in JSON_KINDS
            and flag.syntax in _PLAIN_JSON
        ):
            value, origin.keys = texts[0].value, texts[0].keys
            origin.hole = any(item.hole for item in origin.keys.values())
        else:
            sizes = self.grammar.json_sizes
            try:
                if flag.kind == "list":
                    value = [from_token(flag, str(text), sizes) for text in texts]
                else:
                    value = from_token(flag, str(texts[0]), sizes)
            except BadValue as error:
                from translator.core.values.mistakes import bad_value

                about = bad_value(error, origin.name, flag, self.catalog, str(texts[0]))
                self.findings.append(about.of(origin))
                return
        if texts and flag.shaped and value is not None:
            self._check_keys(flag, value, origin)
        self.uses.append(Use(flag, origin, value))

    def _check_keys(self, flag: Flag, value: Any, origin: Origin) -> None:
        """Check the keys of a JSON value.

        vLLM checks every use of a flag, even if a later use replaces it. Keys that have a
        replacement are left to `assemble`.
        """
        from translator.core.settings.changes import movable
        from translator.core.settings.refusals import about_key

        shape = self.catalog.shape(flag.flag)
        if shape is None:
            return
        for mismatch in problems(value, shape):
            path, _, expected = mismatch
            if not movable(flag.flag, path, expected, self.catalog):
                self.findings.append(about_key(flag, mismatch, origin, self.catalog))
