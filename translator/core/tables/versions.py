"""Versions of vLLM: their order, their ranges, and the table to use for each."""

from __future__ import annotations

from translator.core.findings import Finding, finding, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


VARIABLE = "TRANSLATE_VLLM_VERSION"
LATEST = "latest"  # names the newest known release

_DIGITS = "0123456789"
_NEXT = tuple([f".{digit}" for digit in _DIGITS])
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

# PEP 440's suffixes and their alternative spellings: the part of a version that each belongs to,
# and the order of those that form a pre-release.
_SUFFIXES = {
    "a": ("pre", 0),
    "alpha": ("pre", 0),
    "b": ("pre", 1),
    "beta": ("pre", 1),
    "c": ("pre", 2),
    "rc": ("pre", 2),
    "pre": ("pre", 2),
    "preview": ("pre", 2),
    "post": ("post", 0),
    "rev": ("post", 0),
    "r": ("post", 0),
    "dev": ("dev", 0),
}

# What vLLM's own builds and the distributions of PyPI write behind `+`, less digits: `+cu129`.
_PLATFORMS = ("", "cpu", "cu", "empty", "hpu", "rocm", "tpu", "xpu")


class Version:
    """A version in PEP 440 order, with any number of parts.

    A local part (`+cpu`) and anything after a dash, as in image tags (`-cu129`), are dropped:
    neither changes what vLLM accepts. Where pre-releases do not matter, compare `base`.

    >>> Version("0.10.1") < Version("0.10.1.1") < Version("0.10.2rc1") < Version("v0.10.2+cpu")
    True

    Attributes:
        base: the numbers of the release, and the number of its post-release (-1: none).
        local: the part behind `+`, in lower case; "" if there is none.
    """

    __slots__ = ("_key", "_text", "base", "local")

    def __init__(self, text: str) -> None:
        """Parse a version.

        Raises:
            ValueError: it is none with at least a major and a minor number.
        """
        whole, _, self.local = text.strip().lower().removeprefix("v").partition("+")
        public = whole.partition("-")[0]
        numbers, rest = _release(public)
        if len(numbers) < 2:
            raise ValueError(f"not a version: {show(text)}")
        suffixes: dict[str, tuple[int, int]] = {}
        while rest:
            word, number, rest = _suffix(rest)
            part, rank = _SUFFIXES.get(word, ("", 0))
            if not part or part in suffixes:
                raise ValueError(f"not a version: {show(text)}")
            suffixes[part] = (rank, number)
        while len(numbers) > 2 and not numbers[-1]:  # 0.9.0 equals 0.9
            numbers.pop()
        post, dev = suffixes.get("post"), suffixes.get("dev")
        # 1.dev0 < 1a0.dev0 < 1a0 < 1rc0 < 1 < 1.post0.dev0 < 1.post0
        no_pre = (-1, 0) if dev is not None and post is None else (3, 0)
        self.base = (tuple(numbers), post[1] if post is not None else -1)
        order = (1, 0) if dev is None else (0, dev[1])
        self._key = (self.base[0], suffixes.get("pre", no_pre), self.base[1], order)
        self._text = public

    @property
    def minor(self) -> tuple[int, ...]:
        """Return the major and minor numbers."""
        return self.base[0][:2]

    @property
    def numbered(self) -> bool:
        """Return whether the number says anything: setuptools-scm counts `0.1.dev1` from no tag at
        all, and `0.0.0` stands for an unknown version.
        """
        numbers = self.base[0]
        return numbers != (0, 0) and (numbers >= (0, 2) or not self._is_pre_release)

    @property
    def released(self) -> bool:
        """Return whether it is a release as published, for any platform: no pre-release or fork."""
        return not self._is_pre_release and all(
            part.rstrip(_DIGITS) in _PLATFORMS for part in self.local.split(".")
        )

    @property
    def _is_pre_release(self) -> bool:
        return self._key[1] != (3, 0) or not self._key[3][0]

    def includes(self, release: Version) -> bool:
        """Return whether this names a release: the same one, or all of its minor version."""
        minor = self._text.replace(".", "", 1).isdecimal()  # "0.8", not "0.8.0" or "0.8rc1"
        return self.minor == release.minor if minor else self.base == release.base

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Version({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __lt__(self, other: Version) -> bool:
        return self._key < other._key

    def __le__(self, other: Version) -> bool:
        return self._key <= other._key


def _release(text: str) -> tuple[list[int], str]:
    """Return the numbers at the beginning of a string, and the rest of it."""
    numbers: list[int] = []
    while True:
        rest = text.lstrip(_DIGITS)
        digits = text[: len(text) - len(rest)]
        if not digits or len(digits) > 6:
            return numbers, text
        numbers.append(int(digits))
        if not rest.startswith(_NEXT):
            return numbers, rest
        text = rest[1:]


def _suffix(text: str) -> tuple[str, int, str]:
    """Return the word at the beginning of a string, the number after it (0: none) and the rest."""
    text = text.removeprefix(".").removeprefix("_")
    behind = text.lstrip(_LETTERS)
    rest = behind.lstrip(_DIGITS)
    digits = behind[: len(behind) - len(rest)]
    word = text[: len(text) - len(behind)] if len(digits) <= 8 else ""  # at most a date
    return word, int(digits[:8] or 0), rest


def parse(text: str) -> Version | None:
    """Parse a version string; return None if it is not a version."""
    try:
        return Version(text)
    except ValueError:
        return None


def named(text: str) -> Version | None:
    """Parse a version that somebody names; return None for none, and for two with a dash between:
    `0.8-0.33` is a range, and no build of 0.8.
    """
    is_range = parse(text.partition("+")[0].partition("-")[2]) is not None
    return None if is_range else parse(text)


def within(version: str, since: str | None, until: str | None) -> bool:
    """Return whether a version is between two others, both included; None is no limit."""
    here = Version(version)
    return (since is None or Version(since) <= here) and (until is None or here <= Version(until))


def release(before: str, after: str) -> str:
    """Return what the release of a change is called: its minor version if the one before it belongs
    to another.
    """
    minor = after.split(".")[:2]
    return after if minor == before.split(".")[:2] else ".".join(minor)


def span(first: str, last: str) -> str:
    """Return a range of versions for messages: "0.6.6 to 0.11.2", or a single version."""
    return first if first == last else f"{first} to {last}"


def runs(versions: Iterable[str], having: Collection[str]) -> list[tuple[str, str]]:
    """Return the first and last version of every run without a gap of those that count, of all."""
    runs: list[tuple[str, str]] = []
    inside = False
    for version in versions:
        if version in having:
            runs.append((runs.pop()[0] if inside else version, version))
        inside = version in having
    return runs


def shown_runs(versions: Iterable[str], having: Collection[str]) -> str:
    """Return the runs of versions for messages: "0.6.6 to 0.11.2, 0.13.0"."""
    return ", ".join([span(*run) for run in runs(versions, having)])


def ranges(compiled: Iterable[str]) -> str:
    """Return the ranges of the compiled index as messages show them.

    >>> ranges(["0.6.6-0.11.2", "0.13.0-0.13.0"])
    '0.6.6 to 0.11.2, 0.13.0'
    """
    return ", ".join([span(*item.split("-")) for item in compiled])


def choose(
    text: str, known: Sequence[str], subject: str = "vllm"
) -> tuple[str | None, list[Finding]]:
    """Choose the table for a version: its own, or that of the release before it; return it (None
    for an error), and the findings. `subject` is where the version was given.

    A minor version ("0.19") is its newest release, as pip's `0.19.*` would have it, and "latest"
    the newest of all.
    """
    if text in known:
        return text, []
    version, first, last = named(text), known[0], known[-1]
    if text == LATEST:
        return last, []
    if version is None:
        return None, [finding("bad-version", subject, given=text, first=first, last=last)]
    if not version.numbered:
        return last, [unknown_build(text, last, subject)]
    for item in reversed(known):
        exact = version.includes(Version(item))
        if exact or Version(item).base < version.base:
            break
    else:
        return None, [finding("version-too-old", subject, given=text, first=first, last=last)]
    if not exact and item == last:
        return item, [finding("version-too-new", subject, given=text, last=item, used=item)]
    if not version.released:
        facts = {"given": text, "used": item}
        return item, [finding("version-assumed", subject, case="build", **facts)]
    return item, ([] if exact else [finding("version-between", subject, given=text, last=item)])


def unknown_build(given: str, used: str, subject: str) -> Finding:
    """Return the finding about a build whose version says nothing."""
    facts = {"given": given, "used": used, "variable": VARIABLE}
    return finding("version-assumed", subject, case="unnumbered", **facts)


def requested(env: Mapping[str, str]) -> str:
    """Return the version in TRANSLATE_VLLM_VERSION; "" if it is not set."""
    text = env.get(VARIABLE, "").strip()
    return "" if text == "None" else text
