"""What the parser takes and vLLM then refuses to start with.

Flags that need another one, or exclude one (mappings/requires.toml); numbers that a class of the
engine bounds, and keys that it lacks (the catalogs' `start`).
"""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.tables.entries import CONFIG, variable_of
from translator.tables.shapes import expectation, problems
from translator.tables.versions import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from translator.dialects.scope import Scope
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Bounds


FILE = "requires.json"


CODE = "refused-at-start"


class Refusal:
    """One rule of one version.

    Attributes:
        when: the word that the flag's value must fit, so that the rule counts.
        needs: other flags, and the word that the value of each must fit.
        excludes: other flags, none of whose values may fit the word.
        unless: other flags, any of which makes the rule void.
    """

    __slots__ = ("excludes", "needs", "unless", "when")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.when: str = fields.get("when", "true")
        self.needs: Mapping[str, str] = fields.get("needs", {})
        self.unless: Mapping[str, str] = fields.get("unless", {})
        self.excludes: Mapping[str, str] = fields.get("excludes", {})


def fits(value: Any, word: str) -> bool:
    """Whether a flag's value (None: it is not set) is what a word of the table says."""
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
    """The rules of a version, by flag."""
    found: dict[str, list[Refusal]] | None = catalog.tables.kept.get((FILE, catalog.version))
    if found is None:
        here = Version(catalog.version)
        found = {}
        for fields in catalog.tables.records(FILE).values():
            flag = fields["flag"]
            since, until = fields.get("since"), fields.get("until")
            if (
                catalog.flag(flag) is not None
                and (since is None or Version(since) <= here)
                and (until is None or here <= Version(until))
            ):
                found.setdefault(flag, []).append(Refusal(fields))
        catalog.tables.kept[FILE, catalog.version] = found
    return found


def refused(
    values: Mapping[str, Any], origins: Mapping[str, list[str]], names: Iterable[str], scope: Scope
) -> list[Finding]:
    """What vLLM would not start with.

    Args:
        values: what is set, by flag.
        origins: where it came from.
        names: the flags of `values` that there are rules about.
    """
    found = []
    version = scope.catalog.version
    for name in names:
        for rule in refusals(scope.catalog)[name]:
            if not fits(values[name], rule.when) or any(
                fits(values.get(other), word) for other, word in rule.unless.items()
            ):
                continue
            origin = origins[name][0].partition("=")[0]
            lacking = [
                other for other, word in rule.needs.items() if not fits(values.get(other), word)
            ]
            if lacking and CONFIG not in values:  # the file may have it
                ways = " and ".join(
                    other + (" of more than 1" if rule.needs[other] == "many" else "")
                    for other in lacking
                )
                hint = f"set {' and '.join(_called(other, origin, scope) for other in lacking)}"
                found.append(
                    finding(
                        CODE,
                        origin,
                        f"vLLM {version} takes {name}, and then does not start without {ways}",
                        hint,
                    )
                )
            for other, word in rule.excludes.items():
                if fits(values.get(other), word):
                    surplus = name if word == "not-one" else other
                    hint = f"leave {_called(surplus, origin, scope)} out"
                    found.append(
                        finding(
                            CODE,
                            origin,
                            f"vLLM {version} takes {name}, and then does not start with {other}"
                            " beside it",
                            hint,
                        )
                    )
            if not rule.needs and not rule.excludes:
                message = (
                    f"vLLM {version} takes a {rule.when} {name}, and then does not start with it"
                )
                found.append(
                    finding(
                        CODE,
                        origin,
                        message,
                        f"leave {_called(name, origin, scope)} out, or give it another value",
                    )
                )
    return found


def out_of_bounds(
    name: str, value: Any, origins: list[str], bounds: Bounds, scope: Scope
) -> list[Finding]:
    """What the engine says of a number that the parser takes.

    Args:
        name: the flag.
        value: its value; what is no number (`auto`, nothing) has no bounds.
        origins: where it came from.
        bounds: the engine's.
    """
    try:
        if bounds.above < value < bounds.below:
            return []
    except TypeError:
        return []
    if not any(problems(value, bounds.shape)):
        return []
    origin = origins[0].partition("=")[0]
    what, about = (
        (f"{name}={value}", "") if origin.startswith("-") else (f"{origin}={value}", f" for {name}")
    )
    message = (
        f"{show(what)}: vLLM {scope.catalog.version} takes it, and then does not start: it expects"
        f" {expectation(bounds.shape)}{about}"
    )
    percent = bounds.below <= 2 and 1 < value <= 100
    return [
        finding(
            CODE,
            origin,
            message,
            (
                f"write {value / 100:g}"
                if percent
                else f"leave {_called(name, origin, scope)} out, or give it another value"
            ),
        )
    ]


def unfit_at_start(found: Finding) -> Finding:
    """A finding about the keys of JSON that the engine, and not the parser, makes a class of."""
    return finding(
        CODE,
        found.subject,
        f"{found.message}: the parser takes it, and then the engine does not start",
        found.hint,
    )


def _called(flag: str, origin: str, scope: Scope) -> str:
    """A flag as the one who wrote `origin` would write it."""
    return flag if origin.startswith("-") else scope.prefix + variable_of(flag)


def at_start(findings: Iterable[Finding]) -> list[Finding]:
    """The findings for somebody who is about to start vLLM: what it refuses to start with is an
    error.
    """
    return [item.as_error() if item.code == CODE else item for item in findings]
