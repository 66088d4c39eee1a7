"""Lines written for another vLLM: which version takes them, and what of them this one has."""

from __future__ import annotations

from translator.catalog import ranges
from translator.findings import Finding, finding
from translator.grammar import no_files, parse, settings_of
from translator.settings import Setting
from translator.tokens import Occurrence, Parsed
from translator.values import BadValue, from_token, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.catalog import Flag
    from translator.grammar import Config
    from translator.scope import Scope

# Refusals that another version may not have.
_OF_ITS_TIME = (
    "unknown-flag",
    "stray-token",
    "bad-choice",
    "unexpected-value",
    "missing-value",
    "bad-bool",
    "bad-json",
    "model-option",
    "ambiguous-flag",
    "bad-integer",
)


class Foreign:
    """A command line read as another version reads it.

    Attributes:
        parsed: what of it this version has, as if read by it.
        missing: what it has not, with the flag as the other version knows it.
    """

    __slots__ = ("findings", "missing", "parsed")

    def __init__(self, parsed: Parsed, missing: list[tuple[Setting, Flag | None]], findings: list[Finding]) -> None:
        self.parsed, self.missing, self.findings = parsed, missing, findings


def converted(value: Any, was: Flag, now: Flag | None) -> Any:
    """A value as the flag's kind in the other version has it: one text as a list of one, and the like."""
    if now is None or was.kind == now.kind:
        return value
    if now.kind in ("list", "append") and not isinstance(value, list) and value is not None:
        return [value]
    if was.kind in ("list", "append") and isinstance(value, list) and now.kind not in ("list", "append", "json", "json-or-str") and len(value) == 1:
        value = value[0]
    if now.kind in ("switch", "toggle", "bool-value") or isinstance(value, (bool, dict, list)) or value is None:
        return value
    try:
        return from_token(now, text_of(was, value))
    except BadValue:
        return value


def accepting(tokens: list[str], scope: Scope, config: Config = no_files, *, module: bool = False, partial: bool = False) -> list[tuple[str, Parsed]]:
    """The versions whose parser takes the line, newest first, with their reading (keys of JSON values are not looked at)."""
    found = []
    for version in reversed(scope.tables.versions()):
        parsed = parse(tokens, scope.tables.catalog(version), config, module=module, partial=partial, hints=False)
        if not any(item.severity == "error" for item in parsed.findings):
            found.append((version, parsed))
    return found


# At these the parser stops, and does not see what stands behind.
_STOPPING = ("unexpected-value", "missing-value", "ambiguous-flag", "model-option")


def _name(text: str) -> str:
    return text.partition("=")[0].partition(".")[0].replace("_", "-")


def _is_foreign(text: str, scope: Scope) -> bool:
    """Whether a token is a flag that only other versions have."""
    name = _name(text)
    return bool(scope.tables.knowing(name)) and not any(item.startswith(name) for item in scope.catalog.spellings())


def written_for(parsed: Parsed, tokens: list[str], scope: Scope, *, config: Config = no_files, module: bool = False, partial: bool = False) -> Foreign | None:
    """A line that this version refuses, read for the nearest version that takes it; None when no version takes it, or the line is simply wrong.

    A line counts as written for another version only if a flag of it is unknown here and known there: a plain mistake stays a mistake.
    """
    strangers = [group[0] for group in parsed.unknown if group[0].startswith("-")]
    if any(item.code in _STOPPING for item in parsed.findings):
        strangers += [text for text in tokens if text.startswith("--") and text not in strangers and _is_foreign(text, scope)]
    names = {text: _name(text) for text in strangers}
    # A flag that is known here with a dotted key that is not: the version does not know dotted keys, and the line is refused.
    unknown = [text for text in strangers if scope.tables.knowing(names[text]) and names[text] not in scope.catalog.spellings()]
    errors = [item for item in parsed.findings if item.severity == "error"]
    if not unknown or len(unknown) != len(strangers) or any(item.code not in _OF_ITS_TIME for item in errors):
        return None
    candidates = accepting(tokens, scope, config, module=module, partial=partial)
    if not candidates:
        return None
    version, theirs = candidates[0]
    other = scope.tables.catalog(version)
    here = Parsed()
    here.model, here.config = theirs.model, theirs.config
    missing: list[tuple[Setting, Flag | None]] = []
    for item in theirs.occurrences:
        if item.flag is None:
            here.occurrences.append(item)
            continue
        same = scope.catalog.spellings().get(item.flag.flag)
        if same is not None:
            value = converted(item.value, item.flag, same[0])
            here.occurrences.append(Occurrence(same[0], item.token, not value if same[1] else value))
    for name, (value, used) in settings_of(theirs.occurrences).items():
        if name not in scope.catalog.spellings():
            missing.append((Setting(name, value, used[-1]), other.flag(name)))
    took = [candidate for candidate, _ in candidates]
    span = took[0] if len(took) == 1 else ranges([f"{took[-1]}-{took[0]}"])
    lacking = ", ".join(dict.fromkeys(text.partition("=")[0] for text in unknown))
    message = f"the line is written for vLLM {span}: {scope.catalog.version} has no {lacking}"
    return Foreign(here, missing, [finding("written-for-another", unknown[0], message, "what it means is carried over where it can be")])
