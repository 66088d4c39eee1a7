"""The form in the middle: what is set, typed, and where it came from. No reader knows a writer;
both know this.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.tables.entries import Flag


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
