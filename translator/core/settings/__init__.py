"""The representation between readers and writers.

Readers return a `Reading` of settings, `assemble` converts it to `Resolved`, and writers start
from that. No reader depends on a writer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Catalog, Flag
    from translator.core.text.words import Origin


def same(one: Any, other: Any) -> bool:
    """Compare values; 1, True and 1.0 differ, and nan equals itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124  # nan


class Setting:
    """One flag, its typed value, and its origin.

    Attributes:
        flag: the flag's name in the version that it was read for, such as "--max-model-len".
        value: bool, int, float, str, list, dict or None, by the flag's kind; with a path, the key's
            value.
        origin: the variable or the token that set it.
        path: for one key of a JSON flag, the keys, outermost first; otherwise ().
        was: for a flag that the version lacks, another version's flag.
        weak: whether it counts only where nothing else sets the flag or the key.
        written: a catalog and the tokens that its version was given for the value, if there was
            nothing to say about them; a setting of a value that was read before still has them.
        checked: a catalog in whose version there is nothing to say about a JSON value.
    """

    __slots__ = ("checked", "flag", "origin", "path", "value", "was", "weak", "written")

    def __init__(
        self,
        flag: str,
        value: Any,
        origin: Origin,
        path: tuple[str, ...] = (),
        was: Flag | None = None,
        weak: bool = False,
    ) -> None:
        self.flag, self.value, self.origin = flag, value, origin
        self.path, self.was, self.weak = path, was, weak
        self.written: tuple[Catalog, list[str]] | None = None
        self.checked: Catalog | None = None

    @property
    def name(self) -> str:
        """The flag, or `--flag.key.sub`."""
        return ".".join((self.flag, *self.path))


def nest(path: tuple[str, ...], value: Any) -> Any:
    """Turn `("a", "b"), 1` into `{"a": {"b": 1}}`."""
    for key in reversed(path):
        value = {key: value}
    return value


def merge(old: Any, new: Any, path: str = "") -> tuple[Any, list[str]]:
    """Merge a JSON value into another one, which it changes, the new one winning key by key; also
    return the keys that differ.

    >>> merge({"a": 1, "b": {"c": 2}}, {"b": {"c": 3, "d": 4}})
    ({'a': 1, 'b': {'c': 3, 'd': 4}}, ['b.c'])
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return copied(new), [path] if old != new else []
    clashes: list[str] = []
    for key, value in new.items():
        here = f"{path}.{key}" if path else key
        if key in old:
            old[key], more = merge(old[key], value, here)
            clashes += more
        else:
            old[key] = copied(value)
    return old, clashes


def copied(value: Any) -> Any:
    """Return a JSON value whose objects are copies."""
    if not isinstance(value, dict):
        return value
    return {key: copied(item) for key, item in value.items()}


class ModelConfig:
    """A model's config.json.

    Attributes:
        path: of the file, for messages.
        content: what it says.
        name: the model, where its place says so (`org/name`); else "".
        problem: why it cannot be used; "" if it can.
        beside: the names of the model's files; None if they are not known.
    """

    def __init__(
        self,
        path: str,
        content: Mapping[str, Any],
        name: str = "",
        problem: str = "",
        beside: Sequence[str] | None = None,
    ) -> None:
        self.path, self.content, self.name, self.problem = path, content, name, problem
        self.beside = beside


class Reading:
    """An input, read for one version.

    Attributes:
        settings: of flags that the version has, weakest first.
        missing: of flags and variables that only other versions have (`Setting.was`).
        env: the environment to start vLLM with: the given one without the variables that became
            settings.
        extra: name and value of the variable with additional tokens, or None.
        unread: the variables that nothing reads.
        tokens: the tokens that were read; secrets in them are masked in all output.
        findings: the findings so far.
    """

    __slots__ = ("env", "extra", "findings", "missing", "settings", "tokens", "unread")

    def __init__(
        self,
        settings: Sequence[Setting] = (),
        missing: Sequence[Setting] = (),
        env: dict[str, str] | None = None,
        findings: Sequence[Finding] = (),
    ) -> None:
        self.settings: list[Setting] = list(settings)
        self.missing: list[Setting] = list(missing)
        self.env: dict[str, str] = {} if env is None else env
        self.extra: tuple[str, str] | None = None
        self.unread: list[str] = []
        self.tokens: list[str] = []
        self.findings: list[Finding] = list(findings)


class Resolved:
    """The final settings, one entry per flag.

    Attributes:
        values: flag → its value.
        origins: flag → what set it.
        whole: flag → the setting of its whole value, unless it was merged.
        keys: `--flag.key.sub` → the origin of this key alone.
        env: the environment to start vLLM with.
        variables: those of vLLM's own variables in `env` that replace flags.
        tokens: the tokens that were read; secrets in them are masked in all output.
        findings: all findings, those of the reading first.
    """

    __slots__ = ("env", "findings", "keys", "origins", "tokens", "values", "variables", "whole")

    def __init__(self, reading: Reading | None = None) -> None:
        reading = reading or Reading()
        self.values: dict[str, Any] = {}
        self.origins: dict[str, list[Origin]] = {}
        self.whole: dict[str, Setting] = {}
        self.keys: dict[str, Origin] = {}
        self.variables: dict[str, str] = {}
        self.env, self.tokens = reading.env, reading.tokens
        self.findings: list[Finding] = list(reading.findings)

    def origin_of(self, flag: str, path: str = "") -> Origin:
        """Return the first origin of a flag, or that of a key of it."""
        origin = self.keys.get(f"{flag}.{path}")
        return self.origins[flag][0].of_key(path) if origin is None else origin

    def has_hole(self, flag: str) -> bool:
        """Return whether the value of a flag is not known."""
        return any(origin.hole for origin in self.origins.get(flag, ()))

    def shown_origins(self) -> dict[str, list[str]]:
        """Return what set each flag, as messages call it."""
        return {flag: list(dict.fromkeys(map(str, these))) for flag, these in self.origins.items()}
