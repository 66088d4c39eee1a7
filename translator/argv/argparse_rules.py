"""argparse's part of the grammar: which values belong to which option.

    tokens     ::= token*            A: a value   O: an option   -: `--`
    option     ::= --flag | --flag=value | --fl (a unique prefix) | -f | -fvalue | -xyf…
    values     ::= nothing (a switch) | A (most flags) | A* (a list) | A? (where bare is allowed)
    positional ::= -* A -*           the model, once, before or between the options

These are the rules of Python 3.11's argparse (`_parse_known_args`), which parses the tokens of
`vllm serve` in every version. They are reimplemented here because argparse takes 7 ms to import,
stops at the first mistake and does not record where a value came from.
"""

from __future__ import annotations

from translator.argv.options import (
    HELP,
    Refused,
    empties_a_list,
    option_of,
    prints_help,
    unexpected_value,
    unrecognised,
    without_value,
    written,
)
from translator.findings import finding
from translator.tables.entries import MODEL, Grammar
from translator.tables.shapes import problems
from translator.text.similar import MOST_HINTS
from translator.values.errors import BadValue, bad_value
from translator.values.tokens import from_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.argv.options import Option
    from translator.findings import Fact, Finding
    from translator.settings.setting import Setting
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag

    Config = Callable[[str], "list[str] | Finding | None"]


def no_files(path: str) -> None:
    """Read no file: the `config` of callers without file access."""
    return


# How far a parse goes: to the mistake at which the real parser stops; no farther than it takes to
# tell that there is one, of which no finding is needed; or to the end, of which only the findings
# are valid.
STOP, VERDICT, THROUGHOUT = "stop", "verdict", "throughout"


class LineRules:
    """How to parse a line, in addition to the rules of the version.

    Attributes:
        config: reads the file of --config. Returns its tokens, a finding, or None to keep --config.
        module: the tokens follow `python -m vllm.entrypoints.openai.api_server`, which accepts the
            model as --model in every version.
        partial: the tokens are added to others, so the model may be missing.
    """

    __slots__ = ("config", "module", "partial")

    def __init__(
        self, config: Config = no_files, *, module: bool = False, partial: bool = False
    ) -> None:
        self.config, self.module, self.partial = config, module, partial

    def grammar(self, catalog: Catalog) -> Grammar:
        """Return the version's command-line grammar, adjusted for these rules."""
        if not (self.module or self.partial):
            return catalog.grammar
        facts = dict(vars(catalog.grammar))
        if self.module:
            facts["model_option"] = "moved"
        if self.partial:
            facts |= {"model_required": False, "served_needs_model": None}
            if facts["model_option"] == "absent":  # the line is written with the model in front
                facts["model_option"] = "refused"
        return Grammar(facts)


WHOLE_LINE = LineRules()
PART = LineRules(partial=True)
# Tokens that a program adds to a command line of the older module.
MODULE_PART = LineRules(module=True, partial=True)


class Occurrence:
    """One use of a flag on the command line.

    Attributes:
        flag: the flag; None for the positional model.
        token: as the user wrote it.
        value: the typed value; True or False for a switch.
    """

    __slots__ = ("flag", "token", "value")

    def __init__(self, flag: Flag | None, token: str, value: Any) -> None:
        self.flag, self.token, self.value = flag, token, value


class Parsed:
    """A parsed command line.

    Attributes:
        occurrences: every use of a flag, in the order in which the real parser sees them.
        model: the positional, or None.
        config: the path of --config if its content was not available.
        unknown: tokens that argparse does not recognise, each with the stray values after it.
        missing: settings that only other versions have, each with the other version's flag.
        findings: the mistakes; the real parser refuses the line for each of them. Remarks, too, of
            a line that was written for another version.
    """

    __slots__ = ("config", "findings", "missing", "model", "occurrences", "unknown")

    def __init__(self) -> None:
        self.occurrences: list[Occurrence] = []
        self.model: str | None = None
        self.config: str | None = None
        self.unknown: list[list[str]] = []
        self.missing: list[Setting] = []
        self.findings: list[Finding] = []

    def with_uses(self, occurrences: list[Occurrence]) -> Parsed:
        """Return the line with other uses of flags, and without its mistakes."""
        made = Parsed()
        made.occurrences, made.model, made.config = occurrences, self.model, self.config
        return made


def settings_of(occurrences: list[Occurrence]) -> dict[str, tuple[Any, list[str]]]:
    """Return what argparse leaves in the namespace: flag → its value and the tokens that set it.

    The last use wins; values of append flags accumulate.
    """
    found: dict[str, tuple[Any, list[str]]] = {}
    for item in occurrences:
        if item.flag is None:
            continue
        name = item.flag.flag
        if item.flag.kind == "append":
            values, tokens = found.setdefault(name, ([], []))
            values.append(item.value)
            tokens.append(item.token)
        else:
            found[name] = (item.value, [item.token])
    return found


def repeated(occurrences: list[Occurrence], version: str) -> list[Finding]:
    """Return a remark for every use of a flag that a later use overrides."""
    last: dict[str, Occurrence] = {}
    found: list[Finding] = []
    for item in occurrences:
        if item.flag is None or item.flag.kind == "append":
            continue
        name = item.flag.flag
        before = last.get(name)
        if before is not None and before.value != item.value:
            first, second = (text.partition("=")[0] for text in (before.token, item.token))
            earlier = first if first != second else ""
            facts = {"version": version, "given": second, "earlier": earlier}
            found.append(finding("repeated-flag", name, **facts))
        last[name] = item
    if MODEL in last and any(
        item.flag is None and item.value != last[MODEL].value for item in occurrences
    ):  # up to 0.7
        found.append(finding("repeated-flag", MODEL, case="model", version=version))
    return found


# An option at which the real parser stops.
_REFUSED: Option = (None, "", None, False)


class ArgumentParser(Parsed):
    """A parse in progress: the result so far, and what happens at a mistake.

    Attributes:
        catalog: the version's catalog.
        rules: how to parse the line.
        grammar: the version's command-line grammar, adjusted for `rules`.
        extent: STOP, VERDICT or THROUGHOUT.
        tokens: what argparse receives.
        kinds: of each token: A, O or -.
        options: the options among the tokens, by index.
        model_read: whether the positional is used up.
        stopped: whether an option was refused, and what is behind it is read all the same.
    """

    def __init__(self, catalog: Catalog, rules: LineRules, extent: str) -> None:
        super().__init__()
        self.catalog, self.rules, self.extent = catalog, rules, extent
        self.grammar = rules.grammar(catalog)
        self.tokens: list[str] = []
        self.kinds: list[str] = []
        self.options: dict[int, Option] = {}
        self.model_read = self.stopped = False

    @property
    def is_decided(self) -> bool:
        """Whether the verdict is known, and nothing else is asked for."""
        return self.extent == VERDICT and bool(self.unknown or self.findings)

    def _suggests(self, at: int) -> bool:
        """Return whether a finding suggests what was meant: 4 ms for each misspelt flag."""
        return self.extent != VERDICT and at < MOST_HINTS

    def refuse(self, code: str, subject: str, case: str = "", **facts: Fact) -> None:
        """Refuse the line with a finding about the version; see `stop`."""
        self.stop(finding(code, subject, case=case, version=self.catalog.version, **facts))

    def stop(self, found: Finding) -> None:
        """Stop where the real parser stops, or record the mistake and continue.

        Raises:
            Refused: unless the whole line is read.
        """
        if self.extent != THROUGHOUT:
            raise Refused(found)
        self.findings.append(found)

    def assign(self, tokens: list[str]) -> None:
        """Assign values to options like argparse's `_parse_known_args`.

        The `serve` subparser has one optional positional: the model.

        Args:
            tokens: what argparse receives.

        Raises:
            Refused: the real parser stops, and the parse stops there.
        """
        self.tokens = tokens
        self._classify()
        at = 0
        for option in self.options:
            if option < at:
                continue  # behind a refused one
            if self.is_decided:
                return
            if at < option:
                self._stray(self._positional(at), option)
            try:
                at = self._optional(option)
            except Refused as refused:
                self.stop(refused.finding)
                self.stopped = True
                at = self._past(option + 1 if self._is_meant_as_value(option + 1) else option)
        if not self.model_read or at < len(tokens):
            self._stray(self._positional(at), len(tokens))
        # After a mistake, the model may be among the skipped tokens.
        if self.grammar.model_required and not self.model_read and not self.stopped:
            self.refuse("missing-model", "model", case="first")
        if self.unknown and not self.is_decided:
            self.findings += [
                unrecognised(group[0], self.catalog, self._suggests(at))
                for at, group in enumerate(self.unknown)
            ]

    def _classify(self) -> None:
        """Find the kind of each token and the options, as argparse's first pass does.

        Raises:
            Refused: an ambiguous abbreviation or a help option, and the parse stops there.
        """
        spellings = self.catalog.spellings()
        for at, text in enumerate(self.tokens):
            if not text.startswith("-"):
                self.kinds.append("A")
                continue
            if text in spellings:  # shortcut for most options, with the same result
                flag, negated = spellings[text]
                self.options[at] = flag, text, None, negated
                self.kinds.append("O")
                continue
            if text == "--":
                self.kinds += ["-", *("A" for _ in self.tokens[at + 1 :])]
                break
            try:
                if text in HELP or text.startswith("--help="):
                    raise Refused(prints_help(text))
                found = option_of(text, self.catalog)
            except Refused as refused:
                self.stop(refused.finding)
                found = _REFUSED
            if found is not None:
                self.options[at] = found
            self.kinds.append("A" if found is None else "O")

    def _stray(self, start: int, end: int) -> None:
        """Record tokens that belong to nothing; one directly behind an unknown option is most
        likely its value.
        """
        unknown = self.unknown
        for at in range(start, end):
            before = self.tokens[at - 1] if at else ""
            if before[:1] == "-" and "=" not in before and unknown and unknown[-1] == [before]:
                unknown[-1].append(self.tokens[at])
            else:
                unknown.append([self.tokens[at]])

    def _positional(self, at: int) -> int:
        """Consume the model, as argparse's `consume_positionals` does; return the position behind.

        The `?` positional takes one value if there is one, and is used up even if there is none.
        """
        if self.model_read:
            return at
        end = self._past(at - 1, "-")
        if self.kinds[end : end + 1] == ["A"]:
            model = self.tokens[end]
            self.model = str(model)
            self.occurrences.append(Occurrence(None, written(model), self.model))
            self.model_read = True
            return self._past(end, "-")
        if self.grammar.model_required:
            return at
        self.model_read = True
        return end

    def _past(self, at: int, kind: str = "A") -> int:
        """Return the position behind a token and what follows it of a kind."""
        end = at + 1
        while end < len(self.kinds) and self.kinds[end] == kind:
            end += 1
        return end

    def _optional(self, at: int) -> int:
        """Read an option and its values; return the position behind them.

        Raises:
            Refused: it lacks a value, or has one that it does not take.
        """
        if self.options[at] is _REFUSED:
            self.stopped = True
            return self._past(at)
        flag, spelling, explicit, negated = self.options[at]
        token = self.tokens[at]
        if flag is None:
            if spelling in HELP:
                raise Refused(prints_help(token))
            self.unknown.append([token])
            return at + 1
        switches: list[tuple[Flag, bool]] = []  # `-qtp2`: those of one letter before the last flag
        while explicit is not None and not flag.takes_value:
            short = "-" + explicit[:1]
            following = None if spelling.startswith("--") else self.catalog.spellings().get(short)
            if following is None:
                raise Refused(unexpected_value(flag, token, explicit, self.catalog.version))
            switches.append((flag, negated))
            flag, negated = following
            spelling, explicit = short, explicit[1:] or None
        if explicit == "--":
            raise Refused(empties_a_list(token, flag))
        end, values = at + 1, [] if explicit is None else [explicit]
        if explicit is None and flag.takes_value:
            end = self._past(at) if flag.kind == "list" else min(self._past(at), at + 2)
            values = [str(text) for text in self.tokens[at + 1 : end]]
            if not values and not flag.bare:
                behind = self.tokens[end] if end < len(self.tokens) else ""
                raise Refused(without_value(token, behind, flag, self.catalog))
        for switch, is_off in switches:
            self._take(switch, token, [], is_off)
        self._take(flag, token, values, negated)
        return end

    def _is_meant_as_value(self, at: int) -> bool:
        """Tell whether a token matches no option, so that it is probably the value of a flag."""
        found = self.options.get(at)
        return (
            found is not None
            and found is not _REFUSED
            and found[0] is None
            and found[1] not in HELP
        )

    def _take(self, flag: Flag, token: str, texts: list[str], negated: bool) -> None:
        """Record one use of a flag, if it takes the value."""
        value: Any
        if not flag.takes_value:
            value = not negated
        elif not texts:
            value = True
        else:
            try:
                values = [from_token(flag, text, self.grammar.json_sizes) for text in texts]
            except BadValue as error:
                name = written(token).partition("=")[0]
                self.findings.append(bad_value(name, texts[0], flag, error, self.catalog))
                return
            value = values if flag.kind == "list" else values[0]
            if flag.shaped and value is not None:
                self._check_keys(flag, value, token)
        self.occurrences.append(Occurrence(flag, written(token), value))

    def _check_keys(self, flag: Flag, value: Any, token: str) -> None:
        """Check the keys of a JSON value.

        vLLM checks every use of a flag, even if a later use replaces it. Keys that have a
        replacement are left to `assemble`.
        """
        from translator.settings.changes import movable
        from translator.settings.rules import KeyErrors

        shape = self.catalog.shape(flag.flag)
        if shape is None:
            return
        errors = KeyErrors(flag, shape, self.catalog)
        for at, found in enumerate(problems(value, shape)):
            path, _, expected = found
            if not movable(flag.flag, path, expected, self.catalog):
                hints = self._suggests(at)
                self.findings.append(errors.problem(found, written(token), hints=hints))
