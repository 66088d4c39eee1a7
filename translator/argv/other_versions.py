"""Command lines written for another vLLM: which versions accept them, and what this one has."""

from __future__ import annotations

from translator.argv.parsed import WHOLE_LINE, Occurrence, Parsed
from translator.argv.reader import accepted, parse, settings_of, whole
from translator.findings import Finding, finding
from translator.secrets.masking import shown_text
from translator.settings.changes import when
from translator.settings.fit import as_written, fitted, flag_elsewhere
from translator.settings.setting import Setting
from translator.tables.versions import runs, span
from translator.values.errors import BadValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from translator.argv.parsed import LineRules
    from translator.naming.scope import Scope
    from translator.tables.catalog import Catalog


# Errors that another version may not report.
_OF_ITS_TIME = (
    "unknown-flag",
    "stray-token",
    "bad-choice",
    "unexpected-value",
    "missing-value",
    "bad-bool",
    "bad-json",
    "bad-list",
    "model-option",
    "ambiguous-flag",
    "bad-integer",
)


class Line:
    """A command line, read for a version.

    Attributes:
        parsed: the part that the version has.
        missing: settings that only other versions have, each with the other version's flag.
        findings: mistakes and remarks.
    """

    __slots__ = ("findings", "missing", "parsed")

    def __init__(
        self,
        parsed: Parsed,
        missing: Sequence[Setting] = (),
        findings: Sequence[Finding] = (),
    ) -> None:
        self.parsed, self.missing, self.findings = parsed, missing, findings


# Longer lines are not given to each version's parser: it would take seconds.
_MOST_TOKENS = 1000


def accepting(
    tokens: list[str], versions: list[str], scope: Scope, rules: LineRules = WHOLE_LINE
) -> list[tuple[str, Parsed]]:
    """Return the versions whose parser accepts the line, newest first, each with its parse.

    Args:
        tokens, rules: the line, and how to parse it.
        versions: the versions to ask, oldest first.
        scope: where their catalogs are.
    """
    # A line is checked for many versions in turn, and each asks the same others.
    key = (tuple(tokens), rules.module, rules.partial, rules.before)
    last, known = scope.tables.kept.get(_LAST, (None, {}))
    if last != key:
        known = {}
    if not any(token.startswith("--c") for token in tokens):  # --config, which has a file
        scope.tables.kept[_LAST] = key, known
    for version in versions:
        if version not in known:
            known[version] = accepted(tokens, scope.tables.catalog(version), rules)
    return [(version, known[version]) for version in reversed(versions) if known[version]]


# The line that was asked last, and what each version made of it.
_LAST = ("line",)


# The parser stops at these errors and does not see the rest of the line.
_STOPPING = ("unexpected-value", "missing-value", "ambiguous-flag", "model-option")


def _name(text: str) -> str:
    return text.partition("=")[0].partition(".")[0].replace("_", "-")


def _is_foreign(text: str, scope: Scope) -> bool:
    """Tell whether a token is a flag that only other versions have, and no abbreviation here."""
    name = _name(text)
    if not scope.tables.knowing(name):
        return False
    meant = [known for known in scope.catalog.spellings() if known.startswith(name)]
    return len(meant) != 1 and name not in meant


def written_for(
    parsed: Parsed, tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE
) -> Line | None:
    """Read a line that this version refuses because of flags that only other versions have.

    It is parsed by the newest version that accepts it. If none does, it is parsed by this version
    as if it had those flags. Other mistakes are included in the findings.

    Args:
        parsed: the line as parsed by this version.
        tokens, rules: what was parsed, and how.
        scope: the version and the dialect.

    Returns:
        None if no flag is unknown here and known in another version; then the mistakes stand.
    """
    catalog = scope.catalog
    strangers = _strangers(parsed, tokens, scope)
    # A dotted key of a flag that this version knows is no reason to try other versions: this
    # version does not support dotted keys, and the line is refused.
    unknown = {
        text: name
        for text in strangers
        if scope.tables.knowing(name := _name(text)) and name not in catalog.spellings()
    }
    if not unknown:
        return None
    having = _having(dict.fromkeys(unknown.values()), scope)
    found = None
    if (
        len(unknown) == len(strangers)
        and len(tokens) <= _MOST_TOKENS
        and all(item.code in _OF_ITS_TIME for item in parsed.findings)
    ):
        found = _as_another(tokens, having, scope, rules)
    theirs, here, others = found or (*_with_both(tokens, unknown, scope, rules), having)
    about = finding(
        "written-for-another",
        shown_text(next(iter(unknown))),
        flags=tuple(dict.fromkeys(shown_text(text).partition("=")[0] for text in unknown)),
        version=catalog.version,
        other=", ".join([span(*run) for run in runs(scope.tables.versions(), others)]),
    )
    respelled = [
        _respelled(item, scope)
        for item in here.occurrences
        if item.flag is not None and _name(item.token) in unknown.values()
    ]
    return Line(here, _missing(theirs, catalog), [about, *respelled, *here.findings])


def _missing(theirs: Parsed, catalog: Catalog) -> list[Setting]:
    """Return the settings of flags that only the other versions have."""
    flags = {item.flag.flag: item.flag for item in theirs.occurrences if item.flag is not None}
    return [
        Setting(name, value, used[-1], was=flags[name])
        for name, (value, used) in settings_of(theirs.occurrences).items()
        if name not in catalog.spellings()
    ]


def _respelled(item: Occurrence, scope: Scope) -> Finding:
    """Return the finding about a spelling that only other versions have, of a flag of this one."""
    assert item.flag is not None
    name = shown_text(item.token)
    write = as_written(Setting(item.flag.flag, item.value, item.token), scope)
    about = {"given": name, "version": scope.catalog.version, **when(_name(item.token), scope)}
    about["write"] = write
    return finding("carried", name.partition("=")[0], case="", **about)


def _strangers(parsed: Parsed, tokens: list[str], scope: Scope) -> list[str]:
    """Return the options that this version does not know."""
    found = [group[0] for group in parsed.unknown if group[0].startswith("-")]
    if any(item.code in _STOPPING for item in parsed.findings):
        found += [text for text in tokens if text.startswith("--") and _is_foreign(text, scope)]
    return list(dict.fromkeys(found))


def _as_another(
    tokens: list[str], versions: list[str], scope: Scope, rules: LineRules
) -> tuple[Parsed, Parsed, list[str]] | None:
    """Parse the line with the newest version that accepts it.

    Returns:
        That parse, the same with this version's flags, and the accepting versions; None if no
        version accepts the line, or this one refuses a value.
    """
    candidates = accepting(tokens, versions, scope, rules)
    if not candidates:
        return None
    theirs = candidates[0][1]
    try:
        uses = [_as_here(item, scope.catalog) for item in theirs.occurrences]
    except BadValue:
        return None
    here = theirs.with_uses([item for item in uses if item is not None])
    return theirs, here, [version for version, _ in candidates]


def _with_both(
    tokens: list[str], unknown: dict[str, str], scope: Scope, rules: LineRules
) -> tuple[Parsed, Parsed]:
    """Parse the line with this version's flags and the other versions' flags together.

    Returns:
        That parse, and what it has of this version's flags, with the mistakes of the whole line.
    """
    flags = [flag_elsewhere(name, scope.tables) for name in dict.fromkeys(unknown.values())]
    joined = scope.catalog.with_flags([flag for flag in flags if flag is not None])
    both = whole(parse(tokens, joined, rules), tokens, joined, rules)
    spellings = scope.catalog.spellings()
    here = both.with_uses(
        [item for item in both.occurrences if item.flag is None or item.flag.flag in spellings]
    )
    # Report a dotted key of another version's flag only if there is no other error.
    shown = {shown_text(text) for text in unknown}
    others = [item for item in both.findings if item.subject not in shown]
    here.findings = others or both.findings
    return both, here


def _as_here(item: Occurrence, catalog: Catalog) -> Occurrence | None:
    """Return the use of another version's flag as one of this version's; None if it has none.

    Raises:
        BadValue: this version refuses the value.
    """
    theirs = item.flag
    if theirs is None:
        return item
    ours, negated = catalog.spellings().get(theirs.flag, (None, False))
    if ours is None:
        return None
    is_like = (theirs.kind, theirs.objects, theirs.object_keys) == (
        ours.kind,
        ours.objects,
        ours.object_keys,
    )
    value = item.value if is_like and ours.choices is None else fitted(ours, item.value, theirs)
    return Occurrence(ours, item.token, not value if negated else value)


def _having(names: Iterable[str], scope: Scope) -> list[str]:
    """Return the versions that have all of some flags."""
    known = scope.tables.versions()
    found = list(known)
    for name in names:
        spans = [item.partition("-") for item in scope.tables.knowing(name)]
        parts = [known[known.index(low) : known.index(high or low) + 1] for low, _, high in spans]
        found = [version for version in found if any(version in part for part in parts)]
    return found
