"""Which vLLM an image holds."""

from __future__ import annotations

from translator.tables.builds import RELEASES
from translator.tables.versions import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from translator.tables.catalog import Tables

IMAGES = "images.json"
"""The compiled file: the end of a repository → the entry of its images."""

_DIGITS = "0123456789"


class Image:
    """What is known of an image.

    Attributes:
        version: the vLLM in it; "" if it is not known.
        assumed: otherwise, the release in its tag, if there is one and the numbers are not known to
            be somebody else's; or "".
        publisher: whose numbers its tag has, if not vLLM's; or "".
        holds_vllm: whether the vLLM in it is known by its tag, or would be by another one.
        runs: "server", "command" or "program"; "" if it is not known.
        module: whether its vLLM is started as a module, not as `vllm serve`.
    """

    __slots__ = ("assumed", "holds_vllm", "module", "publisher", "runs", "version")

    def __init__(self, tag: str, entry: dict[str, Any], tables: Tables) -> None:
        after = entry.get("version_after", ())
        self.holds_vllm = bool(after or entry.get("versions"))
        self.version = _listed(tag, entry.get("versions", {})) or _within(tag, after)
        self.publisher: str = "" if after else entry.get("publisher", "")
        self.runs: str = entry.get("runs", "")
        version = parse(self.version)
        since = parse(tables.records(IMAGES).get("@images", {}).get("serve_since", ""))
        self.module = version is not None and since is not None and version < since
        self.assumed = "" if self.publisher else _release(tag, tables)


def image_of(image: str, tables: Tables) -> Image:
    """Return what is known of an image.

    Args:
        image: as it is pulled: `registry/repository:tag@digest`.
        tables: where it is looked up.
    """
    path, slash, last = image.partition("@")[0].rpartition("/")
    name, _, tag = last.partition(":")
    return Image(tag, _entry(f"{path}{slash}{name}".lower(), tables), tables)


def named_by_flags(words: Sequence[str], tables: Tables) -> bool:
    """Return whether arguments are those of vLLM's server, whatever the image is called: two flags
    that hardly another program has, and none that no vLLM has.
    """
    names = _flags(words)
    return len(telling(names, tables)) > 1 and all(map(tables.knowing, names))


def is_foreign(words: Sequence[str], tables: Tables) -> bool:
    """Return whether arguments are another program's, although its name is like vLLM's: half of
    the flags are none of vLLM's, and none is one that hardly another program has.
    """
    names = _flags(words)
    unknown = [name for name in names if not tables.knowing(name)]
    return bool(unknown) and 2 * len(unknown) >= len(names) and not telling(names, tables)


def is_of_another(words: Sequence[str], tables: Tables) -> bool:
    """Return whether arguments have a flag that gives them to another program's parser."""
    others = tables.records(IMAGES).get("@images", {}).get("others", ())
    return not set(others).isdisjoint(_flags(words))


def telling(names: Iterable[str], tables: Tables) -> set[str]:
    """Return the flags among some that hardly another program than vLLM has."""
    return set(tables.records(IMAGES).get("@images", {}).get("telling", ())).intersection(names)


def _flags(words: Sequence[str]) -> list[str]:
    names = [word.partition("=")[0].partition(".")[0] for word in words if word.startswith("--")]
    return [name.replace("_", "-") for name in names]


def _entry(repository: str, tables: Tables) -> dict[str, Any]:
    """Return the entry of the longest name that the repository ends with, in whole parts."""
    records = tables.records(IMAGES)
    for at in range(len(repository)):
        if (not at or repository[at - 1] in "/.") and repository[at:] in records:
            return records[repository[at:]]
    return {}


def _listed(tag: str, versions: dict[str, str]) -> str:
    """Return the version of the longest listed tag that a tag is, or is a variant of."""
    text = tag.removeprefix("v").removeprefix(".")
    found = [key for key in versions if text.startswith(key) and _ends(text[len(key) :])]
    return versions[max(found, key=len)] if found else ""


def _ends(rest: str) -> bool:
    """Return whether a version ends before a string: 1.0 is none of 1.0.1, 1.0.post1 and 1.0rc1."""
    word = rest.lstrip("._-")
    return rest[:1] not in (*_DIGITS, "+") and not (
        word.startswith(("post", "rc", "dev", "alpha", "beta"))
        or (rest[:1] == "." and word[:1] in (*_DIGITS, ""))
    )


def _within(tag: str, after: list[str]) -> str:
    """Return the version that stands in a tag, after one of the given strings."""
    for start in after:
        at = tag.find(start)
        if at < 0:
            continue
        text = tag[at + len(start) :].removeprefix("v")
        for sign in "-_":
            text = text.partition(sign)[0]
        version = parse(text)
        if version is not None and version.numbered:
            return str(version)
    return ""


def _release(tag: str, tables: Tables) -> str:
    """Return the release of vLLM that a tag begins with; "" if it is none."""
    version = parse(_within(tag, [""]))
    if version is None:
        return ""
    numbers, post = version.base
    release = ".".join(map(str, numbers)) + ".0" * (len(numbers) == 2)
    release += f".post{post}" if post >= 0 else ""
    return release if release in tables.records(RELEASES) else ""
