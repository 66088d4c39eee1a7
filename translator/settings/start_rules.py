"""Rules for settings that the parser accepts and the engine then refuses.

Flags that require or exclude another flag (mappings/requires.toml); numbers out of the engine's
bounds, and keys that its class lacks (the catalogs' `start`).
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.settings.setting import is_token
from translator.tables.entries import CONFIG, variable_of
from translator.tables.records import Refusal
from translator.tables.shapes import expectation, problems
from translator.tables.versions import within
from translator.values.errors import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from translator.naming.scope import Scope
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Bounds


FILE = "requires.json"


CODE = "refused-at-start"


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


def refusals(catalog: Catalog) -> dict[str, list[Refusal]]:
    """Return the rules of a version, by flag."""
    found: dict[str, list[Refusal]] | None = catalog.tables.kept.get((FILE, catalog.version))
    if found is None:
        found = {}
        for fields in catalog.tables.records(FILE).values():
            flag = fields["flag"]
            applies = within(catalog.version, fields.get("since"), fields.get("until"))
            if applies and catalog.flag(flag) is not None:
                found.setdefault(flag, []).append(Refusal(fields))
        catalog.tables.kept[FILE, catalog.version] = found
    return found


def refused(
    values: Mapping[str, Any], origins: Mapping[str, list[str]], names: Iterable[str], scope: Scope
) -> list[Finding]:
    """Return the findings about flags that prevent the version from starting.

    Args:
        values: the settings, by flag.
        origins: where they came from.
        names: the flags of `values` that have rules.
        scope: the version and the dialect.
    """
    found = []
    rules = refusals(scope.catalog)
    for name in names:
        origin = origins[name][0].partition("=")[0]
        for rule in rules[name]:
            if fits(values[name], rule.when) and not any(
                fits(values.get(other), word) for other, word in rule.unless.items()
            ):
                found += _broken(rule, name, values, origin, scope)
    return found


def _broken(
    rule: Refusal, name: str, values: Mapping[str, Any], origin: str, scope: Scope
) -> list[Finding]:
    """Return the findings about a flag whose value the rule applies to."""
    lacking = [item for item in rule.needs.items() if not fits(values.get(item[0]), item[1])]
    beside = [item for item in rule.excludes.items() if fits(values.get(item[0]), item[1])]
    if not lacking and not beside and (rule.needs or rule.excludes):
        return []
    version = scope.catalog.version
    value = values[name]
    given = origin
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        given = assignment(origin, str(value))
    found = []
    if lacking and CONFIG not in values:  # the config file may set it
        needs = tuple(
            _called(other, origin, scope) + (" > 1" if word == "many" else "")
            for other, word in lacking
        )
        found.append(finding(CODE, origin, case="needs", given=given, version=version, needs=needs))
    for other, word in beside:
        called = _called(other, origin, scope)
        remove = origin if word == "not-one" else called
        facts = {"given": given, "version": version, "other": called, "remove": remove}
        found.append(finding(CODE, origin, case="excludes", **facts))
    if not rule.needs and not rule.excludes:
        found.append(finding(CODE, origin, given=given, version=version))
    return found


def out_of_bounds(
    name: str, value: Any, origins: list[str], bounds: Bounds, scope: Scope
) -> list[Finding]:
    """Return the finding about a number that the parser accepts and the engine refuses.

    Args:
        name: the flag.
        value: its value; anything but a number (`auto`, None) has no bounds.
        origins: where it came from.
        bounds: the engine's bounds.
        scope: the version and the dialect.
    """
    try:
        if bounds.above < value < bounds.below:
            return []
    except TypeError:
        return []
    if not any(problems(value, bounds.shape)):
        return []
    origin = origins[0].partition("=")[0]
    percent = bounds.below <= 2 and 10 <= value <= 100
    shown = int(value) if isinstance(value, float) and value.is_integer() else value
    return [
        finding(
            CODE,
            origin,
            case="bounds",
            given=assignment(origin, str(shown)),
            flag=name,
            version=scope.catalog.version,
            expected=expectation(bounds.shape),
            write=assignment(origin, f"{value / 100:g}") if percent else "",
        )
    ]


def _called(flag: str, origin: str, scope: Scope) -> str:
    """Return a flag in the form of the origin: as a flag or as a variable."""
    return flag if is_token(origin) else scope.prefix + variable_of(flag)


def at_start(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings for a start of vLLM: what the engine refuses becomes an error."""
    return [item.as_error() if item.code == CODE else item for item in findings]
