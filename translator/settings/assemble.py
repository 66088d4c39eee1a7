"""Prepare the settings of any reader for any writer: adapt to the version, merge and check.

Later settings override earlier ones of the same flag; keys of a JSON flag are merged into its whole
value.
"""

from __future__ import annotations

from translator.findings import finding
from translator.settings.rules import Origins, checked
from translator.settings.setting import Assembled, Setting, copied, merge, merge_into, nest
from translator.tables.shapes import problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.scope import Scope
    from translator.settings.changes import Carried
    from translator.settings.setting import Reading


_ROUNDS = 4  # a key may move into a flag whose keys moved too; no chain in the tables is longer
_MOST_OTHERS = 20  # variables that a finding names


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
    merging = _Merging(done, scope, quiet)
    carried = merging.carry_all(reading.missing) if reading.missing else []
    merging.put_all(carried, reading.settings)
    for setting in merging.weak:
        merging.put_under(setting)
    simple = scope.catalog.simple
    special = [name for name in done.values if name not in simple]
    for _ in range(_ROUNDS if special else 0):
        moved = [setting for flag in special for setting in merging.move_keys(flag)]
        for setting in moved:
            merging.put_under(setting)
        if not moved:
            break
        special = [name for name in done.values if name not in simple]
    for name in {item.flag for item in carried if item.path} if carried else ():
        merging.fill_needs(name)
    done.findings += checked(special, done, scope)
    done.env.update(done.variables)
    return done


class _Merging:
    """Settings that are merged, flag by flag.

    Attributes:
        weak: settings that count where nothing else sets their flag.
    """

    def __init__(self, done: Assembled, scope: Scope, quiet: bool) -> None:
        self._done, self._scope, self._quiet = done, scope, quiet
        self._merged: dict[str, dict[str, Any]] = {}  # flag → the object that its keys are put into
        self._seen: dict[str, set[str]] = {}  # flag → its origins
        self.weak: list[Setting] = []

    def carry_all(self, missing: list[Setting]) -> list[Setting]:
        """Return the replacements of settings that the version does not have."""
        from translator.settings.changes import carry, join_splits

        joined, rest = join_splits(missing, self._scope)
        carried = self._take(joined)
        for item in rest:
            carried += self._take(carry(item, self._scope))
        return carried

    def _take(self, found: Carried) -> list[Setting]:
        """Take over all of a replacement but its settings, which are returned."""
        self._done.variables.update(found.variables)
        self._done.findings += found.findings
        self.weak += found.weak
        return found.settings

    def put_all(self, carried: list[Setting], settings: list[Setting]) -> None:
        """Merge settings. A flag's own name wins over a replaced name; a single key wins over the
        whole value.
        """
        values, origins, whole = self._done.values, self._done.origins, self._done.whole
        keyed = False
        for setting in carried + settings if carried else settings:
            if setting.path:
                keyed = True
            elif setting.flag in values:
                self.put(setting)
            else:
                values[setting.flag] = setting.value
                origins[setting.flag] = [setting.origin]
                whole[setting.flag] = setting
        if keyed:
            deeper = sorted((item for item in settings if item.path), key=_depth)
            for setting in [*(item for item in carried if item.path), *deeper]:
                self.put(setting)

    def put(self, setting: Setting) -> None:
        """Merge one setting over the existing value, and report a disagreement."""
        flag, values = setting.flag, self._done.values
        if flag not in values:
            values[flag] = nest(setting.path, setting.value)
        elif setting.path:
            values[flag] = self._with_key(setting)
        else:
            if values[flag] != setting.value:
                self._disagree(setting, flag)
            values[flag] = setting.value
        self._add_origin(setting)

    def _with_key(self, setting: Setting) -> dict[str, Any]:
        """Return the value of a flag with one more key."""
        flag, done = setting.flag, self._done
        old: dict[str, Any] | None = done.values[flag]
        if not isinstance(old, dict):
            if old is not None:
                origin, others = setting.origin, tuple(done.origins[flag])
                facts = {"origin": origin, "flag": flag}
                done.findings.append(finding("disagreement", origin, others=others, **facts))
            old = {}
        if self._merged.get(flag) is not old:  # the input's own is not changed
            old = self._merged[flag] = copied(old)
        _, clashes = merge_into(old, nest(setting.path, setting.value))
        for key in () if self._quiet else clashes:
            self._disagree(setting, f"{flag}.{key}")
        return old

    def _disagree(self, setting: Setting, what: str) -> None:
        """Report another value for a flag or a key than an earlier setting has."""
        origin = setting.origin
        first = self._done.origins[setting.flag][:_MOST_OTHERS]
        others = tuple([item for item in first if item != origin])
        if others and not self._quiet:
            self._done.findings.append(
                finding("disagreement", origin, origin=origin, others=others, what=what)
            )

    def _add_origin(self, setting: Setting) -> None:
        origins = self._done.origins.setdefault(setting.flag, [])
        seen = self._seen.get(setting.flag)
        if seen is None:
            seen = self._seen[setting.flag] = set(origins)
        if setting.origin not in seen:
            seen.add(setting.origin)
            origins.append(setting.origin)

    def put_under(self, setting: Setting) -> None:
        """Merge a moved key; a value set by the key's own name wins."""
        values = self._done.values
        old, value = values.get(setting.flag), nest(setting.path, setting.value)
        if old is None:
            values[setting.flag] = value
        elif isinstance(old, dict) and setting.path:
            values[setting.flag] = merge(value, old)[0]
        self._add_origin(setting)

    def move_keys(self, name: str) -> list[Setting]:
        """Remove keys that the version's class lacks from a JSON value and return their
        replacements.

        Only keys that changes.toml can replace are removed.
        """
        done, catalog = self._done, self._scope.catalog
        flag = catalog.flag(name)
        value = done.values[name]
        if flag is None or not flag.shaped or not isinstance(value, dict):
            return []
        from translator.settings.changes import carry, movable

        origins = Origins(done.origins.get(name) or [name])
        moved: list[Setting] = []
        movables = [
            (path, item)
            for path, item, expected in problems(value, catalog.shape(name) or {"kind": "json"})
            if movable(name, path, expected, catalog)
        ]
        for path, item in movables:
            keys = tuple(path.split("."))
            moving = Setting(name, item, origins.of(path), keys)
            moved += self._take(carry(moving, self._scope))
            value = done.values[name] = _without(value, keys)
        if movables and not value:
            del done.values[name]
        return moved

    def fill_needs(self, name: str) -> None:
        """Add the neighbour that the version's class requires beside a replaced key.

        This is done only if exactly one value of exactly one key is allowed. From 0.16 on,
        `torch_profiler_dir` is refused unless `profiler` is "torch"; the variable that it replaced
        needed no such neighbour.
        """
        catalog = self._scope.catalog
        flag, value = catalog.flag(name), self._done.values.get(name)
        if flag is None or not flag.shaped or not isinstance(value, dict):
            return
        for rule in (catalog.shape(name) or {}).get("rules", ()):
            key, needs = rule["key"], list(rule["needs"].items())
            applies = key in value and ("values" not in rule or value[key] in rule["values"])
            if not applies or len(needs) != 1:
                continue
            other, allowed = needs[0]
            if len(allowed) == 1 and other not in value:
                self._done.values[name] = value = {**value, other: allowed[0]}


def _depth(setting: Setting) -> tuple[int, tuple[str, ...]]:
    return len(setting.path), setting.path


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
