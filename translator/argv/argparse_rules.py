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

from translator.argv.options import HELP, REFUSED, classify, prints_help
from translator.argv.parsed import VERDICT, Occurrence, Refused
from translator.findings import Finding, finding, has_errors, show
from translator.secrets.masking import MASK, Token, place, placed, shown_text
from translator.secrets.secrets import secrets_of
from translator.tables.shapes import problems
from translator.text.similar import nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS, BadValue
from translator.values.tokens import from_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.argv.parsed import ParseState
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag


def assign(tokens: list[str], state: ParseState) -> None:
    """Assign values to options like argparse's `_parse_known_args`.

    The `serve` subparser has one optional positional: the model.
    """
    kinds, options = classify(tokens, state)
    _Reader(tokens, kinds, options, state).run()


class _Reader:
    """argparse's loop over the classified tokens."""

    def __init__(
        self, tokens: list[str], kinds: list[str], options: dict[int, Any], state: ParseState
    ) -> None:
        self.tokens, self.kinds, self.options, self.state = tokens, kinds, options, state
        self.catalog, self.done = state.catalog, state.parsed
        self.model_required = state.grammar.model_required
        self.model_read = False
        self.stopped = False  # a token was refused and parsing continued after it
        self.json_sizes = state.grammar.json_sizes

    def run(self) -> None:
        at, order = 0, sorted(self.options)
        place, verdict = 0, self.state.extent == VERDICT
        while True:
            while place < len(order) and order[place] < at:
                place += 1
            if verdict and (self.done.unknown or has_errors(self.done.findings)):
                self._report_unknown()
                return
            if place == len(order):
                break
            following = order[place]
            if at != following:
                end = self._positional(at)
                if end > at:
                    at = end
                    continue
            if at not in self.options:
                self._stray(at, following)
                at = following
            try:
                at = self._optional(at)
            except Refused as refused:
                self.state.stop(refused.finding)
                self.stopped = True
                at = self._past(at + 1 if self._is_meant_as_value(at + 1) else at)
        at = self._positional(at)
        self._stray(at, len(self.tokens))
        # After a mistake, the model may be among the skipped tokens.
        if self.model_required and not self.model_read and not self.stopped:
            self.state.refuse("missing-model", "model", case="first")
        self._report_unknown()

    def _report_unknown(self) -> None:
        self.done.findings += [
            unrecognised(
                group[0],
                self.catalog,
                self.state.suggests(at),
                number=self.state.number(group[0]),
            )
            for at, group in enumerate(self.done.unknown)
        ]

    def _stray(self, start: int, end: int) -> None:
        for at in range(start, end):
            if (
                self.done.unknown
                and self.done.unknown[-1][0].startswith("-")
                and len(self.done.unknown[-1]) == 1
                and self._follows(at)
            ):
                self.done.unknown[-1].append(self.tokens[at])
            else:
                self.done.unknown.append([self.tokens[at]])

    def _follows(self, at: int) -> bool:
        """Tell whether a stray value directly follows the unknown option.

        If so, it is most likely that option's value.
        """
        return (
            at > 0
            and self.tokens[at - 1] == self.done.unknown[-1][0]
            and "=" not in self.done.unknown[-1][0]
        )

    def _positional(self, at: int) -> int:
        """Consume the model, as argparse's `consume_positionals` does.

        The `?` positional takes one value if there is one, and is used up even if there is none.
        """
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
            self.done.occurrences.append(Occurrence(None, shown_text(text), str(text)))
            self.model_read = True
            return end
        if not self.model_required:
            self.model_read = True
            return end
        return at

    def _optional(self, at: int) -> int:
        if self.options[at] is REFUSED:
            self.stopped = True
            return self._past(at)
        flag, spelling, explicit, negated = self.options[at]
        token = self.tokens[at]
        if flag is None:
            if spelling in HELP:
                raise Refused(prints_help(token))
            self.done.unknown.append([token])
            return at + 1
        bundled: list[
            tuple[Flag, bool]
        ] = []  # `-qtp2`: switches of one letter before the last flag
        while explicit is not None and not flag.takes_value:
            following = (
                None
                if spelling.startswith("--") or explicit == ""
                else self.catalog.spellings().get("-" + explicit[0])
            )
            if following is None:
                raise Refused(_unexpected(flag, token, explicit, self.catalog.version))
            bundled.append((flag, negated))
            flag, negated = following
            spelling, explicit = "-" + explicit[0], explicit[1:] or None
        if explicit == "--":  # Python 3.11 drops it and passes an empty list to vLLM
            raise Refused(
                finding(
                    "missing-value",
                    shown_text(token),
                    case="dashes",
                    given=show(shown_text(token)),
                    flag=flag.flag,
                )
            )
        texts = (
            [explicit]
            if explicit is not None
            else self._values_behind(at, flag, token)
            if flag.takes_value
            else []
        )
        for switch, off in bundled:
            self._take(switch, token, [], off)
        self._take(flag, token, texts, negated)
        return at + 1 if explicit is not None else at + 1 + len(texts)

    def _is_meant_as_value(self, at: int) -> bool:
        """Tell whether a token matches no option, so that it is probably the value of a flag."""
        found = self.options.get(at)
        return (
            found is not None and found is not REFUSED and found[0] is None and found[1] not in HELP
        )

    def _past(self, at: int) -> int:
        """Return the position after a refused option and the values that probably belong to it."""
        at += 1
        while at < len(self.kinds) and self.kinds[at] == "A":
            at += 1
        return at

    def _values_behind(self, at: int, flag: Flag, token: str) -> list[str]:
        limit = len(self.tokens) if flag.kind == "list" else at + 2
        end = at + 1
        while end < limit and end < len(self.kinds) and self.kinds[end] == "A":
            end += 1
        found = [str(text) for text in self.tokens[at + 1 : end]]
        if not found and not flag.bare:
            behind = shown_text(self.tokens[at + 1]) if at + 1 < len(self.tokens) else ""
            secret = flag.flag in secrets_of(self.catalog.tables).carriers
            joined = behind.startswith("-") and "=" not in token and not secret
            raise Refused(
                finding(
                    "missing-value",
                    shown_text(token),
                    given=show(shown_text(token)),
                    version=self.catalog.version,
                    write=show(f"{shown_text(token)}={behind}") if joined else "",
                )
            )
        return found

    def _take(self, flag: Flag, token: str, texts: list[str], negated: bool) -> None:
        value: Any
        if not flag.takes_value:
            value = not negated
        elif not texts:
            value = True
        else:
            try:
                values = [_value(flag, text, self.json_sizes) for text in texts]
            except BadValue as error:
                from translator.values.errors import bad_value

                secrets = secrets_of(self.catalog.tables)
                shown = MASK if flag.flag in secrets.carriers else secrets.showing.value(texts[0])
                name = shown_text(token).partition("=")[0]
                self.done.findings.append(bad_value(name, shown, flag, error, self.catalog))
                return
            value = values if flag.kind == "list" else values[0]
            if flag.shaped and value is not None:
                self._check_keys(flag, value, token)
        self.done.occurrences.append(Occurrence(flag, shown_text(token), value))

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
                hints = self.state.suggests(at)
                self.done.findings.append(errors.problem(found, shown_text(token), hints=hints))


def _value(flag: Flag, text: str, json_sizes: bool) -> Any:
    """Call `from_token`, and cache numbers and choices: 0.2 µs instead of 1 µs."""
    if text in flag.known:
        return flag.known[text]
    value = from_token(flag, text, json_sizes)
    if (
        (flag.choices is not None or flag.kind in _NUMBERS)
        and len(flag.known) < _MOST_KNOWN
        and len(text) < _LONG
    ):
        flag.known[text] = value
    return value


_NUMBERS = frozenset(("int", "float", "size", "size-or-auto"))


_MOST_KNOWN = 32  # cached values per flag


_LONG = 200


def _unexpected(flag: Flag, token: str, explicit: str, version: str) -> Finding:
    word = explicit.strip().lower()
    off = word in FALSE_WORDS
    given = shown_text(token)
    return finding(
        "unexpected-value",
        given,
        given=show(given),
        flag=flag.flag,
        version=version,
        write=flag.flag if word in TRUE_WORDS else flag.off or "" if off else "",
        remove=flag.flag if off else "",
    )


def unrecognised(token: str, catalog: Catalog, hints: bool = True, *, number: int = 0) -> Finding:
    """Return the finding about a token that belongs to no flag.

    Args:
        token: the token. Only the name of an option is shown, and only if it is harmless.
        catalog: the version's catalog.
        hints: whether to suggest the intended flag.
        number: the place of the argument; 0 for one from a file.
    """
    version = catalog.version
    secrets = secrets_of(catalog.tables)
    shown = shown_text(token) if type(token) is Token else secrets.clean_tokens([token])[0]
    shown = shown_text(shown)
    by_place = (place(number), placed(number, token)) if number else (shown, shown)
    written, *value = token.replace("_", "-").split() or [""]
    if written in catalog.spellings() and token[:1] == " ":
        facts = {"flag": written, "version": version}
        return finding("stray-token", by_place[0], case="blank", **facts)
    if not token.startswith("-"):
        word = token.lower()
        case = "switch" if word in ("true", "1") else "off" if word in ("false", "0") else ""
        subject, given = (shown, shown) if case else by_place
        return finding("stray-token", subject, case=case, given=given, version=version)
    # Of `--api-key S` in one piece, the option is compared.
    if value and written in catalog.spellings():
        facts = {"flag": written, "version": version}
        return finding("unknown-flag", by_place[0], case="one-string", **facts)
    near = nearest(_name(written), catalog.spellings(), 1) if hints else []
    name = shown.partition("=")[0]
    if " (" in name:  # it is not harmless
        subject, given = by_place
    elif _name(token) in catalog.spellings():
        return finding(
            "unknown-flag", name, case="dotted", flag=_name(token), given=name, version=version
        )
    else:
        subject, given = shown, name
    return finding("unknown-flag", subject, given=given, near="".join(near), version=version)


def _name(option: str) -> str:
    return option.partition("=")[0].partition(".")[0].replace("_", "-")
