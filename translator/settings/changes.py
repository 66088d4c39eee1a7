"""Replace settings of other versions by what this version has instead.

The replacements come from mappings/changes.toml; this module names no flag or variable.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.settings.setting import Setting, is_token
from translator.tables.entries import CHANGES, JSON_KINDS, variable_of
from translator.tables.shapes import UNKNOWN_KEY
from translator.tables.versions import ranges, within
from translator.text.json_text import dumps
from translator.text.quoting import quote
from translator.values.errors import BadValue, assignment
from translator.values.tokens import bad_integer, boolean, from_token, named_object, text_of, tokens
from translator.values.variables import from_variable, key_shape, key_value, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from translator.findings import Fact
    from translator.naming.scope import Scope
    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Flag


# A replacement may itself have been replaced: VLLM_USE_TRTLLM_FP4_GEMM, then
# VLLM_NVFP4_GEMM_BACKEND, then --linear-backend.
_CHAIN = 3


class Carried:
    """Replacements for settings that the version does not have.

    Attributes:
        settings: the settings that replace them.
        weak: additional settings, unless something else sets them.
        variables: vLLM's own variables that replace them.
        findings: what changed, and what could not be replaced.
    """

    __slots__ = ("findings", "settings", "variables", "weak")

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self.settings: list[Setting] = []
        self.weak: list[Setting] = []
        self.variables: dict[str, str] = {}
        self.findings = list(findings)

    def add(self, other: Carried) -> None:
        """Add the replacement of another setting."""
        self.settings += other.settings
        self.weak += other.weak
        self.variables.update(other.variables)
        self.findings += other.findings


def movable(flag: str, path: str, expected: str, catalog: Catalog) -> bool:
    """Tell whether an unknown key belongs to another version and is listed in changes.toml."""
    return expected == UNKNOWN_KEY and f"{flag}.{path}" in catalog.tables.records(CHANGES)


def carry(item: Setting, scope: Scope, chain: int = _CHAIN) -> Carried:
    """Replace a setting that the version does not have.

    Args:
        item: a flag, a key of a JSON flag or a variable, with another version's flag (`was`).
        scope: the version and the dialect.
        chain: how often a part of the replacement may be replaced in turn.
    """
    records = scope.tables.records(CHANGES)
    if item.name in records:
        return _Change(item, scope).carried(chain)
    if isinstance(item.value, dict) and any(name.startswith(f"{item.name}.") for name in records):
        return _key_by_key(item, scope, chain)
    return Carried([absent(item, scope)])


def _key_by_key(item: Setting, scope: Scope, chain: int) -> Carried:
    """Replace each key of a JSON flag whose keys have separate replacements."""
    done = Carried()
    for key, value in item.value.items():
        one = Setting(item.flag, value, item.origin, (*item.path, key))
        done.add(carry(one, scope, chain))
    if not item.value:
        done.findings.append(_Change(item, scope).told("now-default", "empty"))
    return done


class _Change:
    """A setting that the version does not have, and what changes.toml says about it.

    Args:
        item: the setting.
        scope: the version and the dialect.
    """

    __slots__ = ("_item", "_record", "_scope", "facts")

    def __init__(self, item: Setting, scope: Scope) -> None:
        self._item, self._scope = item, scope
        self._record: Mapping[str, Any] = scope.tables.records(CHANGES).get(item.name, {})
        self.facts: dict[str, Fact] = {
            "given": _given(item, scope),
            "version": scope.catalog.version,
            **when(item.name, scope),
        }

    def told(self, code: str, case: str = "", **more: Fact) -> Finding:
        """Return a finding with the facts that all of them have."""
        return finding(code, self._item.origin, case=case, **{**self.facts, **more})

    def carried(self, chain: int) -> Carried:
        """Return the replacement; `chain` is how often a part of it may be replaced in turn."""
        kind = self._record["kind"]
        if kind == "same":
            return self._same()
        return self._split(chain) if kind == "split" else Carried([self._gone()])

    def _same(self) -> Carried:
        """Replace one name by another."""
        item, record, scope = self._item, self._record, self._scope
        note = record.get("note", "")
        others = nearest_first(record["carriers"], item.name)
        target = next((one for one in others if _read_there(one, record, scope.catalog)), None)
        if target is None:
            return Carried([self._dropped(note)])
        try:
            done = _place(target, _same_value(item, target, record), item, scope)
            for beside, text in record.get("beside", {}).get(target, {}).items():
                aside = Setting(beside, text, item.origin)
                done.weak += _place(beside, text, aside, scope).settings
        except BadValue as error:
            about = {**error.facts, "flag": target}
            about.pop("instead", None)
            return Carried([self.told(error.code, error.case, **about)])
        done.findings = [self.told("carried", "", note=note, **_replacement(done, scope))]
        return done

    def _split(self, chain: int) -> Carried:
        """Replace one value by several names; by none of them if the value is the default."""
        item, record, scope = self._item, self._record, self._scope
        knows = scope.catalog.knows
        parts = record.get("values", {}).get(text_as(item.was, item.value))
        if parts is None or (not chain and not all(map(knows, parts))):
            return Carried([self._dropped(record.get("note", ""))])
        if not parts:
            return Carried([self.told("now-default")])
        done, further = Carried(), Carried()
        for target, text in parts.items():
            if knows(target):
                done.add(_place(target, text, Setting(target, text, item.origin), scope))
            else:
                name, *path = target.split(".")
                part = Setting(name, text, item.origin, tuple(path))
                further.add(carry(part, scope, chain - 1))
        if done.settings or done.variables:
            done.findings = [self.told("carried", "", note="", **_replacement(done, scope))]
        done.add(further)
        return done

    def _gone(self) -> Finding:
        """Report a name that nothing replaces."""
        default, why = self._record.get("default_when"), self._record.get("why", "")
        if default is not None:
            word = word_of(self._item.value).lower()
            if word in (default.lower(), _WORDS.get(default.lower(), default)):
                return self.told("now-default", why=why)
        return self._dropped(why)

    def _dropped(self, why: str) -> Finding:
        """Report a setting that nothing replaces. No version refuses a variable, so one that it
        does not read is idle.
        """
        idle = self._record.get("only_speed") or not is_token(self._item.origin)
        return self.told("dropped", "idle" if idle else "", why=why)


def _given(item: Setting, scope: Scope) -> str:
    """Return a setting as the user wrote it."""
    if is_token(item.origin) and isinstance(item.value, bool) and not item.path:
        return item.origin.partition("=")[0]
    value = item.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # show 4, although the parser converts it to 4.0
    text = _plain(text_of(item.was, value) if item.was is not None else value)
    if is_token(item.origin):
        file, sign, _ = item.origin.rpartition(": --")
        return (file + ": " if sign else "") + assignment(item.name, text)
    written = as_written(Setting(item.flag, text, item.origin, item.path), scope)
    if item.path or item.origin == written.partition("=")[0]:
        return written
    return f"{item.origin} ({item.name})"


def when(name: str, scope: Scope) -> dict[str, Fact]:
    """Return the release that removed a name, or the one that added it to newer versions."""
    known = scope.tables.versions()
    here = known.index(scope.catalog.version)
    last = first = -1
    for item in reversed(scope.tables.knowing(name)):
        begin, _, end = item.partition("-")
        if known.index(end or begin) < here:
            last = max(last, known.index(end or begin))
        else:
            first = known.index(begin)
    if last >= 0:
        return {"removed": _release(known, last + 1)}
    return {"added": _release(known, first)} if first > 0 else {}


def _release(known: list[str], at: int) -> str:
    """Return the release of a change: the minor one if the previous version belongs to another."""
    new, old = known[at], known[at - 1]
    minor = new.split(".")[:2]
    return new if minor == old.split(".")[:2] else ".".join(minor)


def absent(item: Setting, scope: Scope) -> Finding:
    """Return the finding about a name that the version lacks and nothing replaces."""
    change, name = _Change(item, scope), item.name
    is_flag, from_variable = item.flag.startswith("-"), not is_token(item.origin)
    given = f"{item.origin} ({name})" if is_flag and from_variable else name
    if is_flag and item.path:
        return change.told("no-key", given=item.origin if from_variable else name)
    code = "flag-not-in-version" if is_flag else "variable-not-in-version"
    return change.told(code, given=given, versions=ranges(scope.tables.knowing(item.flag)))


def _same_value(item: Setting, target: str, record: Mapping[str, Any]) -> Any:
    """Return the value in the form of the other name."""
    inverted: list[str] = record.get("inverted", [])
    tables = record.get("values", {})
    value = item.value
    own = tables.get(item.name)
    if own is not None:
        value = own.get(word_of(value), value)
    if (item.name in inverted) != (target in inverted):
        value = not (value if isinstance(value, bool) else boolean(str(value)))
    for word, canonical in tables.get(target, {}).items():
        if canonical == value or word_of(canonical) == word_of(value):
            value = int(word) if word.isdecimal() else word
            break
    renamed = record.get("rename_keys", {}).get(target)
    if renamed and isinstance(value, dict):
        value = {renamed.get(key, key): inner for key, inner in value.items()}
    return value


def nearest_first(names: list[str], name: str) -> list[str]:
    """Return the other names of a meaning: newer ones first, then older, each nearest first."""
    at = names.index(name)
    return names[at + 1 :] + names[:at][::-1]


def _read_there(name: str, record: Mapping[str, Any], catalog: Catalog) -> bool:
    """Tell whether a name exists in the version.

    For a key that no catalog lists, the entry's `since` and `until` decide.
    """
    since, until = (record.get(limit, {}).get(name) for limit in ("since", "until"))
    return catalog.knows(name) and within(catalog.version, since, until)


def _place(target: str, value: Any, item: Setting, scope: Scope) -> Carried:
    """Set a replacement to a value.

    Raises:
        BadValue: the replacement does not accept the value.
    """
    done, catalog = Carried(), scope.catalog
    if not target.startswith("-"):
        variable = catalog.variable(target)
        if isinstance(value, float) and variable is not None and variable.kind == "int":
            if not value.is_integer():
                raise bad_integer(str(value), "an integer in plain digits", "8192")
            value = int(value)
        text = ("1" if value else "0") if isinstance(value, bool) else text_as(item.was, value)
        done.variables[target] = text
        return done
    name, *path = target.split(".")
    flag = catalog.flag(name)
    assert flag is not None
    if path:
        if isinstance(value, str):
            value = key_value(value, key_shape(catalog, flag, tuple(path)))
    elif isinstance(value, (dict, list)) or (isinstance(value, bool) and flag.boolean):
        value = fitted(flag, value)
    else:
        value = from_variable(flag, text_as(item.was, value))[0]
    done.settings.append(Setting(name, value, item.origin, tuple(path)))
    return done


def _replacement(done: Carried, scope: Scope) -> dict[str, Fact]:
    """Return what to write instead, in the form in which the user wrote the setting."""
    words = [as_written(made, scope) for made in done.settings]
    words += [assignment(name, text) for name, text in done.variables.items()]
    return {"write": " ".join(words)}


# The tables' booleans as vLLM's own variables write them.
_WORDS = {"true": "1", "false": "0"}


def join_splits(missing: list[Setting], scope: Scope) -> tuple[Carried, list[Setting]]:
    """Join settings of newer versions into the one value that they replaced in an older version.

    Args:
        missing: settings that the version does not have.
        scope: the version and the dialect.

    Returns:
        The replacement of the joined settings, and the remaining settings.
    """
    done = Carried()
    remaining = list(missing)
    texts = {
        item.name: (item, item.value if isinstance(item.value, str) else word_of(item.value))
        for item in missing
    }
    for name, record in scope.tables.records(CHANGES).items() if missing else ():
        if record["kind"] != "split" or not scope.catalog.knows(name):
            continue
        choices = getattr(scope.catalog.flag(name), "choices", None)
        fitting = [
            (value, parts)
            for value, parts in record.get("values", {}).items()
            if parts
            and all(
                target in texts and texts[target][1] == word_of(text)
                for target, text in parts.items()
            )
            and (choices is None or value in choices)
        ]
        if not fitting:
            continue
        value, parts = max(fitting, key=lambda one: len(one[1]))
        used = [texts[target][0] for target in parts]
        remaining = [item for item in remaining if item not in used]
        done.add(_joined(name, value, used, scope))
    return done, remaining


def _joined(name: str, value: str, used: list[Setting], scope: Scope) -> Carried:
    """Return the replacement of several settings."""
    origins = " ".join(item.origin for item in used)
    done = Carried()
    if name.startswith("-"):
        done.settings.append(Setting(name, value, origins))
    else:
        done.variables[name] = _WORDS.get(value, value)
    changes = [_Change(item, scope) for item in used]
    given = " ".join(str(change.facts["given"]) for change in changes)
    facts = {**changes[0].facts, "given": given, "note": "", **_replacement(done, scope)}
    done.findings.append(finding("carried", origins, case="", **facts))
    return done


def renamed_value(flag: Flag, text: str, tables: Tables) -> str | None:
    """Return this version's name of a choice if the string is its name in another version."""
    record = tables.records(CHANGES).get(f"{flag.flag}={text.strip()}")
    if record is None or record["kind"] != "value" or not flag.choices:
        return None
    return next((item for item in record["values"] if item in flag.choices), None)


def renamed_choice(
    origin: str, text: str, flag: Flag, error: BadValue, scope: Scope
) -> tuple[str, Finding] | None:
    """Return this version's name of a choice that only other versions know, and the finding.

    Args:
        origin: the variable or the token that has the value.
        text: the value.
        flag: the version's flag.
        error: why the flag refuses it.
        scope: the version and the dialect.
    """
    new = renamed_value(flag, text, scope.tables) if error.code == "bad-choice" else None
    if new is None:
        return None
    return new, finding(
        "carried-value",
        origin,
        flag=flag.flag,
        version=scope.catalog.version,
        old=text.strip(),
        new=new,
        write=assignment(origin.partition("=")[0], new),
    )


# --- values in the form of another flag, or as a user writes them


def flag_elsewhere(name: str, tables: Tables) -> Flag | None:
    """Return the flag from the newest version that has it."""
    for item in reversed(tables.knowing(name)):
        found = tables.catalog(item.partition("-")[2]).spellings().get(name)
        if found is not None:
            return found[0]
    return None


def word_of(value: Any) -> str:
    """Return a value as written in mappings/changes.toml."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def text_as(flag: Flag | None, value: Any) -> str:
    """Return a value as its flag's string (flag None: the value of a variable or a key)."""
    return text_of(flag, value) if flag is not None else word_of(value)


def fitted(flag: Flag, value: Any, was: Flag | None = None) -> Any:
    """Convert a typed value to the form of this version's flag, such as a string to a list of one.

    Args:
        flag: this version's flag.
        value: in the form of another flag, or of another version's.
        was: that other flag, if its syntax matters.

    Raises:
        BadValue: this version refuses the value.
    """
    if flag.kind in ("list", "append"):
        if value is None:
            return None
        items = value if isinstance(value, list) else [value]
        return [
            named_object(flag, item)
            if isinstance(item, dict) and flag.element.startswith("named-path")
            else from_token(flag, item if isinstance(item, str) else text_of(flag, item))
            for item in items
        ]
    if isinstance(value, list) and len(value) == 1 and flag.kind not in JSON_KINDS:
        value = value[0]
    if flag.boolean and not isinstance(value, bool):
        return boolean(text_as(was, value))
    if (
        value is None
        or isinstance(value, bool)
        or (isinstance(value, (dict, list)) and flag.kind in JSON_KINDS)
    ):
        return value
    if isinstance(value, (dict, list)):
        raise BadValue("bad-text", "json")
    return from_token(flag, text_as(was, value))


def as_written(made: Setting, scope: Scope) -> str:
    """Return a setting as the user would write it, in the form of its origin (variable, token)."""
    flag = scope.catalog.flag(made.flag) if not made.path else None
    if is_token(made.origin):
        if flag is None:
            return assignment(made.name, _plain(made.value))
        group = tokens(flag, made.value)
        if len(group) == 1 and group[0].startswith(f"{made.flag}="):
            return assignment(made.flag, group[0].partition("=")[2])
        first, *items = group or [made.flag]
        return " ".join((first, *map(quote, items)))
    text = variable_text(flag, made.value) if flag is not None else None
    name = "__".join((variable_of(made.flag), *made.path)).upper()
    return assignment(scope.prefix + name, _plain(made.value) if text is None else text)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)
