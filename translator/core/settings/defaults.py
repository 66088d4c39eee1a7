"""Defaults that differ between two versions: those that matter (mappings/defaults.toml), in the
order of their weight, then the others.

Of a flag without a default in its parser, vLLM decides itself when it starts; that is known only
where the table says it.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.settings.scope import variable_for
from translator.core.tables.catalog import FileOf, Variable
from translator.core.tables.versions import within
from translator.core.text.words import DEFAULT, Origin, quote
from translator.core.values import BadValue, plain, tokens
from translator.core.values.variables import from_variable, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Catalog, Flag
    from translator.core.tables.entries import Default

DEFAULTS: FileOf[Default] = FileOf("defaults.json")
"""The compiled file of the defaults that matter, the weightiest first."""

# Values that switch nothing on: a parser with the one instead of the other is no change.
_NONE = "none"
_NOTHING = ("", _NONE, "false", "[]", "{}")

# A truth value that older versions read as a number.
_SAME = ({"1", "true"}, {"0", "false"})


class ChangedDefault:
    """A flag or a variable that two versions have, with different defaults.

    Attributes:
        name: of the flag or the variable.
        before, after: the defaults as text; "none" of one that vLLM decides at its start.
        effect: what it is about, in a sentence; "" of one that is not in the table.
        is_known: whether both are; otherwise vLLM decides one of them at its start.
        old: the old default as a value of the newer flag, or as the text of a variable; None if it
            cannot be set there.
        as_flag: what is said of it where remedies are flags, once it was.
    """

    __slots__ = ("after", "as_flag", "before", "effect", "is_known", "name", "old")

    def __init__(self, name: str, before: str, after: str, effect: str, old: Any) -> None:
        self.name, self.before, self.after = name, before or _NONE, after or _NONE
        self.is_known = bool(before and after)
        self.effect, self.old = effect, old
        self.as_flag: Finding | None = None


def changed_defaults(source: Catalog, target: Catalog) -> Sequence[ChangedDefault]:
    """Return the defaults of one version that are others in a second one, by weight."""
    changed: Sequence[ChangedDefault] | None = source.derived.get((DEFAULTS, target))
    if changed is None:
        names = dict.fromkeys([*source.flag_names(), *source.variable_names()])
        weighty = [name for name in source.tables.records(DEFAULTS) if name in names]
        each = (changed_default(name, source, target) for name in dict.fromkeys([*weighty, *names]))
        changed = source.derived[DEFAULTS, target] = [item for item in each if item is not None]
    return changed


def changed_default(name: str, source: Catalog, target: Catalog) -> ChangedDefault | None:
    """Return how the default of a flag or a variable changes; None if it does not, or is only in
    one of the versions.
    """
    listed = source.tables.records(DEFAULTS).get(name, {})
    if not listed and source.lines.get(name) == target.lines.get(name):
        return None
    was, now = _entry(name, source), _entry(name, target)
    if was is None or now is None:
        return None
    before, can_be_set = default_of(was, name, source)
    after, _ = default_of(now, name, target)
    truth = isinstance(was.default, bool) or isinstance(now.default, bool)
    if (
        before == after
        or (truth and {before, after} in _SAME)
        or (not listed and before in _NOTHING and after in _NOTHING)
    ):
        return None
    if listed and "" in (before, after):
        return None  # what vLLM decides there is not known
    old = _old(now, before) if can_be_set else None
    return ChangedDefault(name, before, after, listed.get("effect", ""), old)


def _entry(name: str, catalog: Catalog) -> Flag | Variable | None:
    return catalog.flag(name) if name[0] == "-" else catalog.variable(name)


def default_of(entry: Flag | Variable, name: str, catalog: Catalog) -> tuple[str, bool]:
    """Return a default as text ("": there is none), and whether it is a value that can be set."""
    value = entry.default
    if value is not None:
        return plain(value), True
    for span in catalog.tables.records(DEFAULTS).get(name, {}).get("at_start", ()):
        if within(catalog.version, span.get("since"), span.get("until")):
            return (span["value"], True) if "value" in span else (span["depends"], False)
    return "", False


def _old(now: Flag | Variable, text: str) -> Any:
    """Return the value that keeps an old default, or None."""
    if isinstance(now, Variable):
        return {"true": next(iter(now.true), "1"), "false": "0"}.get(text, text)
    if now.deprecated:
        return None
    try:
        value, _ = from_variable(now, text)
        written = tokens(now, value)
    except BadValue:
        return None
    return value if written and value is not None else None


_SHOWN = 3  # of the defaults that are not in the table


def old_defaults(
    resolved: Resolved, source: Scope, target: Scope, *, in_variables: bool, pin: bool = False
) -> list[Finding]:
    """Return what changes for settings that the user did not make: a finding for each default that
    matters, and one for all others.

    Args:
        resolved: the settings, for the target.
        source: the version that they were made for.
        target: the version to move to.
        in_variables: whether remedies are variables; otherwise they are flags.
        pin: whether to set the old defaults that matter, where the target can.
    """
    if source.catalog is target.catalog:
        return []
    changed = [
        item
        for item in changed_defaults(source.catalog, target.catalog)
        if item.name not in resolved.values and item.name not in resolved.env
    ]
    findings: list[Finding] = []
    versions = {"other": source.catalog.version, "version": target.catalog.version}
    for item in changed:
        if not item.effect:
            continue
        if item.as_flag is not None and not (in_variables or pin):
            findings.append(item.as_flag)
            continue
        write = _written(item, target, in_variables)
        name = write.partition("=")[0] if in_variables and write else item.name
        facts = {"name": name, "before": item.before, "after": item.after, **versions}
        if not pin or not write:
            about = finding("default-changed", name, **facts, effect=item.effect, write=write)
            item.as_flag = item.as_flag if in_variables else about
        else:
            about = finding("default-changed", name, case="kept", **facts, write=write)
            if item.name.startswith("-"):
                text = f"{item.name} (the default of vLLM {source.catalog.version})"
                resolved.values[item.name] = item.old
                resolved.origins[item.name] = [Origin(DEFAULT, text)]
            else:
                resolved.env[item.name] = item.old
        findings.append(about)
    others = [item.name for item in changed if not item.effect and item.is_known]
    if others:
        count, names = len(others) if len(others) > 1 else "", tuple(others[:_SHOWN])
        findings.append(
            finding("default-changed", "vllm", case="others", count=count, names=names, **versions)
        )
    return findings


def _written(item: ChangedDefault, target: Scope, in_variables: bool) -> str:
    """Return how a user writes an old default; "" if the target cannot set it."""
    flag = target.catalog.flag(item.name)
    if item.old is None:
        return ""
    if flag is None:
        return f"{item.name}={item.old}"
    if not in_variables:
        return " ".join(map(quote, tokens(flag, item.old)))
    name, text = variable_for(item.name, target), variable_text(flag, item.old)
    return f"{name}={text}" if name is not None and text is not None else ""
