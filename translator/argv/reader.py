"""Read command lines: the program in front, the flags of the version, and those that only other
versions have.
"""

from __future__ import annotations

from translator.argv.argparse_rules import WHOLE_LINE, Occurrence, Parsed, repeated, settings_of
from translator.argv.options import name_of, written
from translator.argv.parser import accepted, parse, whole
from translator.findings import Finding, finding, has_errors
from translator.settings.changes import as_written, fitted, flag_elsewhere, when
from translator.settings.setting import Reading, Setting
from translator.tables.entries import CONFIG, MODEL
from translator.tables.versions import runs, span
from translator.values.errors import BadValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from translator.argv.argparse_rules import LineRules
    from translator.naming.scope import Scope
    from translator.tables.catalog import Catalog


_SERVING = ("vllm.entrypoints.openai.api_server",)


class Stripped:
    """A command without its program.

    Attributes:
        tokens: the arguments.
        module: whether the program was the older module, which accepts --model in every version.
        findings: why the command is not a vLLM server, if it is not.
    """

    __slots__ = ("findings", "module", "tokens")

    def __init__(
        self, tokens: list[str], module: bool = False, findings: Sequence[Finding] = ()
    ) -> None:
        self.tokens, self.module, self.findings = tokens, module, list(findings)


def _program(text: str) -> str:
    return text.rpartition("/")[2]


def strip_command(tokens: list[str]) -> Stripped:
    """Remove `vllm serve` or `python -m vllm.entrypoints.openai.api_server` from the front.

    Without either, all tokens are options.
    """
    if not tokens:
        return Stripped([])
    first = _program(tokens[0])
    if first == "vllm":
        if len(tokens) > 1 and tokens[1] == "serve":
            return Stripped(tokens[2:])
        if len(tokens) == 1:
            return _refused("vllm", command="vllm")
        return _refused("vllm", subcommand=written(tokens[1]))
    if _is_python(first):
        rest = [item for item in tokens[1:2] if item.startswith("-") and item != "-m"]
        at = 1 + len(rest)
        if tokens[at : at + 1] == ["-m"] and len(tokens) > at + 1:
            module = tokens[at + 1]
            if module in _SERVING:
                return Stripped(tokens[at + 2 :], True)
            if module == "vllm.entrypoints.cli.main" and tokens[at + 2 : at + 3] == ["serve"]:
                return Stripped(tokens[at + 3 :])
        return _refused(
            written(tokens[0]),
            command=" ".join(map(written, tokens[:3])),
        )
    if first == "serve":
        return Stripped(tokens[1:])
    return Stripped(list(tokens))


def _is_python(word: str) -> bool:
    rest = word.removeprefix("python")
    return word.startswith("python") and (not rest or rest.replace(".", "").isdecimal())


def _refused(subject: str, **facts: str) -> Stripped:
    return Stripped([], findings=[finding("not-vllm-serve", subject, **facts)])


def read_line(
    tokens: list[str],
    scope: Scope,
    rules: LineRules = WHOLE_LINE,
    *,
    strict: bool = False,
) -> Parsed:
    """Read tokens, with flags of other versions if this version refuses them.

    Args:
        tokens: the tokens after `vllm serve`.
        scope: the version and the dialect.
        rules: how to parse them.
        strict: whether a flag of another version is a mistake.
    """
    parsed = parse(tokens, scope.catalog, rules)
    if not parsed.findings:
        return parsed
    if not strict:
        found = written_for(parsed, tokens, scope, rules)
        if found is not None:
            return found
    return whole(parsed, tokens, scope.catalog, rules)


def read_argv(
    tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE, *, strict: bool = False
) -> Reading:
    """Read a whole command line; the arguments are those of `read_line`."""
    line = read_line(tokens, scope, rules, strict=strict)
    settings, findings = settings_of_line(line, scope.catalog.version)
    if has_errors(line.findings):
        # What stands behind an unknown option may be its value, and not a second model.
        findings = [item for item in findings if item.case != "model"]
    return Reading(settings, line.missing, findings=[*line.findings, *findings])


def settings_of_line(
    parsed: Parsed, version: str, label: Callable[[str], str] = str
) -> tuple[list[Setting], list[Finding]]:
    """Return one setting per flag of a parsed line, the model and the config file first.

    Args:
        parsed: the line.
        version: the parser's version.
        label: returns a setting's origin for the token that set it.

    Returns:
        The settings, and the findings about repeated flags and unread config files.
    """
    findings = repeated(parsed.occurrences, version)
    settings = []
    if parsed.model is not None:
        settings.append(Setting(MODEL, parsed.model, label(_model_token(parsed))))
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, label(f"{CONFIG} {parsed.config}")))
    for name, (value, used) in settings_of(parsed.occurrences).items():
        if name == CONFIG:
            findings.append(_unread_config(used[-1], version))
        elif name != MODEL or parsed.model is None:
            settings.append(Setting(name, value, label(used[-1])))
    return settings, findings


def _unread_config(token: str, version: str) -> Finding:
    """Return a finding: vLLM reads the file of `--config` only if the path is a separate token."""
    file = token.partition("=")[2]
    return finding("config-not-read", CONFIG, given=token, version=version, file=file)


def _model_token(parsed: Parsed) -> str:
    """Return the token that named the model."""
    return next(
        (item.token for item in parsed.occurrences if item.flag is None), parsed.model or ""
    )


# --- lines written for other versions

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
    key = (tuple(tokens), rules.module, rules.partial)
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


def _is_foreign(text: str, scope: Scope) -> bool:
    """Tell whether a token is a flag that only other versions have, and no abbreviation here."""
    name = name_of(text)
    if not scope.tables.knowing(name):
        return False
    meant = [known for known in scope.catalog.spellings() if known.startswith(name)]
    return len(meant) != 1 and name not in meant


def written_for(
    parsed: Parsed, tokens: list[str], scope: Scope, rules: LineRules = WHOLE_LINE
) -> Parsed | None:
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
        if scope.tables.knowing(name := name_of(text)) and name not in catalog.spellings()
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
        written(next(iter(unknown))),
        flags=tuple(dict.fromkeys(written(text).partition("=")[0] for text in unknown)),
        version=catalog.version,
        other=", ".join([span(*run) for run in runs(scope.tables.versions(), others)]),
    )
    respelled = [
        _respelled(item, scope)
        for item in here.occurrences
        if item.flag is not None and name_of(item.token) in unknown.values()
    ]
    here.missing = _missing(theirs, catalog)
    here.findings = [about, *respelled, *here.findings]
    return here


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
    name = written(item.token)
    write = as_written(Setting(item.flag.flag, item.value, item.token), scope)
    about = {"given": name, "version": scope.catalog.version, **when(name_of(item.token), scope)}
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
    shown = {written(text) for text in unknown}
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
    ours, negated = catalog.spellings().get(theirs.flag) or (None, False)
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
