"""What is known of a vLLM whose version says nothing: what it was built from, and when.

pip leaves the address of what was installed in direct_url.json (PEP 610); a checkout names its
branch. Where neither names a release, its day does: the newest release at that time. setuptools-scm
writes the day into the version of a tree with changes (`0.1.dev1+gb22b798.d20241006`); else it is
that of the files.
"""

from __future__ import annotations

import os

from translator.tables.versions import Version, parse, unknown_build
from translator.text.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from translator.findings import Finding
    from translator.tables.catalog import Tables
    from translator.tables.installed import Build

RELEASES = "releases.json"
"""The compiled file of releases: version → when it was published."""

_ARCHIVES = (".whl", ".zip", ".tar.gz")


def nearest(build: Build, tables: Tables) -> tuple[str, Finding]:
    """Return the version to use for a build whose own version says nothing, and the finding that
    tells so.
    """
    known = tables.versions()
    for source in _sources(build.place):
        version = _version_in(source, known)
        if version is not None:
            return version, unknown_build(build.version, version, "vllm", source=version)
    date = _day_in(build.version) or _date_of(build.place)
    before = [name for name, facts in tables.records(RELEASES).items() if facts["date"] <= date]
    last = _not_newer(before[-1], known) if before else None
    if last is not None:
        return last, unknown_build(build.version, last, "vllm", date=date)
    return known[-1], unknown_build(build.version, known[-1], "vllm")


def _sources(place: str) -> Iterator[str]:
    """Yield the names of what a build was made from, the most telling first: the revision and the
    address that pip noted, and the branch of the checkout.
    """
    note = _read(os.path.join(place, "direct_url.json"))
    try:
        noted: Any = loads(note) if note else {}
    except ValueError:
        noted = {}
    noted = noted if isinstance(noted, dict) else {}
    revision = noted.get("vcs_info")
    if isinstance(revision, dict) and isinstance(revision.get("requested_revision"), str):
        yield revision["requested_revision"]
    url = noted.get("url")
    if isinstance(url, str):
        yield url.rpartition("/")[2]
        place = url.removeprefix("file://")
    head = _read(os.path.join(place, ".git", "HEAD"))
    if head.startswith("ref: "):
        yield head.rpartition("/")[2].strip()


def _version_in(text: str, known: Sequence[str]) -> str | None:
    """Return the known version that a branch, a tag or the name of a file contains."""
    for ending in _ARCHIVES:
        text = text.removesuffix(ending)
    for part in text.replace("/", "-").replace("@", "-").replace("_", "-").split("-"):
        version = parse(part)
        if version is not None and Version(known[0]) <= version <= Version(known[-1]):
            return _not_newer(part, known)
    return None


def _not_newer(version: str, known: Sequence[str]) -> str | None:
    """Return the newest known version that is no newer than another."""
    limit = Version(version)
    found = [item for item in known if Version(item).base <= limit.base]
    return found[-1] if found else None


def _day_in(version: str) -> str:
    """Return the day in a version's local part, as 2024-10-06 for `.d20241006`; "" without one."""
    for part in version.partition("+")[2].split("."):
        day = part[1:]
        if part[:1] == "d" and len(day) == 8 and day.isascii() and day.isdecimal():
            return f"{day[:4]}-{day[4:6]}-{day[6:]}"
    return ""


def _date_of(place: str) -> str:
    """Return the day on which a build was installed, as 2026-11-02; "" if it is not known."""
    import time

    try:
        seconds = os.stat(place).st_mtime
    except OSError:
        return ""
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(16384)
    except (OSError, ValueError):
        return ""
