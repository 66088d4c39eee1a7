"""What to write instead: the remedies of findings, as data, each tried before it is shown.

A remedy is a change of the input. Who does exactly what it says, for the same version and reader,
has its finding no more, and none about what the remedy writes.
"""

from __future__ import annotations

from itertools import chain, islice

from translator.advice import meant
from translator.core.argv.rewriting import name_of
from translator.core.findings import ADVICE, ERROR, INFO, WARNING, texts_of
from translator.core.remedy import Remedy
from translator.core.text.words import KEY, TOKEN, quote_value, words
from translator.core.values import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from translator.core.findings import Fact, Finding
    from translator.core.settings.scope import Scope

    # Variables, tokens, and those of a file for --config, to what is found about them.
    Check = Callable[[Mapping[str, str], Sequence[str], Sequence[str]], Sequence[Finding]]

_AND = "` and `"  # between two pieces of code
_MOST_FINDINGS = 30  # of an input that get remedies
_MOST_TRIALS = 5  # of a finding
_END = 1 << 30  # behind all tokens


class Input:
    """An input, and whoever reads it.

    Attributes:
        env: its variables.
        tokens: those of its command line; of variables, the arguments beside them.
        entries: the tokens that its file for --config stands for.
        scope: the version and the dialect of the variables.
        is_line: whether vLLM reads the tokens; else the variables are translated, or a platform's
            program reads them.
        has_keys: whether its options are written as the keys of a file.
        check: returns what this reader finds about other variables, tokens and entries.
    """

    __slots__ = ("check", "entries", "env", "has_keys", "is_line", "scope", "tokens")

    def __init__(
        self,
        env: Mapping[str, str],
        tokens: Sequence[str],
        scope: Scope,
        check: Check,
        *,
        is_line: bool,
        has_keys: bool = False,
        entries: Sequence[str] = (),
    ) -> None:
        self.env, self.tokens, self.entries = env, tokens, entries
        self.scope, self.check, self.is_line, self.has_keys = scope, check, is_line, has_keys

    def line(self, inside: str, kind: str) -> list[str]:
        """Return the tokens that hold one: of the command line, of a variable, or of a file."""
        if kind == KEY:
            return [*self.entries]
        return words(self.env.get(inside, "")) if inside else [*self.tokens]


def applied(changes: Iterable[Remedy], given: Input) -> tuple[dict[str, str], list[str], list[str]]:
    """Return the variables, the tokens and the entries of an input with changes."""
    env, extra = dict(given.env), given.scope.extra_args
    unique = {
        (change.inside, change.key if change.at is None else change.at): change
        for change in changes
    }.values()
    further: list[str] = []
    for at, change in ((change.at, change) for change in unique):
        if isinstance(at, str):
            env.pop(at, None)
            further += change.tokens
    for change in unique:
        env.update(change.variables)
    lines = {KEY: [*given.entries], "": [*given.tokens]}
    in_line = [(_place(one), one) for one in unique if not isinstance(one.at, str)]
    for at, change in sorted(in_line, key=lambda placed: placed[0], reverse=True):
        line = lines.setdefault(change.inside, words(env.get(change.inside, "")))
        line[at : at + len(change.old)] = change.tokens
    for name in lines.keys() - {KEY, ""}:
        env[name] = " ".join(map(quote_value, lines[name]))
    if given.is_line:
        lines[""] += further
    elif further:
        env[extra] = " ".join(filter(None, [env.get(extra), *map(quote_value, further)]))
    return env, lines[""], lines[KEY]


def _place(change: Remedy) -> int:
    return change.at if isinstance(change.at, int) else _END


def advised(findings: Sequence[Finding], given: Input) -> dict[Finding, Finding]:
    """Return findings, each with the same one that has a remedy, if one holds: the first of all of
    them are tried together, then one by one.
    """
    ways: dict[Finding, Iterator[Remedy]] = {}
    wrong = {item.subject for item in findings if item.severity == ERROR}
    for item in findings:
        changes = _changes(item, given) if len(ways) < _MOST_FINDINGS else None
        if changes is not None:
            # Of a subject that has an error, too, that says what to do.
            is_beside = item.severity != ERROR and item.subject in wrong
            ways[item] = iter(()) if is_beside else changes
    firsts = {item: first for item, every in ways.items() if (first := next(every, None))}
    firsts = _joined(firsts, given)
    before = {(item.code, item.message) for item in findings} if firsts else set()
    remedies: dict[Finding, Remedy] = {}
    blocked: dict[Finding, str] = {}
    after = given.check(*applied(firsts.values(), given)) if firsts else ()
    if all(_closes(item, after, before) for item in firsts):
        remedies = firsts
    else:
        for item, first in firsts.items():
            for change in islice(chain([first], ways[item]), _MOST_TRIALS):
                change = _joined({item: change}, given).get(item, first)
                after = given.check(*applied([change], given))
                if _closes(item, after, before):
                    remedies[item] = change
                    break
                differs = (it.message for it in after if it.code == "platform-differs")
                blocked.setdefault(item, next(differs, "").rstrip("."))
        remedies = _joined(remedies, given)
    further = [
        change.tokens for change in remedies.values() if change.tokens and type(change.at) is str
    ]
    is_shared = len(set(further)) > 1 or given.scope.extra_args in given.env
    return {
        item: _advised(item, remedies.get(item), is_shared, given, blocked.get(item, ""))
        if item in ways
        else item
        for item in findings
    }


def _joined(changes: Mapping[Finding, Remedy], given: Input) -> dict[Finding, Remedy]:
    """Return changes of which several set one variable, one that is set, or one option among
    further arguments, with the value that all of them give it; two that contradict each other go.
    """
    texts: dict[str, set[str]] = {}
    replaced = {change.at for change in changes.values()}
    for change in changes.values():
        for name, text in _sets(change).items():
            before = {given.env[name]} if change.read[0] and name in given.env else set()
            texts.setdefault(name, before if name not in replaced else set()).add(text)
    shared = {name for name, values in texts.items() if len(values) > 1}
    if not shared:
        return dict(changes)
    meeting = {item: change for item, change in changes.items() if shared & _sets(change).keys()}
    beside_names = shared & given.env.keys() - replaced
    beside = [(name, given.env[name]) for name in sorted(beside_names)]
    stands = meant.together(beside + [change.read for change in meeting.values()], given.scope)
    stands = stands or {}
    line = words(stands.get(given.scope.extra_args, ""))
    stands |= {name_of(token): token for token in line}
    joined = dict(changes)
    for item, change in meeting.items():
        if not stands.keys() >= _sets(change).keys():
            del joined[item]
        else:
            variables = {name: stands[name] for name in change.variables}
            tokens = [stands.get(name_of(token), token) for token in change.tokens]
            joint = not beside_names.isdisjoint(variables)
            facts = (change.at, change.old, variables, tokens, change.inside, change.read)
            joined[item] = Remedy(*facts, joint=joint)
    return joined


def _sets(change: Remedy) -> dict[str, str]:
    """Return the variables that a remedy sets, and the JSON options among further arguments."""
    options = change.tokens if change.read[0] else ()
    objects = {name_of(token): token for token in options if token.partition("=")[2][:1] == "{"}
    return {**change.variables, **objects}


def _closes(item: Finding, after: Sequence[Finding], before: set[tuple[str, str]]) -> bool:
    """Return whether a finding is gone from what is found after a change, and nothing that is as
    bad, or a warning, has come.
    """
    bad = (INFO, WARNING, ERROR) if item.severity == INFO else (WARNING, ERROR)
    for other in after:
        key = (other.code, other.message)
        if key == (item.code, item.message):
            return False
        counts = other.severity in bad and (other.severity != INFO or other.hint)
        if counts and key not in before and not other.has_trait("whole"):
            return False
    return True


def _changes(item: Finding, given: Input) -> Iterator[Remedy] | None:
    """Return what a finding may be mended by, most likely first; None if it is about no variable
    and no option.
    """
    if item.remedy is not None:
        return _demanded(item.remedy, given)
    origin, scope = item.origin, given.scope
    name = item.subject.partition("=")[0].partition(" ")[0]
    is_variable = name in given.env and name != scope.extra_args
    is_option = origin is not None and origin.is_option
    # What is newer than the version takes another version, and no other words.
    is_newer = "added" in item.facts and _asks_for(item, "added")
    if not (is_variable or is_option) or is_newer or not _asks_for(item, *ADVICE):
        return None
    if is_variable:
        ways = meant.of_variable(name, given.env, item, scope, is_line=given.is_line)
        # What the line sets already, a variable that vLLM ignores sets no more.
        own = _options(given.tokens) if given.is_line else set()
        ways = (one for one in ways if own.isdisjoint(_options(one.tokens)))
        return (meant.in_whole(change, given.tokens, scope) for change in ways)
    assert origin is not None
    line, at = given.line(origin.inside, origin.kind), origin.at
    if origin.kind == KEY:
        at = next((at for at, text in enumerate(line) if text.startswith(origin.option)), -1)
    if not (0 <= at < len(line) and line[at].startswith("-")):
        return None
    inside = KEY if origin.kind == KEY else origin.inside
    return (
        meant.in_whole(change, line, scope)
        for change in meant.of_option(line, at, item, scope, inside)
        if (change.variables or change.tokens != change.old)
        and not change.variables.keys() & given.env.keys()
    )


def _options(line: Iterable[str]) -> set[str]:
    options = (token.partition("=")[0] for token in line if token.startswith("--"))
    return {option.replace("_", "-") for option in options}


def _asks_for(item: Finding, *facts: str) -> bool:
    """Return whether the remedies of a finding's case name one of some facts."""
    texts = texts_of(item.code).cases[item.case].get("remedy", ())
    return any(f"{{{fact}}}" in text for fact in facts for text in texts)


def _demanded(change: Remedy, given: Input) -> Iterator[Remedy]:
    """Yield what sets a flag that the engine demands, and with it the others that it demands then,
    unless they are set.
    """
    own = {*given.env, *(name_of(token) for token in given.line(change.inside, change.inside))}
    before = [item.remedy.key for item in given.check(*applied((), given)) if item.remedy]
    for _ in range(_MOST_TRIALS):
        yield change
        after = given.check(*applied([change], given))
        more = next((it.remedy for it in after if it.remedy and it.remedy.key not in before), None)
        if more is None or own & {*more.variables, *map(name_of, more.tokens)}:
            return
        variables, tokens = {**change.variables, **more.variables}, change.tokens + more.tokens
        change = Remedy(None, (), variables, tokens, change.inside)


# --- as people read it


def _advised(
    item: Finding, change: Remedy | None, is_shared: bool, given: Input, blocked: str
) -> Finding:
    """Return a finding with its remedy, and how that is written in the form of the input; without
    one, with what has `blocked` the most likely.
    """
    facts: dict[str, Fact] = dict.fromkeys((*ADVICE, "needed"), "")
    if change is None:
        tied = meant.tied(*_given(item, given), given.scope) if item.remedy is None else []
        return item.with_facts(**facts | {"write": "` or `".join(tied)}, blocked=blocked)
    is_keys = change.inside == KEY or (given.has_keys and not change.inside)
    written = [assignment(*pair) for pair in change.variables.items()]
    if item.remedy is not None:
        options = _entries(change.tokens) if is_keys else _typed(change.tokens)
        return item.with_facts(needed=_AND.join([*written, *options]))
    if (near := change.near) and _asks_for(item, "near") and "key" not in item.facts:
        facts |= {"near": near.lstrip("-") if is_keys else near}
    elif moved := change.moved:
        facts |= {"moved": moved}
    elif is_keys and change.tokens:
        facts |= {"write": _AND.join(_entries(change.tokens))}
    else:
        if change.tokens and type(change.at) is str and not given.is_line:
            further = " ".join(map(quote_value, change.tokens))
            facts |= {"add": further, "extra_args": given.scope.extra_args} if is_shared else {}
            written += [] if is_shared else [f"{given.scope.extra_args}={further}"]
        elif change.tokens:
            written.insert(0, " ".join(_typed(change.tokens)))
        facts |= {"joint" if change.joint else "write": _AND.join(written)}
    return item.with_facts(**facts).with_remedy(change)


def _given(item: Finding, given: Input) -> tuple[str, str]:
    """Return the name and the value that a finding is about, as far as they are known."""
    name = item.subject.partition("=")[0]
    if name in given.env or item.origin is None or item.origin.kind != TOKEN:
        return name, given.env.get(name, "")
    token, behind = [*given.line(item.origin.inside, TOKEN)[item.origin.at :], "", ""][:2]
    return name, token.partition("=")[2] or behind


def _typed(tokens: Sequence[str]) -> Iterator[str]:
    """Yield options as people type them, with their values."""
    for token in tokens:
        option, equals, text = token.partition("=")
        yield assignment(option, text) if option.startswith("-") and equals else quote_value(token)


def _entries(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the entries of a file for --config that tokens stand for."""
    at = 0
    while at < len(tokens):
        option, equals, text = tokens[at].lstrip("-").partition("=")
        at += 1
        values = [text] if equals else []
        while at < len(tokens) and not tokens[at].startswith("--"):
            values.append(tokens[at])
            at += 1
        # In quotes: of JSON, vLLM would make several words, or none up to 0.15.
        values = [f"'{text}'" if text[:1] in ("{", "[") else text for text in values]
        shown = values[0] if len(values) == 1 else f"[{', '.join(values)}]" if values else "true"
        yield f"{option}: {shown}"
