"""What a version's engine refuses at its start of settings that its parser accepts.

Numbers out of the engine's bounds (the catalogs' `start`); flags that require or exclude another
flag (mappings/requires.toml).
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.settings.setting import is_token
from translator.tables.catalog import CONFIG, variable_of
from translator.tables.records import Refusal
from translator.tables.versions import within
from translator.values.errors import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from translator.settings.scope import Scope
    from translator.settings.setting import Assembled
    from translator.tables.catalog import Bounds, Catalog

CODE = "refused-at-start"
FILE = "requires.json"


def refused(done: Assembled, scope: Scope) -> list[Finding]:
    """Return the findings about settings with which the version's engine does not start."""
    catalog, found = scope.catalog, []
    bounded = catalog.bounded
    for name, value in done.values.items():
        bounds = bounded.get(name)
        if bounds is not None:
            found += _out_of_bounds(name, value, done.origins[name], bounds, scope)
    for rule in refusals(catalog):
        if rule.flag in done.values:
            found += _broken(rule, done, scope)
    return found


def fits(value: Any, word: str) -> bool:
    """Tell whether a flag's value (None: not set) matches a word of the table."""
    if word == "set":
        return value is not None
    if word == "true":
        return bool(value)
    if word == "not-one":
        return value is not None and value != 1
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value < 0 if word == "negative" else value > (1 if word == "many" else 0)


def refusals(catalog: Catalog) -> list[Refusal]:
    """Return the rules of a version."""
    key = (FILE, catalog.version)
    kept: dict[Any, Any] = catalog.tables.kept
    if key not in kept:
        rules = map(Refusal, catalog.tables.records(FILE).values())
        kept[key] = [rule for rule in rules if within(catalog.version, rule.since, rule.until)]
    found: list[Refusal] = kept[key]
    return found


def _broken(rule: Refusal, done: Assembled, scope: Scope) -> list[Finding]:
    """Return the findings about a flag that prevents the version from starting, by one rule."""
    values, version = done.values, scope.catalog.version
    value, origin = values[rule.flag], done.origins[rule.flag][0].partition("=")[0]
    if not fits(value, rule.when) or any(
        fits(values.get(other), word) for other, word in rule.unless.items()
    ):
        return []
    given = origin
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        given = assignment(origin, str(value))
    if not rule.needs and not rule.excludes:
        return [finding(CODE, origin, given=given, version=version)]
    found = []
    needs = tuple(
        _called(other, origin, scope) + (" > 1" if word == "many" else "")
        for other, word in rule.needs.items()
        if not fits(values.get(other), word)
    )
    if needs and CONFIG not in values:  # the config file may set it
        found.append(finding(CODE, origin, case="needs", given=given, version=version, needs=needs))
    for other, word in rule.excludes.items():
        if fits(values.get(other), word):
            called = _called(other, origin, scope)
            remove = origin if word == "not-one" else called
            facts = {"given": given, "version": version, "other": called, "remove": remove}
            found.append(finding(CODE, origin, **facts))
    return found


def _called(flag: str, origin: str, scope: Scope) -> str:
    """Return a flag in the form of the origin: as a flag or as a variable."""
    return flag if is_token(origin) else scope.prefix + variable_of(flag)


def _out_of_bounds(
    name: str, value: Any, origins: list[str], bounds: Bounds, scope: Scope
) -> list[Finding]:
    """Return the finding about a number that the parser accepts and the engine refuses; anything
    but a number (`auto`, None) has no bounds.
    """
    try:
        if bounds.above < value < bounds.below:
            return []
    except TypeError:
        return []
    from translator.tables.shapes import expectation, problems

    if not any(problems(value, bounds.shape)):
        return []
    origin = origins[0].partition("=")[0]
    percent = bounds.below <= 2 and 10 <= value <= 100
    shown = int(value) if isinstance(value, float) and value.is_integer() else value
    facts = {"given": assignment(origin, str(shown)), "flag": name}
    facts |= {"version": scope.catalog.version, "expected": expectation(bounds.shape)}
    write = assignment(origin, f"{value / 100:g}") if percent else ""
    return [finding(CODE, origin, case="bounds", **facts, write=write)]


def at_start(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings for a start of vLLM: what the engine refuses becomes an error."""
    return [item.as_error() if item.code == CODE else item for item in findings]
