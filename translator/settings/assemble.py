"""Prepare the settings of any reader for any writer: adapt to the version, merge and check.

Later settings override earlier ones of the same flag; keys of a JSON flag are merged into its whole
value.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import MASK
from translator.settings.setting import Assembled, Setting, merge, nest
from translator.settings.start_rules import out_of_bounds, refusals, refused
from translator.tables.entries import JSON_KINDS
from translator.values.errors import BadValue
from translator.values.tokens import holds_colons, pairs, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.scope import Scope
    from translator.settings.setting import Reading
    from translator.tables.entries import Flag


_ROUNDS = 4  # a key may move into a flag whose keys moved too; no chain in the tables is longer


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
    settings, catalog = reading.settings, scope.catalog
    carried: list[Setting] = []
    if reading.missing:
        from translator.settings.changes import join_splits

        joined, rest = join_splits(reading.missing, scope)
        done.variables.update(joined.variables)
        done.findings += joined.findings
        carried += joined.settings
        for item in rest:
            carried += _carry(item, scope, done)
    # A flag's own name wins over a replaced name; a single key wins over the whole value.
    keyed = False
    values, origins = done.values, done.origins
    for setting in carried + settings if carried else settings:
        if setting.path:
            keyed = True
        elif setting.flag in values:
            done.put(setting, quiet)
        else:
            values[setting.flag] = setting.value
            origins[setting.flag] = [setting.origin]
    if keyed:
        for setting in [
            *(item for item in carried if item.path),
            *sorted((item for item in settings if item.path), key=_depth),
        ]:
            done.put(setting, quiet)
        done.findings = [_with_shown_key(item, scope) for item in done.findings]
    for setting in done.weak:
        _put_under(setting, done)
    special = [name for name in values if name not in catalog.simple]
    for _ in range(_ROUNDS if special else 0):
        moved = [setting for flag in special for setting in _move_keys(flag, scope, done)]
        for setting in moved:
            _put_under(setting, done)
        if not moved:
            break
        special = [name for name in values if name not in catalog.simple]
    for name in {item.flag for item in carried if item.path} if carried else ():
        _fill_needs(name, scope, done)
    rules = refusals(catalog)
    concerned = [name for name in values if name in rules]
    for name in special:
        flag = catalog.flag(name)
        if flag is None or name not in values:  # all of its keys were moved
            continue
        if flag.deprecated:
            done.findings.append(
                finding(
                    "deprecated-flag",
                    done.origins[name][0].partition("=")[0],
                    flag=name,
                    version=catalog.version,
                )
            )
        if flag.kind in JSON_KINDS:
            _check(flag, scope, done)
    bounded = catalog.bounded
    for name, value in values.items():
        bounds = bounded.get(name)
        if bounds is not None and bounds.fine is not value:
            told = out_of_bounds(name, value, done.origins[name], bounds, scope)
            done.findings += told
            bounds.fine = bounds.fine if told else value
    if concerned:
        done.findings += refused(done.values, done.origins, concerned, scope)
    done.env.update(done.variables)
    return done


def _with_shown_key(item: Finding, scope: Scope) -> Finding:
    """Return a finding about two values of a key with the key as messages show it."""
    flag, dot, key = str(item.facts.get("what", "")).partition(".")
    return item.with_facts(what=f"{flag}.{scope.secrets.showing.key(key)}") if dot else item


def _depth(setting: Setting) -> tuple[int, tuple[str, ...]]:
    return len(setting.path), setting.path


def _fill_needs(name: str, scope: Scope, done: Assembled) -> None:
    """Add the neighbour that the version's class requires beside a replaced key.

    This is done only if exactly one value of exactly one key is allowed. From 0.16 on,
    `torch_profiler_dir` is refused unless `profiler` is "torch"; the variable that it replaced
    needed no such neighbour.
    """
    flag = scope.catalog.flag(name)
    value = done.values.get(name)
    if flag is None or not flag.shaped or not isinstance(value, dict):
        return
    for rule in (scope.catalog.shape(name) or {}).get("rules", ()):
        needs = rule["needs"]
        if rule["key"] in value and len(needs) == 1:
            ((other, allowed),) = needs.items()
            if (
                len(allowed) == 1
                and other not in value
                and ("values" not in rule or value[rule["key"]] in rule["values"])
            ):
                done.values[name] = value = {**value, other: allowed[0]}


def _carry(item: Setting, scope: Scope, done: Assembled) -> list[Setting]:
    from translator.settings.changes import carry

    secret = scope.secrets.named(item.origin.partition("=")[0]) or (
        item.flag in scope.secrets.carriers
    )
    found = carry(item, scope, MASK if secret else None)
    done.findings += [one.with_facts(write="") if secret else one for one in found.findings]
    done.variables.update(found.variables)
    done.weak += found.weak
    return found.settings


def _put_under(setting: Setting, done: Assembled) -> None:
    """Merge a moved key; a value set by the key's own name wins."""
    old = done.values.get(setting.flag)
    value = nest(setting.path, setting.value)
    done.values[setting.flag] = (
        merge(value, old)[0]
        if isinstance(old, dict) and setting.path
        else value
        if old is None
        else old
    )
    origins = done.origins.setdefault(setting.flag, [])
    if setting.origin not in origins:
        origins.append(setting.origin)


def _move_keys(name: str, scope: Scope, done: Assembled) -> list[Setting]:
    """Remove keys that the version's class lacks from a JSON value and return their replacements.

    Only keys that changes.toml can replace are removed.
    """
    flag = scope.catalog.flag(name)
    value = done.values[name]
    if flag is None or not flag.shaped or not isinstance(value, dict):
        return []
    shape = scope.catalog.shape(name)
    moved: list[Setting] = []
    taken = False
    from translator.settings.changes import movable
    from translator.settings.key_errors import Origins
    from translator.tables.shapes import problems

    origins = Origins(done.origins.get(name) or [name])
    for path, item, expected in list(problems(value, shape or {"kind": "json"})):
        if not movable(name, path, expected, scope.catalog):
            continue
        keys = tuple(path.split("."))
        moved += _carry(Setting(name, item, origins.of(path), keys), scope, done)
        value = done.values[name] = _without(value, keys)
        taken = True
    if taken and not value:
        del done.values[name]
    return moved


def _without(value: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    found = dict(value)
    if len(keys) == 1:
        found.pop(keys[0], None)
        return found
    inner = _without(found[keys[0]], keys[1:])
    if inner:
        found[keys[0]] = inner
    else:
        del found[keys[0]]
    return found


def _check(flag: Flag, scope: Scope, done: Assembled) -> None:
    """Check the keys of a JSON value against the version's class.

    What the real parser refuses is an error.
    """
    catalog = scope.catalog
    name = flag.flag
    value = done.values[name]
    if not flag.shaped and not flag.started:
        if flag.syntax in ("pairs", "pairs-or-json", "colons") and not _holds_pairs(flag, value):
            done.findings.append(
                finding(
                    "bad-json",
                    done.origins[name][0],
                    case="colons" if flag.syntax == "colons" else "pairs",
                    given=done.origins[name][0].partition("=")[0],
                    flag=name,
                    version=catalog.version,
                )
            )
        return
    shape = catalog.shape(name)
    if shape is None or value is None:
        return
    from translator.settings.key_errors import KeyErrors, Origins
    from translator.tables.shapes import ignored, problems
    from translator.text.similar import MOST_HINTS

    origins = Origins(done.origins[name])
    errors = KeyErrors(flag, shape, catalog)
    for at, found in enumerate(problems(value, shape)):
        origin = origins.of(found[0])
        done.findings.append(errors.problem(found, origin, hints=at < MOST_HINTS))
    for at, path in enumerate(ignored(value, shape)):
        done.findings.append(errors.ignored(path, origins.of(path), hints=at < MOST_HINTS))


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
