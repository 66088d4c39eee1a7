"""Prepare the settings of any reader for any writer: adapt to the version, merge and check.

Later settings override earlier ones of the same flag; keys of a JSON flag are merged into its whole
value. The check finds what the version's parser accepts and its engine refuses at its start:
numbers out of bounds (the catalogs' `start`), and flags that require or exclude another flag
(mappings/requires.toml).
"""

from __future__ import annotations

from translator.findings import REFUSED, Finding, finding
from translator.settings import (
    Assembled,
    Setting,
    copied,
    is_token,
    merge,
    nest,
)
from translator.tables.catalog import CONFIG, JSON_KINDS, variable_of
from translator.tables.records import Refusal
from translator.tables.versions import within
from translator.values import assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.settings import Reading
    from translator.settings.scope import Scope
    from translator.tables.catalog import Bounds, Catalog


_ROUNDS = 5  # a key may move into a flag whose keys moved too; no chain in the tables is longer
_MOST_OTHERS = 20  # variables that a finding names
RULES = "requires.json"


def assemble(reading: Reading, scope: Scope, *, quiet: bool = False) -> Assembled:
    """Adapt a reading to the version, merge its settings, and check them.

    Args:
        reading: of variables or of a command line.
        scope: the version and the dialect.
        quiet: whether to omit findings about repeated settings (on a command line, the last one
            wins by rule).

    Returns:
        One value per flag; the findings of the reading come first.
    """
    done = Assembled(reading)
    merging = _Merging(done, quiet)
    replaced: list[Setting] = []
    if reading.missing:
        from translator.settings.changes import replacements

        replaced = merging.take(*replacements(reading.missing, scope))
    merging.put_all([item for item in replaced if not item.weak], reading.settings)
    under = [item for item in replaced if item.weak]
    simple = scope.catalog.simple
    for _ in range(_ROUNDS):
        for setting in under:
            merging.put_under(setting)
        special = [name for name in done.values if name not in simple]
        under = []
        for name in special:
            flag = scope.catalog.flag(name)
            if flag is not None and flag.shaped and isinstance(done.values[name], dict):
                from translator.settings.changes import move_keys

                under += merging.take(*move_keys(flag, done, scope))
        if not under:
            break
    for name in special:
        flag = scope.catalog.flag(name)
        if flag is None or name not in done.values:  # all of its keys were moved
            continue
        if flag.deprecated and done.origins[name] != [scope.adds]:
            subject, version = done.origins[name][0].partition("=")[0], scope.catalog.version
            done.findings.append(finding("deprecated-flag", subject, flag=name, version=version))
        if flag.kind in JSON_KINDS:
            from translator.settings.keys import about_json

            done.findings += about_json(flag, done, scope.catalog)
    done.findings += refused(done, scope)
    done.env.update(done.variables)
    return done


class _Merging:
    """Settings that are merged, flag by flag.

    Args:
        done: what they are merged into.
        quiet: whether to omit findings about repeated settings.
    """

    def __init__(self, done: Assembled, quiet: bool) -> None:
        self._done, self._quiet = done, quiet

    def take(self, settings: list[Setting], findings: list[Finding]) -> list[Setting]:
        """Return the replacements that are flags; take over the variables and the findings."""
        self._done.findings += findings
        flags = []
        for setting in settings:
            if setting.flag.startswith("-"):
                flags.append(setting)
            else:
                self._done.variables[setting.flag] = setting.value
        return flags

    def put_all(self, replaced: list[Setting], settings: list[Setting]) -> None:
        """Merge settings. A flag's own name wins over a replaced name; a single key wins over the
        whole value.
        """
        values, origins, whole = self._done.values, self._done.origins, self._done.whole
        keyed = False
        for setting in replaced + settings if replaced else settings:
            flag = setting.flag
            if setting.path:
                keyed = True
            elif flag not in values:
                values[flag] = setting.value
                origins[flag] = [setting.origin]
                whole[flag] = setting
            else:
                if values[flag] != setting.value:
                    self._disagree(setting, flag)
                values[flag] = setting.value
                origins[flag].append(setting.origin)
        if keyed:
            self._put_keys(
                [item for item in replaced if item.path]
                + sorted((item for item in settings if item.path), key=_depth)
            )

    def _put_keys(self, settings: list[Setting]) -> None:
        """Merge settings of single keys, and report disagreements."""
        done = self._done
        for flag in {item.flag: None for item in settings}:
            done.values[flag] = copied(done.values.get(flag))  # the input's own is not changed
        for setting in settings:
            flag, origin = setting.flag, setting.origin
            old = done.values[flag]
            if not isinstance(old, dict):
                if old is not None:
                    others, facts = tuple(done.origins[flag]), {"origin": origin, "flag": flag}
                    done.findings.append(finding("disagreement", origin, others=others, **facts))
                old = done.values[flag] = {}
            for key in merge(old, nest(setting.path, setting.value))[1]:
                self._disagree(setting, f"{flag}.{key}")
            done.origins.setdefault(flag, []).append(origin)
            done.keys[setting.name] = origin
        for flag in {item.flag: None for item in settings}:
            done.origins[flag] = list(dict.fromkeys(done.origins[flag]))

    def _disagree(self, setting: Setting, what: str) -> None:
        """Report another value for a flag or a key than an earlier setting has."""
        origin = setting.origin
        first = dict.fromkeys(self._done.origins[setting.flag][:_MOST_OTHERS])
        others = tuple([item for item in first if item != origin])
        if others and not self._quiet:
            told = finding("disagreement", origin, origin=origin, others=others, what=what)
            self._done.findings.append(told)

    def put_under(self, setting: Setting) -> None:
        """Merge a setting that counts only where nothing else sets the flag or the key."""
        values, origins = self._done.values, self._done.origins
        old, value = values.get(setting.flag), nest(setting.path, copied(setting.value))
        if old is None:
            values[setting.flag] = value
        elif isinstance(old, dict) and setting.path:
            values[setting.flag] = merge(value, old)[0]
        before = origins.get(setting.flag, [])
        origins[setting.flag] = list(dict.fromkeys([*before, setting.origin]))


def _depth(setting: Setting) -> tuple[int, tuple[str, ...]]:
    return len(setting.path), setting.path


# --- what the engine refuses at its start


def refused(done: Assembled, scope: Scope) -> list[Finding]:
    """Return the findings about settings with which the version's engine does not start."""
    catalog, found = scope.catalog, []
    bounded = catalog.bounded
    for name, value in done.values.items():
        bounds = bounded.get(name)
        if bounds is not None:
            found += _out_of_bounds(name, value, done.origins[name], bounds, scope)
    for number, record in catalog.tables.records(RULES).items():
        if record["flag"] in done.values and (rule := refusal(number, catalog)) is not None:
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


def refusal(number: str, catalog: Catalog) -> Refusal | None:
    """Return a rule; None if it is not one of the version."""
    key, kept = (RULES, catalog.version, number), catalog.tables.kept
    if key not in kept:
        rule = Refusal(catalog.tables.records(RULES)[number])
        kept[key] = rule if within(catalog.version, rule.since, rule.until) else None
    found: Refusal | None = kept[key]
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
        return [finding(REFUSED, origin, given=given, version=version)]
    found = []
    needs = tuple(
        _wanted(other, word, origin, scope)
        for other, word in rule.needs.items()
        if not fits(values.get(other), word)
    )
    if needs and CONFIG not in values:  # the config file may set it
        others = ((other, word) for other, word in rule.unless.items() if scope.catalog.flag(other))
        instead = tuple(_wanted(other, word, origin, scope) for other, word in others)
        told = finding(REFUSED, origin, case="needs", given=given, version=version, needs=needs)
        found.append(told.with_facts(instead=instead) if instead else told)
    for other, word in rule.excludes.items():
        if fits(values.get(other), word):
            called = _called(other, origin, scope)
            remove = origin if word == "not-one" else called
            facts = {"given": given, "version": version, "other": called, "remove": remove}
            found.append(finding(REFUSED, origin, **facts))
    return found


def _wanted(flag: str, word: str, origin: str, scope: Scope) -> str:
    """Return what a rule wants of a flag, in the form of the origin."""
    return _called(flag, origin, scope) + (" > 1" if word == "many" else "")


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
    return [finding(REFUSED, origin, case="bounds", **facts, write=write)]
