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

from translator.argv.mistakes import (
    empties_a_list,
    prints_help,
    unexpected_value,
    unrecognised,
    without_value,
)
from translator.argv.options import HELP, REFUSED, classify
from translator.argv.parsed import Occurrence, Refused
from translator.secrets.masking import MASK, shown_text
from translator.secrets.secrets import secrets_of
from translator.tables.shapes import problems
from translator.values.errors import BadValue, bad_value
from translator.values.tokens import from_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.argv.parsed import LineParse
    from translator.tables.entries import Flag


def assign(tokens: list[str], line: LineParse) -> None:
    """Assign values to options like argparse's `_parse_known_args`.

    The `serve` subparser has one optional positional: the model.

    Args:
        tokens: what argparse receives.
        line: the parse, which gets the result.

    Raises:
        Refused: the real parser stops, and the parse stops there.
    """
    _Assignment(tokens, line).run()


class _Assignment:
    """argparse's loop over the classified tokens.

    Attributes:
        model_read: whether the positional is used up.
        stopped: whether an option was refused, and what is behind it is read all the same.
    """

    def __init__(self, tokens: list[str], line: LineParse) -> None:
        self.tokens, self.line, self.catalog = tokens, line, line.catalog
        self.kinds, self.options = classify(tokens, line)
        self.model_read = self.stopped = False

    def run(self) -> None:
        """Read all options, and what stands before, between and behind them."""
        line, at = self.line, 0
        for option in self.options:
            if option < at:
                continue  # behind a refused one
            if line.is_decided:
                return
            if at < option:
                self._stray(self._positional(at), option)
            try:
                at = self._optional(option)
            except Refused as refused:
                line.stop(refused.finding)
                self.stopped = True
                at = self._past(option + 1 if self._is_meant_as_value(option + 1) else option)
        self._stray(self._positional(at), len(self.tokens))
        # After a mistake, the model may be among the skipped tokens.
        if line.grammar.model_required and not self.model_read and not self.stopped:
            line.refuse("missing-model", "model", case="first")
        if not line.is_decided:
            line.findings += [
                unrecognised(
                    group[0], self.catalog, line.suggests(at), number=line.number(group[0])
                )
                for at, group in enumerate(line.unknown)
            ]

    def _stray(self, start: int, end: int) -> None:
        """Record tokens that belong to nothing; one directly behind an unknown option is most
        likely its value.
        """
        unknown = self.line.unknown
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
        end = self._past_dashes(at)
        if self.kinds[end : end + 1] == ["A"]:
            model = self.tokens[end]
            self.line.model = str(model)
            self.line.occurrences.append(Occurrence(None, shown_text(model), str(model)))
            self.model_read = True
            return self._past_dashes(end + 1)
        if self.line.grammar.model_required:
            return at
        self.model_read = True
        return end

    def _past_dashes(self, at: int) -> int:
        while self.kinds[at : at + 1] == ["-"]:
            at += 1
        return at

    def _optional(self, at: int) -> int:
        """Read an option and its values; return the position behind them.

        Raises:
            Refused: it lacks a value, or has one that it does not take.
        """
        if self.options[at] is REFUSED:
            self.stopped = True
            return self._past(at)
        flag, spelling, explicit, negated = self.options[at]
        token = self.tokens[at]
        if flag is None:
            if spelling in HELP:
                raise Refused(prints_help(token))
            self.line.unknown.append([token])
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

    def _past(self, at: int) -> int:
        """Return the position behind an option and the values that follow it."""
        end = at + 1
        while end < len(self.kinds) and self.kinds[end] == "A":
            end += 1
        return end

    def _is_meant_as_value(self, at: int) -> bool:
        """Tell whether a token matches no option, so that it is probably the value of a flag."""
        found = self.options.get(at)
        return (
            found is not None and found is not REFUSED and found[0] is None and found[1] not in HELP
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
                values = [from_token(flag, text, self.line.grammar.json_sizes) for text in texts]
            except BadValue as error:
                secrets = secrets_of(self.catalog.tables)
                shown = MASK if flag.flag in secrets.carriers else texts[0]
                name = shown_text(token).partition("=")[0]
                self.line.findings.append(bad_value(name, shown, flag, error, self.catalog))
                return
            value = values if flag.kind == "list" else values[0]
            if flag.shaped and value is not None:
                self._check_keys(flag, value, token)
        self.line.occurrences.append(Occurrence(flag, shown_text(token), value))

    def _check_keys(self, flag: Flag, value: Any, token: str) -> None:
        """Check the keys of a JSON value.

        vLLM checks every use of a flag, even if a later use replaces it. Keys that have a
        replacement are left to `assemble`.
        """
        from translator.settings.changes import movable
        from translator.settings.key_errors import KeyErrors

        shape = self.catalog.shape(flag.flag)
        if shape is None:
            return
        errors = KeyErrors(flag, shape, self.catalog)
        for at, found in enumerate(problems(value, shape)):
            path, _, expected = found
            if not movable(flag.flag, path, expected, self.catalog):
                hints = self.line.suggests(at)
                self.line.findings.append(errors.problem(found, shown_text(token), hints=hints))
