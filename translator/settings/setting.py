"""The form in the middle: what is set, typed, and where it came from. No reader knows a writer;
both know this.
"""

from __future__ import annotations

from translator.findings import Finding, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.settings.reading import Reading
    from translator.tables.entries import Flag


class Assembled:
    """What is set, one entry a flag.

    Attributes:
        values: flag → its value.
        origins: flag → the variables or tokens that it came from.
        env: the environment to start vLLM with.
        variables: those of vLLM's own variables in `env` that replace what was a flag.
        tokens: those that were read: what is secret in them is masked in whatever is shown.
        findings: what is worth knowing, that of the reading first.
    """

    __slots__ = ("env", "findings", "origins", "tokens", "values", "variables", "weak")

    def __init__(self, reading: Reading | None = None) -> None:
        self.values: dict[str, Any] = {}
        self.weak: list[Setting] = []
        self.origins: dict[str, list[str]] = {}
        self.variables: dict[str, str] = {}
        self.env: dict[str, str] = reading.env if reading is not None else {}
        self.tokens: list[str] = reading.tokens if reading is not None else []
        self.findings: list[Finding] = list(reading.findings) if reading is not None else []

    def put(self, setting: Setting, quiet: bool = False) -> None:
        """Merge one setting over what is there, and tell of a disagreement."""
        flag = setting.flag
        if flag not in self.values and not setting.path:
            self.values[flag] = setting.value
            self.origins[flag] = [setting.origin]
            return
        value = nest(setting.path, setting.value)
        origins = self.origins.setdefault(flag, [])
        if flag in self.values:
            if setting.path:
                old = self.values[flag]
                if not isinstance(old, dict) and old is not None:
                    self._replaced(setting, origins)
                self.values[flag], clashes = merge(old if isinstance(old, dict) else {}, value)
                self._tell(setting, origins, clashes, quiet)
            else:
                if self.values[flag] != value and not quiet:
                    self._disagree(setting.origin, flag, origins)
                self.values[flag] = value
        else:
            self.values[flag] = value
        if setting.origin not in origins:
            origins.append(setting.origin)

    def _tell(self, setting: Setting, origins: list[str], clashes: list[str], quiet: bool) -> None:
        for key in () if quiet else clashes:
            self._disagree(setting.origin, f"{setting.flag}.{key}", origins)

    def _replaced(self, setting: Setting, others: list[str]) -> None:
        message = (
            f"{setting.origin} sets a key of {setting.flag}, and {', '.join(others)} something that"
            " has no keys: that is left out"
        )
        self.findings.append(
            finding("disagreement", setting.origin, message, "set the one or the other")
        )

    def _disagree(self, origin: str, what: str, others: list[str]) -> None:
        others = [item for item in others if item != origin]
        if others:
            self.findings.append(
                finding(
                    "disagreement",
                    origin,
                    f"{origin} and {', '.join(others)} set {what} to different values: {origin}"
                    " wins",
                )
            )


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1 from True and 1.0, and takes nan for equal to itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(
            same(mine, theirs) for mine, theirs in zip(one, other, strict=True)
        )
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124  # nan


# What a variable that sets nothing looks like.
NOTHING = ("", "None")


class Setting:
    """One flag, its typed value, and its origin.

    Attributes:
        flag: the flag's name in the version that it was read for, such as "--max-model-len".
        value: bool, int, float, str, list, dict or None, by the flag's kind; of a nested setting,
            the key's value.
        origin: the variable or the token that set it, as a person wrote it.
        path: of a setting of one key of a JSON flag, the keys, outermost first; else ().
        was: of a flag that the version lacks, the flag as another version knows it.
    """

    __slots__ = ("flag", "origin", "path", "value", "was")

    def __init__(
        self,
        flag: str,
        value: Any,
        origin: str,
        path: tuple[str, ...] = (),
        was: Flag | None = None,
    ) -> None:
        self.flag = flag
        self.value = value
        self.origin = origin
        self.path = path
        self.was = was

    @property
    def name(self) -> str:
        """The flag, or `--flag.key.sub`."""
        return ".".join((self.flag, *self.path))

    def __repr__(self) -> str:
        return f"Setting({self.name}={self.value!r} from {self.origin})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Setting) and (self.flag, self.value, self.path) == (
            other.flag,
            other.value,
            other.path,
        )

    def __lt__(self, other: Setting) -> bool:
        """By flag: the order of what one variable sets."""
        return self.flag < other.flag

    __hash__ = None  # type: ignore[assignment]


def nest(path: tuple[str, ...], value: Any) -> Any:
    """`("a", "b"), 1` as `{"a": {"b": 1}}`."""
    for key in reversed(path):
        value = {key: value}
    return value


def merge(old: Any, new: Any, path: str = "") -> tuple[Any, list[str]]:
    """Two JSON values as one, the new one winning key by key; and the dotted keys on which they
    disagree.

    >>> merge({"a": 1, "b": {"c": 2}}, {"b": {"c": 3, "d": 4}})
    ({'a': 1, 'b': {'c': 3, 'd': 4}}, ['b.c'])
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new, [path] if old != new else []
    found = dict(old)
    clashes: list[str] = []
    for key, value in new.items():
        here = f"{path}.{key}" if path else key
        if key in found:
            found[key], more = merge(found[key], value, here)
            clashes += more
        else:
            found[key] = value
    return found, clashes
