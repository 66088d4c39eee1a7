"""Prepare the settings of any reader for any writer: adapt to the version, merge and check.

Later settings override earlier ones of the same flag; keys of a JSON flag are merged into its whole
value.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.settings import Resolved, Setting, copied, merge, nest
from translator.core.tables.catalog import JSON_KINDS, RELATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.core.settings import Reading
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Bounds, Catalog


_ROUNDS = 5  # a key may move into a flag whose keys moved too; no chain in the tables is longer
_MOST_OTHERS = 20  # variables that a finding names


def assemble(reading: Reading, scope: Scope, *, quiet: bool = False) -> Resolved:
    """Adapt a reading to the version, merge its settings, and check them.

    Args:
        reading: of variables or of a command line.
        scope: the version and the dialect.
        quiet: whether to omit findings about repeated settings (on a command line, the last one
            wins by rule).

    Returns:
        One value per flag; the findings of the reading come first.
    """
    resolved = Resolved(reading)
    replaced: list[Setting] = []
    if reading.missing:
        from translator.core.settings.changes import replacements

        replaced = _take(resolved, *replacements(reading.missing, scope))
    repeated = _put_all(resolved, [item for item in replaced if not item.weak], reading.settings)
    resolved.findings += [] if quiet else repeated
    under = [item for item in replaced if item.weak]
    catalog, values = scope.catalog, resolved.values
    for _ in range(_ROUNDS):
        for setting in under:
            _put_under(resolved, setting)
        special = [name for name in values if name not in catalog.simple]
        special = [name for name in special if not _is_checked(name, resolved, catalog)]
        under = []
        for name in special:
            flag = catalog.flag(name)
            if flag is not None and flag.shaped and isinstance(values[name], dict):
                from translator.core.settings.changes import move_keys

                under += _take(resolved, *move_keys(flag, resolved, scope))
        if not under:
            break
    for name in special:
        if name in values:  # else all of its keys were moved
            resolved.findings += _check_value(name, resolved, scope)
    for name in values:
        if name in catalog.bounded and not _holds(catalog.bounded[name], values[name]):
            from translator.core.settings.refusals import out_of_bounds

            resolved.findings += out_of_bounds(name, resolved, scope)
    if not scope.tables.records(RELATED).get("line", {}).keys().isdisjoint(values):
        from translator.core.settings.relations import broken

        resolved.findings += broken(resolved, scope)
    resolved.env.update(resolved.variables)
    return resolved


def _is_checked(name: str, resolved: Resolved, catalog: Catalog) -> bool:
    """Return whether it is known that there is nothing to say about a flag's value."""
    kept = resolved.whole.get(name)
    return kept is not None and kept.value is resolved.values[name] and kept.checked is catalog


def _check_value(name: str, resolved: Resolved, scope: Scope) -> list[Finding]:
    """Return the findings about a value that is not plain; the setting of one without remembers."""
    catalog, origin, kept = scope.catalog, resolved.origins[name], resolved.whole.get(name)
    flag, findings = catalog.flag(name), list[Finding]()
    if flag is not None and flag.deprecated and origin != [scope.adds]:
        facts = {"flag": name, "version": catalog.version}
        findings.append(finding("deprecated-flag", origin[0].name, **facts).of(origin[0]))
    if flag is not None and flag.kind in JSON_KINDS:
        from translator.core.settings.refusals import about_json

        findings += about_json(flag, resolved, catalog)
        if kept is not None and not (findings or flag.deprecated):
            kept.checked = catalog if kept.value is resolved.values[name] else None
    return findings


def at_start(
    env: Mapping[str, str], resolved: Resolved, scope: Scope, *, module: bool = False
) -> list[Finding]:
    """Return the findings about what the frontend does not take that a variable starts, unless the
    older `module` is started, and about what the model does not allow.
    """
    findings: list[Finding] = []
    related = scope.tables.records(RELATED).get("start", {})
    is_of_model = scope.model is not None and bool(resolved.values)
    if is_of_model or not related.keys().isdisjoint(resolved.values):
        from translator.core.settings.relations import broken_at_start

        findings += broken_at_start(resolved, scope, env)
    for name in () if module else scope.catalog.frontends:
        variable = scope.catalog.variable(name) if name in env else None
        if variable is not None:
            from translator.core.settings.refusals import about_frontend

            findings += about_frontend(variable, env[name], resolved, scope.catalog)
    return findings


def _take(resolved: Resolved, settings: list[Setting], findings: list[Finding]) -> list[Setting]:
    """Return the replacements that are flags; take over the variables and the findings."""
    resolved.findings += findings
    resolved.variables.update({item.flag: item.value for item in settings if item.flag[0] != "-"})
    return [item for item in settings if item.flag[0] == "-"]


def _put_all(resolved: Resolved, replaced: list[Setting], settings: list[Setting]) -> list[Finding]:
    """Merge settings, and return the disagreements. A flag's own name wins over a replaced name; a
    single key wins over the whole value.
    """
    values, origins, whole = resolved.values, resolved.origins, resolved.whole
    findings: list[Finding] = []
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
                findings += _disagreement(setting, flag, resolved)
            values[flag] = setting.value
            origins[flag].append(setting.origin)
    if keyed:
        keys = [item for item in replaced if item.path]
        keys += sorted(
            (item for item in settings if item.path), key=lambda item: (len(item.path), item.path)
        )
        findings += _put_keys(resolved, keys)
    return findings


def _put_keys(resolved: Resolved, settings: list[Setting]) -> list[Finding]:
    """Merge settings of single keys, and return the disagreements."""
    findings: list[Finding] = []
    flags = dict.fromkeys(item.flag for item in settings)
    for flag in flags:
        resolved.values[flag] = copied(resolved.values.get(flag))  # the input's own is not changed
    for setting in settings:
        flag, origin = setting.flag, setting.origin
        old = resolved.values[flag]
        if not isinstance(old, dict):
            if old is not None:
                others, by = tuple(map(str, resolved.origins[flag])), str(origin)
                about = finding("disagreement", by, origin=by, others=others, flag=flag)
                resolved.findings.append(about)
            old = resolved.values[flag] = {}
            resolved.whole.pop(flag, None)
        for key in merge(old, nest(setting.path, setting.value))[1]:
            findings += _disagreement(setting, f"{flag}.{key}", resolved)
        resolved.origins.setdefault(flag, []).append(origin)
        resolved.keys[setting.name] = origin
    return findings


def _disagreement(setting: Setting, what: str, resolved: Resolved) -> list[Finding]:
    """Return the finding about another value for a flag or a key than an earlier setting has."""
    origin = str(setting.origin)
    first = dict.fromkeys(map(str, resolved.origins[setting.flag][:_MOST_OTHERS]))
    others = tuple([item for item in first if item != origin])
    about = finding("disagreement", origin, origin=origin, others=others, what=what)
    return [about] if others else []


def _put_under(resolved: Resolved, setting: Setting) -> None:
    """Merge a setting that counts only where nothing else sets the flag or the key."""
    values, origins = resolved.values, resolved.origins
    old, value = values.get(setting.flag), nest(setting.path, copied(setting.value))
    if old is None:
        values[setting.flag] = value
    elif isinstance(old, dict) and setting.path:
        values[setting.flag] = {**old, **merge(value, old)[0]}
    origins.setdefault(setting.flag, []).append(setting.origin)


def _holds(bounds: Bounds, value: Any) -> bool:
    """Tell whether a number or a name is surely one with which the engine starts; anything else
    (`auto`, None) has no bounds.
    """
    if bounds.names or isinstance(value, str):
        return value is None or value in (bounds.names or ("auto",))
    try:
        return bool(bounds.above < value < bounds.below)
    except TypeError:
        return True
