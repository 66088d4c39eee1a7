"""Replace settings of other versions by what this version has instead.

The replacements come from mappings/changes.toml; this module names no flag or variable.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.settings import Setting
from translator.core.tables.catalog import CHANGES, JSON_KINDS, FileOf, variable_of
from translator.core.tables.shapes import UNKNOWN_KEY, problems
from translator.core.tables.versions import ranges, within
from translator.core.text.words import KEY, TOKEN, Origin, quote
from translator.core.values import (
    FALSE_WORDS,
    TRUE_WORDS,
    BadValue,
    assignment,
    boolean,
    plain,
    text_of,
    tokens,
)
from translator.core.values.variables import from_variable, key_shape, key_value, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Catalog, Flag, Tables
    from translator.core.tables.entries import Change, ValueChange

    # What stands for a setting: flags, keys, and vLLM's own variables (with their text as the
    # value); and the findings about what changed, and what could not be replaced.
    Replaced = tuple[list[Setting], list[Finding]]


VALUES: FileOf[ValueChange] = FileOf(CHANGES)  # by `NAME=value`

# A replacement may itself have been replaced: VLLM_USE_TRTLLM_FP4_GEMM, then
# VLLM_NVFP4_GEMM_BACKEND, then --linear-backend.
_CHAIN = 3


def replacements(missing: Sequence[Setting], scope: Scope) -> Replaced:
    """Replace settings that the version does not have: flags, keys of JSON flags and variables;
    a flag's has another version's flag (`was`).
    """
    settings, findings, rest = join_splits(missing, scope)
    beside = {item.flag: str(item.value) for item in missing}
    for item in rest:
        idle = _idle(item, beside, scope)
        more, others = ([], [idle]) if idle else carry(item, scope)
        settings += more
        findings += others
    return settings, findings


def _idle(item: Setting, beside: Mapping[str, str], scope: Scope) -> Finding | None:
    """Return the finding about a variable that had no effect where it was read: its value was the
    default, or nothing `beside` it is on that switches it on. None for another setting.
    """
    record = scope.tables.records(CHANGES).get(item.name, {})
    if item.flag.startswith("-") or record.get("kind") not in ("same", "split"):
        return None
    needs = tuple(record.get("needs", ()))
    having = scope.tables.having(item.name)
    was = scope.tables.catalog(having[-1]).variable(item.name) if having else None
    default = "" if was is None or was.default is None else plain(was.default).lower()
    is_idle = str(item.value).strip().lower() in (default, _WORDS.get(default))
    if needs:
        is_idle = all(beside.get(name, "").strip().lower() in ("", *FALSE_WORDS) for name in needs)
    return _told(item, scope, "now-default", "idle", needs=needs) if is_idle else None


def carry(item: Setting, scope: Scope, chain: int = _CHAIN) -> Replaced:
    """Replace one setting; `chain` is how often a part of what replaces it may be replaced."""
    records = scope.tables.records(CHANGES)
    record, inner = records.get(item.name, {}), f"{item.name}."
    is_whole = isinstance(item.value, dict) and any(name.startswith(inner) for name in records)
    if not record and not is_whole:
        return [], [absent(item, scope)]
    try:
        parts = _parts(item, record, scope)
        knows = [scope.catalog.knows(part.name) for part in parts or ()]
        if parts is None or (not chain and not all(knows)):
            return [], [_dropped(item, record, scope)]
        settings = [_placed(part, scope) for part, known in zip(parts, knows, strict=True) if known]
        computed = record.get("product", {}).get(settings[0].name, ()) if settings else ()
        shown = [one for one in settings if not one.weak or one.name in computed]
        write = " ".join(as_written(one, scope) for one in shown)
    except BadValue as error:
        from translator.core.values.mistakes import facts_of

        about = {**facts_of(error), "flag": _target(item, record, scope) or item.name}
        return [], [_told(item, scope, error.code, error.case, **about)]
    if not parts:
        why = record.get("why", "")
        return [], [_told(item, scope, "now-default", "" if record else "empty", why=why)]
    note = record.get("note", "")
    findings = [_told(item, scope, "replaced", note=note, write=write)] if settings else []
    for part, known in zip(parts, knows, strict=True):
        more, others = ([], []) if known else carry(part, scope, chain - 1)
        settings += more
        findings += others
    return settings, findings


def movable(flag: str, path: str, expected: str, catalog: Catalog) -> bool:
    """Tell whether an unknown key belongs to another version and is listed in changes.toml."""
    return expected == UNKNOWN_KEY and f"{flag}.{path}" in catalog.tables.records(CHANGES)


def move_keys(flag: Flag, resolved: Resolved, scope: Scope) -> Replaced:
    """Take the keys that the version lacks, and changes.toml can replace, out of the object that is
    a flag's value; return what replaces them.
    """
    name, value = flag.flag, resolved.values[flag.flag]
    settings, findings = [], []
    shape = scope.catalog.shape(name) or {"kind": "json"}
    for path, item, expected in list(problems(value, shape)):
        if not movable(name, path, expected, scope.catalog):
            continue
        origin = resolved.origin_of(name, path)
        keys = tuple(path.split("."))
        more, others = carry(Setting(name, item, origin, keys), scope)
        settings += more
        findings += others
        value = with_keys(value, keys, lambda _: {})
    if value:
        resolved.values[name] = value
    elif findings:
        del resolved.values[name], resolved.origins[name]
    return settings, findings


def with_keys(
    value: Mapping[str, Any], keys: Sequence[str], change: Callable[[Any], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a JSON object with other keys in the place of one, whose path is `keys`: those that
    `change` returns for its value. An object of which nothing is left goes, too.
    """
    key, *inner = keys
    changed: dict[str, Any] = {}
    for name, item in value.items():
        if name != key:
            changed[name] = item
        elif not inner:
            changed.update(change(item))
        elif isinstance(item, dict) and (left := with_keys(item, inner, change)):
            changed[name] = left
    return changed


# --- what is said


def _told(item: Setting, scope: Scope, code: str, case: str = "", **more: Fact) -> Finding:
    """Return a finding with the facts that all of them have."""
    facts: dict[str, Fact] = {"given": _given(item, scope), "version": scope.catalog.version}
    facts |= {**scope.catalog.when(item.name), **more}
    return finding(code, str(item.origin), case=case, **facts).of(item.origin)


def _dropped(item: Setting, record: Change, scope: Scope) -> Finding:
    """Return the finding about a setting that nothing replaces. No version refuses a variable, so
    one that it does not read is idle.
    """
    idle = record.get("only_speed") or not item.origin.is_option
    why = record.get("why") or record.get("note", "")
    return _told(item, scope, "removed", "idle" if idle else "", why=why)


def absent(item: Setting, scope: Scope) -> Finding:
    """Return the finding about a name that the version lacks and no entry knows."""
    name, is_flag = item.name, item.flag.startswith("-")
    from_variable = not item.origin.is_option
    if is_flag and item.path:
        return _told(item, scope, "no-key", given=str(item.origin) if from_variable else name)
    code = "flag-not-in-version" if is_flag else "variable-not-in-version"
    given = f"{item.origin} ({name})" if is_flag and from_variable else name
    return _told(item, scope, code, given=given, versions=ranges(scope.tables.knowing(item.flag)))


def _given(item: Setting, scope: Scope) -> str:
    """Return a setting as the user wrote it."""
    origin = item.origin
    if origin.is_option and isinstance(item.value, bool) and not item.path:
        return origin.name
    value = item.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # show 4, although the parser converts it to 4.0
    text = text_of(item.was, value) if item.was is not None else plain(value)
    text = text if item.path else origin.given or text
    if origin.is_option:
        return f"{origin.inside}: " * (origin.kind == KEY) + assignment(item.name, text)
    written = as_written(Setting(item.flag, text, origin, item.path), scope)
    if item.path or str(origin) == written.partition("=")[0]:
        return written
    return f"{origin} ({item.name})"


def without_value(flag: str, scope: Scope, case: str = "bare", **more: Fact) -> Finding:
    """Return the finding about a name that the version lacks, whatever its value is."""
    record = scope.tables.records(CHANGES).get(flag, {})
    facts: dict[str, Fact] = {"given": flag, "version": scope.catalog.version}
    parts = [name for named in record.get("values", {}).values() for name in named]
    other = _target(Setting(flag, None, Origin(TOKEN, flag)), record, scope) or ""
    instead = tuple(dict.fromkeys(filter(scope.catalog.knows, parts))) or other
    facts |= {"why": record.get("why", ""), "instead": instead, **scope.catalog.when(flag), **more}
    code, case = ("replaced", case) if instead else ("removed", "")
    return finding(code, flag, case=case, **facts)


# --- the entries of changes.toml


def _parts(item: Setting, record: Change, scope: Scope) -> list[Setting] | None:
    """Return what stands for a setting, in the form of the entry; [] if the value is the default,
    None if nothing does.

    Raises:
        BadValue: the value is none that the entry can turn into its opposite.
    """
    if not record:  # an object whose keys have entries of their own
        return [
            Setting(item.flag, value, item.origin.of_key(key), (*item.path, key))
            for key, value in item.value.items()
        ]
    if record["kind"] == "gone":
        default = record.get("default_when", "").lower()
        is_default = plain(item.value).lower() in (default, _WORDS.get(default, default))
        return [] if default and is_default else None
    if record["kind"] == "split":
        parts = record["values"].get(_text(item), record["values"].get(_word(item)))
        return None if parts is None else [_part(item, *part) for part in parts.items()]
    target = _target(item, record, scope)
    if target is None:
        return None
    setting = _part(item, target, _same_value(item, target, record, scope), item.was)
    beside = record.get("beside", {}).get(target, {}) if setting.value is not False else {}
    beside = {**beside, **_products(target, setting.value, scope)}
    return [setting, *(_part(item, name, text, weak=True) for name, text in beside.items())]


def _products(name: str, value: Any, scope: Scope, source: str = "") -> dict[str, int]:
    """Return the names that an object needs beside it, and the `source` did not, with the numbers
    that follow from it.
    """
    products = {}
    rules = scope.tables.records(CHANGES).get(name, {}).get("product", {}).get(name, {})
    for needed, rule in rules.items() if isinstance(value, dict) else ():
        numbers = [value.get(key) for key in rule["of"]]
        fits = all(value.get(key) == text for key, text in rule.get("where", {}).items())
        was_needed = source and within(source, rule["since"], None)
        is_new = within(scope.catalog.version, rule["since"], None) and not was_needed
        if fits and is_new and all(isinstance(number, (int, float)) for number in numbers):
            from math import prod  # lazy: the start path has no such line

            products[needed] = int(prod(numbers))
    return products


def now_needed(flag: str, value: dict[str, Any], scope: Scope, source: str) -> dict[str, int]:
    """Return the keys that an object needs beside its own, and did not in the source."""
    products: dict[str, int] = {}
    for key, item in value.items():
        products |= _products(f"{flag}.{key}", item, scope, source)
    keys = {name.removeprefix(f"{flag}."): number for name, number in products.items()}
    return {key: number for key, number in keys.items() if key not in value}


def _text(item: Setting) -> str:
    return plain(item.value) if item.was is None else text_of(item.was, item.value)


def _word(item: Setting) -> str:
    """Return the value of a variable as the entries name it: one that is on is true."""
    word = _text(item).strip().lower()
    is_on, is_off = word in TRUE_WORDS, word in FALSE_WORDS
    return "true" if is_on else "false" if is_off else word


def _part(
    item: Setting, target: str, value: Any, was: Flag | None = None, weak: bool = False
) -> Setting:
    """Return the setting of a flag, a key of one, or a variable, instead of another."""
    name, *path = target.split(".")
    return Setting(name, value, item.origin, tuple(path), was, weak)


def _same_value(item: Setting, target: str, record: Change, scope: Scope) -> Any:
    """Return the value in the form of the other name."""
    inverted = record.get("inverted", ())
    words = record.get("values", {})
    value = item.value
    if item.name in words:
        value = words[item.name].get(plain(value), value)
    if (item.name in inverted) != (target in inverted):
        value = not (value if isinstance(value, bool) else boolean(str(value)))
    for word, canonical in words.get(target, {}).items():
        if canonical == value or plain(canonical) in (plain(value), _word(item)):
            value = int(word) if word.isdecimal() else word
            break
    if (known := scope.catalog.bounds(target)) and value not in known.names:
        values = scope.tables.records(VALUES).get(f"{item.name}={value}", {}).get("values", ())
        value = next((name for name in values if name in known.names), value)
    renamed = record.get("rename_keys", {}).get(target)
    if renamed and isinstance(value, dict):
        value = {renamed.get(key, key): inner for key, inner in value.items()}
    return value


def nearest_first(names: Sequence[str], name: str) -> list[str]:
    """Return the other names of a meaning: newer ones first, then older, each nearest first."""
    at = names.index(name)
    return [*names[at + 1 :], *names[:at][::-1]]


def _target(item: Setting, record: Change, scope: Scope) -> str | None:
    """Return the other name of a meaning that the version has: by the catalog, and by the entry's
    `since` and `until` of keys that no catalog lists.
    """
    version, since, until = scope.catalog.version, record.get("since", {}), record.get("until", {})
    for name in nearest_first(record.get("carriers", [item.name]), item.name):
        if scope.catalog.knows(name) and within(version, since.get(name), until.get(name)):
            return name
    return None


def _placed(part: Setting, scope: Scope) -> Setting:
    """Return a setting that the version has with the value in its form.

    Raises:
        BadValue: it does not accept the value.
    """
    catalog, value = scope.catalog, part.value
    flag, variable = catalog.flag(part.flag), catalog.variable(part.flag)
    if flag is None:
        if isinstance(value, bool):
            value = "1" if value else "0"
        elif isinstance(value, float) and variable is not None and variable.kind == "int":
            if not value.is_integer():
                raise BadValue("bad-integer", text=str(value), kind="int")
            value = str(int(value))
        else:
            value = _text(part)
            if variable is not None and variable.kind == "bool-int":
                value = _WORDS.get(value.lower(), value)
    elif not part.path:
        value = fitted(flag, value, part.was)
    elif isinstance(value, str):
        value = key_value(value, key_shape(catalog, flag, part.path))
    return Setting(part.flag, value, part.origin, part.path, weak=part.weak)


# The tables' booleans as vLLM's own variables write them.
_WORDS = {"true": "1", "false": "0"}


def join_splits(
    missing: Sequence[Setting], scope: Scope
) -> tuple[list[Setting], list[Finding], list[Setting]]:
    """Join settings of newer versions into the one value that they replaced in an older version;
    return the joined settings, the findings about them, and the remaining settings.
    """
    settings, findings, remaining = [], [], list(missing)
    items = {item.name: item for item in missing}
    words = {name: plain(item.value) for name, item in items.items()}
    for name, record in scope.tables.records(CHANGES).items():
        if record["kind"] != "split" or not scope.catalog.knows(name):
            continue
        flag = scope.catalog.flag(name)
        choices = flag.choices if flag is not None else None
        fitting = [
            (value, parts)
            for value, parts in record["values"].items()
            if parts and parts.keys() <= words.keys()
            if all(words[target] == plain(text) for target, text in parts.items())
            if choices is None or value in choices
        ]
        if not fitting:
            continue
        value, parts = max(fitting, key=lambda one: len(one[1]))
        used = [items[target] for target in parts]
        remaining = [item for item in remaining if item not in used]
        text = value if flag is not None else _WORDS.get(value, value)
        first = used[0].origin
        origin = Origin(first.kind, " ".join(str(item.origin) for item in used), first.at)
        setting = Setting(name, text, origin)
        given = " ".join(_given(item, scope) for item in used)
        about = _told(used[0], scope, "replaced", given=given, write=as_written(setting, scope))
        settings.append(setting)
        findings.append(about.about(origin.text).of(origin))
    return settings, findings, remaining


def renamed_choice(
    origin: Origin, text: str, flag: Flag, error: BadValue, scope: Scope
) -> tuple[str, Finding] | None:
    """Return this version's name of a choice that only other versions know, and the finding; the
    version's flag has refused it.
    """
    old = text.strip()
    record = scope.tables.records(VALUES).get(f"{flag.flag}={old}")
    if record is None or "choices" not in error.given:
        return None
    new = next((item for item in record["values"] if item in (flag.choices or ())), None)
    if new is None:
        return None
    facts = {"flag": flag.flag, "version": scope.catalog.version, "old": old, "new": new}
    write = assignment(origin.option, new)
    return new, finding("renamed-value", str(origin), **facts, write=write).of(origin)


# --- values in the form of another flag, or as a user writes them


def flag_elsewhere(name: str, tables: Tables) -> Flag | None:
    """Return the flag from the newest version that has it."""
    versions = tables.having(name)
    spelled = tables.catalog(versions[-1]).spelled(name) if versions else None
    return spelled[0] if spelled is not None else None


def fitted(flag: Flag, value: Any, was: Flag | None = None) -> Any:
    """Return a value of another flag, or of another version's, in the form of this version's: as it
    reads the value from a variable, unless the flags are alike.

    Args:
        flag: this version's flag.
        value: in the form of the other flag.
        was: that other flag; None for a key or a variable.

    Raises:
        BadValue: this version refuses the value.
    """
    is_text = isinstance(value, str)
    if (
        value is None
        or (isinstance(value, bool) and flag.boolean)
        or (isinstance(value, dict) and flag.kind in JSON_KINDS)
        or (was is not None and _form(was) == _form(flag) and not (is_text and flag.choices))
    ):
        return value
    # A text with a comma is one element where an element is any text, such as a key.
    if is_text and flag.kind in _LISTS and _holds_any_text(flag):
        return [value]
    text = None
    if isinstance(value, dict) and (was is None or was.kind not in JSON_KINDS):
        raise BadValue("bad-text", "json")
    if isinstance(value, list) and flag.kind not in (*_LISTS, *JSON_KINDS):
        if len(value) == 1:
            return fitted(flag, value[0])
        if was is None or _holds_any_text(was):
            raise BadValue("bad-list", "one")
        text = variable_text(was, value)
    return from_variable(flag, plain(value) if text is None else text)[0]


_LISTS = ("list", "append")


def _holds_any_text(flag: Flag) -> bool:
    return flag.element == "str" and flag.choices is None


def _form(flag: Flag) -> tuple[Any, ...]:
    """Return what says which typed values a flag accepts."""
    return flag.kind, flag.choices, flag.element, flag.objects, flag.object_keys


def as_written(setting: Setting, scope: Scope) -> str:
    """Return a setting as the user would write it, in the form of its origin (variable, token)."""
    if not setting.flag.startswith("-"):
        return assignment(setting.flag, setting.value)
    flag = scope.catalog.flag(setting.flag) if not setting.path else None
    if setting.origin.is_option:
        if flag is None:
            return assignment(setting.name, plain(setting.value))
        group = tokens(flag, setting.value)
        if len(group) == 1 and group[0].startswith(f"{setting.flag}="):
            return assignment(setting.flag, group[0].partition("=")[2])
        first, *items = group or [setting.flag]
        return " ".join((first, *map(quote, items)))
    text = variable_text(flag, setting.value) if flag is not None else None
    name = "__".join((variable_of(setting.flag), *setting.path)).upper()
    return assignment(scope.prefix + name, plain(setting.value) if text is None else text)
