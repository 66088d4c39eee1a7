"""Which vLLM an image holds, and what its command line is for."""

from __future__ import annotations

from translator.core.tables.catalog import FileOf
from translator.core.tables.dialects import GENERATIONS, of_release
from translator.core.tables.versions import LATEST, Version, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from translator.core.tables import entries
    from translator.core.tables.catalog import Tables

RELEASES: FileOf[dict[str, str]] = FileOf("releases.json")
"""The compiled file of releases: version → its "date"."""

IMAGES: FileOf[entries.Image] = FileOf("images.json")
"""The compiled file: the end of a repository → the entry of its images."""

_ALL: FileOf[entries.Images] = FileOf(IMAGES)

_DIGITS = "0123456789"
_NEWEST = 9999  # behind the numbers of a release: the last that begins so


class Image:
    """What is known of an image.

    Attributes:
        version: the vLLM in it; "" if it is not known.
        assumed: otherwise, of a platform's program, the vLLM of its release before the tag's, or of
            its newest; of others, the release in its tag, unless the numbers are somebody else's.
        publisher: whose numbers its tag has, if not vLLM's; or "".
        holds_vllm: whether the vLLM in it is known by its tag, or would be by another one.
        runs: "server", "command" or "program"; "" if it is not known.
        dialect: that of the program's release in its tag; "" if it is not known.
        module: whether its vLLM is started as a module, not as `vllm serve`.
    """

    __slots__ = ("assumed", "dialect", "holds_vllm", "module", "publisher", "runs", "version")

    def __init__(self, tag: str, entry: entries.Image, tables: Tables) -> None:
        after = entry.get("version_after", ())
        self.holds_vllm = bool(after or entry.get("versions"))
        self.version = _listed(tag, entry.get("versions", {})) or _within(tag, after)
        self.publisher = "" if after else entry.get("publisher", "")
        self.runs = entry.get("runs", "")
        self.assumed = "" if self.publisher else _release(tag, tables)
        if self.runs == "program" and entry.get("versions"):
            self.assumed = _of_release(tag, entry["versions"])
        named = f"{entry.get('dialect', '')}@{_numbers_of(tag)}"
        self.dialect = named if of_release(named, tables) else ""
        version = parse(self.version or self.assumed)
        for program in entry.get("programs", ()):
            if program["tag"] in tag and not (version and version < Version(program["since"])):
                self.dialect, self.runs = program["dialect"], "program"
        since = parse(common(tables).get("serve_since", ""))
        self.module = version is not None and since is not None and version < since


def image_of(image: str, tables: Tables) -> Image:
    """Return what is known of an image, named `registry/repository:tag@digest`."""
    path, slash, last = image.partition("@")[0].rpartition("/")
    name, _, tag = last.partition(":")
    return Image(tag, entry_of(f"{path}{slash}{name}".lower(), tables), tables)


def vllm_of(dialect: str, tables: Tables) -> str:
    """Return the vLLM of the newest release of a platform's program that a dialect names, as in
    `runpod@2.25`; "" if it names none.
    """
    first = first_vllm(dialect, tables)
    name, _, release = with_release(dialect, tables).partition("@")
    image = f"{tables.head(name).get('image', '')}:{release}.{_NEWEST}"
    return first and (image_of(image, tables).assumed or first)


def with_release(dialect: str, tables: Tables) -> str:
    """Return the name of a dialect, with the newest release that is known for `@latest`."""
    name, _, release = dialect.partition("@")
    versions = entry_of(tables.head(name).get("image", ""), tables).get("versions", {})
    newest = max(filter(parse, versions), key=Version, default="")
    return f"{name}@{newest}" if release == LATEST and newest else dialect


def first_vllm(dialect: str, tables: Tables) -> str:
    """Return the oldest vLLM of the generation of a platform's program that a dialect names; "" if
    it names none.
    """
    generation = of_release(dialect, tables)
    return tables.records(GENERATIONS)[generation]["vllm"] if generation else ""


def program_of(flag: str, tables: Tables) -> str:
    """Return the program that a flag gives all arguments to; "" for vLLM itself."""
    return common(tables).get("others", {}).get(flag, "")


def telling(names: Iterable[str], tables: Tables) -> set[str]:
    """Return the flags among some that hardly another program than vLLM has."""
    return set(common(tables).get("telling", ())).intersection(names)


def common(tables: Tables) -> entries.Images:
    """Return what holds for all images."""
    return tables.records(_ALL).get("@images", {})


def entry_of(repository: str, tables: Tables) -> entries.Image:
    """Return the entry of the longest name that the repository ends with, in whole parts."""
    records = tables.records(IMAGES)
    for at in range(len(repository)):
        if (not at or repository[at - 1] in "/.") and repository[at:] in records:
            return records[repository[at:]]
    return {}


def _listed(tag: str, versions: Mapping[str, str]) -> str:
    """Return the version of the longest listed tag that a tag is, or is a variant of."""
    text = tag.removeprefix("v").removeprefix(".")
    prefixes = [key for key in versions if text.startswith(key) and _ends(text[len(key) :])]
    return versions[max(prefixes, key=len)] if prefixes else ""


def _of_release(tag: str, versions: Mapping[str, str]) -> str:
    """Return the version of the last listed release that is no newer than a tag's, or of all."""
    version = parse(_numbers_of(tag))
    known = sorted((Version(key).base, Version(item), item) for key, item in versions.items())
    older = [entry for entry in known if version is None or entry[0] <= version.base]
    return (older or known[:1])[-1][2]


def _numbers_of(tag: str) -> str:
    """Return the numbers that a tag begins with, such as "2.25.2"."""
    text = tag.removeprefix("v")
    return text[: len(text) - len(text.lstrip(f".{_DIGITS}"))].strip(".")


def _ends(rest: str) -> bool:
    """Return whether a version ends before a string: 1.0 is none of 1.0.1, 1.0.post1 and 1.0rc1."""
    word = rest.lstrip("._-")
    return rest[:1] not in (*_DIGITS, "+") and not (
        word.startswith(("post", "rc", "dev", "alpha", "beta"))
        or (rest[:1] == "." and word[:1] in (*_DIGITS, ""))
    )


def _within(tag: str, after: Sequence[str]) -> str:
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
