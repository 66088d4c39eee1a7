"""What a version refuses of settings that are well-formed: its parser or its engine.

Keys that the class of a JSON flag lacks; numbers out of the engine's bounds (the catalogs'
`start`); flags that require or exclude another flag (mappings/requires.toml).
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.settings.setting import is_token
from translator.tables.entries import CONFIG, JSON_KINDS, variable_of
from translator.tables.records import Refusal
from translator.tables.shapes import (
    REQUIRED_KEY,
    UNKNOWN_KEY,
    expectation,
    ignored,
    problems,
)
from translator.tables.versions import within
from translator.text.json_text import dumps
from translator.text.similar import MOST_HINTS, nearest
from translator.values.errors import BadValue, assignment
from translator.values.tokens import holds_colons, pairs, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from translator.findings import Fact
    from translator.naming.scope import Scope
    from translator.settings.setting import Assembled
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Bounds, Flag
    from translator.tables.shapes import Shape


def checked(special: list[str], done: Assembled, scope: Scope) -> list[Finding]:
    """Return the findings about values that the version's parser or engine does not accept.

    Args:
        special: the flags whose values are JSON, or that are deprecated.
        done: the settings.
        scope: the version and the dialect.
    """
    catalog, found = scope.catalog, []
    for name in special:
        flag = catalog.flag(name)
        if flag is None or name not in done.values:  # all of its keys were moved
            continue
        if flag.deprecated:
            subject = done.origins[name][0].partition("=")[0]
            found.append(finding("deprecated-flag", subject, flag=name, version=catalog.version))
        if flag.kind in JSON_KINDS:
            found += _about_json(flag, done.values[name], done.origins[name], catalog)
    bounded = catalog.bounded
    for name, value in done.values.items():
        bounds = bounded.get(name)
        if bounds is not None:
            found += out_of_bounds(name, value, done.origins[name], bounds, scope)
    rules = refusals(catalog, done.values)
    return found + refused(done.values, done.origins, rules, scope) if rules else found


def _about_json(flag: Flag, value: Any, origins: list[str], catalog: Catalog) -> list[Finding]:
    """Return the findings about a JSON value, by the version's class; what the real parser refuses
    is an error.
    """
    name = flag.flag
    if not flag.shaped and not flag.start:
        if flag.syntax not in _PAIRS or _holds_pairs(flag, value):
            return []
        colons = flag.syntax == "colons"
        pairs = "KEY:VALUE" if colons else "KEY=NUMBER"
        example = "a:1,b:2" if colons else "image=1,video=0"
        facts = {"given": origins[0].partition("=")[0], "flag": name, "version": catalog.version}
        return [finding("bad-json", origins[0], pairs=pairs, example=example, **facts)]
    shape = catalog.shape(name)
    if shape is None or value is None:
        return []
    wrong, without_effect = list(problems(value, shape)), list(ignored(value, shape))
    if not wrong and not without_effect:
        return []
    places = Origins(origins)
    errors = KeyErrors(flag, shape, catalog)
    return [
        *(
            errors.problem(found, places.of(found[0]), hints=at < MOST_HINTS)
            for at, found in enumerate(wrong)
        ),
        *(
            errors.ignored(path, places.of(path), hints=at < MOST_HINTS)
            for at, path in enumerate(without_effect)
        ),
    ]


_PAIRS = ("pairs", "pairs-or-json", "colons")


def _holds_pairs(flag: Flag, value: Any) -> bool:
    """Tell whether a flag that reads pairs accepts a value."""
    if value is None:
        return flag.nullable or flag.empty
    if flag.syntax == "pairs-or-json" or not isinstance(value, dict):
        return isinstance(value, dict)
    if flag.syntax == "colons":
        return holds_colons(value)
    try:
        return (
            pairs(text_of(flag, value)) == value if value else flag.empty
        )  # vLLM lowercases the keys, and splits at `=` and `,`
    except BadValue:
        return False


# --- the keys of a JSON flag

_MOST_KNOWN = 12  # keys that a remedy lists


class Origins:
    """The variables or tokens that set the keys of a JSON flag."""

    __slots__ = ("_by_end", "_origins")

    def __init__(self, origins: list[str]) -> None:
        self._origins = origins
        self._by_end: dict[str, str] | None = None

    def of(self, path: str) -> str:
        """Return the variable or token that ends in the key (`__KEY__SUB`, `.key.sub`).

        If there is none, return the first one.
        """
        if self._by_end is None:
            self._by_end = {}
            for item in self._origins:
                for sign, text in (("__", item.upper()), (".", item)):
                    at = text.find(sign)
                    while at >= 0:
                        self._by_end.setdefault(text[at:], item)
                        at = text.find(sign, at + 1)
        found = self._by_end.get("__" + path.replace(".", "__").upper())
        return found or self._by_end.get("." + path) or self._origins[0]


class KeyErrors:
    """Findings about the keys of one JSON flag in one version.

    Args:
        flag: the version's flag.
        shape: the keys that it has.
        catalog: the version's catalog.
    """

    __slots__ = ("_catalog", "_flag", "_shape")

    def __init__(self, flag: Flag, shape: Shape, catalog: Catalog) -> None:
        self._flag, self._shape, self._catalog = flag, shape, catalog

    def problem(self, found: tuple[str, Any, str], origin: str, *, hints: bool = True) -> Finding:
        """Return the finding about a key that the version's parser or engine refuses.

        Args:
            found: an item of `shapes.problems`: the dotted path, the value there, and what is
                expected.
            origin: the variable or token that set it.
            hints: whether to suggest the name that was most likely meant.
        """
        path, item, expected = found
        if expected == UNKNOWN_KEY:
            return self._about("bad-key", origin, **self._key(path, hints))
        if expected == REQUIRED_KEY:
            return self._about("bad-key", origin, lacks=path)
        return self._about("bad-key-value", origin, **self._value(path, item, expected, hints))

    def ignored(self, path: str, origin: str, *, hints: bool = True) -> Finding:
        """Return the finding about a key that the version ignores."""
        facts = self._key(path, hints)
        flag, version = self._flag.flag, self._catalog.version
        return finding("ignored-key", _name(origin), case="", flag=flag, version=version, **facts)

    def _about(self, code: str, origin: str, **facts: Fact) -> Finding:
        """Return the finding with the parser's code, or with the engine's."""
        code = code if self._flag.shaped else CODE  # only the engine parses it into a class
        flag, version = self._flag.flag, self._catalog.version
        return finding(code, _name(origin), case="", flag=flag, version=version, **facts)

    def _key(self, path: str, hints: bool) -> dict[str, Fact]:
        """Return the facts about an unknown key: the nearest known one, and the known ones."""
        shape = self._shape
        *outer, name = path.split(".")
        for part in outer:
            shape = shape.get("keys", {}).get(part, {})
        known = sorted(shape.get("keys", {}))
        near = nearest(name, known, 1) if hints else []
        more = ("…",) if len(known) > _MOST_KNOWN else ()
        return {
            "key": path,
            "near": near[0] if near else "",
            "known": (*known[:_MOST_KNOWN], *more),
        }

    def _value(self, path: str, item: Any, expected: str, hints: bool) -> dict[str, Fact]:
        """Return the facts about a key's value: as given, as expected, and as most likely meant."""
        near = ""
        if isinstance(item, str):
            near = self._near_choice(path, item) if hints else ""
            if not near and expected.startswith(expectation({"kind": "list"})):
                from translator.values.hints import near_array

                near = near_array(item)
        name = f"{self._flag.flag}.{path}" if path else self._flag.flag
        return {"given": f"{name}={dumps(item)}", "expected": expected, "near": near}

    def _near_choice(self, path: str, item: str) -> str:
        shape = self._shape
        for part in path.split("."):
            shape = shape.get("keys", {}).get(part.partition("[")[0], {})
        choices = [choice for choice in shape.get("choices", ()) if isinstance(choice, str)]
        return next(iter(nearest(item, choices, 1)), "")


def _name(origin: str) -> str:
    """Return a variable, or a token without its value."""
    return origin.partition("=")[0] if is_token(origin) else origin


# --- what the engine refuses at its start

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


def refusals(catalog: Catalog, flags: Iterable[str]) -> dict[str, list[Refusal]]:
    """Return the rules of a version for some flags, by flag."""
    kept, version = catalog.tables.kept, catalog.version
    if FILE not in kept:
        kept[FILE] = {}
        for fields in catalog.tables.records(FILE).values():
            kept[FILE].setdefault(fields["flag"], []).append(fields)
    found: dict[str, list[Refusal]] = {}
    for name in flags:
        if name not in kept[FILE]:
            continue
        if (FILE, version, name) not in kept:
            kept[FILE, version, name] = [
                Refusal(fields)
                for fields in kept[FILE][name]
                if within(version, fields.get("since"), fields.get("until"))
            ]
        if rules := kept[FILE, version, name]:
            found[name] = rules
    return found


def refused(
    values: Mapping[str, Any],
    origins: Mapping[str, list[str]],
    rules: Mapping[str, list[Refusal]],
    scope: Scope,
) -> list[Finding]:
    """Return the findings about flags that prevent the version from starting.

    Args:
        values: the settings, by flag.
        origins: where they came from.
        rules: those of the flags of `values` that have any.
        scope: the version and the dialect.
    """
    found = []
    for name, rules_of in rules.items():
        origin = origins[name][0].partition("=")[0]
        for rule in rules_of:
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
        found.append(finding(CODE, origin, **facts))
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
